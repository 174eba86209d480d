"""The mails, and what a draft that answers one holds and does not hold."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent
ANNEX = "## Sources (internal)"


class Item(BaseModel):
    """A thing of a mail as a careful reader takes it; ``needs`` and ``wishes`` say what is asked by attribute."""

    model_config = ConfigDict(extra="allow", frozen=True)

    what: str
    needs: Mapping[str, str] = {}
    wishes: Mapping[str, str] = {}

    @property
    def asked(self) -> dict[str, Any]:
        """As find_for_request takes it."""
        musts = [{"attribute": name, "is": asked} for name, asked in self.needs.items()]
        wishes = [{"attribute": name, "is": asked, "wish": True} for name, asked in self.wishes.items()]
        return {"what": self.what, **(self.model_extra or {}), "needs": [*musts, *wishes]}


class Mail(BaseModel):
    """``must``, ``must_not`` and ``answers`` are of the letter, ``internal`` of its notes and annex; ``answers`` is
    what only somebody who writes can add.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    customer: str
    mail: str
    language: Literal["en", "de", "fr"] = "en"
    units: Literal["us", "metric"] = "us"
    items: Sequence[Item] = Field(min_length=1)
    rows: int = 5
    must: Sequence[str]
    must_not: Sequence[str]
    answers: Sequence[str] = ()
    internal: Sequence[str] = ()


def read_mails() -> list[Mail]:
    documents = yaml.safe_load_all((FOLDER / "mails.yaml").read_text("utf-8"))
    return [Mail.model_validate(document) for document in documents]


def letter_of(draft: str) -> str:
    """What the customer would read."""
    return re.sub(r"^>.*\n?", "", draft.partition(ANNEX)[0], flags=re.MULTILINE)


def faults(mail: Mail, draft: str, *, written: bool) -> list[str]:
    """What the draft lacks and what it holds too much; ``written`` asks for what only a writer adds, too."""
    letter = letter_of(draft)
    wanted = [*mail.must, *(mail.answers if written else ())]
    return [
        *(f"the letter lacks {pattern}" for pattern in wanted if not re.search(pattern, letter)),
        *(f"the letter holds {pattern}" for pattern in mail.must_not if re.search(pattern, letter)),
        *(f"the notes lack {pattern}" for pattern in mail.internal if not re.search(pattern, draft)),
    ]
