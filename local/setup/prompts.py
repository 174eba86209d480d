"""The questions at the keyboard: what stands is shown, each answer is checked as it is given."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Annotated, Any, get_args

from babel.languages import get_official_languages
from babel.numbers import get_territory_currencies
from pydantic import BeforeValidator, TypeAdapter, ValidationError

from local.setup import standing
from local.setup.answers import (
    NOTHING,
    Answers,
    Discounts,
    Known,
    answers_of,
    read_discounts,
    require_approvers,
    sentence,
)
from local.setup.standing import Standing

Ask = Callable[[str], str]
Say = Callable[[str], None]

QUESTIONS = {
    "company": "Company, as on the letterhead",
    "address": "Address, its lines with ; between them",
    "country": "Country, as a code of two letters",
    "currency": "Currency that you quote in, as a code of three letters",
    "language": "Language of your documents, as a code of two letters",
    "units": "Units of capacity, pressure and power: us or metric",
    "payment_terms": "Payment terms, such as net_30 or 30 days net, 2% within 10 days",
    "quote_numbers": "Numbers of quotes, such as AN-{year}-{number:04}",
    "phone": "Telephone",
    "email": "E-mail address for questions about a quote",
    "website": "Website",
    "registration": "Registration and tax number, printed at the foot",
    "logo": "Logo: a file .svg, .png or .jpg",
}
TAXES = "Tax on what you sell in {country}, such as MwSt. 19 or Sales tax 6 in MI"
APPROVERS = "Who approves discounts, such as Ute Becker, ute@harz.example, sales_manager"
DISCOUNTS = (
    "Discounts of {segment} customers: free up to, then up to whom, such as 5; 15 sales_manager; 25 managing_director"
)
PROFILE = ("logo", "phone", "email", "website", "registration")


def ask_all(stood: Standing, known: Known, *, ask: Ask, say: Say) -> Answers:
    say(f"An empty answer keeps what stands in [brackets]; {NOTHING} leaves what need not be answered without one.")
    given: dict[str, Any] = {}
    defaults = _defaults(stood)
    for name, question in QUESTIONS.items():
        given[name] = _answer(name, question, default=defaults.get(name), known=known, ask=ask, say=say)
        if name == "country":
            defaults = {**_usual(given[name], known), **defaults}
    stands = standing.said(stood, given["country"])
    for name, question in (("taxes", TAXES.format(country=given["country"])), ("approvers", APPROVERS)):
        given[name] = list(_each(name, question, stands[name], known=known, ask=ask, say=say))
    known = replace(known, roles=known.roles | {approver.role for approver in given["approvers"]})
    given["discounts"] = {
        segment: _discounts(DISCOUNTS.format(segment=segment), default=default, known=known, ask=ask, say=say)
        for segment, default in (stands["discounts"] or {"standard": "0"}).items()
    }
    return answers_of({name: value for name, value in given.items() if value is not None}, known)


def _answer(name: str, question: str, *, default: str | None, known: Known, ask: Ask, say: Say) -> Any:
    """The answer as it is stored; None where there need not be one."""
    field = Answers.model_fields[name]
    while True:
        text = ask(f"{question}{f' [{default}]' if default else ''}: ").strip()
        if not text and (name == "logo" or default is None) and not field.is_required():
            return None
        try:
            return _checked(field.rebuild_annotation(), text or default or "", known)
        except ValueError as fault:
            say(f"  {fault}")


def _each(name: str, question: str, stands: list[str], *, known: Known, ask: Ask, say: Say) -> Iterator[Any]:
    """Those that stand one by one, then others, up to an empty answer."""
    [annotation] = get_args(Answers.model_fields[name].annotation)
    left = list(stands)
    say(f"{question}. An empty answer keeps what stands, and then ends the list.")
    while True:
        text = ask(f"  [{left[0]}]: " if left else "  another: ").strip()
        if not text and not left:
            return
        try:
            if text != NOTHING:
                yield _checked(annotation, text or left[0], known)
        except ValueError as fault:
            say(f"  {fault}")
        else:
            left = left[1:]


def _discounts(question: str, *, default: str, known: Known, ask: Ask, say: Say) -> Discounts:
    while True:
        text = ask(f"{question} [{default}]: ").strip() or default
        try:
            discounts: Discounts = _checked(Annotated[Discounts, BeforeValidator(read_discounts)], text, known)
            require_approvers(discounts, roles=known.roles)
        except ValueError as fault:
            say(f"  {fault}")
        else:
            return discounts


def _checked(annotation: Any, text: str, known: Known) -> Any:
    """Raises ValueError with a sentence."""
    try:
        return TypeAdapter(annotation).validate_python(text, context=known)
    except ValidationError as failure:
        raise ValueError(sentence(failure.errors()[0])) from failure


def _defaults(stood: Standing) -> dict[str, str]:
    profile, house = stood.profile, stood.house
    found = {
        "company": profile.get("name"),
        "address": "; ".join(profile.get("address", ())),
        "country": next((rule["country"] for rule in stood.taxes), None),
        **{name: profile.get(name) for name in PROFILE},
        **{name: house[name] for name in standing.HOUSE if name in house},
    }
    return {name: value for name, value in found.items() if value}


def _usual(country: str, known: Known) -> dict[str, str]:
    """What most houses of a country would answer."""
    currencies = get_territory_currencies(country)
    official = get_official_languages(country, de_facto=True)
    return {
        "language": next((language for language in official if language in known.languages), "en"),
        "units": "us" if country == "US" else "metric",
        **({"currency": currencies[0]} if currencies else {}),
    }
