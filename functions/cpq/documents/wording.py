"""How a quote's codes and figures read in a language: terms, units, amounts, days, addresses, file names."""

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any, Concatenate, Self

from pydantic import ValidationError

from cpq.addresses import lines_of
from cpq.documents.content import DayFormat, FrozenModel, PrintedAttribute, written_day
from cpq.model import Language
from cpq.payment import coded
from cpq.pricing.books import periods
from quarry.attributes.units import shipped
from quarry.money import in_currency, plainly
from quarry.precedents.list_prices import bought_unit, parted, recurring
from quarry.reading.languages import yes_and_no
from quarry.text import LETTER
from quarry.tool.errors import Unavailable


class DocumentLabels(FrozenModel):
    """The words and marks of documents in a language as a country writes it: templates/pdf/labels/<language>.toml.
    ``spoken_in`` are countries whose customers are written to in it where they have no language on record. Behind the
    last three digits a figure is parted by so many as ``groups`` says: 1,58,969. ``amount_mark`` is the decimal mark
    of amounts where other figures have another.
    """

    language: Language
    spoken_in: tuple[str, ...] = ()
    group_mark: str
    groups: int = 3
    decimal_mark: str
    amount_mark: str | None = None
    date_format: DayFormat
    percent: str
    currency_first: bool
    title: str
    month: str
    months: str
    per: str
    per_month: str
    per_year: str
    allowance: str
    net_days: str
    on_receipt: str
    billing: Mapping[str, str]
    units: Mapping[str, str]
    roles: Mapping[str, str] = {}
    yes: str
    no: str
    colon: str = ": "

    @classmethod
    def read(cls, layouts: Path, language: Language, country: str = "") -> Self:
        file = tables(layouts, language, country)
        said, own_words = yes_and_no(language), file.get("block", {})
        flags = {word: own_words.get(word, known) for word, known in zip(("yes", "no"), said, strict=True)}
        content = dict(file["composed"])
        # A price is for one of a unit, as a figure of one is told in a block: "1 weeks" is "1 semana".
        of_one = {name[2:]: word.removeprefix("1").strip() for name, word in own_words.items() if name[:2] == "1 "}
        content["units"] = of_one | content["units"]
        try:
            return cls(language=language, **flags | content)
        except ValidationError as error:
            problems = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
            raise Unavailable(f"The file {LABELS}/{language}.toml has to change: {problems}.") from error

    def flag(self, value: bool) -> str:
        return self.yes if value else self.no

    def rhythm(self, period: str) -> str:
        """Returns what stands behind an amount that is paid each month or year; empty for what is paid once."""
        return {"month": self.per_month, "year": self.per_year}.get(period, "")


LABELS = "labels"
ENGLISH = "en"
MARKS = ("group_mark", "groups", "decimal_mark", "amount_mark", "date_format")
"""The marks that a house's profile may set in place of its language's."""


def fresh[Read, **Rest](read: Callable[Concatenate[Path, Rest], Read]) -> Callable[Concatenate[Path, Rest], Read]:
    """Keeps what is read of the labels below a folder of layouts until one of their files changes."""
    held: dict[tuple[object, ...], tuple[list[object], Read]] = {}

    def reading(layouts: Path, /, *rest: Rest.args, **named: Rest.kwargs) -> Read:
        key = (layouts, *rest, *named.items())
        files = [(each.name, each.stat()) for each in sorted(layouts.glob(f"{LABELS}/*.toml")) if each.exists()]
        stamps: list[object] = [(name, found.st_mtime_ns, found.st_size) for name, found in files]
        if key not in held or held[key][0] != stamps:
            held[key] = stamps, read(layouts, *rest, **named)
        return held[key][1]

    return reading


@fresh
def tables(layouts: Path, language: Language, country: str = "") -> Mapping[str, Any]:
    """Reads the file of a language's labels as the country writes it, English ones where the file lacks some. Raises
    Unavailable where there is no file, as when it was taken away.
    """
    if not has_labels(layouts, language):
        raise Unavailable(f"There are no labels in '{language}' any more: publish {LABELS}/{language}.toml again.")
    own: dict[str, Any] = tomllib.loads((layouts / LABELS / f"{language}.toml").read_text("utf-8"))
    for row in own.get("composed", {}).pop("elsewhere", ()):
        if country in row.pop("countries"):
            worded = {"text", "letter", "approval", "block"}
            words = {name: row.pop(name) for name in row.keys() & worded}
            own = _over(own, words | {"composed": row})
    if language == ENGLISH or not has_labels(layouts, ENGLISH):
        return own
    english = {name: table for name, table in tables(layouts, ENGLISH, country).items() if name != "approval"}
    # Codes without a word in the language are told by their absence; a country's marks of English stay English.
    of_english = ("units", "roles", "groups", "amount_mark")
    english["composed"] = {name: told for name, told in english["composed"].items() if name not in of_english}
    composed = {"units": {}, "roles": {}} | own.get("composed", {})
    return _over(english, own | {"composed": composed})


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: _over(base[name], said) for name, said in own.items() if isinstance(base.get(name), dict)}
    return {**base, **own, **inner}


