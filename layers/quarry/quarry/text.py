"""Text processing: folding for comparison in any language, written figures, and the passage that answers a query."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from functools import lru_cache

# Letters that Unicode does not take apart into a plain one and a mark.
_PLAIN = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d", "ة": "ه", "ى": "ي"}
)
_BETWEEN = re.compile(r"[\s\-_‐‑–—/]+")
_DEGREES = re.compile(r"(?<=[\d ])º|^º(?=$|[ CF])")
"""Matches the masculine ordinal that Spanish and Italian keyboards have in place of the degree sign."""

CELSIUS = re.compile("(?<=[°º])[\u0421\u0441]")
"""Matches the Cyrillic letter that looks like a C."""

_VULGAR = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_MIXED = re.compile(rf"(?<=[\d\u00b2\u00b3\u00b9\u2070-\u2079])(?={_VULGAR.pattern})")
_HIRAGANA = "\u3041-\u309f"
_OTHERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
)
UNPARTED = _HIRAGANA + _OTHERS
"""Letters of scripts that write words without blanks between them, or with blanks where the writer likes: Thai, Lao,
Burmese, Khmer, kana, Han, Hangul. Hiragana are apart, for grammar is written with them.
"""

_APART = re.compile(rf"(?<=[{UNPARTED}])(?=[^\W_])|(?<=[^\W_])(?=[{UNPARTED}])")
_PAIR = re.compile(f"[{_OTHERS}]{{2}}")
_WORD = re.compile(rf"[{_HIRAGANA}]+|[{_OTHERS}]+|[^\W_{UNPARTED}]+")
_MARKS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
LETTER = (
    "[^\\W_]|[\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff\u0e30-\u0e4e\u0eb0-\u0ece"
    "\u102b-\u103e\u17b4-\u17d3]"
)
"""Matches a letter or digit of any script, or a vowel or tone written on one, which is no letter to Python."""

_SPELT = re.compile(f"(?:{LETTER})+")
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
_FIGURE_AND_LETTERS = re.compile(rf"({FIGURE.pattern})\s?([^\W\d_]*)")
GROUPS = r"\d{{1,3}}(?:{0}\d{{3}})+|\d{{1,2}}(?:,\d\d)+,000"
"""Matches a figure whose thousands are parted by a mark, or as in India hundreds of thousands too, by commas."""
LONGEST_FIGURE = 40
"""In characters. A longer one measures nothing, and three hundred digits are infinite as a float."""


LONGEST_KEPT = 1_000
"""In characters. A longer text is folded anew each time, or what is kept would have no bound."""


def fold(text: str) -> str:
    """Removes case, accents and compatibility forms: "Złoty Kłos" and "ZLOTY KLOS" fold alike, "1½" is no "11/2"."""
    folded = _folded if len(text) <= LONGEST_KEPT else _folded.__wrapped__
    if text.isascii():
        return folded(text)
    return folded(_MIXED.sub(" ", CELSIUS.sub("C", _DEGREES.sub("°", text.translate(_AS_TYPED)))))


@lru_cache(maxsize=100_000)
def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text.casefold().translate(_PLAIN))
    return unicodedata.normalize("NFKC", _MARKS.sub("", apart)).casefold()


# Unicode's list of confusables (UTS 39) for the letters of Cyrillic and Greek that look like Latin ones.
# Of Armenian and other Latin letters those that pass in a common typeface; 0 and 1 do in most.
_LOOKS_LIKE = str.maketrans(
    "авсеһіјкӏмнорԛгѕтуѵԝхԁαβεηικνορτυχϲγոսօհɡɑɾʋ01", "abcehijklmhopqrstyvwxdabenikvoptuxcynuohgarvol"
)

_CAPITALS = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX")
"""Capital Greek letters look like others than the small ones do."""


@lru_cache(maxsize=20_000)
def look_of(text: str) -> str:
    """Returns the folded text with look-alikes as the Latin letters, which words of several scripts may share."""
    plain = unicodedata.normalize("NFKC", text).translate(_CAPITALS).casefold()
    return fold(plain.translate(_LOOKS_LIKE)).translate(_LOOKS_LIKE)


def as_known(text: str, known: Iterable[str]) -> str:
    """Returns the only known value that a text looks like, though one of both has letters of another script: its
    keyboards make these where a Latin name is meant. Else the text.
    """
    by_key = {key_of(value): value for value in known}
    if key_of(text) in by_key:
        return text
    look = look_of(text)
    alike = [each for each in by_key.values() if look_of(each) == look and not (each + text).isascii()]
    return alike[0] if len(alike) == 1 else text


def key_of(text: str) -> str:
    """Returns what spellings of one value share: folded, with runs of blanks, hyphens and slashes as one blank. It is
    the database's search.value_key, which takes no letter for a degree sign.
    """
    return _BETWEEN.sub(" ", _folded(text)).strip()


DECIMAL = "~"
_DECIMALS = re.compile(r"(?<![0-9])(?<![0-9][.,])([0-9]{1,3})[.,]([0-9]{1,2})(?![.,]?[0-9])")


_NO_PART_OF_MODELS = re.compile(rf"[^a-z0-9{DECIMAL}\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u1fff\u3005-\ufaff]")


def part_key(text: str) -> str:
    """The letters and digits of a model, SKU or number: "QMB-30" and "qmb 30" share it, as "Q$ync" and "Qsync" do,
    and "5x2,5" and "5x2.5", but not "5x25". It is the database's equipment.model_key.
    """
    return _NO_PART_OF_MODELS.sub("", _with_decimals(_folded(text)))


def slug(text: str, *, prefix: str = "") -> str:
    """Makes an id or a key of a number or a name in any script: "KSV 75-10" becomes ksv_75_10, "Größe" grosse."""
    # Read from files of its own, letter by letter, and few calls make ids.
    from anyascii import anyascii

    words = (re.sub("[^a-z0-9]", "", anyascii(word).lower()) for word in _SPELT.findall(fold(text.replace("µ", "u"))))
    plain = "_".join(filter(None, words))
    return plain if prefix and plain.startswith(prefix) else prefix + plain


def decimal_marks(text: str) -> set[int]:
    """Returns the places of the points and commas that ``part_key`` keeps."""
    return {found.end(1) for found in _DECIMALS.finditer(text)}


def _with_decimals(text: str) -> str:
    plain = text.replace("$", "s").replace(DECIMAL, "")
    return _DECIMALS.sub(rf"\1{DECIMAL}\2", plain) if "," in plain or "." in plain else plain


def goods_named(maker: str | None, model: str | None) -> str:
    """Maker and model as people say them: once where the model's name begins with the maker's."""
    said = words_of(maker or "")
    if model and said and words_of(model)[: len(said)] == said:
        return model
    return " ".join(filter(None, (maker, model)))


def says_model(text: str, model: str) -> bool:
    """Whether the text has the model as words of its own, however these are parted: GX10 is in "GX-10 R" and not in
    "GX100".
    """
    key, words = part_key(model).replace(DECIMAL, ""), _WORD.findall(fold(text.replace("$", "s")))
    runs = ("".join(words[first:last]) for first in range(len(words)) for last in range(first + 1, len(words) + 1))
    return any(run == key or (run.startswith(key) and run[len(key)].isalpha() != key[-1:].isalpha()) for run in runs)


def words_of(text: str) -> list[str]:
    """Returns the folded words of a text; where nothing parts words, each two letters that stand together."""
    found = _WORD.findall(fold(text))
    return found if text.isascii() else [part for word in found for part in _pairs_of(word)]


def _pairs_of(word: str) -> list[str]:
    is_unparted = len(word) > 2 and _APART.search(word)
    return [word[at : at + 2] for at in range(len(word) - 1)] if is_unparted else [word]


def with_blanks(folded: str) -> str:
    """Puts a blank before and behind each letter of which nothing parts words."""
    return folded if folded.isascii() else _APART.sub(" ", folded)


def is_long(word: str) -> bool:
    """Whether a word may tell what a text is about: it has three letters, or two of a script that parts no words."""
    return len(word) > 2 or _PAIR.fullmatch(word) is not None


@lru_cache(maxsize=100_000)
def stem_of(word: str) -> str:
    """A folded word without the endings of its plural, "breweri" for brewery and breweries, "pisto" for pistons.

    It is crude on purpose: both sides are cut alike, so what one ending leaves is cut like a word of its own, and a
    last consonant counts once, which Dutch doubles before an ending: kleppen are more than one klep.
    """
    while (shorter := _without_ending(word)) != word:
        word = shorter
    if len(word) > 3 and word[-1] == word[-2] and word.isalpha() and word[-1] not in "aeiouy":
        word = word[:-1]
    return word[:-1] + "i" if len(word) > 4 and word.endswith("y") else word


def _without_ending(word: str) -> str:
    for ending in ("es", "en", "s", "n", "e"):
        is_plural = not (ending == "s" and word.endswith("ss"))
        if is_plural and len(word) - len(ending) >= 4 and word.endswith(ending) and word.isalpha():
            return word[: -len(ending)]
    return word


_AS_TYPED = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | str.maketrans("￡￥￦״׳", "£¥₩\"'")


def ascii_digits(text: str, *, point: str = ".") -> str:
    """Writes digits of all scripts as 0 to 9, letters and signs of full width as ASCII, as Hebrew's marks of
    abbreviations, which keyboards lack, Arabic decimal marks as ``point``, and no Arabic thousands marks.
    """
    if text.isascii():
        return text
    marked = text.replace("٫", point).replace("٬", "").replace("٪", "%").translate(_AS_TYPED)
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in marked)


_MYRIADS = re.compile(r"(?<![\d.,])(\d++(?:[.,]\d++)*+)\s?([\u3400-\u9fff])(?!\s?\d)")


def written_out(text: str, *, point: str = ".") -> str:
    """Writes in digits whole figures before a letter of Unicode's that counts thousands or more, and figures in
    scientific notation: 1.28万 is 12800, 1E-3 is 0.001. 兆 is a million in Chinese and more in
    Japanese.
    """

    def digits(found: re.Match[str]) -> str:
        times, behind = unicodedata.numeric(found[2], 0.0), found.string[found.end() : found.end() + 1] or " "
        value = round((figure_of(found[1]) or 0.0) * times, 6)
        is_whole = times >= 1000 and found[2] != "兆" and value.is_integer() and not unicodedata.numeric(behind, 0.0)
        return f"{value:.0f}" if is_whole else found[0]

    text = POWER.sub(lambda found: decimal_power(found, point=point), text)
    return text if text.isascii() else _MYRIADS.sub(digits, text)


DIAMETERS = "Øø⌀∅φΦϕ"
"""What people write for a diameter before a figure."""

DENOMINATORS = "2|3|4|8|16|32|64"
"""Matches what people divide sizes by."""

PARTS_OF_ONE = "6|7|12|15|25|40"
"""Matches what people divide one of a unit by as well: 1/6 hp. 1/5 A, 1/10 Gbit/s, 1/50 Hz are two figures."""

_BINARY = r"1/2|[13]/4|[1357]/8|(?:[13579]|1[135])/16|(?:[12]?[13579]|31)/32|(?:[1-5]?[13579]|6[13])/64"
"""Matches proper fractions in lowest terms, as sizes are: 1.5/2, 2.2/4 and 10/16 are two figures each."""

POINT_OF_FRACTION = rf"\.(?=(?:{_BINARY})(?!\d))"
"""Matches the point of 1.1/2, one and a half; 2.2/3 are figures in two units."""

_BEHIND = r"(?![\d/]|[.,]\d|-\d++(?![/-]))"
_FRACTION, _SIZE = (
    re.compile(rf"(?<![\d/.,])(?:(?P<whole>[1-9]\d{{0,2}})(?:-|\s+|{POINT_OF_FRACTION}))?(?P<part>{proper}){_BEHIND}")
    for proper in (rf"{_BINARY}|[12]/3|1/(?:{PARTS_OF_ONE})(?=\s?[^\W\d_])", _BINARY)
)


def decimal_fractions(text: str, *, point: str = ".", sizes: bool = False) -> str:
    """Writes proper fractions as decimal figures: 1-7/16, 1.7/16 and 1½ are 1.4375 and 1.5, no ranges. In 3/8-16 the
    fraction is part of a name. Of ``sizes`` none has thirds, for 1/3 are one phase or three.
    """
    spelled = _VULGAR.sub(lambda one: " " + unicodedata.normalize("NFKC", one[0]).replace("\u2044", "/"), text)

    def decimal(found: re.Match[str]) -> str:
        over, under = map(int, found["part"].split("/"))
        # Four digits at least: a point before three may part thousands.
        return f"{int(found['whole'] or 0) + over / under:.10f}".rstrip("0").ljust(6, "0").replace(".", point)

    return (_SIZE if sizes else _FRACTION).sub(decimal, spelled).strip() if "/" in spelled else text


_MANTISSA, _OF_POWERS = r"\d+(?:\.\d+|,(?!\d{3}(?!\d))\d+)?", str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−–", "0123456789+---")
POWER = re.compile(
    r"(?<![^\W_])(?<!\d[.,])(?<![^\W\d_]-)(?:"
    rf"(?:(?P<figure>{_MANTISSA})\s?[x×·⋅*]\s?)?10(?:\s?\^\s?(?P<power>[-+−–]?\d{{1,2}})|(?P<raised>[⁺⁻]?[⁰¹²³⁴-⁹]{{1,2}}))"
    rf"|(?P<mantissa>{_MANTISSA})(?:e(?=[-+−–])|\s?[x×·⋅*]\s?10(?=−|-(?:0?\d|10)(?!\d)))(?P<plain>[-+−–]\d{{1,2}})"
    r")(?![\d⁰¹²³⁴-⁹]|[.,]\d|\s?[x×*]\s?\d)",
    re.IGNORECASE,
)
"""Matches a figure in scientific notation: 1.3E-10, 1×10⁻⁶, 10^-6. One whose exponent is ``plain`` may be a name
where no unit follows: 3x10-6. The + of 3x10+6 joins two sizes, 2 x 10-12 are two of ten to twelve.
"""


def decimal_power(found: re.Match[str], *, point: str = ".") -> str:
    """Writes what ``POWER`` matches as a plain decimal figure: 1.3E-10 is 0.00000000013."""
    value = Decimal((found["figure"] or found["mantissa"] or "1").replace(",", "."))
    power = (found["power"] or found["raised"] or found["plain"]).translate(_OF_POWERS)
    written = f"{value.scaleb(int(power)):f}"
    # As of fractions: a point before three digits may part thousands.
    return (written + "0" * (written[-4:-3] == "." and written[0] != "0")).replace(".", point)


def figure_of(text: str) -> float | None:
    """The likeliest reading of a written figure: "7,5" is 7.5, "1,200" is 1200, "1.200,50" is 1200.5.

    A point before three digits is a decimal mark where nothing else stands in the figure. None for what is no figure.
    """
    return next(iter(readings(text)), None)


def readings(text: str) -> Iterator[float]:
    """Yields all readings of a written figure, likeliest first: "1.200" is 1.2 or 1200, "7,500" 7500 or 7.5."""
    plain = ascii_digits(text.strip())
    plain = re.sub(r"['’\s\u00a0\u202f]", "", plain).replace("−", "-").replace("–", "-")
    if len(plain) > LONGEST_FIGURE or not re.fullmatch(r"[+-]?\d+(?:[.,]\d+)*", plain):
        return
    marks = re.findall(r"[.,]", plain)
    groups = re.fullmatch(rf"[+-]?(?:{GROUPS.format('[.,]')})", plain) and not re.match(r"[+-]?0[.,]", plain)
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


def key_of_figure(value: float) -> str:
    return f"{abs(value):.6g}"


@lru_cache(maxsize=20_000)
def figures_in(text: str) -> frozenset[str]:
    """Returns the keys of a text's figures in all their readings, alone and with the letters behind: of "1.200 bar"
    those of 1.2 and 1200, and "1.2 bar" and "1200 bar".
    """
    return frozenset(
        key
        for figure, word in _FIGURE_AND_LETTERS.findall(fold(text))
        for one in map(key_of_figure, readings(figure))
        for key in (one, f"{one} {word}")
    )


_PIECE = re.compile(r"[^\n.!?;。！？]*(?:[.!?;](?!\s|$)[^\n.!?;。！？]*)*(?:[.!?;]+(?=\s|$)|[。！？]+|\n+|$)\s*")
"""A sentence or the rest of a line, with the blanks behind it; the point of "1060 gal., 200 psi" ends none."""


def passage(text: str, *, query: str, most: int) -> str:
    """Returns at most ``most`` characters of ``text``, verbatim: around the best sentence, else its beginning."""
    if len(text) <= most:
        return text
    wanted = _stems(query)
    pieces = [(match.start(), match.end()) for match in _PIECE.finditer(text) if match.end() > match.start()]
    hits = [len(wanted & _stems(text[start:end])) for start, end in pieces]
    best = max(range(len(pieces)), key=lambda place: (hits[place], -place)) if any(hits) else 0
    first = last = best
    while True:
        grown = [
            (hits[place], -abs(place - best), place)
            for place in (first - 1, last + 1)
            if 0 <= place < len(pieces) and pieces[max(last, place)][1] - pieces[min(first, place)][0] <= most
        ]
        if not grown:
            break
        place = max(grown)[2]
        first, last = min(first, place), max(last, place)
    found = text[pieces[first][0] : pieces[last][1]].strip()
    return found if len(found) <= most else _cut(found, most)


def _cut(text: str, most: int) -> str:
    end = text.rfind(" ", 0, most)
    return text[: end if end > most // 2 else most]


def _stems(text: str) -> set[str]:
    return {stem_of(word) for word in words_of(text) if is_long(word) or word.isdigit()}


CLOSE = 0.6
"""Similarity from which a known value may be the one that was meant."""

SHORTEST_PART = 3
"""Fewest characters of a value for which known values that contain it are suggested."""


def alike(
    value: str,
    known: Iterable[str],
    *,
    most: int = 3,
    close: float = CLOSE,
    key: Callable[[str], str] = str.casefold,
) -> list[str]:
    """Returns known values similar to ``value``, the most similar first, then those that contain it.

    Both sides are compared by what ``key`` makes of them.
    """
    # rapidfuzz costs 7 ms to import, and only a value that was not found needs it.
    from rapidfuzz import fuzz, process

    wanted = key(value)
    if not wanted:
        return []
    names = sorted(set(known))
    keys = [key(name) for name in names]
    near = [at for _, _, at in process.extract(wanted, keys, scorer=fuzz.ratio, score_cutoff=100 * close, limit=most)]
    part = wanted.rstrip("/")
    containing = [at for at, each in enumerate(keys) if len(part) >= SHORTEST_PART and part in each]
    return [names[at] for at in list(dict.fromkeys([*near, *containing]))[:most]]
