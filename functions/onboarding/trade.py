"""A proposal of what goods are told apart by, and what rows make of it: values read, words met, meanings that collide."""

import io
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from operations.findings import RowsSeen
from operations.ingest import KINDS
from operations.own_words import AttributeRow, FamilyRow, VocabularyRow, as_declared, called
from operations.reading import read
from operations.tables.names import family_named
from quarry.attributes.model import Attribute, Attributes, names_of, unmarked, value_of
from quarry.ingestion import Accepted, CellFault, Rejected
from quarry.text import key_of, words_of

SHOWN = 8
FAMILY = "family"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Rows that can be declared, and why others cannot."""

    families: list[FamilyRow] = field(default_factory=list)
    attributes: list[AttributeRow] = field(default_factory=list)
    vocabulary: list[VocabularyRow] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def proposed(own: Attributes, *, families: str | None, attributes: str | None, vocabulary: str | None) -> Proposal:
    """Each text is read as a load of its kind would read it, beside what the tenant has declared."""
    found = Proposal()
    for kind, text in (("families", families), ("attributes", attributes), ("vocabulary", vocabulary)):
        if text is None:
            continue
        seen = RowsSeen()
        into: list[Any] = getattr(found, kind)
        for item in read(
            io.BytesIO(text.encode()), KINDS[kind], file_name=f"{kind}.csv", attributes=merged(own, found)
        ):
            seen(item)
            into += [item.row] if isinstance(item, Accepted) else []
        found.faults.extend(f"{kind}: {cause}" for cause in seen.causes())
    known = merged(own, found).families.keys()
    found.faults.extend(
        f"attributes: {row.name}: {family} is no family of yours and none proposed"
        for row in found.attributes
        for family in row.families
        if family not in known
    )
    return found


def merged(own: Attributes, proposal: Proposal) -> Attributes:
    """What would be declared if the proposal were."""
    return Attributes(
        {**own.by_name, **{row.name: as_declared(row) for row in proposal.attributes}},
        families={**own.families, **{row.family: called(row) for row in proposal.families}},
        units=own.units,
    )


@dataclass(slots=True)
class Values:
    """What rows have of each attribute and family, as they are added."""

    declared: Attributes
    rows: int = 0
    _figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _texts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _stated: Counter[str] = field(default_factory=Counter)
    _families: Counter[str] = field(default_factory=Counter)
    _named: Counter[str] = field(default_factory=Counter)
    _astray: Counter[tuple[str, str]] = field(default_factory=Counter)
    _words: set[str] = field(default_factory=set)
    _unread: RowsSeen = field(default_factory=RowsSeen)

    def add(self, family: str | None, said: str, attributes: Mapping[str, object] | None) -> None:
        """``said`` is what the row says in words."""
        self.rows += 1
        self._families[family or "none"] += 1
        if named := family_named(said, self.declared.families):
            self._named[named] += 1
        self._words.add(f" {' '.join(words_of(said))} ")
        for name, stored in (attributes or {}).items():
            self._add(name, stored, family)

    def refuse(self, faults: Sequence[CellFault], *, line: int) -> None:
        self._unread(Rejected(line, "; ".join(map(str, faults)), "", tuple(faults)))

    def _add(self, name: str, stored: object, family: str | None) -> None:
        attribute, value = self.declared.by_name.get(name), value_of(stored)
        if attribute is None or value is None:
            return
        self._stated[name] += 1
        if family in self.declared.families and not attribute.is_of(family):
            self._astray[name, str(family)] += 1
        figures = [one for one in (value.low, value.high) if one is not None]
        self._figures[name] += figures
        self._texts[name].update(value.texts or ([value.shown(None)] if value.flag is not None else []))
        if any(not _plausible(figure, attribute) for figure in figures):
            fault = CellFault(name, f"is not plausible: {_range(attribute)} is declared", value.shown(attribute.unit))
            self.refuse([fault], line=self.rows)

    def of_attributes(self, columns: Mapping[str, str]) -> list[str]:
        """A line for each attribute; ``columns`` say where it comes from."""
        return [self._line(one, columns.get(one.name)) for one in self.declared.by_name.values()]

    def _line(self, attribute: Attribute, column: str | None) -> str:
        name, unit = attribute.name, f" {attribute.unit}" if attribute.unit else ""
        said = [f"{name}{f' from {column}' if column else ''}: {self._stated[name]} of {self.rows} rows"]
        if figures := self._figures[name]:
            said.append(f"{min(figures):g}..{max(figures):g}{unit}")
        if texts := self._texts[name]:
            shown = ", ".join(f"{text} ({count})" for text, count in texts.most_common(SHOWN))
            said.append(shown + (f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""))
        said += [
            f"{count} in {family}, which does not have it"
            for (one, family), count in self._astray.items()
            if one == name
        ]
        unplaced = [text for text in texts if attribute.ordered and attribute.place_of(text) is None]
        if unplaced:
            said.append(f"not in its order: {', '.join(unplaced[:SHOWN])}")
        return "; ".join(said)

    def of_families(self) -> list[str]:
        names = dict.fromkeys([*self.declared.families, *self._families])
        return [
            f"{name}: {self._families[name]} rows, {self._named[name]} named so in words"
            + ("" if name in (*self.declared.families, "none") else "; not declared")
            for name in names
        ]

    def unread(self) -> list[str]:
        return self._unread.causes()

    def has(self, term: str) -> bool:
        """Whether a row says the term, as whole words, or has it as a value."""
        wanted = f" {' '.join(words_of(term))} "
        return any(wanted in said for said in self._words) or any(
            key_of(term) == key_of(text) for texts in self._texts.values() for text in texts
        )

    def values_of(self, name: str) -> set[str]:
        return {key_of(text) for text in self._texts[name]}


def _plausible(figure: float, attribute: Attribute) -> bool:
    low = -math.inf if attribute.low is None else attribute.low
    return low <= figure <= (math.inf if attribute.high is None else attribute.high)


def _range(attribute: Attribute) -> str:
    ends = ("" if end is None else f"{end:g}" for end in (attribute.low, attribute.high))
    return f"{'..'.join(ends)} {attribute.unit or ''}".rstrip()


def collisions(declared: Attributes, vocabulary: Sequence[VocabularyRow]) -> list[str]:
    """Words that stand for two things: attributes, families, or meanings of a term in one attribute and another."""
    meanings: dict[str, dict[str, None]] = defaultdict(dict)
    for one in declared.by_name.values():
        for name in names_of(one):
            meanings[key_of(name)][f"attribute {one.name}"] = None
    for family, names in declared.families.items():
        for name in names:
            meanings[key_of(name)][f"family {family}"] = None
    for row in vocabulary:
        # Several values of one attribute are a class, and meant.
        said = f"family {row.value}" if row.attribute == FAMILY else f"a value of {row.attribute}"
        meanings[key_of(unmarked(row.term)[1])][said] = None
    return [f"{word!r} means {' and '.join(said)}" for word, said in meanings.items() if len(said) > 1]


def unmet_terms(vocabulary: Sequence[VocabularyRow], values: Values) -> Iterator[str]:
    """Terms whose value no row has: they would find nothing."""
    for row in vocabulary:
        known = values.declared.by_name.get(row.attribute)
        if row.attribute == FAMILY and row.value not in values.declared.families:
            yield f"term {row.term!r}: {row.value} is no family"
        elif known is not None and known.kind == "text" and key_of(row.value) not in values.values_of(row.attribute):
            yield f"term {row.term!r}: no row has {row.attribute} {row.value!r}"
        elif known is None and row.attribute != FAMILY and not values.has(row.value):
            yield f"term {row.term!r}: no row says {row.value!r}"