def lacking(layouts: Path, language: Language) -> list[str]:
    """Returns the labels that a language's file lacks, each behind its table's name."""
    own = tomllib.loads((layouts / LABELS / f"{language}.toml").read_text("utf-8"))
    return [
        f"{table}.{name}"
        for table, labels in tables(layouts, ENGLISH).items()
        for name in labels.keys() - own.get(table, {}).keys()
    ]


def english_words(layouts: Path, language: Language, *tables: str) -> list[str]:
    """Returns how many fixed words of a label file's ``tables`` are English in the language; empty where none is."""
    count = sum(name.partition(".")[0] in tables for name in lacking(layouts, language))
    return [f"{count} fixed words, which are English (put into {LABELS}/{language}.toml)"] if count else []


NO_LABELS = f"Its fixed words, figures and days are English until there is a file {LABELS}/{{}}.toml."


def has_labels(layouts: Path, language: str) -> bool:
    return (layouts / LABELS / f"{language}.toml").is_file()


@dataclass(frozen=True, slots=True)
class Wording:
    """A language's ``words`` by key; ``labels`` say how it writes figures."""

    language: Language
    labels: DocumentLabels
    words: Mapping[str, str]

    def say(self, key: str, **given: object) -> str:
        return one_point(self.words[key].format(**given))

    def pair(self, name: str, value: str) -> str:
        return f"{name}{self.labels.colon}{value}"

    def amount(self, value: Decimal, currency: str) -> str:
        """Formats an amount without its currency, which stands in the head of its column."""
        return number(in_currency(value, currency), labels=self.labels, mark=self.labels.amount_mark)

    def number(self, value: Decimal | int) -> str:
        return number(value, labels=self.labels)

    def money(self, value: Decimal, currency: str) -> str:
        shown = self.amount(value, currency)
        return f"{currency} {shown}" if self.labels.currency_first else f"{shown} {currency}"

    def share(self, value: Decimal, *, decimals: int = 2) -> str:
        return self.labels.percent.format(self.number(percent(value, decimals=decimals) or Decimal(0)))

    def day(self, day: date) -> str:
        return written_day(day, self.labels.date_format)


_SECOND_POINT = re.compile(r"(?<=[^\W\d]\.)\.(?![.\w])")


def one_point[Text: str](text: Text) -> Text:
    """Drops the point of a sentence behind that of an abbreviation, such as Sp. z o.o.; three points stay. What is
    escaped stays of its class.
    """
    for found in reversed(list(_SECOND_POINT.finditer(text))):
        text = text[: found.start()] + text[found.end() :]  # type: ignore[assignment]  # Markup's are Markup
    return text


@fresh
def languages(layouts: Path) -> Mapping[str, tuple[str, ...]]:
    """Returns the languages that documents can be in, each with the countries where it is spoken."""
    found = sorted(file.stem for file in (layouts / LABELS).glob("*.toml"))
    return {language: DocumentLabels.read(layouts, language).spoken_in for language in found}


def number(value: Decimal | int, *, labels: DocumentLabels, mark: str | None = None) -> str:
    whole, *decimals = f"{Decimal(value):f}".split(".")
    digits = labels.groups
    parted = re.sub(rf"(?<=\d)(?=(?:\d{{{digits}}})*\d{{3}}$)", lambda _: labels.group_mark, whole)
    return (mark or labels.decimal_mark).join((parted, *decimals))


def allowance(ends: Sequence[Decimal] | None, currency: str, *, labels: DocumentLabels) -> str | None:
    """Formats the range of a price that is an allowance; None for a firm price."""
    if not ends:
        return None
    low, high = (number(in_currency(end, currency), labels=labels, mark=labels.amount_mark) for end in ends)
    return labels.allowance.format(low=low, high=high)


def months(count: int | None, *, labels: DocumentLabels) -> str | None:
    if count is None:
        return None
    return (labels.month if count == 1 else labels.months).format(count=count)


def billing(code: str, *, labels: DocumentLabels) -> str:
    return labels.billing.get(code) or _words(code)


def payment(terms: str, *, labels: DocumentLabels) -> str:
    """Formats terms of payment: a code, or a text that says no more, in the language; other text unchanged."""
    if found := re.fullmatch(r"net_(\d+)", coded(terms)):
        return labels.net_days.format(days=found[1])
    return labels.on_receipt if terms == "due_on_receipt" else terms


_PIECES = ("", "unit", "each")
_BY_MEASURE = ("length", "area", "volume", "mass")


def unit(code: str | None, *, term_months: int | None, labels: DocumentLabels) -> str | None:
    """Formats what the unit price buys and how often, "per seat per month × 12"; None for one piece, once. A noun
    that the labels lack stays as the catalogue writes it.
    """
    if code is None:
        return None
    word = _counted(code, labels) or noun(code).replace("_", " ")
    bought = labels.per.format(unit=word) if word else ""
    words = " ".join(filter(None, (bought, labels.rhythm(parted(code)[1])))) or None
    if not recurring(code) or term_months is None:
        return words
    times = periods(code, term_months=term_months)
    return words if times == 1 else f"{words} × {times}"


