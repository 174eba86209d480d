"""A tenant's company profile as a file beside the layouts, and a document that shows what it looks like."""

import json
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from babel import Locale
from babel.localedata import locale_identifiers
from babel.units import format_unit

from cpq.documents import wording
from cpq.documents.composition import in_language
from cpq.documents.content import Customer, Heading, Line, Others, QuoteDocument, Seller, Tax, Totals
from cpq.documents.typesetting import typeset
from cpq.documents.wording import DocumentLabels
from cpq.pricing.books import taxes_of
from local.setup.answers import NOTHING, Answers
from quarry.attributes.units import shipped

LETTER_PAPER = ("US", "CA", "MX")
MONTH_FIRST = ("US", "CA", "PH")
"""Countries that write dates in English with the month first, as the labels do (CLDR, long dates)."""
DAY_FIRST = "[day padding:none] [month repr:long] [year]"
_DAY_PARTS = {"d": "[day]", "M": "[month]", "y": "[year]"}
MADE_UP = Decimal("12345.67")


def profile_file(layouts: Path, tenant: str) -> Path:
    return layouts / "companies" / f"{tenant}.toml"


def held(layouts: Path, tenant: str) -> dict[str, Any]:
    """The tenant's own profile; empty without one. Raises ValueError."""
    file = profile_file(layouts, tenant)
    if not file.is_file():
        return {}
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} cannot be read, mend or remove it: {error}") from error


def profile_of(answers: Answers, stood: Mapping[str, Any], *, language: str | None, tenant: str) -> dict[str, Any]:
    """The profile with these answers; its terms, colours and closing are nobody's to ask and stay as they stand.

    ``language`` is the house's so far: marks that were right in it are not right in another.
    """
    reached = {name: getattr(answers, name) for name in ("phone", "email", "website", "registration")}
    if answers.logo is not None:
        gone = str(answers.logo) == NOTHING
        reached["logo"] = NOTHING if gone else f"{tenant}-logo{answers.logo.suffix.lower()}"
    said = {
        "name": answers.company,
        "address": answers.address,
        **{name: value for name, value in reached.items() if value is not None},
    }
    new = {"paper": "us-letter" if answers.country in LETTER_PAPER else "a4"}
    if answers.language == "en" and answers.country not in MONTH_FIRST:
        new["date_format"] = DAY_FIRST
    gone_with = wording.MARKS if answers.language != language else ()
    kept = {name: value for name, value in stood.items() if name not in said and name not in gone_with}
    if stood.get("signatory") == f"For {stood.get('name')}":  # which labels say in any language
        kept.pop("signatory")
    return {name: value for name, value in {**new, **said, **kept}.items() if value != NOTHING}


@contextmanager
def written(answers: Answers, profile: Mapping[str, Any], *, layouts: Path, tenant: str) -> Iterator[None]:
    """Writes profile and logo beside the layouts; where the block fails, they are again what they were."""
    file = profile_file(layouts, tenant)
    logo = layouts / profile["logo"] if "logo" in profile else None
    with as_before_on_failure(*filter(None, (file, logo))):
        file.parent.mkdir(exist_ok=True)
        if answers.logo is not None and logo is not None and answers.logo.resolve() != logo.resolve():
            shutil.copyfile(answers.logo, logo)
        file.write_text(as_toml(profile), "utf-8")
        yield


@contextmanager
def with_labels(language: str, *, country: str, layouts: Path) -> Iterator[None]:
    """Begins a file of labels for a language without one: how it writes figures and days and what it calls countries
    and spans of time, by CLDR; what it lacks is English. Where the block fails, the file is gone again.
    """
    file = layouts / "labels" / f"{language}.toml"
    if file.is_file() or language not in locale_identifiers():
        yield
        return
    known = Locale.parse(language)
    day = re.sub("d+|M+|y+", lambda part: _DAY_PARTS[part[0][0]], known.date_formats["short"].pattern)
    marks = known.number_symbols["latn"]
    composed = {
        "spoken_in": [country],
        "group_mark": marks["group"],
        "groups": known.decimal_formats[None].grouping[1],
        "decimal_mark": marks["decimal"],
        "date_format": day,
        "percent": re.sub("#[#,]*0", "{}", known.percent_formats[None].pattern),
        "currency_first": re.match("[^#]*¤", known.currency_formats["standard"].pattern) is not None,
    }
    countries = {code: name for code, name in known.territories.items() if re.fullmatch("[A-Z]{2}", code)}
    block = {_value(key): word for key, word in _spans(known)}
    lines = ["# Begun by make setup. What it lacks is printed in English: translate en.toml beside it."]
    for name, table in (("composed", composed), ("block", block), ("countries", countries)):
        lines += ["", f"[{name}]", *(f"{key} = {_value(value)}" for key, value in table.items())]
    with as_before_on_failure(file):
        file.write_text("\n".join(lines) + "\n", "utf-8")
        yield


