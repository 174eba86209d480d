"""Tells the code page of a text that is not Unicode: the one that HTML declares, else one by the house's language and
by what its letters look like.
"""

import codecs
import re
import unicodedata
from contextlib import suppress
from functools import lru_cache
from itertools import islice, pairwise

from charset_normalizer import from_bytes

WESTERN = "cp1252"
PAGES = {
    **dict.fromkeys(("ar", "fa", "ur"), ("cp1256",)),
    **dict.fromkeys(("be", "bg", "kk", "mk", "sr"), ("cp1251",)),
    **dict.fromkeys(("bs", "cs", "hr", "hu", "pl", "ro", "sk", "sl", "sq"), ("cp1250",)),
    **dict.fromkeys(("et", "lt", "lv"), ("cp1257",)),
    **dict.fromkeys(("az", "tr"), ("cp1254",)),
    "el": ("cp1253",),
    "he": ("cp1255",),
    "ja": ("cp932", "euc_jp"),
    "ko": ("cp949",),
    "ru": ("cp1251", "koi8_r", "cp866"),
    "th": ("cp874",),
    "uk": ("cp1251", "koi8_u", "cp1125"),
    "vi": ("cp1258",),
    "zh": ("gb18030", "big5"),
}
"""The code pages of languages, the usual one first; a language that is not listed has the Western one."""

ALL = tuple(dict.fromkeys((WESTERN, *(page for pages in PAGES.values() for page in pages), "mac_roman")))
ALIKE = 0.05
"""Differences of charset_normalizer's chaos up to this one say nothing."""

LOOKED_AT = 500
"""Lines with other letters than ASCII's that are looked at."""

SCRIPTS = frozenset(("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW", "THAI"))
"""Scripts of which a word has one alone, as Unicode's names of letters begin with them."""

_WORD = re.compile(r"[^\W\d_]+")
_NO_TEXT = re.compile("[\x80-\x9f\u2500-\u259f\ue000-\uf8ff\ufffd]")
_WITHIN = re.compile(
    "[\u00c0-\u024f]{4}|(?<=[a-z])[\u2e80-\uffdc](?=[a-z])|(?<=[^\\W\\d_])[\u00a1-\u00b6\u00b8-\u00bf](?=[^\\W\\d_])"
)

_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,300}?\b(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE
)
LOOKED_INTO = 4096
"""Bytes in which a declaration is looked for; browsers look into a quarter of them."""

_OF_TEXT = re.compile("ascii|big5|cp|euc|gb|hz|iso|johab|koi8|kz|mac|ptcp|shift|tis")
AS_BROWSERS = {
    **dict.fromkeys(("ascii", "iso8859-1"), WESTERN),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    **{"iso8859-9": "cp1254", "shift_jis": "cp932", "euc_kr": "cp949"},
}
"""Declared code pages in whose place browsers take the larger one that programs write (WHATWG, Encoding)."""


def declared_in(page: bytes) -> str | None:
    """Returns the code page that a page of HTML declares; None where it is Unicode, which shows by itself."""
    with suppress(UnicodeDecodeError):
        codecs.getincrementaldecoder("utf-8")().decode(page)
        if not page.isascii():
            return None
    found = _DECLARED.search(page, 0, LOOKED_INTO)
    try:
        name = codecs.lookup(found[1].decode("ascii")).name if found else ""
    except LookupError:
        return None
    return AS_BROWSERS.get(name, name) if _OF_TEXT.match(name) else None


def code_page_of(sample: bytes, *, language: str | None) -> str:
    """Returns the code page in which a text has the fewest oddities. Of equals the house's own goes first, then the
    Western one, for most short texts are alike in several.
    """
    sample = _of_other_letters(sample)
    found = from_bytes(sample, cp_isolation=[*ALL])
    best = found.best()
    alike = [match for match in found if best is not None and match.chaos <= best.chaos + ALIKE]
    fit = [name for match in alike for name in match.could_be_from_charset]
    likely = dict.fromkeys((*PAGES.get(language or "", ()), WESTERN, *fit, *ALL))
    return min(likely, key=lambda name: _oddities(sample.decode(name, "replace")))


def is_unlikely(sample: bytes, page: str) -> bool:
    """Whether a text read in a code page hardly looks like writing: a tenth of what it has besides ASCII is odd."""
    text = _of_other_letters(sample).decode(page, "replace")
    return 10 * _oddities(text) > sum(not word.isascii() for word in text.split())


def _of_other_letters(sample: bytes) -> bytes:
    return b"\n".join(islice((line for line in sample.splitlines() if not line.isascii()), LOOKED_AT))


def _oddities(text: str) -> int:
    """Counts what hardly stands in a text: words of two scripts, large letters behind small ones, four letters with
    accents in a row, a Chinese or Japanese sign between small letters, signs within words, no text.
    """
    words = [word for word in _WORD.findall(text) if not word.isascii()]
    odd: int = sum(len({*map(_script, word)} - {""}) > 1 for word in words)
    odd += sum(left.islower() and right.isupper() for word in words for left, right in pairwise(word))
    return odd + len(_WITHIN.findall(text)) + len(_NO_TEXT.findall(text))


@lru_cache(maxsize=10_000)
def _script(letter: str) -> str:
    """Returns a letter's script; "" where it may stand beside those of others."""
    name = unicodedata.name(letter, "").partition(" ")[0]
    return name if name in SCRIPTS else ""
