"""The lines of the quote as a table, with their margins and the totals."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from approval_page.html import Child, Markup, amount, element, fragment, joined, section
from cpq.model import QuoteVersion, VersionLine
from cpq.pricing.arithmetic import shown
from cpq.pricing.trace import Trace, TracedLine


def lines_section(version: QuoteVersion, lines: list[VersionLine], trace: Trace) -> Markup:
    currency = version.currency
    heads = ("Product", "Quantity", f"Unit price, {currency}", "Discount", f"Net, {currency}", "Margin")
    traced = {line.line_id: line for line in trace.lines}
    table = element(
        "table",
        element("thead", element("tr", [_head(text, index) for index, text in enumerate(heads)], role="row")),
        element("tbody", [_line(line, heads, traced.get(line.id)) for line in lines]),
        class_="lines",
        role="table",
        aria_labelledby="lines",
    )
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


def _head(text: str, index: int) -> Markup:
    return element("th", text, scope="col", role="columnheader", class_="number" if index else None)


def _line(line: VersionLine, heads: tuple[str, ...], traced: TracedLine | None) -> Markup:
    unit = (line.unit or "").removeprefix("per_").replace("_per_", " and ").replace("_", " ")
    figures: tuple[Child, ...] = (
        f"{line.quantity:,}",
        fragment(amount(line.unit_price), element("span", f" per {unit}", class_="soft")),
        f"{shown(_pct(line))}%",
        amount(line.line_total),
        _margin(traced),
    )
    details = joined(line.sku, _configuration(line.attributes))
    return element(
        "tr",
        element("th", line.product_name, element("div", details, class_="soft"), scope="row", role="rowheader"),
        [
            element("td", element("span", figure), class_="number", role="cell", data_label=head)
            for figure, head in zip(figures, heads[1:], strict=True)
        ],
        role="row",
    )


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
