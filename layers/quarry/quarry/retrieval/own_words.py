"""Finds the rows that say in their own words what a query asks for, whatever needs its words were read into."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from quarry.needs.model import Finding, Judgement
from quarry.reading import languages
from quarry.reading.source import SourceText
from quarry.retrieval.judging import RowWords, telling
from quarry.text import fold, words_of

_KINDS = frozenset(("family", "category"))


class OwnWords(NamedTuple):
    """The words of a query that some row has: ``goods`` name what is asked for, of which nothing was read from
    ``unread``; ``purpose`` stand behind a word such as "for" and tell what it is for. ``name`` matches a folded text
    that begins with the whole query as a name of several words.
    """

    goods: frozenset[str]
    unread: frozenset[str]
    purpose: frozenset[str]
    name: re.Pattern[str] | None = None

    @staticmethod
    def of(query: str, rest: str, rows: Sequence[RowWords]) -> "OwnWords":
        """``rest`` are the words of the query that were not read."""
        goods, purpose = (
            frozenset(word for word in telling(text) if any(row.have(word) for row in rows))
            for text in _goods_and_purpose(query)
        )
        said = words_of(query)
        name = rf"\W*{r'[\W_]+'.join(said)}(?:\W*$|\s*(?:[;:(\n]|[.,](?!\d)))"
        # Sizes name no goods: a row of others that says one is not what was asked for.
        unread = goods.intersection(word for word in telling(rest) if any(map(str.isalpha, word)))
        return OwnWords(goods, unread, purpose - goods, re.compile(name) if len(said) > 1 else None)

    def opened(self, judgement: Judgement, row: Mapping[str, Any], words: RowWords | None) -> Judgement | None:
        """Returns the judgement of a row that has the whole query for its name, with nothing contradicted, or of one
        that says all that names the goods, and half of what they are for: needs that were read from its name or its
        purpose, and belong to other goods, are left open. None for any other row, one that contradicts another need,
        and where a need is denied.
        """
        if self._is_name_of(row):
            return Judgement(tuple(each if each.verdict == "met" else _open(each) for each in judgement.findings))
        if words is None or not self.unread or not all(map(words.have, self.goods)):
            return None
        if 2 * sum(map(words.have, self.purpose)) < len(self.purpose):
            return None
        if any(each.need.negated for each in judgement.findings):
            return None
        found = Judgement(tuple(map(_opened, judgement.findings)))
        return None if found.contradicted else found

    def _is_name_of(self, row: Mapping[str, Any]) -> bool:
        said = (one.get("description") or "" for one in (row, *(row.get("_lines") or ())))
        return self.name is not None and any(self.name.match(fold(text)) for text in said)


def _opened(finding: Finding) -> Finding:
    is_foreign = finding.need.name in _KINDS or not finding.has
    return _open(finding) if is_foreign and finding.verdict != "met" else finding


def _open(finding: Finding) -> Finding:
    return finding._replace(verdict="unknown", distance=0.0, lacking=False)


def _goods_and_purpose(query: str) -> tuple[str, str]:
    """Splits a query at its first word such as "for"; what it is for ends with the clause."""
    source = SourceText(query)
    pieces, words = source.pieces, languages.words_of(languages.language_of([piece.word for piece in source.pieces]))
    found = ((at, source.starting(at, words.purpose)) for at in range(1, len(pieces)))
    first, last = next(((at, said[0]) for at, said in found if said), (len(pieces), 0))
    if first == len(pieces):
        return query, ""
    end = next((piece.start for piece in pieces[last:] if piece.clause != pieces[first].clause), len(source.folded))
    goods = source.folded[: pieces[first].start] + source.folded[end:]
    return goods, source.folded[pieces[last].end : end]
