"""The head of a letter: number, date, customer, contact, subject and terms, behind or below what they are called."""

import re
from collections.abc import Iterator, Sequence

from operations.letters.lines import SURE, LetterLine, LetterValue, plain, words
from operations.tables.cells import Habits, Unreadable, day

HEAD_LINES = 40
NUMBER = re.compile(r"[A-Z]{0,6}[-/ ]?\d[\w/.-]*")


def read_head(lines: Sequence[LetterLine], how: Habits) -> dict[str, LetterValue]:
    found: dict[str, LetterValue] = {}
    for at, line in enumerate(lines):
        if at > HEAD_LINES and "terms" in found:
            break
        for place, cell in enumerate(line.cells):
            following = line.cells[place + 1] if place + 1 < len(line.cells) else ""
            below = lines[at + 1] if at + 1 < len(lines) else LetterLine("", ())
            for name, labels in words()["labels"].items():
                if name in found or (at > HEAD_LINES and name != "terms"):
                    continue
                said = _labelled(name, labels, cell, following, line, how)
                if said is None and place < len(below.cells) and plain(cell) in labels:
                    said = _below(name, below.cells[place], below.place, how)
                if said is not None:
                    found[name] = said
    if "quote_date" not in found:
        for line in lines[:HEAD_LINES]:
            if dates := [cell for cell in _pieces(line) if _is("quote_date", cell, how)]:
                found["quote_date"] = LetterValue(dates[0], line.place, 0.6)
                break
    return {**_above_greeting(lines[:HEAD_LINES]), **found}


def _above_greeting(lines: Sequence[LetterLine]) -> dict[str, LetterValue]:
    """The subject, a line of prose right above the greeting, and the addressee, the second company that is named.

    A person looks at the latter, because the letter does not call it so.
    """
    greetings = words()["greetings"]
    greeting = next((at for at, line in enumerate(lines) if plain(line.text).split(" ")[0] in greetings), 0)
    above = [line for line in lines[:greeting] if line.text]
    found: dict[str, LetterValue] = {}
    if above and re.fullmatch(r"(?=.* [a-zà-ÿ])[^:\d]{12,120}", above[-1].text) and len(above[-1].text.split()) > 2:
        found["project"] = LetterValue(above[-1].text, above[-1].place, SURE)
    companies: dict[str, LetterValue] = {}
    for line in above:
        for cell in line.cells:
            if len(cell.split()) > 1 and plain(cell).split(" ")[-1] in words()["companies"] and ":" not in cell:
                companies.setdefault(cell, LetterValue(cell, line.place, 0.6))
    if len(companies) > 1:
        found["customer"] = list(companies.values())[1]
    return found


def _pieces(line: LetterLine) -> Iterator[str]:
    """The cells, and the parts of each behind a comma: "Goslar, 14.03.2023"."""
    for cell in line.cells:
        yield cell
        yield from (part.strip() for part in cell.split(",")[1:])
        yield from (part for part in cell.split() if "." in part or "/" in part)


def _labelled(
    name: str, labels: Sequence[str], cell: str, following: str, line: LetterLine, how: Habits
) -> LetterValue | None:
    """The value behind a label, in the same cell or in the next one."""
    label, sign, rest = cell.partition(":")
    if sign and plain(label) in labels:
        value = rest.strip() or following.strip()
        return LetterValue(value, line.place, 0.95) if value and _is(name, value, how) else None
    if plain(cell) in labels and following and not _is_label(following):
        if _is(name, following, how):
            return LetterValue(following.strip(), line.place, 0.9)
        begins = re.match(NUMBER, following)
        if name == "quote_number" and begins and not following[begins.end() : begins.end() + 1].isalnum():
            return LetterValue(begins[0].rstrip(".,"), line.place, 0.85)
    if name == "quote_number":
        for known in sorted(labels, key=len, reverse=True):
            if plain(cell).startswith(known + " "):
                rest = _after(cell, known)
                if found := re.match(NUMBER, rest):
                    exact = known.split()[-1] in ("no", "nr", "number", "n", "#") or known.endswith("nummer")
                    return LetterValue(found[0].rstrip(".,"), line.place, 0.95 if exact else 0.85)
    if name == "quote_date":
        return _dated(cell, labels, line, how)
    if name == "contact":
        for known in labels:
            if len(known) > 3 and plain(cell).startswith(known + " "):
                return LetterValue(_after(cell, known), line.place, 0.85)
    return None


def _dated(cell: str, labels: Sequence[str], line: LetterLine, how: Habits) -> LetterValue | None:
    """The date behind a label without a sign between them: "Date 6/14/24", "DEVIS N° 118 du 12/03/2024"."""
    found = re.search(r"(?:^|\s)([a-zA-Z]+)\s+(\d[\d./-]{5,9})$", cell.strip())
    if found is None or not _is("quote_date", found[2], how):
        return None
    numbered = any(plain(cell).startswith(f"{known} ") for known in words()["labels"]["quote_number"])
    if plain(found[1]) in labels or (numbered and plain(found[1]) in ("du", "del", "of", "vom", "dated")):
        return LetterValue(found[2], line.place, 0.85)
    return None


def _below(name: str, cell: str, place: str, how: Habits) -> LetterValue | None:
    """The value that stands under a label which stands alone."""
    if not cell or ":" in cell or _is_label(cell) or not _is(name, cell, how):
        return None
    return LetterValue(cell.strip(), place, 0.85)


def _is_label(cell: str) -> bool:
    return any(plain(cell) in labels for labels in words()["labels"].values())


def _after(cell: str, label: str) -> str:
    """What stands behind a label of as many words, signs between them left out."""
    rest = cell
    for _ in label.split():
        rest = re.sub(r"^\W*[\w#]+", "", rest, count=1)
    return rest.strip(" .:°º#")


def _is(name: str, value: str, how: Habits) -> bool:
    if name == "quote_date":
        try:
            day(value.strip(" ."), order=how.dates)
        except Unreadable:
            return False
        return True
    if name == "quote_number":
        return NUMBER.fullmatch(value.strip()) is not None
    return any(sign.isalpha() for sign in value)
