"""What the check says of one statement or of one figure in it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["supported", "unsupported", "contradicted", "foreign", "missing", "open"]


@dataclass(frozen=True, slots=True)
class Remark:
    """``line`` is of the draft; ``right`` is what should stand there where that is known."""

    verdict: Verdict
    kind: str
    line: int
    text: str
    source: str = ""
    right: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    findings: Sequence[Remark]

    @property
    def faults(self) -> list[Remark]:
        return [each for each in self.findings if each.verdict not in ("supported", "open")]
