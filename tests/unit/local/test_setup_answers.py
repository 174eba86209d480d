"""The answers that make setup takes from a file, and what it says to those that are wrong."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from local.failure import LocalError
from local.files import ROOT
from local.setup import letterhead, standing
from local.setup.__main__ import read_answers, refuse_the_sample
from local.setup.answers import Known, answers_of, taxed_alone
from local.setup.standing import Standing

EXAMPLE = ROOT / "local/setup/company.toml"
GIVEN: dict[str, Any] = {
    "company": "Acme",
    "address": ["1 Anvil Square"],
    "country": "US",
    "currency": "USD",
    "language": "en",
    "units": "us",
}
UTE = {"name": "Ute", "email": "u@a.example", "role": "boss"}


def discounts(free: int, *steps: tuple[int, str]) -> dict[str, Any]:
    return {"free_pct": free, "steps": [{"up_to_pct": pct, "role": role} for pct, role in steps]}


@pytest.fixture
def known(tmp_path: Path) -> Known:
    countries = tomllib.loads((ROOT / "templates/pdf/labels/en.toml").read_text("utf-8"))["countries"]
    return Known({"EUR": 2, "USD": 2, "JPY": 0}, countries, frozenset(), tmp_path)


def test_the_example_that_is_shipped_is_answered_in_full(known: Known) -> None:
    answers = read_answers(EXAMPLE, known)
    assert (answers.country, answers.currency, answers.units, answers.language) == ("DE", "EUR", "metric", "de")
    [tax] = answers.taxes
    assert (tax.name, tax.region) == ("MwSt.", None)
    assert tax.rate_pct == 19
    discounts = answers.discounts["standard"]
    assert [step.role for step in discounts.steps] == ["sales_manager", "managing_director"]
    assert [discounts.free_pct, *(step.up_to_pct for step in discounts.steps)] == [
        Decimal(5),
        Decimal(15),
        Decimal(25),
    ]


@pytest.mark.parametrize(
    ("field", "answer", "told"),
    [
        ("company", " ", "company: it is empty: write it, or leave it out"),
        ("address", [], "address: List should have at least 1 item"),
        (
            "country",
            "Germny",
            "country: 'Germny' is no country: write its code of two letters, such as US or DE. Did",
        ),
        ("currency", "Euro", "currency: 'Euro' is no currency: write its ISO 4217 code of three letters"),
        ("language", "German", "language: 'German' is no language: write its code of two letters"),
        ("units", "SI", "units: Input should be 'us' or 'metric'"),
        ("payment_terms", "soon", "payment_terms: 'soon' does not say when an invoice is due. Write e.g. net_30"),
        ("quote_numbers", "AN-{year}", "quote_numbers: 'AN-{year}' needs {number} once: write capital letters"),
        ("quote_numbers", "кп-{number}", "quote_numbers: 'кп-{number}' has other characters"),
        ("quote_numbers", "an-{number}", "quote_numbers: 'an-{number}' has other characters"),
        ("quote_numbers", "AN  {number}", "single blanks inside only"),
        ("quote_numbers", "AN-{month}{number}", "has a part that nobody can fill in"),
        ("quote_numbers", "AN-{number", "cannot be read"),
        ("logo", "logo.gif", "logo: 'logo.gif' is no logo that can be printed: give an .svg, .png or .jpg"),
        ("logo", "none.png", "logo: there is no file"),
        ("taxes", [{"name": "MwSt."}], "taxes.0.rate_pct: it is not answered: add it"),
        (
            "taxes",
            [{"name": "MwSt.", "rate_pct": 190}],
            "taxes.0.rate_pct: Input should be less than or equal to 100",
        ),
        ("approvers", [UTE | {"email": "ute"}], "approvers.0.email: 'ute' is no e-mail address"),
        ("approvers", [UTE | {"role": "Vertriebsbüro"}], "'Vertriebsbüro' cannot name a role"),
        ("discounts", {"standard": discounts(5, (15, ""))}, "discounts.standard.steps.0.role: it is empty"),
        ("discounts", {"standard": discounts(5, (20, "a"), (15, "a"))}, "15 does not follow 20"),
        ("discounts", {"standard": {"free_pct": "much"}}, "discounts.standard.free_pct: Input should be a valid"),
        ("discounts", {"standard": discounts(5, (15, "boss"))}, "nobody has the role boss: name an approver with it"),
        ("discounts", {"Big ones": {"free_pct": 5}}, "'Big ones' cannot name a segment"),
        ("fone", "1", "fone: nobody asks for it: did you mean phone?"),
        ("country", None, "country: "),
    ],
)
def test_an_answer_that_cannot_be_used_is_told_what_to_change(
    known: Known, field: str, answer: object, told: str
) -> None:
    with pytest.raises(ValueError, match=r".") as failure:
        answers_of({**GIVEN, field: answer}, known)
    assert told in str(failure.value)
    assert "\n" not in str(failure.value)


def test_all_that_is_wrong_in_a_file_is_told_at_once_with_its_name(known: Known, tmp_path: Path) -> None:
    file = tmp_path / "company.toml"
    file.write_text('company = "Acme"\ncountry = "XX"\ncurrency = "EUX"\n', "utf-8")
    with pytest.raises(LocalError) as failure:
        read_answers(file, known)
    first, *faults = str(failure.value).splitlines()
    assert first == f"{file} has to change; nothing was stored."
    assert [fault.split(":")[0] for fault in faults] == ["address", "country", "currency", "language", "units"]


@pytest.mark.parametrize(("content", "told"), [(b"company = \xfc", "is not UTF-8"), (b"company =", "has to change")])
def test_a_file_that_is_no_toml_is_said_to_be_none(known: Known, tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "company.toml"
    file.write_bytes(content)
    with pytest.raises(LocalError, match=told):
        read_answers(file, known)


def test_a_logo_has_to_be_what_its_name_says(known: Known, tmp_path: Path) -> None:
    (tmp_path / "logo.png").write_bytes(b"\xff\xd8\xff")
    with pytest.raises(ValueError, match=r"does not hold what its name says: export the logo again as \.png"):
        answers_of({**GIVEN, "logo": "logo.png"}, known)
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n")
    assert answers_of({**GIVEN, "logo": "logo.png"}, known).logo == tmp_path / "logo.png"


def test_the_samples_house_is_nobodys_to_set_up() -> None:
    with pytest.raises(LocalError, match="NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve"):
        refuse_the_sample("sample")
    refuse_the_sample("acme")


def test_the_rows_of_the_same_answers_stay_as_they_stand(known: Known) -> None:
    answers = read_answers(EXAMPLE, known)
    rows = standing.rows_of(answers, Standing())
    profile = letterhead.profile_of(answers, {}, language=None, tenant="harz")
    stood = Standing(rows, profile)
    assert standing.rows_of(answers, stood) == rows
    assert letterhead.profile_of(answers, stood.profile, language="de", tenant="harz") == profile


def test_a_regions_tax_says_that_it_is_charged_alone(known: Known) -> None:
    taxes = [{"name": "Federal", "rate_pct": 5}, {"name": "State", "rate_pct": "9.975", "region": "QC"}]
    [told] = taxed_alone(answers_of({**GIVEN, "taxes": taxes}, known).taxes)
    assert told.startswith("taxes: in QC State (9.975%) is charged alone, without Federal (5%).")
    assert not [*taxed_alone(answers_of({**GIVEN, "taxes": taxes[1:]}, known).taxes)]


def test_a_role_is_written_as_people_write_it(known: Known) -> None:
    given = {**GIVEN, "approvers": [UTE | {"role": "Sales Manager"}]}
    assert answers_of(given, known).approvers[0].role == "sales_manager"


def test_what_no_answer_is_about_stays_and_a_minus_takes_away(known: Known) -> None:
    stood = {"name": "Old", "signatory": "For Old", "phone": "1", "logo": "old.png", "website": "a.example",
             "accent": "#000000", "group_mark": "'", "terms": [{"title": "T", "text": 'Say "hello"\n'}]}  # fmt: skip
    answers = answers_of({**GIVEN, "phone": "-", "logo": "-"}, known)
    profile = letterhead.profile_of(answers, stood, language="en", tenant="acme")
    assert not {"phone", "logo", "signatory"} & profile.keys()
    assert (profile["group_mark"], profile["website"], profile["accent"]) == ("'", "a.example", "#000000")
    elsewhere = letterhead.profile_of(answers, {**stood, "signatory": "Truly yours"}, language="de", tenant="acme")
    assert (elsewhere["signatory"], "group_mark" in elsewhere) == ("Truly yours", False)
    assert tomllib.loads(letterhead.as_toml(profile)) == profile


@pytest.mark.parametrize(
    ("country", "language", "first"), [("GB", "en", "day"), ("US", "en", None), ("DE", "de", None)]
)
def test_dates_in_english_are_those_of_the_country(
    country: str, language: str, first: str | None, known: Known
) -> None:
    answers = answers_of({**GIVEN, "country": country, "language": language}, known)
    written = letterhead.profile_of(answers, {}, language=None, tenant="acme").get("date_format")
    assert (written.strip("[").split()[0] if written else None) == first


def test_a_policys_other_rules_and_an_approvers_hours_stay(known: Known) -> None:
    policy = {"id": "pol_7", "name": "P", "segment": "standard", "segment_name": "All", "auto_approve_pct": 1.0,
              "bands": [], "hard_max_pct": 1.0, "escalation_chain": [],
              "rules": [{"measure": "loss_pct"}]}  # fmt: skip
    ute = {"id": "apr_7", "name": "U", "email": "U@a.example", "role": "boss", "time_zone": "Europe/Berlin"}
    stood = Standing({"discount_policies": [policy], "approvers": [ute]})
    people = [
        UTE,
        *(
            UTE | {"name": name, "email": f"{at}@a.example"}
            for at, name in enumerate(("Ute", "Олена Шевчук", "Юрій Бойко", "Юрій Бойко"))
        ),
    ]
    given = {**GIVEN, "approvers": people, "discounts": {"standard": discounts(5, (9, "boss"))}}
    rows = standing.rows_of(answers_of(given, known), stood)
    [changed] = rows["discount_policies"]
    assert (changed["id"], changed["rules"], changed["hard_max_pct"]) == ("pol_7", policy["rules"], "9")
    ids = ["apr_7", "apr_ute", "apr_olena_shevchuk", "apr_yurii_boiko", "apr_yurii_boiko_2"]
    assert [(row["id"], row["name"]) for row in rows["approvers"]] == [
        *zip(ids, (one["name"] for one in people), strict=True)
    ]
    assert rows["approvers"][0]["time_zone"] == "Europe/Berlin"
