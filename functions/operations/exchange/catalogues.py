"""Reads catalogues into sheets, articles with a column for each feature, and prices: BMEcat 1.2 and 2005, and ETIM
xChange 1 and 2, which is JSON and names features by codes.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from operations.exchange.files import Catalogue, Cells, Leaf, columns, figure, leaves, local, of_price, put, text_in
from operations.tables.sheets import Sheet
from quarry.money import ON_REQUEST, plainly
from quarry.tool.errors import ValidationFailed

CODE = re.compile(r"E[CFVU]\d{6}|0173-\d#.*")
"""A code of ETIM or ECLASS that stands for the name of a feature or of a value."""

OWN = "USER_DEFINED_EXTENSIONS"
SYSTEMS = ("CLASSIFICATION_SYSTEM", "FEATURE_SYSTEM")
GROUPS = ("CATALOG_GROUP_SYSTEM", "PRODUCT_TO_CATALOGGROUP_MAP")
OF_A_CLASS = ("REFERENCE_FEATURE_SYSTEM_NAME", "REFERENCE_FEATURE_GROUP_ID", "REFERENCE_FEATURE_GROUP_NAME")
OF_A_GROUP = ("GROUP_SYSTEM_ID", "GROUP_ID", "GROUP_NAME", "PARENT_ID", "GROUP_ORDER")

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")


def bmecat(root: Any) -> list[Sheet]:
    return _File(root).sheets()


@cache
def _standard(name: str) -> str:
    """Returns the name that BMEcat 2005 has for an element."""
    known = {"ARTICLE": "PRODUCT", "ART_ID": "PROD_ID", "ART_ID_TO": "PROD_ID_TO"}.get(name, name)
    return re.sub(r"_AID$", "_PID", re.sub(r"^ARTICLE_", "PRODUCT_", known))


class _File:
    """One BMEcat file; names of codes, groups and the header are gathered before its articles are read."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._header = [leaf for element in root if local(element) == "HEADER" for leaf in leaves(element)]
        spoken = [each for each in root.iter("{*}LANGUAGE") if text_in(each)]
        spoken.sort(key=lambda each: each.get("default") != "true")
        self._made = Catalogue(columns("bmecat"), text_in(spoken[0]).lower() if spoken else "")
        self._unread = self._made.unread
        self._currency = next((leaf.text for leaf in self._header if leaf.name == "CURRENCY"), "")
        self._words = dict(self._names_of_codes())
        self._groups = self._groups_by_article()

    def sheets(self) -> list[Sheet]:
        for transaction in self._root:
            for element in transaction if local(transaction) != "HEADER" else ():
                name = _standard(local(element))
                if name == "PRODUCT":
                    self._article(element)
                elif name not in GROUPS:
                    self._unread.counts[f"{name}, but for names of codes" if name in SYSTEMS else name] += 1
        return self._made.sheets(self._header)

    def _names_of_codes(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Yields ((kind of code, code), name); among several languages that of the catalogue is taken."""
        names = columns("bmecat_words")
        for code in self._root.iter(*(f"{{*}}{kind}" for kind in names)):
            words = [leaf for each in code.getparent() if local(each) == names[local(code)] for leaf in leaves(each)]
            for word in sorted(words, key=lambda leaf: not self._made.is_own(leaf))[:1]:
                yield (local(code), text_in(code)), word.text

    def _groups_by_article(self) -> dict[str, list[str]]:
        named = {}
        for group in self._root.iter("{*}CATALOG_STRUCTURE"):
            own = list(leaves(group))
            said = {leaf.name: leaf.text for leaf in reversed(own) if self._made.is_own(leaf)}
            named[said.get("GROUP_ID", "")] = said.get("GROUP_NAME", "")
            self._unread.add(leaf for leaf in own if leaf.name not in OF_A_GROUP or not self._made.is_own(leaf))
        found = defaultdict[str, list[str]](list)
        for pair in self._root.iter("{*}ARTICLE_TO_CATALOGGROUP_MAP", "{*}PRODUCT_TO_CATALOGGROUP_MAP"):
            said = {_standard(leaf.name): leaf.text for leaf in leaves(pair)}
            group = said.get("CATALOG_GROUP_ID", "")
            found[said.get("PROD_ID", "")].append(named.get(group) or group)
        return found

    def _article(self, element: Any) -> None:
        cells = Cells()
        later = {"PRODUCT_FEATURES": self._features, "PRODUCT_PRICE_DETAILS": self._prices}
        for part in element:
            if _standard(local(part)) not in later:
                self._details(part, cells)
        if element.get("mode", "new") != "new":
            put(cells, "mode", element.get("mode"))
        for group in self._groups.get(str(cells.get("article number")), ()):
            put(cells, "category", group)
        for part in element:
            if read := later.get(_standard(local(part))):
                read(part, cells)
        self._made.articles.append(cells)

    def _details(self, part: Any, cells: Cells) -> None:
        for leaf in leaves(part):
            column = columns("bmecat").get(_standard(leaf.name))
            if column in ("status", "special treatment", "references") and leaf.type:
                put(cells, column, f"{leaf.type}: {leaf.text}")
            elif column or leaf.path[0] == OWN:
                self._made.put(cells, leaf, column or leaf.name.removeprefix("UDX."))
            else:
                self._unread.add([leaf])

    def _features(self, part: Any, cells: Cells) -> None:
        """Reads the article's class in one system, which is its category where it has no group, and its features."""
        own = [leaf for each in part if local(each) in OF_A_CLASS for leaf in leaves(each)]
        said = {leaf.name: leaf.text for leaf in reversed(own) if self._made.is_own(leaf)}
        system, code, word = (said.get(name, "") for name in OF_A_CLASS)
        kinds = ("CLASSIFICATION_GROUP_ID", "FEATURE_GROUP_ID")
        word = word or next((found for kind in kinds if (found := self._words.get((kind, code)))), "")
        for column, text in ((system or "classification", code), (f"{system or 'classification'} name", word)):
            if text:
                put(cells, column, text)
        if word or code:
            cells.setdefault("category", word or code)
        for each in part:
            if local(each) == "FEATURE":
                self._feature(each, system, cells)
            elif local(each) not in OF_A_CLASS:
                self._unread.add(leaves(each))

    def _feature(self, element: Any, system: str, cells: Cells) -> None:
        """Reads a feature; two figures are a range in ETIM or where the type says so, others are joined by "|"."""
        own = list(leaves(element))
        said = defaultdict[str, list[str]](list)
        for leaf in own:
            if self._made.is_own(leaf) and "VARIANTS" not in leaf.path:
                said[leaf.name].append(leaf.text)
        code, unit = next(iter(said["FNAME"] + said["FT_IDREF"]), ""), next(iter(said["FUNIT"]), "")
        coded = CODE.fullmatch(code) is not None
        name = self._words.get(("FT_ID", code)) or next(iter(said["FDESCR"] if coded else []), code)
        values = [self._words.get(("ALLOWED_VALUE_ID", one), one) for one in said["FVALUE"] + said["VALUE_IDREF"]]
        if detailed := any(map(CODE.fullmatch, values)) and bool(said["FVALUE_DETAILS"]):
            values = said["FVALUE_DETAILS"]
        ranged = said["FVALUE_TYPE"] == ["range"] or system.upper().startswith("ETIM")
        ends = ranged and len(values) == 2 and all(map(_NUMBER.fullmatch, values))
        value = "..".join(values) if ends else "|".join(dict.fromkeys(values))
        read = {"FNAME", "FT_IDREF", "FVALUE", "VALUE_IDREF", "FUNIT", "FVALUE_TYPE", "REFERENCE_FEATURE_SYSTEM_NAME"}
        read |= ({"FDESCR"} if coded else set()) | ({"FVALUE_DETAILS"} if detailed else set())
        if not name or not value:
            read = set()
        else:
            sign = columns("units").get(unit, self._words.get(("UNIT_ID", unit), unit))
            self._made.feature(cells, name, value, unit=sign, system=system)
        self._unread.add(
            leaf for leaf in own if leaf.name != "FORDER" and not (leaf.name in read and leaf.text in said[leaf.name])
        )

    def _prices(self, details: Any, article: Cells) -> None:
        shared = of_price(article)
        prices = [part for part in details if _standard(local(part)) == "PRODUCT_PRICE"]
        for part in details:
            if part not in prices:
                self._price_leaves(leaves(part), shared)
        for part in prices:
            price = {**shared, "kind of price": part.get("price_type", "")}
            self._price_leaves(leaves(part), price)
            price.setdefault("currency", self._currency)
            self._made.prices.append(_with_factor(price))

    def _price_leaves(self, found: Iterator[Leaf], price: Cells) -> None:
        for leaf in found:
            if column := columns("bmecat_price").get(leaf.type if leaf.name == "DATE" else leaf.name):
                put(price, column, leaf.text)
            else:
                self._unread.add([leaf])


def _with_factor(price: Cells) -> Cells:
    """Returns the row with the price times its factor; the amount before that is kept in a column of its own."""
    amount, factor = str(price.get("price") or ""), str(price.get("factor") or "")
    if not factor:
        return {**price, "price": figure(amount)}
    try:
        holds = plainly(Decimal(amount) * Decimal(factor))
    except InvalidOperation:
        holds = f"{amount} x {factor}"
    return {**price, "price": figure(holds), "amount before factor": figure(amount)}


AMOUNTS = ("GrossListPrice", "NetPrice", "RecommendedRetailPrice")
ENDS = ("EtimValueRangeLower", "EtimValueRangeUpper")
VALUES = ("EtimValueCode", "EtimValueNumeric", "EtimValueLogical", *ENDS)
OF_AN_ETIM_CLASS = ("EtimReleaseVersion", "EtimClassCode", "EtimFeatures")


def xchange(content: Any, *, file_name: str) -> list[Sheet]:
    """Raises ValidationFailed if the JSON is no ETIM xChange."""
    suppliers = content.get("Supplier") if isinstance(content, dict) else None
    if not isinstance(suppliers, list):
        raise ValidationFailed(f"'{file_name}' is JSON, but no ETIM xChange, which has a list Supplier.")
    said = list(json_leaves(_without(content, "Supplier")))
    made = Catalogue(columns("xchange"))
    currency = next((leaf.text for leaf in said if "currency" in leaf.name.lower()), "")
    for supplier in _records(suppliers):
        said += json_leaves(_without(supplier, "Product"))
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


def json_leaves(value: Any, path: tuple[str, ...] = (), language: str = "") -> Iterator[Leaf]:
    """Yields the texts below a JSON value; the language that a record names is that of all its texts."""
    if isinstance(value, dict):
        language = next((str(said).lower() for name, said in value.items() if _is_language(name, said)), language)
        for name, said in value.items():
            if not _is_language(name, said):
                yield from json_leaves(said, (*path, name), language)
    elif isinstance(value, list):
        for each in value:
            yield from json_leaves(each, path, language)
    elif value is not None and str(value).strip():
        yield Leaf(path, str(value).lower() if isinstance(value, bool) else str(value).strip(), language)


def _is_language(name: str, said: object) -> bool:
    return name in ("Language", "DescriptionLanguage") and isinstance(said, str)


def _records(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: said for name, said in record.items() if name not in names}


def _read(made: Catalogue, record: dict[str, Any], cells: Cells) -> None:
    """Reads a record's texts; the first language found is the catalogue's, whose columns bear no language."""
    for leaf in json_leaves(record):
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
        said = {key: leaf.text for key in VALUES for leaf in json_leaves(feature.get(key))}
        value = ("..".join if said.keys() & set(ENDS) else "|".join)(said.values())
        if name and value:
            made.feature(cells, name, value, system=system)
        made.unread.add(json_leaves(_without(feature, *(("EtimFeatureCode", *VALUES) if name and value else ()))))
    made.unread.add(json_leaves(_without(one, *OF_AN_ETIM_CLASS)))


def _prices(made: Catalogue, pricing: dict[str, Any], article: Cells, currency: str) -> Iterator[Cells]:
    """Yields a row for each amount; a price on request says so in place of an amount."""
    named = columns("xchange_price")
    shared = of_price(article)
    shared |= {column: leaf.text for name, column in named.items() for leaf in json_leaves(pricing.get(name))}
    amounts = [(name, figure(leaf.text)) for name in AMOUNTS for leaf in json_leaves(pricing.get(name))]
    if pricing.get("PriceOnRequest") is True:
        amounts = [(AMOUNTS[0], ON_REQUEST)]
    for type_, amount in amounts:
        yield {**shared, "kind of price": type_, "price": amount, "currency": currency}
    made.unread.add(json_leaves(_without(pricing, "PriceOnRequest", *named, *AMOUNTS)))
