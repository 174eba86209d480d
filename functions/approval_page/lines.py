"""The lines of the quote as a table, with their margins and the totals."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from approval_page.html import Child, LineRow, Markup, amount, element, fragment, joined, lines_table, section
from cpq.model import QuoteVersion, VersionLine
from cpq.pricing.arithmetic import shown
from cpq.pricing.trace import Trace, TracedLine


def lines_section(version: QuoteVersion, lines: list[VersionLine], trace: Trace) -> Markup:
    currency = version.currency
    heads = ("Product", "Quantity", f"Unit price, {currency}", "Discount", f"Net, {currency}", "Margin")
    traced = {line.line_id: line for line in trace.lines}
    rows = [_line(line, traced.get(line.id)) for line in lines]
    table = lines_table(heads, rows, class_="lines", labelled_by="lines")
    sums = [
        ("Before discount", amount(version.subtotal)),
        ("Discount", f"−{amount(version.discount_total)}"),
        ("Tax", amount(version.tax_total)),
        (f"Total, {currency}", amount(version.total)),
    ]
    totals = element(
        "table",
        element(
            "tbody",
            [
                element("tr", element("th", name, scope="row"), element("td", value, class_="number"))
                for name, value in sums
            ],
        ),
        class_="totals",
        aria_label="Totals",
    )
    return section("Lines", table, totals, class_="lined", anchor="lines")


def _line(line: VersionLine, traced: TracedLine | None) -> LineRow:
    unit = (line.unit or "").removeprefix("per_").replace("_per_", " and ").replace("_", " ")
    figures: tuple[Child, ...] = (
        f"{line.quantity:,}",
        fragment(amount(line.unit_price), element("span", f" per {unit}", class_="soft")),
        f"{shown(_pct(line))}%",
        amount(line.line_total),
        _margin(traced),
    )
    return line.product_name, joined(line.sku, _configuration(line.attributes)), figures


def _margin(traced: TracedLine | None) -> Child:
    """At the price, and at list where that is another."""
    if traced is None or traced.margin_pct is None:
        return "not known"
    at_list = traced.list_margin_pct
    if at_list is None or at_list == traced.margin_pct:
        return f"{traced.margin_pct:.1f}%"
    return fragment(f"{traced.margin_pct:.1f}%", element("span", f" of {at_list:.1f}% at list", class_="soft"))


def _pct(line: VersionLine) -> Decimal:
    return Decimal(line.discount_pct if line.effective_discount_pct is None else line.effective_discount_pct)


def _configuration(attributes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in attributes.items())
