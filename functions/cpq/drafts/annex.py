"""The annex of a letter: characteristics and proven words of its goods, compliance, comparison, terms."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cpq.documents.wording import payment
from cpq.drafts.blocks import Block, Grid, Note, Points, Prose, Title
from cpq.drafts.goods import DraftedItem
from cpq.drafts.grounds import DELIVERY, Grounds
from cpq.drafts.requirements import Tested
from cpq.drafts.table import GoodsTable
from cpq.drafts.typed import TypedText
from quarry.attributes.model import Attribute, values_of
from quarry.characteristics import characteristics, label_of
from quarry.text import part_key

NONE = "–"
MOST_COLUMNS = 5
"""Attributes by which goods stand side by side."""


class Annex:
    def __init__(self, grounds: Grounds, text: TypedText, table: GoodsTable, tested: Sequence[Tested]) -> None:
        self._grounds, self._text, self._table, self._tested = grounds, text, table, tested
        self._say = grounds.wording.say

    def blocks(self) -> list[Block]:
        parts = self._goods(), self._table.further(), self._compliance(), self._comparison(), self._terms()
        return [block for part in parts for block in part]

    def _goods(self) -> Iterator[Block]:
        """Of each item its characteristics and proven words; of what stands beside the items what differs."""
        seen = set[str]()
        for item in self._grounds.of_role("item"):
            block = characteristics(
                item.machine, attributes=self._grounds.attributes, language=self._grounds.wording.language,
                beside=self._grounds.beside, decimal_mark=self._grounds.wording.labels.decimal_mark,
            ) if item.machine and item.product_id not in seen else None  # fmt: skip
            seen.add(item.product_id)
            if not block and not item.passages:
                continue
            yield Title(text=item.name)
            if block and block.rows:
                yield Grid(head=[], rows=[[label, self._grounds.wording.value(value)] for label, value in block.rows])
            if block and block.missing:
                missing = ", ".join(block.missing)
                yield Note(text=f"{item.short}: the catalogue does not say {missing}; left out.")
            yield from _proven(item)
        yield from self._others()
        for item in self._grounds.of_role("option", "alternate"):
            if item.passages:
                yield from [Title(text=item.name), *_proven(item)]

    def _others(self) -> Iterator[Block]:
        """Options and alternates, a table for each category, beside the items of it."""
        items, others = (
            {part_key(str(one.machine["model"])): one.machine for one in some if one.machine}
            for some in (self._grounds.of_role("item"), self._grounds.of_role("option", "alternate"))
        )
        told = items.keys() | {part_key(each.model) for each in self._grounds.content.comparison}
        categories = dict.fromkeys(machine["category"] for key, machine in others.items() if key not in told)
        if categories:
            yield Title(text=self._say("options"))
        for category in categories:
            yield self._side_by_side([one for one in (items | others).values() if one["category"] == category])

    def _compliance(self) -> Iterator[Block]:
        """Each must that no text answers by id."""
        left = [one for place, one in enumerate(self._tested) if place not in self._text.answered]
        if left:
            yield Title(text=self._say("requirements"))
            head = [self._say(key) for key in ("required", "offered", "verdict")]
            yield Grid(
                head=head,
                rows=[[cell or NONE for cell in (one.asked.text, *self._text.offered(one))] for one in left],
            )

    def _comparison(self) -> Iterator[Block]:
        asked = self._grounds.content.comparison
        if asked:
            yield Title(text=self._say("comparison"))
            remarks = [self._text.filled(each.remark, path="comparison.remark") for each in asked]
            yield self._side_by_side([self._grounds.machines[part_key(each.model)] for each in asked], remarks)

    def _side_by_side(self, machines: Sequence[Mapping[str, Any]], remarks: Sequence[str] = ()) -> Grid:
        """A row for each, with what the customer asked of such goods and what tells them apart, and its price."""
        columns = {label_of(one, self._grounds.wording.language): values for one, values in self._compared(machines)}
        prices = [self._grounds.list_price(machine) for machine in machines]
        if any(prices):
            columns[self._say("price")] = [price or NONE for price in prices]
        if any(remarks):
            columns[""] = list(remarks)
        names = [f"{machine['manufacturer']} {machine['model']}" for machine in machines]
        rows = [list(cells) for cells in zip(names, *columns.values(), strict=True)]
        return Grid(head=["", *columns], rows=rows)

    def _compared(self, machines: Sequence[Mapping[str, Any]]) -> list[tuple[Attribute, list[str]]]:
        """The attributes of the requirements or, without any, those that are printed and differ, each with a value a
        machine.
        """
        grounds, known = self._grounds, self._grounds.attributes.by_name
        families = {str(machine["family"]) for machine in machines}
        printed = [one for one in known.values() if one.position is not None and any(map(one.is_of, families))]
        printed.sort(key=lambda one: (one.position or 0, one.name))
        musts = [must.attribute for must in grounds.content.requirements if must.attribute]
        asked = [known[name] for name in musts if name in known and any(map(known[name].is_of, families))]
        found = []
        for attribute in dict.fromkeys(asked or printed):
            values = [values_of(machine["attributes"]).get(attribute.name) for machine in machines]
            cells = [NONE if value is None else grounds.told(value, attribute) for value in values]
            if any(values) and (asked or len(set(cells)) > 1 or len(cells) == 1):
                found.append((attribute, cells))
        return found[:MOST_COLUMNS]

    def _terms(self) -> Iterator[Block]:
        terms = [self._text.filled(text, path="terms") for text in self._grounds.content.terms]
        for quote in self._grounds.quotes[:1]:
            version = quote.version
            paid = payment(version.payment_terms, labels=self._grounds.wording.labels)
            until = self._grounds.wording.day(version.valid_until)
            terms = [f"{self._say('payment')}: {paid}", f"{self._say('valid_until')}: {until}", *terms]
        if delivery := self._grounds.house.get(DELIVERY):
            terms = [f"{self._say('delivery')}: {delivery}", *terms]
        if terms:
            yield Title(text=self._say("terms"))
            yield Points(items=terms)


def _proven(item: DraftedItem) -> Iterator[Block]:
    for passage in item.passages:
        yield Prose(text=" ".join(passage.texts))
        left = f"; {passage.left_out} left out" if passage.left_out else ""
        how = "Reworded from" if passage.reworded else "Verbatim from"
        told = f"{how} {passage.source}: sentences {', '.join(map(str, passage.numbers))}{left}."
        yield Note(text=told + (f" Original: {' '.join(passage.originals)}" if passage.reworded else ""))
