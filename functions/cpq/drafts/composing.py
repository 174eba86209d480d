"""Composes a draft: from its grounds to the blocks of the page, the annex and the notes on them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from itertools import groupby

from cpq.documents import wording as documents
from cpq.drafts.annex import Annex
from cpq.drafts.blocks import Block, Grid, Letter, Note, Opening, Points, Prose, Title
from cpq.drafts.checking import Remark
from cpq.drafts.doubts import designations, doubts
from cpq.drafts.goods import DraftedItem, StoredQuote
from cpq.drafts.grounds import DELIVERY, Grounds
from cpq.drafts.requirements import tested
from cpq.drafts.typed import TypedText
from cpq.drafts.value import ITEMS, UNSIGNED
from cpq.model import Problem

_TABLE = re.compile(r"(?m)^[ \t]*\{\{\s*items\s*\}\}[ \t]*$")
DOUBTFUL = ("unknown", "contradicted")
ORDERABLE = ("priced", "approved", "sent", "pending_approval")


class Composer:
    """Composes one letter; ``problems`` are ids that name nothing."""

    def __init__(self, grounds: Grounds, *, accepted: frozenset[str]) -> None:
        self.grounds, self._say, self._new = grounds, grounds.wording.say, accepted
        self.tested, self.problems = tested(grounds)
        self.doubts, self._known = (
            list[Remark](),
            designations(grounds.attributes, reader=grounds.reader) if self._doubted else [],
        )
        self._text = TypedText(grounds, total=self.total_told, net=self._net_told)

    @cached_property
    def _doubted(self) -> dict[str, str]:
        asked = {f"requirement {place}": f"{each.asked.text} {each.asked.is_ or ''}"
                 for place, each in enumerate(self.tested, 1)
                 if each.opening or each.verdict in DOUBTFUL or each.asked.met is False}  # fmt: skip
        return asked | {f"note {place}": text for place, text in enumerate(self.grounds.content.notes, 1)}

    def letter(self) -> Letter:
        for quote in self.grounds.quotes:
            for opening in _of_version(quote, self._say("tax")):
                self._text.blank(opening)
        page = [*self._page(), *self._unproven(), *(Note(text=text) for text in self.grounds.content.notes)]
        annex = Annex(self.grounds, self._text, self.tested).blocks()
        self.problems += self._text.problems
        self.problems += self._text.not_acceptable(self._new)
        page += self._text.still()
        return Letter(
            language=self.grounds.wording.language,
            date=self.grounds.wording.day(self.grounds.today),
            addressee=self._addressee(),
            number=", ".join(quote.version.name for quote in self.grounds.quotes),
            signed_by=self.grounds.signed_by,
            for_signature=self._for_signature,
            words=_words(page),
            delivery=self.grounds.house.get(DELIVERY, ""),
            page=page,
            annex=annex,
            openings=list(self._text.openings.values()),
        )

    def _unproven(self) -> Iterator[Block]:
        """A prospect's word, which nobody has checked."""
        account = self.grounds.account
        if account and account["prospect"] and account["tax_exempt"]:
            yield Note(text="No tax, as the customer says: see the exemption certificate before it goes out.")

    @property
    def _for_signature(self) -> bool:
        return UNSIGNED not in (self.grounds.content.page or "")

    def _addressee(self) -> list[str]:
        account = self.grounds.account
        if account is None:
            return [self.grounds.customer]
        attention = self._say("attention", name=account["contact_name"]) if account.get("contact_name") else ""
        return [self.grounds.customer, *filter(None, [attention]), *documents.address(account)]

    # The page

    def _page(self) -> Iterator[Block]:
        page = self.grounds.content.page or ""
        text = self._text.filled(page.replace(UNSIGNED, ""), path="page")
        if not text:
            self.problems.append(Problem(code="MISSING", path="page", message="Write the first page."))
        before, after = around_table(text)
        yield from self._prose(before, of=text)
        yield from self._table()
        yield from self._options()
        yield from self._prose(after, of=text)

    def _prose(self, part: str, *, of: str) -> Iterator[Block]:
        """With a note behind each paragraph that promises what the draft doubts."""
        said = list[str]()
        for paragraph in re.split(r"\n{2,}", part) if part else ():
            said.append(paragraph)
            found = doubts(paragraph, self._doubted, reader=self.grounds.reader, known=self._known)
            if found:
                first = of[: of.find(paragraph)].count("\n")
                self.doubts += [replace(each, line=each.line + first) for each in found]
                yield Prose(text="\n\n".join(said))
                told = "; ".join(f"{each.text} ({each.source})" for each in found)
                yield Note(text=f"Promised here, and doubted: {told}.")
                said = []
        if said:
            yield Prose(text="\n\n".join(said))

    def _row(self, item: DraftedItem, number: int) -> list[str]:
        money, currency = self.grounds.wording, self.grounds.currency
        name = item.name
        if item.discount_pct:
            name += f", {self._say('less', share=money.share(item.discount_pct))}"
        if item.note:
            name += f": {self._text.filled(item.note, path='items.note')}"
        if item.unit_price is None or item.amount is None:
            told = self._say("price_of", what=item.name)
            who = "whoever keeps the price book, or quote_create and quote_price"
            blank = self._text.blank(Opening(field=f"price of {item.product_id}", who=who, told=told))
            return [str(number), name, str(item.quantity), blank, ""]
        buys = documents.unit(item.unit, term_months=item.term_months, labels=self.grounds.wording.labels)
        price = " ".join(filter(None, [money.amount(item.unit_price, currency), self._per(item.per) or buys]))
        return [str(number), name, str(item.quantity), price, money.amount(item.amount, currency)]

    def _per(self, period: str) -> str:
        labels = self.grounds.wording.labels
        return {"month": labels.per_month, "year": labels.per_year}.get(period, "")

    def _table(self) -> Iterator[Block]:
        items = self.grounds.of_role("item")
        if not items:
            return
        sums = list(self._sums(self.grounds.main))
        yield from self._grid(items, sums, start=1)
        for item in items:
            if item.sale and (above := item.sale.above_list):
                yield Note(text=f"{item.name}: list is below {' and '.join(above)}.")

    def _head(self) -> list[str]:
        amount = self._say("amount_in", currency=self.grounds.currency)
        return [*(self._say(key) for key in ("number", "description", "quantity", "unit_price")), amount]

    def _grid(self, items: Sequence[DraftedItem], sums: Sequence[list[str]], *, start: int) -> Iterator[Block]:
        rows = [self._row(item, number) for number, item in enumerate(items, start)]
        yield Grid(head=self._head(), rows=[*rows, *sums], figures=[2, 3, 4], sums=len(sums))
        sources = groupby(enumerate(items, start), key=lambda each: each[1].source)
        told = [f"{_numbers([number for number, _ in same])} {source}" for source, same in sources]
        yield Note(text=f"Prices: {'; '.join(told)}.")

    def _options(self) -> Iterator[Block]:
        """What no total has: single options, then each further quote with its own total."""
        others = self.grounds.of_role("option", "alternate")
        if not others:
            return
        further = {quote.version.quote_id: quote for quote in self.grounds.quotes[1:]}
        single = [item for item in others if item.quote not in further]
        start = len(self.grounds.of_role("item")) + 1
        yield Title(text=self._say("options"), level=3)
        if single:
            yield from self._grid(single, [], start=start)
        for name, quote in further.items():
            start += len(single)
            single = [item for item in others if item.quote == name]
            yield Title(text=quote.version.name, level=4)
            yield from self._grid(single, list(self._sums(quote)), start=start)
        offered = self._for_signature and self.grounds.quotes
        yield Prose(text=self._say("not_in_total" if offered else "apart"))

    def _total(self, quote: StoredQuote | None) -> tuple[str, Decimal] | None:
        """(which total it is, what it comes to), of a quote or of the items; None while a price is missing."""
        if quote is not None:
            version = quote.version
            if version.priced_at is None:
                return None
            if version.tax_total is None:
                return "total_before_tax", version.net
            return ("total_with_tax", version.total) if version.tax_total else ("total", version.total)
        total = self.grounds.sum_of("")
        return None if total is None else ("total_before_tax", total)

    @property
    def total_told(self) -> str:
        """What is paid once, and what again each month or year; empty while a price is missing."""
        wording, currency = self.grounds.wording, self.grounds.currency
        if any(item.amount is None for item in self.grounds.of_role("item")):
            return ""
        total = self._total(self.grounds.main)
        once = [wording.money(total[1], currency)] if total else []
        return " + ".join([*once, *(f"{wording.money(value, currency)} {self._per(period)}"
                                    for period, value in self.grounds.recurring)])  # fmt: skip

    @property
    def _net_told(self) -> str:
        main = self.grounds.main
        if main is None:
            return self.total_told
        if main.version.priced_at is None:
            return ""
        return self.grounds.wording.money(main.version.net, self.grounds.currency)

    def _sums(self, quote: StoredQuote | None) -> Iterator[list[str]]:
        def row(label: str, value: Decimal) -> list[str]:
            return ["", label, "", "", self.grounds.wording.amount(value, self.grounds.currency)]

        total = self._total(quote)
        if total and quote and quote.version.tax_total:
            yield row(self._say("subtotal"), quote.version.net)
            yield row(self._say("tax"), quote.version.tax_total)
        if total:
            yield row(self._say(total[0]), total[1])
        for period, value in () if quote else self.grounds.recurring:
            yield row(f"{self._say('total_before_tax')}, {self._per(period)}", value)