def _counted(code: str | None, labels: DocumentLabels) -> str:
    """Returns the word for the noun of a unit of sale, or for the span of time that it is; empty without one."""
    counted, known = noun(code), shipped().named(noun(code))
    span = known.symbol if known and known.dimension == "time" else ""
    word = labels.units.get(counted) or labels.units.get(span)
    return word or ("" if labels.language == ENGLISH else measure(code))


def noun(code: str | None) -> str:
    """Returns the noun in a unit's code: "seat" in per_seat_per_month, "" for pieces."""
    counted = parted(code or "")[0]
    return "" if counted in _PIECES else counted


def measure(code: str | None) -> str:
    """Returns the symbol of what is sold by length, area, volume or weight, m in per_metre; else ""."""
    known = shipped().named(noun(code))
    return known.symbol if known and known.dimension in _BY_MEASURE else ""


def counts(code: str | None) -> str:
    """Returns what stands behind a quantity that is no number of pieces: m, or × 100 where it is of hundreds."""
    known = bought_unit(code, shipped()) if code else None
    many = known.factor if known and known.dimension == "pieces" else 1
    return f"× {many:g}" if many > 1 else measure(code)


def without_label(codes: Iterable[str | None], labels: DocumentLabels) -> list[str]:
    """Returns the nouns of units of sale that the labels have no word for; codes are English or the house's."""
    if labels.language == "en":
        return []
    return list(dict.fromkeys(filter(None, (noun(code) for code in codes if not _counted(code, labels)))))


def untranslated(left: Sequence[str], language: Language) -> str | None:
    """Returns the notice on what a document in the language has in another one; None where that is nothing."""
    return f"In {language}, but for {', '.join(left)}: tell the user." if left else None


def address(account: Mapping[str, Any]) -> list[str]:
    """Returns the billing, else the shipping address without its country, which a layout writes out."""
    place = account.get("billing_address") or account.get("shipping_address") or {}
    return lines_of(place, country=account.get("country"))


def country(account: Mapping[str, Any]) -> str:
    place = account.get("billing_address") or account.get("shipping_address") or {}
    return str(place.get("country") or account["country"])


def language_of(account: Mapping[str, Any], layouts: Path) -> Language | None:
    """Returns the account's language, else its country's; None where neither is known or labels are missing."""
    known, said = languages(layouts), account.get("language")
    if said:
        return said if said in known else None
    return next((language for language, places in known.items() if country(account) in places), None)


def attributes(values: Mapping[str, Any], *, labels: DocumentLabels) -> list[PrintedAttribute]:
    return [
        PrintedAttribute(name=_words(name), value=_value(value, labels))
        for name, value in values.items()
        if value is not None
    ]


def percent(value: Decimal | None, *, decimals: int = 4) -> Decimal | None:
    """Rounds to at most so many decimals and drops trailing zeros; None where the percentage is None or zero."""
    return Decimal(plainly(value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))) if value else None


def discount(percentage: Decimal | None, *, whole: Decimal, net: Decimal) -> Decimal | None:
    """Rounds a percentage to two decimals, or to as many more, at most four, as the whole less it takes to be the net
    amount.
    """
    told = [percent(percentage, decimals=decimals) for decimals in (2, 3, 4)]
    comes = (each for each in told if each and (whole * (100 - each) / 100).quantize(net, ROUND_HALF_UP) == net)
    return next(comes, told[-1])


def tax(name: str, rate: Decimal, *, labels: DocumentLabels) -> str:
    """Returns what a tax is called: by its name, with its rate unless the name says one."""
    shown = f"{percent(rate) or Decimal(0):f}".replace(".", labels.decimal_mark)
    return name if "%" in name else f"{name} {labels.percent.format(shown)}"


def role(code: str, *, labels: DocumentLabels) -> str:
    return labels.roles.get(code) or _words(code)


def file_name(customer: str, *, quote_id: str, version: int, which: str = "", ending: str = "pdf") -> str:
    """Returns a name such as Acme_Corp_Q-2026-0042_v1.pdf, with ``which`` copy it is behind the version. Letters of
    all scripts stay; signs that no file may bear become -: OF/2024/017 is OF-2024-017.
    """
    name = "_".join(re.findall(f"(?:{LETTER})+", customer))[:60]
    number = "-".join(re.findall(f"(?:{LETTER}|[._-])+", quote_id))
    return "_".join(filter(None, (name, number, f"v{version}", which))) + f".{ending}"


def _words(code: str) -> str:
    words = code.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def _value(value: object, labels: DocumentLabels) -> str:
    if isinstance(value, bool):
        return labels.flag(value)
    if isinstance(value, list):
        return ", ".join(_value(each, labels) for each in value)
    return str(value)
