"""The mails, and what a draft that answers one holds and does not hold."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent


class Item(BaseModel):
    """A thing of a mail as a careful reader takes it; ``needs`` and ``wishes`` say what is asked by attribute."""

    model_config = ConfigDict(extra="allow", frozen=True)

    what: str
    quantity: int = 1
    machines: int = 1
    down: int = 0
    needs: Mapping[str, str] = {}
    wishes: Mapping[str, str] = {}

    @property
    def asked(self) -> dict[str, Any]:
        """As find_for_request takes it."""
        musts = [{"attribute": name, "is": asked} for name, asked in self.needs.items()]
        wishes = [{"attribute": name, "is": asked, "wish": True} for name, asked in self.wishes.items()]
        said = self.model_dump(exclude_unset=True, exclude={"needs", "wishes"})
        return {**said, "needs": [*musts, *wishes]}


class Mail(BaseModel):
    """``must``, ``must_not`` and ``answers`` are of the customer's copy, ``internal`` of the other. Only somebody who
    writes can add the ``answers``; ``compared`` goods are wanted side by side.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    customer: str
    mail: str
    language: Literal["en", "de", "fr"] = "en"
    units: Literal["us", "metric"] = "us"
    items: Sequence[Item] = Field(min_length=1)
    compared: bool = False
    rows: int = 5
    must: Sequence[str]
    must_not: Sequence[str]
    answers: Sequence[str] = ()
    internal: Sequence[str] = ()


def read_mails() -> list[Mail]:
    documents = yaml.safe_load_all((FOLDER / "mails.yaml").read_text("utf-8"))
    return [Mail.model_validate(document) for document in documents]


NEVER = (r"\[open: ", r"\[…\]", r"SALESPERSON REVIEW", r"\(internal\)", r"\bQ\d\d-\d{4}\b")
"""What no customer's copy holds: blanks, notes, the numbers of others' quotes."""


def faults(mail: Mail, letter: str, internal: str, *, written: bool) -> list[str]:
    """What the copies lack and what the customer's holds too much; ``written`` asks for the answers, too."""
    wanted = [*mail.must, *(mail.answers if written else ())]
    return [
        *(f"the letter lacks {pattern}" for pattern in wanted if not re.search(pattern, letter)),
        *(f"the letter holds {pattern}" for pattern in (*NEVER, *mail.must_not) if re.search(pattern, letter)),
        *(f"the internal copy lacks {pattern}" for pattern in mail.internal if not re.search(pattern, internal)),
    ]
