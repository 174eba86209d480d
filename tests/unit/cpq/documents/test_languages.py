"""Documents in each language that has labels: each has every label, and writes numbers and dates its own way."""

import csv
import re
import shutil
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args

import pytest
from babel import Locale
from babel.languages import get_official_languages
from babel.localedata import locale_identifiers

from cpq.documents import wording
from cpq.documents.composition import in_language
from cpq.documents.content import Charge, Signature, Template, written_day
from cpq.documents.wording import DocumentLabels, language_of, languages
from cpq.drafts.wording import wording_of
from cpq.model import Language
from local.files import ROOT
from local.setup.letterhead import with_labels
from quarry.tool.errors import Unavailable
from tests.unit.cpq.documents.printed_quotes import (
    LAYOUTS,
    customer,
    document,
    heading,
    line,
    pages,
    printed,
    profile,
    seller,
)

LANGUAGES = tuple(languages(LAYOUTS))
LABELS = {language: DocumentLabels.read(LAYOUTS, language) for language in LANGUAGES}
TABLES = {name: wording.tables(LAYOUTS, name) for name in LANGUAGES}
TEXTS = {name: tables["text"] for name, tables in TABLES.items()}


@pytest.mark.parametrize("table", ["text", "approval", "letter"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_has_every_label_with_the_same_gaps(language: Language, table: str) -> None:
    def gaps(texts: dict[str, Any], under: str = "") -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for name, text in texts.items():
            deeper = isinstance(text, dict)
            assert text
            found |= gaps(text, f"{under}{name}.") if deeper else {under + name: set(re.findall(r"{(\w+)}", text))}
        return found

    assert gaps(TABLES[language][table]) == gaps(TABLES["en"][table])


@pytest.mark.parametrize(
    ("language", "thousand"),
    [
        ("de", "pro 1000 Stück"),
        ("es", "por mil unidades"),
        ("fr", "par millier"),
        ("it", "per mille pezzi"),
        ("nl", "per 1000 stuks"),
        ("pt", "por mil unidades"),
    ],
)
def test_what_the_samples_house_sells_is_called_as_the_language_calls_it(language: Language, thousand: str) -> None:
    with (ROOT / "local/corpus/products.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = {row[name] for row in rows for name in ("category", "drive") if row[name]}
    words |= {part for row in rows for part in row["motor"].split(", ") if re.fullmatch("[A-Za-z ]+", part)}
    assert words - TABLES[language]["block"].keys() == set()
    assert wording.unit("per_thousand", term_months=None, labels=LABELS[language]) == thousand


@pytest.mark.parametrize("layout", ["base", "letter", "shared", "standard", "executive", "detailed", "renewal"])
def test_a_layout_has_no_words_of_its_own(layout: str) -> None:
    typst = (LAYOUTS / f"{layout}.typ").read_text("utf-8")
    asked = set(re.findall(r'say\("(\w+)"[,)]', typst))
    assert asked <= TEXTS["en"].keys()
    code = re.sub(r"^\s*//.*$|//.*$", "", typst, flags=re.MULTILINE)
    assert not re.findall(r"\[[A-Z][a-z][^\]]*\]|\w\[[a-z ]{3,}\]|^ *=+ \w", code, re.MULTILINE)


def test_a_letter_asks_for_no_word_that_has_no_label() -> None:
    source = "".join(path.read_text("utf-8") for path in (ROOT / "functions/cpq/drafts").glob("*.py"))
    asked = set(re.findall(r"""say\(["'](\w+)["']""", source))
    assert asked
    assert asked <= TEXTS["en"].keys() | TABLES["en"]["letter"].keys()


SHOWN: dict[Language, tuple[str, ...]] = {
    "en": ("Quotation", "12,345.60", "USD 13,086.34", "April 1, 2026", "Net 30 days", "per seat per month × 12"),
    "de": ("Angebot", "12.345,60", "13.086,34 USD", "01.04.2026", "30 Tage netto", "pro Platz pro Monat × 12"),
    "es": ("Oferta", "12.345,60", "13.086,34 USD", "01/04/2026", "30 días netos", "por puesto al mes × 12"),
    "fr": ("Devis", "12 345,60", "13 086,34 USD", "01/04/2026", "30 jours net", "par poste par mois × 12"),
    "pl": ("Oferta", "12 345,60", "13 086,34 USD", "01.04.2026", "30 dni netto", "za stanowisko miesięcznie × 12"),
    "cs": ("Nabídka", "12 345,60", "13 086,34 USD", "1. 4. 2026", "do 30 dnů od", "za místo měsíčně × 12"),
    "pt": ("Proposta", "12 345,60", "13 086,34 USD", "01/04/2026", "30 dias da data da", "por posto por mês × 12"),
    "it": ("Offerta", "12.345,60", "13.086,34 USD", "01/04/2026", "30 giorni data", "per postazione al mese × 12"),
    "nl": ("Offerte", "12.345,60", "USD 13.086,34", "01-04-2026", "30 dagen na", "per werkplek per maand × 12"),
}
TITLES: dict[Template, str] = {
    "executive": "executive_summary",
    "detailed": "detailed_quotation",
}


@pytest.mark.parametrize(
    ("number", "told"), [("DE812345678", "USt-IdNr. DE812345678"), ("12/345/67890", "Steuernummer 12/345/67890")]
)
def test_a_vat_number_of_the_customers_country_is_called_one(number: str, told: str) -> None:
    assert told in pages(printed(document(language="de", customer=customer(country="DE", tax_id=number))))[0]


def test_the_legal_form_in_a_companys_name_does_not_break() -> None:
    shown = printed(document(customer=customer(name=f"{'Pompy ' * 5}ii Sp. z o.o.")))
    assert shown.pages[0].extract_text().count("Sp. z o.o.\n") == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_document_is_in_its_language_whatever_the_house_writes_at_home(language: Language) -> None:
    labels = LABELS[language]
    terms = {"payment": wording.payment("net_30", labels=labels), "term": wording.months(12, labels=labels)}
    rate = wording.unit("per_seat_per_month", term_months=12, labels=labels)
    share = Decimal("12345.60")
    shown = document(
        line(price="12345.6", unit=rate, discount_pct=Decimal("7.5"), discount=Decimal("1001.00")),
        language=language,
        seller=in_language(seller(), labels, own=False),
        customer=customer(country="DE"),
        quote=heading(billing=wording.billing("monthly", labels=labels), **terms),
        charges=[Charge(period="month", count=12, each=share / 12, exact=True, total=share)],
        approvals=[Signature(name="Ute", role="Boss", decided=heading().issued)],
    )
    templates: tuple[Template, ...] = get_args(Template)
    texts = {template: " ".join(pages(printed(shown, template=template))) for template in templates}
    for said in SHOWN[language]:
        assert said in texts["standard"]
    for key in ("valid_until", "unit_price", "before_discount", "terms", "acceptance", "charges"):
        assert TEXTS[language][key].format(currency="USD") in texts["standard"]
    assert f"7{labels.decimal_mark}5" in texts["standard"]
    for template, title in TITLES.items():
        assert TEXTS[language][title] in texts[template]
    assert TABLES[language]["countries"]["DE"] in texts["standard"]


def test_a_draft_is_marked_in_its_language() -> None:
    [page] = pages(printed(document(language="de", watermark="DRAFT")))
    assert "kein Angebot" in page


def test_the_house_writes_numbers_as_it_likes_in_its_own_language_only() -> None:
    swiss = seller().model_copy(update={"group_mark": "'", "decimal_mark": ".", "date_format": None})
    at_home = in_language(swiss, LABELS["de"], own=True)
    assert (at_home.group_mark, at_home.decimal_mark, at_home.date_format) == ("'", ".", "[day].[month].[year]")
    spelled = seller().model_copy(update={"date_format": "[day] [month repr:long] [year]"})
    written = [in_language(spelled, LABELS[each], own=True).date_format for each in ("en", "pl")]
    assert written == ["[day] [month repr:long] [year]", "[day].[month].[year]"]
    elsewhere = in_language(swiss, LABELS["de"], own=True, at_home=False)
    assert (elsewhere.group_mark, elsewhere.decimal_mark) == (".", ",")
    abroad = in_language(swiss.model_copy(update={"signatory": "Ihr Haus"}), LABELS["fr"], own=False)
    assert (abroad.group_mark, abroad.decimal_mark, abroad.signatory) == ("\u202f", ",", None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_country_of_a_language_has_the_marks_and_the_order_of_days_of_cldr(
    language: Language,
) -> None:
    spelled = LABELS[language].date_format.count("repr:long")
    for name in locale_identifiers():
        own, _, country = name.partition("_")
        if own != language or language not in get_official_languages(country, regional=True, de_facto=True):
            continue
        labels, known = DocumentLabels.read(LAYOUTS, language, country), Locale.parse(name)
        marks = known.number_symbols["latn"]
        assert (labels.group_mark, labels.decimal_mark) == (marks["group"], marks["decimal"]), name
        assert labels.groups == known.decimal_formats[None].grouping[1], name
        pattern = known.date_formats["long" if spelled else "short"].pattern
        order = "".join(dict.fromkeys(part[0] for part in re.findall(r"\[(day|month|year)", labels.date_format)))
        assert order == "".join(dict.fromkeys(re.findall("[dMy]", pattern))).lower(), name


def test_figures_are_grouped_as_the_country_groups_them() -> None:
    indian, german = DocumentLabels.read(LAYOUTS, "en", "IN"), LABELS["de"]
    figures = [Decimal("-158969.60"), Decimal("12345678.1234"), Decimal(100), Decimal(1000)]
    assert [wording.number(each, labels=indian) for each in figures] == [
        "-1,58,969.60", "1,23,45,678.1234", "100", "1,000"
    ]  # fmt: skip
    assert wording.number(figures[1], labels=german) == "12.345.678,1234"
    assert wording.number(figures[1], labels=DocumentLabels.read(LAYOUTS, "de", "IN")) == "12.345.678,1234"
    told = document(line()).model_copy(update={"seller": in_language(seller(), indian, own=False)})
    dear = told.model_copy(update={"totals": told.totals.model_copy(update={"total": Decimal("158969.60")})})
    assert "1,58,969.60" in " ".join(pages(printed(dear)))


def test_a_country_has_words_of_its_own_in_documents_and_letters() -> None:
    swiss, canadian = (wording.tables(LAYOUTS, *of) for of in (("de", "CH"), ("fr", "CA")))
    assert not [text for name in ("text", "letter") for text in swiss[name].values() if "ß" in text]
    assert DocumentLabels.read(LAYOUTS, "fr", "CA").title == canadian["text"]["quotation"] != TEXTS["fr"]["quotation"]
    for country, told in (("LI", "einschliesslich Steuer"), ("DE", "einschließlich Steuer")):
        shown = document(line(), language="de", country=country)
        assert told in " ".join(pages(printed(shown, template="executive")))


def test_amounts_may_have_another_decimal_mark_than_other_figures() -> None:
    swiss = DocumentLabels.read(LAYOUTS, "fr", "CH")
    known = Locale.parse("fr_CH").number_symbols["latn"]
    assert (swiss.decimal_mark, swiss.amount_mark) == (known["decimal"], known["currencyDecimal"])
    told = document(line(quantity=Decimal("12.5")), seller=in_language(seller(), swiss, own=False))
    [page] = pages(printed(told))
    assert "12,5" in page
    assert "1\u202f200.00" in page.replace(" ", "\u202f")
    assert in_language(seller().model_copy(update={"decimal_mark": ","}), swiss, own=True).amount_mark is None


def test_a_country_where_nobody_speaks_the_language_is_written_to_as_the_language_is() -> None:
    assert DocumentLabels.read(LAYOUTS, "de", "MX") == LABELS["de"]
    assert DocumentLabels.read(LAYOUTS, "en", "SE") == DocumentLabels.read(LAYOUTS, "en", "MX")


def test_codes_read_in_the_language_and_a_unit_without_a_word_stays() -> None:
    german = LABELS["de"]
    assert wording.payment("due_on_receipt", labels=german) == "Zahlbar bei Erhalt der Rechnung"
    assert wording.payment("14 jours, 2 %", labels=german) == "14 jours, 2 %"
    assert wording.tax("MwSt.", Decimal("8.1000"), labels=german) == "MwSt. 8,1\xa0%"
    assert wording.tax("MwSt. 19 %", Decimal(19), labels=german) == "MwSt. 19 %"
    assert wording.unit("per_pallet_space_per_year", term_months=24, labels=german) == "pro pallet space pro Jahr × 2"
    assert wording.attributes({"food_grade": True}, labels=german)[0].value == "ja"


def test_terms_are_in_the_documents_language_where_the_house_wrote_them_so() -> None:
    german = in_language(profile(), LABELS["de"], own=False)
    assert [term.title for term in german.terms][:3] == ["Preise", "Zahlung", "Lieferung"]
    assert "ab Werk" in german.terms[2].text
    assert german.closing is None
    own = in_language(profile().model_copy(update={"terms": german.terms[:0]}), LABELS["fr"], own=False)
    assert own.closing == profile().closing
    assert in_language(profile(), LABELS["en"], own=True).terms[0].title == "Prices"


@pytest.mark.parametrize(("account", "language"), [
    ({"country": "DE"}, "de"), ({"country": "AT"}, "de"), ({"country": "MX"}, "es"), ({"country": "FR"}, "fr"),
    ({"country": "PL"}, "pl"), ({"country": "CZ"}, "cs"), ({"country": "PT"}, "pt"), ({"country": "IT"}, "it"),
    ({"country": "NL"}, "nl"), ({"country": "BE"}, None), ({"country": "US", "language": "xx"}, None),
    ({"country": "CH"}, None), ({"country": "US"}, None), ({"country": "DE", "language": "en"}, "en"),
])  # fmt: skip
def test_a_customer_without_a_language_has_his_countrys(account: dict[str, str], language: str | None) -> None:
    assert language_of(account, LAYOUTS) == language


def test_a_further_language_is_a_file_and_nothing_else(tmp_path: Path) -> None:
    text = (LAYOUTS / "labels/de.toml").read_text("utf-8")
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels/lb.toml").write_text(text.replace('spoken_in = ["DE", "AT"]', 'spoken_in = ["LU"]'), "utf-8")
    assert languages(tmp_path) == {"lb": ("LU",)}
    assert language_of({"country": "LU"}, tmp_path) == "lb"
    assert language_of({"country": "DE", "language": "de"}, tmp_path) is None


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("[day]/[month repr:numerical]/[year]", "26/02/2026"),
        ("[day padding:space] [month repr:short] [year repr:last_two]", "26 Feb 26"),
    ],
)
def test_a_day_is_written_in_letters_as_in_quotes(form: str, told: str) -> None:
    house = seller().model_copy(update={"date_format": form})
    assert told in " ".join(pages(printed(document(line()).model_copy(update={"seller": house})))[0].split())
    assert written_day(date(2026, 2, 26), form) == told


def test_a_form_of_days_that_is_none_is_refused_and_a_changed_file_is_read_at_once(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    shutil.copy(LAYOUTS / "labels/en.toml", tmp_path / "labels")
    assert set(languages(tmp_path)) == {"en"}
    file = tmp_path / "labels/fi.toml"
    file.write_text('[composed]\ndate_format = "[moon]"\n', "utf-8")
    with pytest.raises(Unavailable, match=r"labels/fi.toml has to change: date_format: .*write \[day\]"):
        languages(tmp_path)
    file.write_text('[composed]\ndate_format = "[day].[month]."\n', "utf-8")
    assert set(languages(tmp_path)) == {"en", "fi"}


@pytest.mark.parametrize(
    ("language", "number", "day", "week"),
    [("uk", "1\xa0234,5", "26.02.2026", "тиждень"), ("zh", "1,234.5", "2026/02/26", "周")],
)
def test_a_language_without_labels_gets_a_file_with_its_figures_days_and_countries(
    tmp_path: Path, language: Language, number: str, day: str, week: str
) -> None:
    layouts = tmp_path / "pdf"
    shutil.copytree(LAYOUTS, layouts)
    with with_labels(language, country="UA", layouts=layouts):
        labels = DocumentLabels.read(layouts, language)
    assert wording.number(Decimal("1234.5"), labels=labels) == number
    assert written_day(date(2026, 2, 26), labels.date_format) == day
    assert wording.unit("per_week", term_months=None, labels=labels) == f"per {week}"
    assert wording_of(layouts, language).value("16 weeks").startswith("16 ти" if language == "uk" else "16 周")
    told = document(line()).model_copy(
        update={"language": language, "seller": in_language(seller(), labels, own=False)}
    )
    assert "Quotation" in pages(printed(told, layouts=layouts))[0]


def test_english_labels_stand_for_those_that_a_file_lacks(tmp_path: Path) -> None:
    (tmp_path / "labels").mkdir()
    shutil.copy(LAYOUTS / "labels/en.toml", tmp_path / "labels")
    (tmp_path / "labels/fi.toml").write_text('[composed]\ntitle = "Tarjous"\n', "utf-8")
    labels = DocumentLabels.read(tmp_path, "fi")
    assert (labels.title, labels.net_days, labels.yes) == ("Tarjous", "Net {days} days", "kyllä")
    assert "text.total" in wording.lacking(tmp_path, "fi")
    assert "composed.title" not in wording.lacking(tmp_path, "fi")
    [told] = wording.english_words(tmp_path, "fi", "composed", "text", "letter")
    assert "fixed words, which are English (put into labels/fi.toml)" in told
    assert [each for each in LANGUAGES if wording.english_words(LAYOUTS, each)] == []
