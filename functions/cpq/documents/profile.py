"""The company that sends the quotes: templates/pdf/company.toml, whose comments describe the keys."""

import tomllib
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from quarry.tool.errors import Unavailable

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-fA-F]{6}$")]
FileName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*$")]


class Term(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    text: str


class Seller(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    address: list[str]
    phone: str | None = None
    email: str | None = None
    website: str | None = None
    registration: str | None = None
    logo: FileName | None = None
    signatory: str
    paper: str = "us-letter"
    accent: Colour = "#0b4f6c"
    tint: Colour = "#eef4f7"
    group_mark: str = Field(default=",", max_length=1)
    decimal_mark: str = Field(default=".", min_length=1, max_length=1)
    date_format: str = "[month repr:long] [day padding:none], [year]"
    closing: str | None = None
    terms: list[Term] = []


def seller_of(content: str, *, file: str) -> Seller:
    """Raises Unavailable that names what to change in ``file``."""
    try:
        return Seller.model_validate(tomllib.loads(content))
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors())
    except tomllib.TOMLDecodeError as error:
        problems = str(error)
    raise Unavailable(f"The company profile {file} has to change before a quote can be printed: {problems}.")
