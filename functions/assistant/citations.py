"""Which documents an answer names, however it spells that; pure."""

import re
from collections.abc import Mapping

from assistant.knowledge_base import Passage

_WORD = (
    r"documents?|docs?|passages?|sources?|r[eé]f(?:[eé]rence)?s?|citations?|dokumente?|quellen?|documentos?|fuentes?|"
    r"pièces?|документы?|источники?"
)
_AGAIN = rf"(?:(?:{_WORD})\.?\s*+)?[#№*]*+"
_JOINT = r"(?:[,;/+&–—-]|and|or|und|oder|sowie|y|o|e|et|ou|to|through|bis|à)"
_NUMBERS = rf"(\d{{1,9}}(?:\s*+{_JOINT}++\s*+{_AGAIN}\d{{1,9}})*)"
_REST = r"[^\[\]【】〔〕]*+"
NAMED = re.compile(
    rf"(?<![^\W_])(?:{_WORD})(?:[_ ]?ids?|[_ ]?no\.?)?[\"'*`]*+[.:=]?\s*+[#№_*`\"'-]*+{_NUMBERS}", re.IGNORECASE
)
EASTERN = re.compile(r"(?:文档|文档编号|文件|資料|文書|ドキュメント)\s*+[#第]?\s*+(\d{1,9})")
BRACKETED = re.compile(
    rf"[\[【〔]\s*+[#^]?{_NUMBERS}\s*+(?:(?::\d++)?†{_REST})?(?:[,:]\s*+(?:p|pp|page|S|Seite)\b\.?{_REST})?[\]】〕](?!\()"
)
RAISED = re.compile(r"(?:(?<=[.,;:!?»”\"')\]])|(?<=[^\W\d_]{3}))([¹²³⁰⁴-⁹]{1,9})")
ENDING = re.compile(r"(?<!\])\((\d{1,9})\)(?=[.,;:]|\s*$)", re.MULTILINE)
RANGE = re.compile(rf"(?<!\d)(\d++)\s*+(?:[-–—]|to|through|bis|à)\s*+{_AGAIN}(\d++)", re.IGNORECASE)
LONGEST_RANGE = 50
YEARS = range(1900, 2101)
SHORTEST_TITLE = 6
_FIGURES_OF_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def cited(answer: str, found: Mapping[int, Passage]) -> set[int]:
    """Numbers of the documents that an answer names: [doc 4], docs 5-7, [3], 【3†source】, Quelle 4, a title.

    What may be something else, a year in brackets, ² or (3), counts only where a search ``found`` such a document.
    """
    named = [group for pattern in (NAMED, EASTERN) for group in pattern.findall(answer)]
    numbers = {number for group in named for number in _numbers(group)}
    bracketed = {number for group in BRACKETED.findall(answer) for number in _numbers(group)}
    doubtful = {int(raised.translate(_FIGURES_OF_RAISED)) for raised in RAISED.findall(answer)}
    doubtful |= {int(number) for number in ENDING.findall(answer)} | bracketed.intersection(YEARS)
    said = answer.casefold()
    titled = {
        number
        for number, passage in found.items()
        if passage.title and len(passage.title) >= SHORTEST_TITLE and passage.title.casefold() in said
    }
    return numbers | (bracketed - set(YEARS)) | (doubtful & found.keys()) | titled


def _numbers(group: str) -> set[int]:
    spans = [(int(first), int(last)) for first, last in RANGE.findall(group)]
    between = {number for first, last in spans if last - first <= LONGEST_RANGE for number in range(first, last + 1)}
    return between | {int(number) for number in re.findall(r"\d+", group)}