def _spans(locale: Locale) -> Iterator[tuple[str, str]]:
    """Yields what spans of time are called behind a number, and one of them with it, where CLDR has that."""
    for span in ("hour", "day", "week", "month", "year"):
        symbol = shipped().by_spelling[span].symbol
        for count, key in ((1, f"1 {symbol}"), (5, symbol)):
            forms = (format_unit(count, f"duration-{span}", locale=locale, length=each) for each in ("long", "short"))
            if said := next((form for form in forms if re.fullmatch(rf"{count}[^\d-]+", form)), ""):
                yield key, said.removeprefix("5").strip()


@contextmanager
def as_before_on_failure(*files: Path) -> Iterator[None]:
    """Where the block fails, the files are again what they were, or gone."""
    before = {path: path.read_bytes() if path.is_file() else None for path in files}
    try:
        yield
    except BaseException:
        for path, content in before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(content)
        raise


def as_toml(profile: Mapping[str, Any]) -> str:
    """A string of JSON is one of TOML, but for DEL."""
    plain = [f"{name} = {_value(value)}" for name, value in profile.items() if name != "terms"]
    terms = [
        "\n".join(["", "[[terms]]", *(f"{name} = {_value(value)}" for name, value in term.items())])
        for term in profile.get("terms", ())
    ]
    return "\n".join(["# Written by make setup, which can be run again.", *plain, *terms]) + "\n"


def _value(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def test_page(answers: Answers, seller: Seller, *, minor_units: int, layouts: Path) -> bytes:
    """A quote of one made-up line, which is stored nowhere, under this letterhead.

    Raises typst.TypstError for a logo that cannot be drawn.
    """
    now = datetime.now(UTC)
    language = answers.language if wording.has_labels(layouts, answers.language) else wording.ENGLISH
    labels = DocumentLabels.read(layouts, language, answers.country)
    digits = Decimal(1).scaleb(-minor_units)
    net = MADE_UP.quantize(digits, rounding=ROUND_HALF_UP)
    taxes = [
        Tax(
            name=wording.tax(name, rate, labels=labels),
            base=net,
            amount=(net * rate / 100).quantize(digits, rounding=ROUND_HALF_UP),
        )
        for tax in answers.taxes[:1]
        for name, rate in taxes_of(tax.name, tax.rate_pct)
    ]
    due = sum((tax.amount for tax in taxes), Decimal(0)).quantize(digits)
    document = QuoteDocument(
        language=language,
        country=answers.country,
        title="Test page",
        watermark="DRAFT",
        seller=in_language(seller, labels, own=True),
        customer=Customer(
            name="A customer (made up)", contact=None, email=None, address=["1 Example Street"],
            country=answers.country, tax_id=None,
        ),
        quote=Heading(
            id="TEST",
            version=1,
            issued=now.date(),
            valid_until=now.date() + timedelta(days=30),
            reference=None,
            term=None,
            start_date=None,
            end_date=None,
            billing=wording.billing("one_time", labels=labels),
            payment=wording.payment(answers.payment_terms or "–", labels=labels),
            currency=answers.currency,
        ),
        lines=[
            Line(
                position=1,
                name="A product (made up)",
                sku="TEST-1",
                description="This line shows what a quote looks like. It is kept nowhere.",
                attributes=[],
                note=None,
                quantity=1,
                unit=None,
                list_price=net,
                unit_price=net,
                subtotal=net,
                discount_pct=None,
                discount=None,
                amount=net,
            )
        ],
        highlights=[1],
        others=Others(count=0, amount=Decimal(0)),
        totals=Totals(subtotal=net, discount=None, net=net, taxes=taxes, tax=due, total=net + due),
        approvals=[],
        trace=[],
        previous=None,
    )  # fmt: skip
    return typeset(document, template="standard", layouts=layouts, at=now)
