"""`python -m local.bid LV.x83 Q-2026-0042`: the X84 of GAEB DA XML that answers a bill of quantities, an X83, with a
quote's prices by the numbers of positions.
"""

import argparse
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from lxml import etree

from local.failure import LocalError, run_command
from local.setup import letterhead
from local.setup.__main__ import LAYOUTS
from local.stack import invoke
from local.tenants import running_stack
from operations.exchange.files import local, text_in, xml_of
from operations.exchange.requests import number_of
from quarry.tool.errors import ToolError, ValidationFailed

NUMBER = re.compile(r"\bOZ\b\s{0,3}+:?+\s{0,3}+([\w.]++)")
"""How a line of a quote says in its note which position it is for: OZ 01.02.0010."""

UNIT_PRICE, CENTS = Decimal("0.001"), Decimal("0.01")
"""The decimals of UP and IT."""

NOT_OFFERED = "Nicht angeboten: ohne Preis."
"""What a position without a price says, in the language of all such files."""

COPIED = {"GAEBInfo": ("Version", "VersDate"), "PrjInfo": ("NamePrj", "LblPrj")}
"""What of the bill the bid repeats beside positions and their order."""

TOWN = re.compile(r"(?:[A-Z]{1,2}-)?(\d{4,5}) ++(\S.*+)")


@dataclass(frozen=True, slots=True)
class Offered:
    """What lines of a quote come to for one position, discounts taken off and before tax."""

    quantity: Decimal
    amount: Decimal


def offered(lines: Iterable[Mapping[str, Any]]) -> dict[str, Offered]:
    """By position, of the lines that quote_get answers. Raises ValidationFailed for one without a price."""
    found: dict[str, Offered] = {}
    for line in lines:
        for number in (each.rstrip(".") for each in NUMBER.findall(line.get("notes") or "")):
            if line.get("line_total") is None:
                raise ValidationFailed(f"Position {number} has no price yet: quote_price gives the quote its prices.")
            amount, before = Decimal(str(line["line_total"])), found.get(number)
            quantity = before.quantity if before else Decimal(str(line["quantity"]))
            found[number] = Offered(quantity, amount + (before.amount if before else 0))
    return found


