"""Composes a draft: from its grounds to the blocks of the page, the annex and the notes on them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from cpq.documents import wording as documents
from cpq.drafts.blocks import Block, Grid, Letter, Note, Opening, Points, Prose, Title
from cpq.drafts.facts import Facts
from cpq.drafts.folding import model_key
from cpq.drafts.goods import DraftedItem
from cpq.drafts.grounds import Grounds
from cpq.drafts.proven import ProvenPassage
from cpq.drafts.requirements import Tested, tested
from cpq.drafts.value import ITEMS
from cpq.model import Problem, QuoteVersion
from quarry.attributes.model import Attribute, Value, values_of
from quarry.characteristics import characteristics, label_of, shown

_BLANK = re.compile(r"(?<!\])\[([^\]\[\n]{1,80})\](?![(\[:])")
_CHECKED = re.compile(r"[xX ]|\^?\d+")
"""What stands in brackets and is no blank: a box to tick, the number of a footnote."""
_TABLE = re.compile(r"(?m)^[ \t]*\{\{\s*items\s*\}\}[ \t]*$")
NONE = "–"
ORDERABLE = ("priced", "approved", "sent", "pending_approval")


class Composer:
    """Composes one letter; ``problems`` are ids that name nothing."""

    def __init__(self, grounds: Grounds, *, accepted: frozenset[str]) -> None:
        self.grounds, self._say, self._new = grounds, grounds.wording.say, accepted
        self.openings: dict[str, Opening] = {}
        self.tested, self.problems = tested(grounds)
        self._accepted = {each.field: each for each in grounds.content.accept_open}
        self._facts = Facts(grounds, total=self.total_told)

    def letter(self) -> Letter:
        for quote in self.grounds.quotes:
            for opening in _of_version(quote.version, self._say("tax")):
                self._blank(opening)
        page = [*self._page(), *(Note(text=text) for text in self.grounds.content.notes)]
        annex = [*self._goods(), *self._compliance(), *self._comparison(), *self._terms()]
        self.problems += self._facts.problems
        self.problems += self._not_acceptable()
        page += self._still()
        return Letter(
            language=self.grounds.wording.language,
            date=self.grounds.wording.day(self.grounds.today),
            addressee=self._addressee(),
            number=", ".join(quote.version.name for quote in self.grounds.quotes),
            words=_words(page),
            page=page,
            annex=annex,
            openings=list(self.openings.values()),
        )

    def _not_acceptable(self) -> Iterator[Problem]:
        for name in sorted(self._new):
            opening = self.openings.get(name)
            if opening is None:
                named = f"open are {', '.join(self.openings)}" if self.openings else "nothing is"
                yield Problem(code="NOT_FOUND", path="accept_open", message=f"'{name}' is not open; {named}.")
            elif not opening.acceptable:
                message = f"'{name}' cannot be accepted; it needs {opening.who}."
                yield Problem(code="NOT_ALLOWED", path="accept_open", message=message)
            elif self._accepted[name].by < self.grounds.today:
                message = f"'{name}' cannot be told by {self._accepted[name].by}: that is past."
                yield Problem(code="OUT_OF_RANGE", path="accept_open", message=message)

    def _addressee(self) -> list[str]:
        account = self.grounds.account
        if account is None:
            return [self.grounds.customer]
        attention = self._say("attention", name=account["contact_name"]) if account.get("contact_name") else ""
        return [self.grounds.customer, *filter(None, [attention]), *documents.address(account)]

    # Open fields

    def _blank(self, opening: Opening) -> str:
        """What stands where a value is missing."""
        accepted = opening.field in self._accepted and opening.acceptable
        self.openings[opening.field] = opening.model_copy(update={"accepted": accepted})
        return self._say("to_follow") if accepted else f"**[open: {opening.field}]**"

    def _still(self) -> Iterator[Block]:
        told = []
        for opening in self.openings.values():
            if opening.accepted:
                accepted = self._accepted[opening.field]
                day = self.grounds.wording.day(accepted.by)
                told.append(self._say("will_tell", what=opening.told or opening.field, who=accepted.who, date=day))
        if told:
            yield Title(text=self._say("still"), level=3)
            yield Points(items=told)

    def _typed(self, text: str, *, path: str) -> str:
        """What the writer typed, its facts filled; what stands in brackets is a blank."""

        def blank(match: re.Match[str]) -> str:
            if _CHECKED.fullmatch(match[1]):
                return match[0]
            return self._blank(Opening(field=match[1].strip(), who="whoever writes the page", told=match[1].strip()))

        return self._facts.filled(_BLANK.sub(blank, text), path=path, missing=self._blank)

    # The page

    def _page(self) -> Iterator[Block]:
        text = self._typed(self.grounds.content.page or "", path="page")
        if not text:
            self.problems.append(Problem(code="MISSING", path="page", message="Write the first page."))
        before, after = around_table(text)
        yield from (Prose(text=part) for part in [before] if part)
        yield from self._table()
        yield from self._options()
        yield from (Prose(text=part) for part in [after] if part)

    def _row(self, item: DraftedItem, number: int) -> list[str]:
        money, currency = self.grounds.wording, self.grounds.currency
        name = item.name
        if item.discount_pct:
            name += f", {self._say('less', share=money.share(item.discount_pct))}"
        if item.note:
            name += f": {self._typed(item.note, path='items.note')}"
        if item.unit_price is None or item.amount is None:
            told = self._say("price_of", what=item.name)
            who = "whoever keeps the price book, or quote_create and quote_price"
            blank = self._blank(Opening(field=f"price of {item.product_id}", who=who, told=told))
            return [str(number), name, str(item.quantity), blank, ""]
        return [
            str(number),
            name,
            str(item.quantity),
            money.amount(item.unit_price, currency),
            money.amount(item.amount, currency),
        ]

    def _table(self) -> Iterator[Block]:
        items = self.grounds.of_role("item")
        if not items:
            return
        rows = [self._row(item, number) for number, item in enumerate(items, 1)]
        sums = list(self._sums())
        yield Grid(head=self._head(), rows=[*rows, *sums], figures=[2, 3, 4], sums=len(sums))
        yield Note(
            text="Prices: " + "; ".join(f"{number} {item.source}" for number, item in enumerate(items, 1)) + "."
        )
        for item in items:
            if item.sale and item.sale.is_listed_below:
                yield Note(text=f"{item.name}: list is below the newest sale. {sale_told(item)}")

    def _head(self) -> list[str]:
        amount = self._say("amount_in", currency=self.grounds.currency)
        return [*(self._say(key) for key in ("number", "description", "quantity", "unit_price")), amount]

    def _options(self) -> Iterator[Block]:
        others = self.grounds.of_role("option", "alternate")
        if others:
            start = len(self.grounds.of_role("item")) + 1
            yield Title(text=self._say("options"), level=3)
            yield Grid(
                head=self._head(),
                rows=[self._row(item, start + at) for at, item in enumerate(others)],
                figures=[2, 3, 4],
            )
            yield Prose(text=self._say("not_in_total"))
            yield Note(
                text="Prices: " + "; ".join(f"{start + at} {item.source}" for at, item in enumerate(others)) + "."
            )

    def _total(self) -> tuple[str, Decimal] | None:
        """(which total it is, what it comes to); None while a price is missing."""
        main = self.grounds.main
        if main is not None:
            version = main.version
            if version.priced_at is None:
                return None
            net = version.subtotal - version.discount_total
            if version.tax_total is None:
                return "total_before_tax", net
            return ("total_with_tax", version.total) if version.tax_total else ("total", version.total)
        amounts = [item.amount for item in self.grounds.of_role("item")]
        if not amounts or None in amounts:
            return None
        return "total_before_tax", sum((each for each in amounts if each is not None), Decimal(0))

    @property
    def total_told(self) -> str:
        total = self._total()
        return self.grounds.wording.money(total[1], self.grounds.currency) if total else ""

    def _sums(self) -> Iterator[list[str]]:
        def row(label: str, value: Decimal) -> list[str]:
            return ["", label, "", "", self.grounds.wording.amount(value, self.grounds.currency)]

        total = self._total()
        if total is None:
            return
        if self.grounds.main and self.grounds.main.version.tax_total:
            version = self.grounds.main.version
            yield row(self._say("subtotal"), version.subtotal - version.discount_total)
            yield row(self._say("tax"), version.tax_total)
        yield row(self._say(total[0]), total[1])

    # The annex

    def _goods(self) -> Iterator[Block]:
        seen = set[str]()
        for item in self.grounds.items:
            block = characteristics(
                item.machine, attributes=self.grounds.attributes, language=self.grounds.wording.language,
                beside=self.grounds.beside,
            ) if item.machine and item.product_id not in seen else None  # fmt: skip
            seen.add(item.product_id)
            if not block and not item.passages:
                continue
            yield Title(text=item.name)
            if block and block.rows:
                yield Grid(head=[], rows=[[label, self.grounds.wording.value(value)] for label, value in block.rows])
            if block and block.missing:
                yield Note(
                    text=f"The catalogue does not say: {', '.join(block.missing)}. Left out of the customer's copy."
                )
            for passage in item.passages:
                yield from _passage(passage)

    def _compliance(self) -> Iterator[Block]:
        if not self.tested:
            return
        yield Title(text=self._say("requirements"))
        head = [self._say(key) for key in ("required", "offered", "verdict")]
        yield Grid(head=head, rows=[self._tested(each) for each in self.tested])
        apart = [f"{each.asked.text}: {each.verdict}, {each.model} has {each.has or 'nothing on record'}"
                 for each in self.tested if each.verdict in ("contradicted", "close")]  # fmt: skip
        if apart:
            yield Note(text="Differs from what was asked: " + "; ".join(apart) + ".")

    def _tested(self, one: Tested) -> list[str]:
        offered = self._typed(one.has, path="requirements.answer") if one.verdict is None else one.has
        if one.model and one.has and one.verdict is not None:
            offered = f"{one.model}: {one.has}"
        if one.verdict is not None and (one.asked.machines > 1 or one.asked.down):
            set_up = [self._say("machines", count=one.asked.machines)]
            set_up += [self._say("down", count=one.asked.down)] if one.asked.down else []
            offered = f"{', '.join(set_up)}: {offered}"
        if one.opening:
            return [one.asked.text, one.model, self._blank(one.opening)]
        return [one.asked.text, offered, self._say(one.verdict) if one.verdict else ""]

    def _comparison(self) -> Iterator[Block]:
        grounds, known = self.grounds, self.grounds.attributes.by_name.values()
        machines = [grounds.machines[model_key(model)] for model in grounds.content.comparison]
        if not machines:
            return
        families = {str(machine["family"]) for machine in machines}
        printed = [one for one in known if one.position is not None and families & one.families]
        rows = []
        for attribute in sorted(printed, key=lambda one: (one.position or 0, one.name)):
            values = [values_of(machine["attributes"]).get(attribute.name) for machine in machines]
            if any(values):
                cells = [self._shown(attribute, value) for value in values]
                rows.append([label_of(attribute, grounds.wording.language), *cells])
        prices = [self._list_price(machine) for machine in machines]
        if any(prices):
            rows.append([self._say("price"), *(price or NONE for price in prices)])
        yield Title(text=self._say("comparison"))
        yield Grid(head=["", *(f"{machine['manufacturer']} {machine['model']}" for machine in machines)], rows=rows)

    def _shown(self, attribute: Attribute, value: Value | None) -> str:
        grounds = self.grounds
        if value is None:
            return NONE
        return shown(value, attribute, grounds.attributes, language=grounds.wording.language, beside=grounds.beside)

    def _list_price(self, machine: Mapping[str, Any]) -> str:
        sale = self.grounds.sold.get((str(machine["manufacturer"]), str(machine["model"])))
        if sale is None or sale.list_price is None or sale.list_currency is None:
            return ""
        return self.grounds.wording.money(sale.list_price, sale.list_currency)

    def _terms(self) -> Iterator[Block]:
        terms = [self._typed(text, path="terms") for text in self.grounds.content.terms]
        if self.grounds.main:
            version = self.grounds.main.version
            payment = documents.payment(version.payment_terms, labels=self.grounds.wording.labels)
            until = self.grounds.wording.day(version.valid_until)
            terms = [f"{self._say('payment')}: {payment}", f"{self._say('valid_until')}: {until}", *terms]
        if terms:
            yield Title(text=self._say("terms"))
            yield Points(items=terms)


def _of_version(version: QuoteVersion, tax: str) -> Iterator[Opening]:
    """What keeps a quote from going out."""
    name = version.quote_id
    if version.ended:
        yield Opening(field=f"validity of {name}", who="quote_create with a later valid_until", acceptable=False)
    if version.priced_at is None or version.status not in ORDERABLE:
        yield Opening(field=f"prices of {name}", who="quote_price", acceptable=False)
        return
    if version.evaluation and not version.evaluation.auto_approved and version.status not in ("approved", "sent"):
        roles = {each.required_approver_role or "nobody: it is above what anybody may grant"
                 for each in version.evaluation.violations}  # fmt: skip
        who = f"approval by {', '.join(sorted(roles)) or 'a person'} (approval_request)"
        yield Opening(field=f"approval of {name}", who=who, acceptable=False)
    if version.tax_total is None:
        yield Opening(field=f"tax of {name}", who="an administrator, who loads the tax rule", told=tax)


def around_table(text: str) -> tuple[str, str]:
    """The page before and behind the table of items: at its mark, else behind the second paragraph."""
    if marked := _TABLE.search(text):
        return text[: marked.start()].strip(), text[marked.end() :].strip()
    parts = text.replace(f"{{{{{ITEMS}}}}}", "").strip().split("\n\n")
    return "\n\n".join(parts[:2]).strip(), "\n\n".join(parts[2:]).strip()


def _passage(passage: ProvenPassage) -> Iterator[Block]:
    yield Prose(text=" ".join(passage.texts))
    line = passage.line
    numbers = ", ".join(map(str, passage.numbers))
    left = f"; {passage.left_out} left out" if passage.left_out else ""
    how = "Reworded from" if passage.reworded else "Verbatim from"
    told = f"{how} {line.customer}, {line.name}, {line.quote_date}: sentences {numbers}{left}."
    yield Note(text=told + (f" Original: {' '.join(passage.originals)}" if passage.reworded else ""))


def sale_told(item: DraftedItem) -> str:
    """For the house: list price beside the newest sale of the same."""
    sale = item.sale
    if sale is None:
        return ""
    return f"List {sale.cell('list_price') or 'none'}, newest sale {sale.cell('newest_sale') or 'none'}."


def _words(page: Sequence[Block]) -> int:
    """Of the first page as the customer reads it."""
    count = 0
    for block in page:
        match block:
            case Prose() | Title():
                count += len(re.findall(r"\w+(?:[.,'’-]\w+)*", block.text))
            case Grid():
                count += sum(len(cell.split()) for row in (block.head, *block.rows) for cell in row)
            case Points():
                count += sum(len(item.split()) for item in block.items)
    return count