def _numbers(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"


def _of_version(quote: StoredQuote, tax: str) -> Iterator[Opening]:
    """What keeps a quote from going out."""
    version, name = quote.version, quote.version.quote_id
    if version.ended:
        yield Opening(field=f"validity of {name}", who="quote_create with a later valid_until", acceptable=False)
    if version.priced_at is None or version.status not in ORDERABLE:
        yield Opening(field=f"prices of {name}", who="quote_price", acceptable=False)
        return
    if version.evaluation and not version.evaluation.auto_approved and version.status not in ("approved", "sent"):
        roles = {each.required_approver_role or "nobody: it is above what anybody may grant"
                 for each in version.evaluation.violations}  # fmt: skip
        looks = (
            f", who looks at the {' and the '.join(reviewed)}" if (reviewed := version.evaluation.reviewed) else ""
        )
        who = f"approval by {', '.join(sorted(roles)) or 'a person'}{looks} (approval_request)"
        who = f"{quote.unanswered}: ask again. It needs {who}" if quote.unanswered else who
        yield Opening(field=f"approval of {name}", who=who, acceptable=False)
    if version.tax_total is None:
        yield Opening(field=f"tax of {name}", who="an administrator, who loads the tax rule", told=tax)


def around_table(text: str) -> tuple[str, str]:
    """The page before and behind the table of items: at its mark, else behind the second paragraph."""
    if marked := _TABLE.search(text):
        return text[: marked.start()].strip(), text[marked.end() :].strip()
    parts = text.replace(f"{{{{{ITEMS}}}}}", "").strip().split("\n\n")
    return "\n\n".join(parts[:2]).strip(), "\n\n".join(parts[2:]).strip()


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
