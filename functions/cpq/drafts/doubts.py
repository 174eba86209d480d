"""What a page promises although the draft itself doubts it: periods, dates and designations that both name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from cpq.drafts.checking import Remark
from cpq.drafts.figures import Figure, Reader, is_time
from cpq.drafts.folding import Folded, compact
from cpq.drafts.letter import pieces
from cpq.drafts.support import days
from quarry.attributes.model import Attributes
from quarry.needs.model import NAMES, PART_NUMBERS


@dataclass(frozen=True, slots=True)
class Named:
    """What a text names: periods, dates with the days that each may be, designations as the catalogue has them."""

    periods: Sequence[Figure]
    dates: Mapping[str, set[date]]
    designations: Sequence[str]

    @classmethod
    def by(cls, text: str, *, reader: Reader, known: Sequence[str]) -> "Named":
        folded = Folded(text)
        return cls(
            [each for each in reader.figures(text) if is_time(each.unit) and not each.weak],
            dict(days(text)),
            [each for each in known if folded.places(compact(each))],
        )

    def shared(self, doubted: "Named") -> Iterator[tuple[str, str]]:
        """(kind, as it is written here) of what another text names too."""
        for period in self.periods:
            if any(period.says(other) for other in doubted.periods):
                yield "period", period.text
        for written, meant in self.dates.items():
            if any(meant & others for others in doubted.dates.values()):
                yield "date", written
        yield from (("designation", each) for each in self.designations if each in doubted.designations)


def designations(attributes: Attributes, *, reader: Reader) -> list[str]:
    """Values that a figure tells apart from words, such as the number of a standard; models are none, and a figure
    with its unit (208 V) is no promise.
    """
    return sorted(
        value for name, values in attributes.listed.items() if name not in NAMES and name not in PART_NUMBERS
        for value in values if re.search(r"\d", value) and re.search(r"[^\W\d_]", value)
        and not any(figure.unit for figure in reader.figures(value))
    )  # fmt: skip


def doubts(text: str, doubted: Mapping[str, str], *, reader: Reader, known: Sequence[str]) -> list[Remark]:
    """``doubted`` are requirements without an answer and notes for the house, by what they are called."""
    told = Folded(" ".join(doubted.values()))
    here = list({compact(each): each for each in reversed(known) if told.places(compact(each))}.values())
    others = {name: Named.by(what, reader=reader, known=here) for name, what in doubted.items()}
    return [
        Remark("doubted", kind, piece.line, written, name)
        for piece in pieces(text)
        for name, other in others.items()
        for kind, written in Named.by(piece.text, reader=reader, known=here).shared(other)
    ]
