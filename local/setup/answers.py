"""What a house answers about itself in a file, and what is wrong with it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from cpq.house import NumberPattern
from cpq.payment import PaymentTerms
from quarry.attributes.units import System as Units
from quarry.text import alike

NOTHING = "-"
"""Takes away what stands: a telephone number, a logo."""

LOGOS = {".svg": b"<svg", ".png": b"\x89PNG", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff"}
"""Forms that a layout can place, and what their files begin with or, for SVG, hold."""

LARGEST_LOGO = 2_000_000

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_SEGMENT = re.compile(r"[a-z0-9_]{1,60}")


@dataclass(frozen=True, slots=True)
class Known:
    """What answers are held against: digits by currency, names by country, the roles that somebody has, and the
    folder from which a logo is looked for."""

    currencies: Mapping[str, int]
    countries: Mapping[str, str]
    roles: frozenset[str]
    folder: Path


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _said(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("it is empty: write it, or leave it out")
    return value.strip() if isinstance(value, str) else value


def _country(value: str, info: ValidationInfo[Known]) -> str:
    countries: Mapping[str, str] = info.context.countries
    if value.upper() in countries:
        return value.upper()
    codes = {name.casefold(): code for code, name in countries.items()}
    if code := codes.get(value.casefold()):
        return code
    near = [f"{codes[name]} ({countries[codes[name]]})" for name in alike(value.casefold(), list(codes), most=2)]
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f"'{value}' is no country: write its code of two letters, such as US or DE.{hint}")


def _currency(value: str, info: ValidationInfo[Known]) -> str:
    code = value.upper()
    if code in info.context.currencies:
        return code
    raise ValueError(f"'{value}' is no currency: write its ISO 4217 code of three letters, such as USD, EUR or CHF")


def _language(value: str) -> str:
    if re.fullmatch("[a-z]{2}", value.lower()):
        return value.lower()
    raise ValueError(f"'{value}' is no language: write its code of two letters, such as en or de")


def _logo(value: Path, info: ValidationInfo[Known]) -> Path:
    if str(value) == NOTHING:
        return value
    file: Path = info.context.folder / value.expanduser()
    mark = LOGOS.get(file.suffix.lower())
    if mark is None:
        raise ValueError(f"'{value}' is no logo that can be printed: give an .svg, .png or .jpg")
    if not file.is_file():
        raise ValueError(f"there is no file {file}: give its path, from {info.context.folder}")
    content = file.read_bytes()
    if len(content) > LARGEST_LOGO:
        raise ValueError(f"{value.name} has {len(content):,} bytes: give one of at most {LARGEST_LOGO:,}")
    if mark not in (content if file.suffix.lower() == ".svg" else content[: len(mark)]):
        raise ValueError(f"{value.name} does not hold what its name says: export the logo again as {file.suffix}")
    return file


def _email(value: str) -> str:
    if not _EMAIL.fullmatch(value):
        raise ValueError(f"'{value}' is no e-mail address: links to approve are sent there")
    return value


def _role(text: str) -> str:
    role = re.sub(r"[\s-]+", "_", text.strip().lower())
    if not _SEGMENT.fullmatch(role):
        raise ValueError(f"'{text}' cannot name a role: use letters a to z, digits and _, such as sales_manager")
    return role


def _segment(value: str) -> str:
    if not _SEGMENT.fullmatch(value):
        raise ValueError(f"'{value}' cannot name a segment: use letters a to z, digits and _, such as standard")
    return value


Text = Annotated[str, Field(max_length=300), BeforeValidator(_said)]
Segment = Annotated[str, AfterValidator(_segment)]
Role = Annotated[Text, AfterValidator(_role)]
Percentage = Annotated[Decimal, Field(ge=0, le=100)]


class TaxAnswer(_Answer):
    name: Text
    rate_pct: Percentage
    region: Text | None = None


def taxed_alone(taxes: Sequence[TaxAnswer]) -> Iterator[str]:
    """Tells of each region's tax beside one of the whole country that it takes that one's place."""
    everywhere = next((tax for tax in taxes if tax.region is None and tax.rate_pct), None)
    for tax in taxes:
        if everywhere and tax.region:
            yield (
                f"taxes: in {tax.region} {tax.name} ({tax.rate_pct}%) is charged alone, without {everywhere.name} "
                f"({everywhere.rate_pct}%). Where both are due, write their sum as its rate_pct and both in its name."
            )


class ApproverAnswer(_Answer):
    name: Text
    email: Annotated[Text, AfterValidator(_email)]
    role: Role


class Step(_Answer):
    up_to_pct: Percentage
    role: Role


class Discounts(_Answer):
    """Up to ``free_pct`` nobody is asked, above the last step nobody can approve."""

    free_pct: Percentage
    steps: tuple[Step, ...] = ()

    @model_validator(mode="after")
    def rises(self) -> Self:
        for before, after in pairwise([self.free_pct, *(step.up_to_pct for step in self.steps)]):
            if after <= before:
                raise ValueError(f"each step has to be above the one before: {after} does not follow {before}")
        return self


class Answers(_Answer):
    """``discounts`` are by segment of customers. What is left out stays as it is, and NOTHING takes it away where a
    house can do without."""

    company: Text
    address: Annotated[list[Text], Field(min_length=1, max_length=8)]
    country: Annotated[Text, AfterValidator(_country)]
    currency: Annotated[Text, AfterValidator(_currency)]
    language: Annotated[Text, AfterValidator(_language)]
    units: Units
    payment_terms: PaymentTerms | None = None
    quote_numbers: NumberPattern | None = None
    phone: Text | None = None
    email: Text | None = None
    website: Text | None = None
    registration: Text | None = None
    logo: Annotated[Path, AfterValidator(_logo)] | None = None
    taxes: list[TaxAnswer] = Field(default_factory=list, max_length=100)
    approvers: list[ApproverAnswer] = Field(default_factory=list, max_length=100)
    discounts: dict[Segment, Discounts] = Field(default_factory=dict, max_length=50)

    @model_validator(mode="after")
    def somebody_has_each_role(self, info: ValidationInfo[Known]) -> Self:
        roles = info.context.roles | {approver.role for approver in self.approvers}
        asked = [step.role for discounts in self.discounts.values() for step in discounts.steps]
        if lonely := [role for role in asked if role not in roles]:
            there = f" There are: {', '.join(sorted(roles))}." if roles else ""
            raise ValueError(f"nobody has the role {lonely[0]}: name an approver with it, or another role.{there}")
        return self


def answers_of(given: Mapping[str, Any], known: Known) -> Answers:
    """Raises ValueError with a line for each answer that has to change."""
    try:
        return Answers.model_validate(given, context=known)
    except ValidationError as failure:
        raise ValueError("\n".join(map(_fault, failure.errors()))) from failure


def _fault(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"] if part != "[key]")
    return f"{where}: {_sentence(error)}" if where else _sentence(error)


def _sentence(error: Any) -> str:
    """What pydantic found, in words for whoever answers."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    if error["type"] == "missing":
        return "it is not answered: add it"
    if error["type"] == "extra_forbidden":
        near = alike(str(error["loc"][-1]), list(Answers.model_fields), most=1)
        return "nobody asks for it" + (f": did you mean {near[0]}?" if near else "")
    return str(error["msg"])
