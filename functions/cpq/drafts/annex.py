"""The annex of a letter: characteristics and proven words of the goods, compliance, comparison, terms."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, partial
from typing import Any

from cpq.documents.composition import StoredQuote, charges
from cpq.documents.wording import billing, months, payment
from cpq.drafts.blocks import Block, Grid, Note, Points, Prose, Title
from cpq.drafts.goods import DraftedItem, Offer
from cpq.drafts.grounds import DELIVERY, Grounds
from cpq.drafts.tables import NONE, GoodsTables
from cpq.drafts.typed import Tested, TypedText, at_conditions
from quarry.attributes.model import Attribute, Value
from quarry.characteristics import Characteristics, characteristics
from quarry.corpora import PRODUCTS
from quarry.retrieval.judging import Judge
from quarry.text import goods_named, part_key

MOST_COLUMNS = 5
"""How many attributes a table compares goods by."""
LEAST_ROWS = 2
"""Characteristics that make a block: one alone tells little that the item's name does not."""
LONG = 40
"""Characters of an answer from which on it is not told for each way."""
SMALL = Decimal("0.05")
"""An item whose share of all items' amount is below this gets a row of a table in place of a section."""


class Annex:
    """Composes the annex of one letter; ``tables`` are those of the letter's goods."""

    def __init__(self, grounds: Grounds, text: TypedText, tables: GoodsTables) -> None:
        self._grounds, self._text, self._tables = grounds, text, tables
        self._say, self._pair = grounds.wording.say, grounds.wording.pair
        self._proven_words, self._compared_already = set[str](), set[str]()
        self._judge_of = cache(self._judging)

    def _judging(self, family: str) -> Judge:
        """Returns what judges machines of the family at the conditions of the job, which its own musts say."""
        return Judge(
            PRODUCTS, (), self._grounds.attributes, beside=self._grounds.needs(lambda own: own["family"] == family)
        )

    def blocks(self) -> Iterator[Block]:
        yield from self._goods()
        yield from self._tables.further()
        yield from self._compliance()
        yield from self._comparison()
        yield from self._terms()

    def _goods(self) -> Iterator[Block]:
        """Yields characteristics and proven words of each item; small items and alternates get a row of a table, what
        the customer may add has none. Nothing is told twice.
        """
        grounds = self._grounds
        items = {item.product_id: item for item in grounds.of_role("item")}
        least = SMALL * sum(item.amount or 0 for item in items.values())
        offered = dict[str, DraftedItem]()
        for offer in grounds.offers:
            offered.setdefault(offer.item.short, offer.item)
        if offered:
            yield from self._described(*offered.values())
        instead = [offer.quote.version.quote_id for offer in grounds.offers]
        told = {part_key(model) for model in (*offered, *(each.model for each in grounds.content.comparison))}
        others = [item for item in grounds.of_role("option", "alternate")
                  if item.product_id not in items and part_key(item.short) not in told]  # fmt: skip
        further = [item for item in others if item.quote in instead]
        alternates = [item for item in others if item.role == "alternate"]
        own = [item for item in items.values() if item.short not in offered]
        goods = {item.product_id: item for item in (*own, *further)}.values()
        small = [item for item in goods if item.amount is not None and item.amount < least]
        for item in goods:
            if item not in small:
                yield from self._described(item)
        yield from self._rows(small, self._say("further_items"))
        yield from self._rows(alternates, self._say("options"))
        for item in grounds.items:
            if proven := [*self._proven(item)]:
                yield from [Title(text=item.name), *proven]

    def _described(self, *items: DraftedItem) -> Iterator[Block]:
        """Yields the section of one item, or of several offered in place of each other, with a column for each."""
        blocks = [self._characteristics(item) for item in items]
        rows = [dict(block.rows) if block else {} for block in blocks]
        proven = [block for item in items for block in self._proven(item, name=item.short if len(items) > 1 else "")]
        if not proven and max(map(len, rows)) < LEAST_ROWS:
            rows = [{} for _ in rows]
        if any(rows) and len(items) > 1:
            self._compared_already.update(part_key(item.short) for item in items)
        if any(rows) or proven:
            yield Title(text=items[0].name if len(items) == 1 else " / ".join(item.short for item in items))
        if labels := dict.fromkeys(label for each in sorted(rows, key=len, reverse=True) for label in each):
            head = ["", *(item.short for item in items)] if len(items) > 1 else []
            yield Grid(head=head, rows=[[label, *(each.get(label, NONE) for each in rows)] for label in labels])
        for item, block in zip(items, blocks, strict=True):
            if block and block.missing:
                missing = ", ".join(block.missing)
                yield Note(text=f"{item.short}: the catalogue does not say {missing}; left out.")
        yield from proven

    def _characteristics(self, item: DraftedItem) -> Characteristics | None:
        if item.machine is None:
            return None
        return characteristics(
            item.machine,
            attributes=self._grounds.attributes,
            language=self._grounds.wording.language,
            told=partial(self._also_at_conditions, item.machine),
        )

    def _also_at_conditions(self, machine: Mapping[str, Any], value: Value, attribute: Attribute) -> str:
        """Formats a value of the catalogue and what is left of it at the conditions of the job."""
        units = self._grounds.units
        told = units.told(value, attribute, alone=False)
        left, where = at_conditions(self._grounds, self._judge_of(machine["family"]), machine, attribute)
        return f"{told}; {units.told(left, attribute)} ({', '.join(where)})" if left and left.how and where else told

    def _rows(self, items: Sequence[DraftedItem], title: str) -> Iterator[Block]:
        """Yields a title and a table with a row for each of the goods: all that is printed of it."""
        rows = dict[str, list[str]]()
        for item in items:
            if item.machine and (block := self._characteristics(item)) and block.rows:
                told = "; ".join(self._pair(label, value) for label, value in block.rows)
                rows[item.product_id] = [goods_named(item.machine["manufacturer"], item.machine["model"]), told]
        if rows:
            yield Title(text=title)
            yield Grid(head=[], rows=list(rows.values()))

    def _proven(self, item: DraftedItem, *, name: str = "") -> Iterator[Block]:
        for passage in item.passages:
            text = " ".join(passage.texts)
            if text in self._proven_words:
                continue
            self._proven_words.add(text)
            yield Prose(text=f"**{self._pair(name, '').rstrip()}** {text}" if name else text)
            left = f"; {passage.left_out} left out" if passage.left_out else ""
            how = "Reworded from" if passage.reworded else "Verbatim from"
            told = f"{how} {passage.source}: sentences {', '.join(map(str, passage.numbers))}{left}."
            yield Note(text=told + (f" Original: {' '.join(passage.originals)}" if passage.reworded else ""))

    def _compliance(self) -> Iterator[Block]:
        """Yields all requirements, if any is tested on several offers, because a text tells only one's verdict, or is
        not answered by its number. Requirements of the same words are one row.
        """
        rows = self._text.rows
        is_of_ways = any(one.ways for ones in rows for one in ones)
        if not is_of_ways and self._text.answered.issuperset(range(len(rows))):
            return
        yield Title(text=self._say("requirements"))
        if is_of_ways:
            yield self._of_each_way(rows)
            return
        told = [[ones[0].asked.text, *(cell or NONE for cell in self._text.offered_together(ones))] for ones in rows]
        shown = 3 if any(row[2] != NONE for row in told) else 2
        head = [self._say(key) for key in ("required", "offered", "verdict")]
        yield Grid(head=head[:shown], rows=[row[:shown] for row in told])

    def _of_each_way(self, alike: Iterable[Sequence[Tested]]) -> Grid:
        """Makes a table with a row for each requirement, and in a column for each way how that meets it."""
        offers = self._grounds.offers
        models = {part_key(offer.machine["model"]) for offer in offers}
        had = [{part_key(item.short) for item in self._grounds.items if item.quote == offer.item.quote}
               for offer in offers]  # fmt: skip
        anybodys = set[str]().union(*had)
        rows = []
        for ones in alike:
            cells = [self._text.verdict(*_of_way(ones, place, offer, others=anybodys - had[place]))
                     for place, offer in enumerate(offers)]  # fmt: skip
            if not any(one.ways or part_key(one.asked.model or "") in models for one in ones):
                cells[1:] = [self._say("as_first") if len(cell) > LONG else cell for cell in cells[1:]]
            rows.append([ones[0].asked.text, *(cell or NONE for cell in cells)])
        return Grid(head=[self._say("required"), *self._grounds.ways], rows=rows)

    def _comparison(self) -> Iterator[Block]:
        """Yields a table for each family that goods are compared of, below what is offered of it; of nothing but
        offers that stand side by side already, what the writer remarks alone.
        """
        kinds = dict[str, dict[str, tuple[Mapping[str, Any], str]]]()
        for each in self._grounds.content.comparison:
            machine = self._grounds.machines[part_key(each.model)]
            remark = self._text.filled(each.remark, path="comparison.remark")
            kinds.setdefault(str(machine["family"]), {})[machine["model"]] = machine, remark
        shown = list[Grid]()
        for family, rows in kinds.items():
            if self._compared_already.issuperset(map(part_key, rows)):
                told = [[model, remark] for model, (_, remark) in rows.items() if remark]
                shown += [Grid(head=[], rows=told)] if told else []
            else:
                items = (*self._grounds.of_role("item"), *(offer.item for offer in self._grounds.offers))
                ordered = {item.machine["model"]: (item.machine, "") for item in items
                           if item.machine and item.machine["family"] == family}  # fmt: skip
                shown.append(self._side_by_side(*zip(*{**ordered, **rows}.values(), strict=True)))
        if shown:
            yield Title(text=self._say("comparison"))
            yield from shown

    def _side_by_side(self, machines: Sequence[Mapping[str, Any]], remarks: Sequence[str]) -> Grid:
        """Makes a table with a row for each machine: what the customer asked of such goods or tells them apart, and
        the price.
        """
        columns = dict(self._compared(machines))
        prices = [self._say("withdrawn") if machine.get("withdrawn") else price
                  for machine, price in zip(machines, self._tables.prices(machines), strict=True)]  # fmt: skip
        if any(prices):
            columns[self._say("price")] = [price or NONE for price in prices]
        if any(remarks):
            columns[""] = list(remarks)
        names = [goods_named(machine["manufacturer"], machine["model"]) for machine in machines]
        rows = [list(cells) for cells in zip(names, *columns.values(), strict=True)]
        return Grid(head=["", *columns], rows=rows)

    def _compared(self, machines: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
        """Returns (heading, a cell for each machine) of attributes that differ: those of the requirements, at their
        conditions, then those that are printed.
        """
        grounds, known = self._grounds, self._grounds.attributes.by_name
        families = {str(machine["family"]) for machine in machines}
        printed = [one for one in known.values()
                   if one.position is not None and not one.point and any(map(one.is_of, families))]  # fmt: skip
        printed.sort(key=lambda one: (one.position or 0, one.name))
        musts = [must.attribute for must in grounds.content.requirements if must.attribute]
        asked = [known[name] for name in musts if name in known and any(map(known[name].is_of, families))]
        found = list[tuple[str, list[str]]]()
        for attribute in dict.fromkeys([*asked, *printed]):
            read = [at_conditions(grounds, self._judge_of(machine["family"]), machine, attribute)
                    for machine in machines]  # fmt: skip
            where = read[0][1]
            # Where an attribute depends on conditions of the job, only values worked out for them count.
            values = [value if value and (value.how or where is None) else None for value, _ in read]
            cells = [
                NONE if value is None else grounds.units.told(value, attribute, others=values) for value in values
            ]
            if any(values) and (len(set(cells)) > 1 or len(cells) == 1):
                found.append((", ".join([grounds.label(attribute), *(where or ())]), cells))
        return found[:MOST_COLUMNS]

    def _terms(self) -> Iterator[Block]:
        grounds = self._grounds
        typed = [self._text.filled(text, path="terms") for text in grounds.content.terms]
        quotes = [*grounds.offered, *(quote for quote in grounds.further if quote not in grounds.offered)]
        told = dict[str, dict[str, str]]()
        for quote in quotes:
            for label, text in self._contract(quote).items():
                told.setdefault(label, {})[quote.version.quote_id] = text
        terms = []
        for label, said in told.items():
            first, *others = dict.fromkeys(said.values())
            is_of_all = not others and len(said) == len(quotes)
            each = first if is_of_all else "; ".join(f"{text} ({number})" for number, text in said.items())
            terms.append(self._pair(label, each))
        terms += typed
        if (delivery := grounds.house.get(DELIVERY)) and grounds.items:
            terms = [self._pair(self._say("delivery"), delivery), *terms]
        if terms:
            yield Title(text=self._say("terms"))
            yield Points(items=terms)

    def _contract(self, quote: StoredQuote) -> dict[str, str]:
        """What the quote's document has beside its lines, by label; of what recurs also what is paid when."""
        version, wording = quote.version, self._grounds.wording
        paid = charges(quote) if version.priced_at else []
        found = dict[str, str]()
        if paid:
            found[self._say("term")] = months(version.term_months, labels=wording.labels) or ""
            if version.start_date and version.end_date:
                found[self._say("period")] = f"{wording.day(version.start_date)} – {wording.day(version.end_date)}"
            found[self._say("billing")] = billing(version.billing_frequency, labels=wording.labels)
        found[self._say("payment")] = payment(version.payment_terms, labels=wording.labels)
        if any(each.period != "once" and each.count > 1 for each in paid):
            told = (wording.charge(each, version.currency) for each in paid)
            found[self._say("charges", currency=version.currency)] = "; ".join(told)
        found[self._say("valid_until")] = wording.day(version.valid_until)
        return found


def _of_way(ones: Sequence[Tested], place: int, offer: Offer, *, others: Collection[str]) -> Iterator[Tested]:
    """Yields requirements as tested on an offer, whose column says its machine and how many of it there are, and what
    the writer answers for it or for all, but for goods that ``others`` alone have; of answers for several numbers of
    its machine that for its own.
    """
    model = part_key(offer.machine["model"])
    own_said = [one for one in ones if not one.ways and part_key(one.asked.model or "") == model]
    of_its_number = [one for one in own_said if one.asked.machines == offer.item.quantity]
    for one in ones:
        if one.ways:
            own = one.ways[place]
            machines = 1 if own.asked.machines == offer.item.quantity else own.asked.machines
            yield replace(own, model="", asked=own.asked.model_copy(update={"machines": machines}))
        elif of_its_number and one in own_said:
            if one in of_its_number:
                yield one
        elif part_key(one.asked.model or "") not in others:
            yield one
