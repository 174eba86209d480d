"""Text as it is compared: one fold for names, values and words in any language, and the figures that it writes."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

# Letters that Unicode does not take apart into a plain one and a mark.
_PLAIN = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"})
_BETWEEN = re.compile(r"[\s\-_‐‑–—/]+")
_DEGREES = re.compile(r"(?<=[\d ])º|^º(?=$|[ CF])")
"""The masculine ordinal that Spanish and Italian keyboards have where others have a degree."""

_WORD = re.compile(r"[^\W_]+")
LONGEST_FIGURE = 40
"""Characters. What is longer measures nothing, and three hundred digits are infinite as a float."""


@lru_cache(maxsize=100_000)
def fold(text: str) -> str:
    """Case, accents and compatibility forms apart: "Złoty Kłos" and "ZLOTY KLOS" fold alike."""
    if "º" in text:
        text = _DEGREES.sub("°", text)
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return unicodedata.normalize("NFKC", plain).casefold()


def key_of(text: str) -> str:
    """What two spellings of one value share: folded, with one blank for each run of blanks, hyphens and slashes."""
    return _BETWEEN.sub(" ", fold(text)).strip()


def part_key(text: str) -> str:
    """The letters and digits of a model, SKU or number: "QMB-30" and "qmb 30" share it, as "Q$ync" and "Qsync" do."""
    return "".join(letter for letter in fold(text).replace("$", "s") if letter.isalnum())


def words_of(text: str) -> list[str]:
    """The folded words of a text, in order."""
    return _WORD.findall(fold(text))


@lru_cache(maxsize=100_000)
def stem_of(word: str) -> str:
    """A folded word without the ending of its plural, "breweri" for brewery and breweries.

    It is crude on purpose: both sides are cut alike.
    """
    for ending in ("es", "en", "s", "n", "e"):
        is_plural = not (ending == "s" and word.endswith("ss"))
        if is_plural and len(word) - len(ending) >= 4 and word.endswith(ending) and word.isalpha():
            word = word[: -len(ending)]
            break
    return word[:-1] + "i" if len(word) > 4 and word.endswith("y") else word


def ascii_digits(text: str, *, point: str = ".") -> str:
    """The text with the digits of all scripts as 0 to 9, and Arabic's decimal and thousands marks as ``point`` and
    none.
    """
    if text.isascii():
        return text
    marked = text.replace("٫", point).replace("٬", "").replace("٪", "%").replace("％", "%")
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in marked)


def figure_of(text: str) -> float | None:
    """The likeliest reading of a written figure: "7,5" is 7.5, "1,200" is 1200, "1.200,50" is 1200.5.

    A point before three digits is a decimal mark where nothing else stands in the figure. None for what is no figure.
    """
    return next(iter(readings(text)), None)


def readings(text: str) -> Iterator[float]:
    """All that a written figure may mean, the likeliest first: "1.200" is 1.2 or 1200, "7,500" is 7500 or 7.5."""
    plain = ascii_digits(text.strip())
    plain = re.sub(r"['’\s\u00a0\u202f]", "", plain).replace("−", "-").replace("–", "-")
    if len(plain) > LONGEST_FIGURE or not re.fullmatch(r"[+-]?\d+(?:[.,]\d+)*", plain):
        return
    marks = re.findall(r"[.,]", plain)
    groups = re.fullmatch(r"[+-]?\d{1,3}(?:[.,]\d{3})+", plain) is not None and not re.match(r"[+-]?0[.,]", plain)
    if not marks:
        yield float(plain)
    elif len(set(marks)) == 2 and marks.count(marks[-1]) == 1:
        yield float(plain.replace("," if marks[-1] == "." else ".", "").replace(",", "."))
    elif len(marks) > 1:
        if groups and len(set(marks)) == 1:
            yield float(plain.replace(marks[0], ""))
    elif groups:
        both = float(plain.replace(marks[0], ".")), float(plain.replace(marks[0], ""))
        yield from both if marks[0] == "." else reversed(both)
    else:
        yield float(plain.replace(",", "."))
