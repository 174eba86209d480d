"""A proposal of what goods are told apart by, and what rows make of it: values, words, meanings that collide."""

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from operations.findings import RowsSeen
from operations.ingest import KINDS
from operations.own_words import VocabularyRow, declared
from operations.reading import read
from operations.tables.attributes import is_plausible
from quarry.attributes.model import Attribute, Attributes, names_of, unmarked, value_of
from quarry.ingestion import Accepted, CellFault, Rejected
from quarry.text import key_of

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Proposal:
    """What would be declared beside what is, and why rows of it cannot be."""

    declared: Attributes
    vocabulary: tuple[VocabularyRow, ...]
    faults: tuple[str, ...]


def proposed(own: Attributes, texts: Mapping[str, str | None]) -> Proposal:
    """``texts`` by kind, families first: each is read as a load of its kind would read it."""
    rows: dict[str, list[Any]] = defaultdict(list)
    faults: list[str] = []
    known = own
    for kind, text in texts.items():
        if text is None:
            continue
        seen = RowsSeen()
        for item in read(io.BytesIO(text.encode()), KINDS[kind], file_name=f"{kind}.csv", attributes=known):
            seen(item)
            rows[kind] += [item.row] if isinstance(item, Accepted) else []
        faults += [f"{kind}: {cause}" for cause in seen.causes()]
        new = declared(rows["attributes"], rows["families"])
        families, names = {**own.families, **new.families}, {**own.by_name, **new.by_name}
        known = Attributes(names, families=families, units=own.units)
    faults += [
        f"attributes: {row.name}: {family} is no family of yours and none proposed"
        for row in rows["attributes"]
        for family in row.families
        if family not in known.families
    ]
    return Proposal(known, tuple(rows["vocabulary"]), tuple(faults))


@dataclass(slots=True)
class ValuesRead:
    """What rows have of each attribute and family, as they are added."""

    declared: Attributes
    rows: int = 0
    refused: RowsSeen = field(default_factory=RowsSeen)
    _figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _texts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _stated: Counter[tuple[str, str | None]] = field(default_factory=Counter)
    _families: Counter[str | None] = field(default_factory=Counter)

    def add(self, family: str | None, attributes: Mapping[str, object] | None, *, place: int) -> None:
        self.rows += 1
        self._families[family] += 1
        for name, stored in (attributes or {}).items():
            attribute, value = self.declared.by_name.get(name), value_of(stored)
            if attribute is None or value is None:
                continue
            self._stated[name, family] += 1
            figures = [one for one in (value.low, value.high) if one is not None]
            self._figures[name] += figures
            self._texts[name].update(value.texts or ([value.shown(None)] if value.flag is not None else []))
            if not is_plausible(figures, attribute):
                self.refuse(
                    [CellFault(name, "is not plausible as declared", value.shown(attribute.unit))], line=place
                )

    def refuse(self, faults: Sequence[CellFault], *, line: int) -> None:
        self.refused(Rejected(line, "", "", tuple(faults)))

    def of_attributes(self, columns: Mapping[str, str]) -> list[str]:
        """A line for each attribute; ``columns`` say where it comes from."""
        return ["; ".join(self._said(one, columns)) for one in self.declared.by_name.values()]

    def _said(self, attribute: Attribute, columns: Mapping[str, str]) -> Iterator[str]:
        name = attribute.name
        stated = {family: count for (one, family), count in self._stated.items() if one == name}
        whence = f" from {columns[name]}" if name in columns else ""
        yield f"{name}{whence}: {sum(stated.values())} of {self.rows} rows"
        if figures := self._figures[name]:
            yield f"{min(figures):g}..{max(figures):g} {attribute.unit or ''}".rstrip()
        if texts := self._texts[name]:
            more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
            yield ", ".join(f"{text} ({count})" for text, count in texts.most_common(SHOWN)) + more
        yield from (
            f"{count} in {family}, which does not have it"
            for family, count in stated.items()
            if not attribute.is_of(family)
        )
        if unplaced := [text for text in texts if attribute.ordered and attribute.place_of(text) is None]:
            yield f"not in its order: {', '.join(unplaced[:SHOWN])}"

    def of_families(self) -> list[str]:
        names = dict.fromkeys([*self.declared.families, *self._families])
        return [
            f"{name or 'without one'}: {self._families[name]} rows"
            + ("; not declared" if name and name not in self.declared.families else "")
            for name in names
        ]

    def unmet(self, vocabulary: Sequence[VocabularyRow]) -> Iterator[str]:
        """Terms whose value no row has: asked for, they would find nothing."""
        for row in vocabulary:
            attribute = self.declared.by_name.get(row.attribute)
            values = {key_of(text) for text in self._texts[row.attribute]}
            if attribute is not None and attribute.kind == "text" and key_of(row.value) not in values:
                yield f"term {row.term!r}: no row has {row.attribute} {row.value!r}"
            if row.attribute == "family" and row.value not in self.declared.families:
                yield f"term {row.term!r}: {row.value} is no family"


def collisions(proposal: Proposal) -> list[str]:
    """Words that stand for two things; several values of one attribute are a class, and meant."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for one in proposal.declared.by_name.values():
        for name in names_of(one):
            found[key_of(name)][f"attribute {one.name}"] = None
    for family, names in proposal.declared.families.items():
        for name in names:
            found[key_of(name)][f"family {family}"] = None
    for row in proposal.vocabulary:
        said = f"family {row.value}" if row.attribute == "family" else f"a value of {row.attribute}"
        found[key_of(unmarked(row.term)[1])][said] = None
    return [f"{word!r} means {' and '.join(said)}" for word, said in found.items() if len(said) > 1]