@dataclass(slots=True)
class Bid:
    """Writes the bid on a bill; ``told`` is for whoever sends it, ``numbers`` are the positions with a price."""

    offers: Mapping[str, Offered]
    told: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    _space: str = ""

    def on(self, bill: bytes, *, file_name: str, currency: str, bidder: Sequence[str], day: date) -> bytes:
        """``bidder`` is a name and the lines of its address. Raises ValidationFailed."""
        source = xml_of(bill, file_name)
        boq = source.find("{*}Award/{*}BoQ") if local(source) == "GAEB" else None
        if boq is None:
            raise ValidationFailed(f"'{file_name}' is no bill of quantities of GAEB DA XML.")
        asked = source.findtext("{*}Award/{*}AwardInfo/{*}Cur") or source.findtext("{*}PrjInfo/{*}Cur")
        if asked not in (None, currency):
            raise ValidationFailed(f"The bill asks for prices in {asked}, and the quote is in {currency}.")
        self._space = re.sub(r"/DA8\d/", "/DA84/", str(source.tag)[1:].partition("}")[0])
        root = etree.Element(f"{{{self._space}}}GAEB", nsmap={None: self._space})
        for part, names in COPIED.items():
            made = self._add(root, part)
            for name in names:
                if text := source.findtext(f"{{*}}{part}/{{*}}{name}"):
                    self._add(made, name, text)
        self._add(root[0], "Date", day.isoformat())
        award = self._add(root, "Award")
        self._add(award, "DP", "84")
        self._add(self._add(award, "AwardInfo"), "Cur", currency)
        self._address(self._add(self._add(award, "CTR"), "Address"), bidder)
        self._bill(self._add(award, "BoQ", like=boq), boq)
        self.told += [f"{each}: the bill has no such position" for each in self.offers if each not in self.numbers]
        content: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
        return content

    def _add(self, above: Any, name: str, text: str | None = None, *, like: Any = None) -> Any:
        """A further element, with the number and the id of what it is ``like``."""
        made = above.makeelement(f"{{{self._space}}}{name}", dict(like.attrib) if like is not None else {})
        made.text = text
        above.append(made)
        return made

    def _address(self, address: Any, bidder: Sequence[str]) -> None:
        name, *lines = bidder
        self._add(address, "Name1", name)
        if lines and not TOWN.fullmatch(lines[0]):
            self._add(address, "Street", lines[0])
        if town := next(filter(None, map(TOWN.fullmatch, lines)), None):
            self._add(address, "PCode", town[1])
            self._add(address, "City", town[2])

    def _bill(self, made: Any, boq: Any) -> None:
        info = self._add(made, "BoQInfo")
        self._add(info, "Name", boq.findtext("{*}BoQInfo/{*}Name") or "")
        for level in boq.iterfind("{*}BoQInfo/{*}BoQBkdn"):
            kept = self._add(info, "BoQBkdn")
            for part in level:
                self._add(kept, local(part), part.text)
        total = sum((self._body(made, body, "") for body in boq.iterfind("{*}BoQBody")), Decimal(0))
        self._add(self._add(info, "Totals"), "Total", f"{total:.2f}")

    def _body(self, above: Any, source: Any, number: str) -> Decimal:
        """Of categories and lists of positions what they come to."""
        made, total = self._add(above, local(source)), Decimal(0)
        for element in source:
            name, place = local(element), number_of(element, number)
            if name == "BoQCtgy":
                inner = self._add(made, name, like=element)
                own = sum((self._body(inner, each, place) for each in element.iterfind("{*}BoQBody")), Decimal(0))
                self._add(self._add(inner, "Totals"), "Total", f"{own:.2f}")
                total += own
            elif name == "Itemlist":
                total += self._body(made, element, number)
            elif name == "Item" and element.find("{*}NotAppl") is None:
                total += self._item(self._add(made, name, like=element), element, place)
        return total

    def _item(self, made: Any, item: Any, number: str) -> Decimal:
        """What counts in the totals of the position."""
        offer, asked = self.offers.get(number), item.findtext("{*}Qty")
        quantity = Decimal(asked) if asked else None
        if quantity is not None:
            self._add(made, "Qty", f"{quantity:.3f}")
        if offer is None:
            name = next((text_in(each) for each in item.iter("{*}OutlineText")), "")
            self.told.append(f"{number} {name}".strip() + ": without a price, and the bid says so")
            self._add(self._add(self._add(made, "BidComm"), "p"), "span", NOT_OFFERED)
            return Decimal(0)
        price = (offer.amount / offer.quantity).quantize(UNIT_PRICE, ROUND_HALF_UP)
        amount = (price * (offer.quantity if quantity is None else quantity)).quantize(CENTS, ROUND_HALF_UP)
        if quantity not in (None, offer.quantity):
            self.told.append(f"{number}: the bill asks for {quantity:f}, the quote is of {offer.quantity:f}")
        elif amount != offer.amount:
            self.told.append(f"{number}: comes to {amount} by its unit price, in the quote to {offer.amount}")
        self._add(made, "UP", f"{price:.3f}")
        self._add(made, "IT", f"{amount:.2f}")
        self.numbers.append(number)
        alone = item.findtext("{*}Provis") == "WithoutTotal" or item.findtext("{*}ALNSerNo") not in (None, "1")
        return Decimal(0) if alone else amount


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.bid", description=__doc__)
    parser.add_argument("file", type=Path, help="the bill of quantities, .x83")
    parser.add_argument("quote", help="a priced quote whose lines name their positions in their notes: OZ 01.02.0010")
    asked = parser.parse_args()
    if not asked.file.is_file():
        raise LocalError(f"There is no file {asked.file}.")
    stack, tenant = running_stack()
    quote = invoke(stack, "quote_get", {"quote_id": asked.quote}, tenant=tenant)
    house = letterhead.held(LAYOUTS, tenant)
    bidder, currency = [house.get("name", tenant), *house.get("address", [])], quote["quote"]["currency"]
    bid, written = Bid(offered(quote["line_items"])), asked.file.with_suffix(".x84")
    content = bid.on(
        asked.file.read_bytes(), file_name=asked.file.name, currency=currency, bidder=bidder, day=date.today()
    )
    written.write_bytes(content)
    print("\n".join([*bid.told, f"{written}: {len(bid.numbers)} positions with their prices."]))


if __name__ == "__main__":
    run_command(main, ToolError)
