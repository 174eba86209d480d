"""ETIM xChange (JSON, 1 and 2): trade items with their products' features by code, and prices."""

from collections.abc import Iterator
from typing import Any

from operations.exchange.rows import Catalogue, Cells, Leaf, columns, figure, of_price, put
from operations.tables.sheets import Sheet
from quarry.money import ON_REQUEST
from quarry.tool.errors import ValidationFailed

AMOUNTS = ("GrossListPrice", "NetPrice", "RecommendedRetailPrice")
ENDS = ("EtimValueRangeLower", "EtimValueRangeUpper")
VALUES = ("EtimValueCode", "EtimValueNumeric", "EtimValueLogical", *ENDS)
OF_A_CLASS = ("EtimReleaseVersion", "EtimClassCode", "EtimFeatures")


def sheets_of(content: Any, *, file_name: str) -> list[Sheet]:
    """Raises ValidationFailed for JSON of another form."""
    suppliers = content.get("Supplier") if isinstance(content, dict) else None
    if not isinstance(suppliers, list):
        raise ValidationFailed(f"'{file_name}' is JSON, but no ETIM xChange, which has a list Supplier.")
    said = list(leaves(_without(content, "Supplier")))
    made = Catalogue(columns("xchange"))
    currency = next((leaf.text for leaf in said if "currency" in leaf.name.lower()), "")
    for supplier in _records(suppliers):
        said += leaves(_without(supplier, "Product"))
        for product in _records(supplier.get("Product")):
            shared = Cells()
            _read(made, _without(product, "TradeItem", "EtimClassification"), shared)
            for one in _records(product.get("EtimClassification")):
                _classified(made, one, shared)
            for item in _records(product.get("TradeItem")) or [{}]:
                article = dict(shared)
                _read(made, _without(item, "Pricing"), article)
                made.articles.append(article)
                for pricing in _records(item.get("Pricing")):
                    made.prices += _prices(made, pricing, article, currency)
    return made.sheets(said)


def leaves(value: Any, path: tuple[str, ...] = (), language: str = "") -> Iterator[Leaf]:
    """The texts below a JSON value; a record that names its language says it of all its texts."""
    if isinstance(value, dict):
        language = next((str(said).lower() for name, said in value.items() if _is_language(name, said)), language)
        for name, said in value.items():
            if not _is_language(name, said):
                yield from leaves(said, (*path, name), language)
    elif isinstance(value, list):
        for each in value:
            yield from leaves(each, path, language)
    elif value is not None and str(value).strip():
        yield Leaf(path, str(value).lower() if isinstance(value, bool) else str(value).strip(), language)


def _is_language(name: str, said: object) -> bool:
    return name in ("Language", "DescriptionLanguage") and isinstance(said, str)


def _records(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: said for name, said in record.items() if name not in names}


def _read(made: Catalogue, record: dict[str, Any], cells: Cells) -> None:
    """The language of the file's first text is that of plain columns."""
    for leaf in leaves(record):
        if column := columns("xchange").get(leaf.name):
            made.language = made.language or leaf.language
            made.put(cells, leaf, column)
        else:
            made.unread.add([leaf])


def _classified(made: Catalogue, one: dict[str, Any], cells: Cells) -> None:
    system = f"ETIM-{one.get('EtimReleaseVersion') or ''}".rstrip("-")
    if code := str(one.get("EtimClassCode") or ""):
        put(cells, system, code)
        cells.setdefault("category", code)
    for feature in _records(one.get("EtimFeatures")):
        name = str(feature.get("EtimFeatureCode") or "")
        said = {key: leaf.text for key in VALUES for leaf in leaves(feature.get(key))}
        value = ("..".join if said.keys() & set(ENDS) else "|".join)(said.values())
        if name and value:
            made.feature(cells, name, value, system=system)
        made.unread.add(leaves(_without(feature, *(("EtimFeatureCode", *VALUES) if name and value else ()))))
    made.unread.add(leaves(_without(one, *OF_A_CLASS)))


def _prices(made: Catalogue, pricing: dict[str, Any], article: Cells, currency: str) -> Iterator[Cells]:
    """A row for each amount; what is on request says so in the place of an amount."""
    named = columns("xchange_price")
    shared = of_price(article)
    shared |= {column: leaf.text for name, column in named.items() for leaf in leaves(pricing.get(name))}
    amounts = [(name, figure(leaf.text)) for name in AMOUNTS for leaf in leaves(pricing.get(name))]
    if pricing.get("PriceOnRequest") is True:
        amounts = [(AMOUNTS[0], ON_REQUEST)]
    for type_, amount in amounts:
        yield {**shared, "kind of price": type_, "price": amount, "currency": currency}
    made.unread.add(leaves(_without(pricing, "PriceOnRequest", *named, *AMOUNTS)))
