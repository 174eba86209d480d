"""Which documents an answer names, however it spells that, and which of its sentences they do not bear out; pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

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


_BREAK = re.compile(
    r"(?<=[.!?…])[\"”»)]*((?:\s*[\[【][^\]】]{1,60}[\]】])*)\s+(?=[^\Wa-zß-ÿ_]|[\"“„«(\[*])|(?<=[。！？])|\n+"
)
_SHORT = re.compile(
    r"(?:\b[^\W\d_]|\b(?:[DM]r|Mrs|Ms|Prof|Inc|Ltd|Co|Corp|No|Nr|vs|approx|ca|St|Fig|[Dd]ocs?|Jr|Sr))\.$"
)
_MARKUP = re.compile(r"^\s*(?:[-*•>|]+|\d{1,3}[.)])\s+|[*_`|]+")


def sentences(answer: str) -> Iterator[str]:
    """Headings, empty lines and what only introduces a list are left out; a citation stays with what it follows."""
    for line in answer.splitlines():
        if line.lstrip().startswith("#"):
            continue
        held, begun = _MARKUP.sub("", line), 0
        for found in _BREAK.finditer(held):
            if _SHORT.search(held[begun : found.start()].strip()):
                continue
            yield from _said(held[begun : found.end()])
            begun = found.end()
        yield from _said(held[begun:])


def _said(text: str) -> Iterator[str]:
    text = text.strip()
    if text and not text.endswith((":", "?")):
        yield text


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A sentence, and what in it stands in no document it could rest on; ``absent`` is empty where nothing does."""

    sentence: str
    absent: tuple[str, ...]


_FIGURE = re.compile(
    r"(?<![\w.,])(?:[A-Za-z]+[-‑])?[$€£]?(\d+(?:[.,' ]\d+)*)\s?(k|m|bn?|million|billion|thousand|Mio|Mrd|Tsd)?\b\.?",
    re.I,
)
_SCALE = {"k": 3, "thousand": 3, "tsd": 3, "m": 6, "million": 6, "mio": 6, "b": 9, "bn": 9, "billion": 9, "mrd": 9}
_COUNTED = {
    word: str(number)
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "un deux trois quatre cinq six sept huit neuf dix onze douze",
    )
    for number, word in enumerate(words.split(), start=1)
}
_NAME = re.compile(r"\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{3,}\b|(?<=[\w,;] )[A-Z][\w’'-]+(?: [A-Z][\w’'-]+)+")
_LONG = re.compile(r"[^\W\d_]{5,}")
_DENIES = re.compile(
    r"\b(?:no|not|nothing|nobody|none|never|nor|unknown|unclear|without|cannot|\w+n't|nicht|kein\w*|nichts|niemand|unbekannt|ohne|"
    r"pas|aucune?|rien|sin|ning[uú]n\w*|nada)\b",
    re.IGNORECASE,
)


def unsupported(answer: str, *, question: str, found: Mapping[int, Passage]) -> list[Unsupported]:
    """Sentences with a figure or a name that stands neither in the question nor in the documents the sentence names,
    or in any that was found where it names none; and those that name none and have no word in common with one.

    A figure that the model worked out is among them: no document has it. What denies is not looked for.
    """
    missed = []
    for sentence in sentences(answer):
        named = cited(sentence, found) & found.keys()
        passages = [found[number] for number in sorted(named)] or list(found.values())
        texts = [question, *(f"{passage.title or ''}\n{passage.content}" for passage in passages)]
        # A document's number is no figure of the sentence's.
        plain = _without_citations(sentence)
        absent = _absent(plain, texts)
        if absent or (not named and not _DENIES.search(plain) and _shares_nothing(plain, texts[1:])):
            missed.append(Unsupported(sentence, tuple(absent)))
    return missed


def _without_citations(sentence: str) -> str:
    for pattern in (BRACKETED, NAMED, EASTERN, ENDING):
        sentence = pattern.sub(" ", sentence)
    return sentence


def _absent(sentence: str, texts: Sequence[str]) -> list[str]:
    said = "\n".join(texts)
    figures, words = {value for _, values in _figures(said) for value in values}, said.casefold()
    figures |= {_COUNTED[word] for word in re.findall(r"[^\W\d_]+", words) if word in _COUNTED}
    absent = [text for text, values in _figures(sentence) if not values & figures]
    names = [found[0] for found in _NAME.finditer(sentence)]
    return [*absent, *(name for name in names if not any(part.casefold() in words for part in name.split()))]


def _figures(text: str) -> Iterator[tuple[str, set[str]]]:
    """(a figure as it stands, how it may be written otherwise): 1.200 is 1200 or 1.2, $42M is 42 or 42000000."""
    for found in _FIGURE.finditer(text):
        digits, scale = found[1], _SCALE.get((found[2] or "").lower(), 0)
        values = {re.sub(r"\D", "", digits), _decimal(digits)}
        if scale:
            values.add(_decimal(str(float(_decimal(digits)) * 10**scale)))
        yield found[0].strip().rstrip("."), values


def _decimal(digits: str) -> str:
    """The last separator as the decimal point, others as none; without zeros that say nothing."""
    whole, mark, part = re.sub("[' ]", "", digits).replace(",", ".").rpartition(".")
    if not mark:
        return part
    part = part.rstrip("0")
    return f"{whole.replace('.', '')}.{part}" if part else whole.replace(".", "")


def _shares_nothing(sentence: str, texts: Sequence[str]) -> bool:
    words = {word[:5].casefold() for word in _LONG.findall(sentence)}
    held = "\n".join(texts).casefold()
    return len(words) > 1 and not any(word in held for word in words)
