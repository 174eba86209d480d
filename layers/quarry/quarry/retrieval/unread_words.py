"""What a row's text tells of the words of a request that nothing read: they tell rows apart where some lack them."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from quarry.needs.model import Need
from quarry.reading.languages import plain_words
from quarry.retrieval.judging import RowWords
from quarry.text import words_of

TELLING = 1.5
"""From what a word is worth that less than a quarter of the rows have: one that lacks it leaves something open."""

MOST_TOLD = 5
"""Words that no row has which an answer names: of a whole letter they would be many."""


@dataclass(frozen=True, slots=True)
class UnreadWords:
    """Words that some rows have, each worth the more the fewer have it; ``share`` is theirs of all that was asked.

    ``foreign`` are those that no row has, and ``known`` says that rows have another of them.
    """

    worth: Mapping[str, float] = field(default_factory=dict)
    share: float = 0.0
    foreign: tuple[str, ...] = ()
    known: bool = True

    @staticmethod
    def of(rest: str, rows: Sequence[RowWords], *, needs: int) -> "UnreadWords":
        said = (word for word in words_of(rest) if len(word) > 2 or (word.isdigit() and len(word) > 1))
        asked = dict.fromkeys(word for word in said if word not in plain_words())
        having = {word: sum(row.have(word) for row in rows) for word in asked}
        worth = {
            word: math.log(1 + len(rows) / (1 + count)) for word, count in having.items() if 0 < count < len(rows)
        }
        foreign = tuple(word for word, count in having.items() if not count)
        share = len(worth) / (len(worth) + needs) if worth else 0.0
        return UnreadWords(worth, share, foreign, known=len(foreign) < len(having) or not having)

    def told_of(self, needs: Sequence[Need], *, words: Collection[str]) -> tuple[list[str], str | None]:
        """(the first of the words that neither a row nor ``words``, those of the whole corpus, have; what it means
        where nothing else says what goods are asked for)."""
        nowhere = [word for word in self.foreign if word not in words and not word.isdigit()][:MOST_TOLD]
        names_goods = any(need.attribute.kind != "number" for need in needs)
        if not nowhere or self.known or names_goods or len(nowhere) < min(len(self.foreign), MOST_TOLD):
            return nowhere, None
        alike = "; the rows share figures alone" if needs else ""
        return nowhere, f"Nothing here has the words {', '.join(nowhere)}, so nothing may fit{alike}."

    def lacking(self, row: RowWords) -> float:
        """The share of the request that the row lacks."""
        return self.share * (1 - self._told(row)) if self.worth else 0.0

    def told(self, row: RowWords) -> float:
        """The share of the request that the row's words tell."""
        return self.share * self._told(row) if self.worth else 0.0

    def _told(self, row: RowWords) -> float:
        return sum(worth for word, worth in self.worth.items() if row.have(word)) / sum(self.worth.values())

    def missing(self, row: RowWords) -> list[str]:
        """The words that tell rows apart and that the row lacks, the rarest first."""
        lacks = [word for word, worth in self.worth.items() if worth >= TELLING and not row.have(word)]
        return sorted(lacks, key=lambda word: -self.worth[word])
