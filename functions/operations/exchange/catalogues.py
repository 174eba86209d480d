"""Reads catalogues of BMEcat 1.2 and 2005 into sheets: articles with a column for each feature, and prices."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

from operations.exchange.files import (
    Cells,
    Leaf,
    Skipped,
    columns,
    figure,
    header,
    leaves,
    local,
    put,
    sheet,
    text_in,
)
from operations.tables.sheets import Sheet
from quarry.money import plainly

CODE = re.compile(r"E[CFVU]\d{6}|0173-\d#.*")
"""A code of ETIM or ECLASS that stands for the name of a feature or of a value."""

OWN = "USER_DEFINED_EXTENSIONS"
SYSTEMS = ("CLASSIFICATION_SYSTEM", "FEATURE_SYSTEM")
GROUPS = ("CATALOG_GROUP_SYSTEM", "PRODUCT_TO_CATALOGGROUP_MAP")
OF_A_CLASS = ("REFERENCE_FEATURE_SYSTEM_NAME", "REFERENCE_FEATURE_GROUP_ID", "REFERENCE_FEATURE_GROUP_NAME")
OF_A_GROUP = ("GROUP_SYSTEM_ID", "GROUP_ID", "GROUP_NAME", "PARENT_ID", "GROUP_ORDER")

LISTED = ("net_list", "gros_list", "nrp")
"""Types of prices that come first, in this order: a price for one customer may be what the dealer itself pays."""

PRICE_FIRST = ("article number", "price", "currency", "from quantity", "price per", "order unit", "kind of price")

OF_EACH_PRICE = ("article number", "order unit", "price per")
"""Columns of an article that hold for each of its prices."""

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")


def bmecat(root: Any) -> list[Sheet]:
    return _Catalogue(root).sheets()


@cache
def _standard(name: str) -> str:
    """Returns the name that BMEcat 2005 has for an element."""
    known = {"ARTICLE": "PRODUCT", "ART_ID": "PROD_ID", "ART_ID_TO": "PROD_ID_TO"}.get(name, name)
    return re.sub(r"_AID$", "_PID", re.sub(r"^ARTICLE_", "PRODUCT_", known))


class _Catalogue:
    """One BMEcat file; names of codes, groups and the header are gathered before its articles are read, and the names
    of columns, which have units, are final when all articles are there.

    Columns in the catalogue's own language have plain names; those of others begin with their language.
    """

    def __init__(self, root: Any) -> None:
        self._root = root
        self._header = [leaf for element in root if local(element) == "HEADER" for leaf in leaves(element)]
        spoken = [each for each in root.iter("{*}LANGUAGE") if text_in(each)]
        spoken.sort(key=lambda each: each.get("default") != "true")
        self._language = text_in(spoken[0]).lower() if spoken else ""
        self._articles, self._prices, self._unread = list[Cells](), list[Cells](), Skipped()
        self._measured = list[tuple[Cells, str, str]]()
        """The cells of features that have figures, with column and unit."""
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
        return [self._goods(), *self._price_lists(), header(self._header)]

    def _is_own(self, leaf: Leaf) -> bool:
        return not leaf.language or leaf.language == self._language

    def _names_of_codes(self) -> Iterator[tuple[tuple[str, str], str]]:
        """Yields ((kind of code, code), name); among several languages that of the catalogue is taken."""
        names = columns("bmecat_words")
        for code in self._root.iter(*(f"{{*}}{kind}" for kind in names)):
            words = [leaf for each in code.getparent() if local(each) == names[local(code)] for leaf in leaves(each)]
            for word in sorted(words, key=lambda leaf: not self._is_own(leaf))[:1]:
                yield (local(code), text_in(code)), word.text

    def _groups_by_article(self) -> dict[str, list[str]]:
        named = {}
        for group in self._root.iter("{*}CATALOG_STRUCTURE"):
            own = list(leaves(group))
            said = {leaf.name: leaf.text for leaf in reversed(own) if self._is_own(leaf)}
            named[said.get("GROUP_ID", "")] = said.get("GROUP_NAME", "")
            self._unread.add(leaf for leaf in own if leaf.name not in OF_A_GROUP or not self._is_own(leaf))
        found = defaultdict[str, list[str]](list)
        for pair in self._root.iter("{*}ARTICLE_TO_CATALOGGROUP_MAP", "{*}PRODUCT_TO_CATALOGGROUP_MAP"):
            said = {_standard(leaf.name): leaf.text for leaf in leaves(pair)}
            group = said.get("CATALOG_GROUP_ID", "")
            found[said.get("PROD_ID", "")].append(named.get(group) or group)
        return found

    def _article(self, element: Any) -> None:
        cells = Cells()
        later = {"PRODUCT_FEATURES": self._features, "PRODUCT_PRICE_DETAILS": self._price_details}
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
        self._articles.append(cells)

    def _details(self, part: Any, cells: Cells) -> None:
        for leaf in leaves(part):
            column = columns("bmecat").get(_standard(leaf.name))
            if column in ("status", "special treatment", "references") and leaf.type:
                put(cells, column, f"{leaf.type}: {leaf.text}")
            elif column or leaf.path[0] == OWN:
                column = column or leaf.name.removeprefix("UDX.")
                put(cells, column if self._is_own(leaf) else f"{leaf.language} {column}", leaf.text)
            else:
                self._unread.add([leaf])

    def _features(self, part: Any, cells: Cells) -> None:
        """Reads the article's class in one system, which is its category where it has no group, and its features."""
        own = [leaf for each in part if local(each) in OF_A_CLASS for leaf in leaves(each)]
        said = {leaf.name: leaf.text for leaf in reversed(own) if self._is_own(leaf)}
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
            if self._is_own(leaf) and "VARIANTS" not in leaf.path:
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
            column = name if name not in cells else f"{name} ({system or 'further'})"
            cells[column] = figure(value) if sign else value
            if any(map(str.isdigit, value)):
                self._measured.append((cells, column, sign))
        self._unread.add(
            leaf for leaf in own if leaf.name != "FORDER" and not (leaf.name in read and leaf.text in said[leaf.name])
        )

    def _price_details(self, details: Any, article: Cells) -> None:
        shared = {name: cell for name, cell in article.items() if name in OF_EACH_PRICE}
        prices = [part for part in details if _standard(local(part)) == "PRODUCT_PRICE"]
        for part in details:
            if part not in prices:
                self._price_leaves(leaves(part), shared)
        for part in prices:
            price = {**shared, "kind of price": part.get("price_type", "")}
            self._price_leaves(leaves(part), price)
            price.setdefault("currency", self._currency)
            self._prices.append(_with_factor(price))

    def _price_leaves(self, found: Iterator[Leaf], price: Cells) -> None:
        for leaf in found:
            if column := columns("bmecat_price").get(leaf.type if leaf.name == "DATE" else leaf.name):
                put(price, column, leaf.text)
            else:
                self._unread.add([leaf])

    def _goods(self) -> Sheet:
        """Writes a unit into the column's name, or into its cells where these have several units."""
        units = defaultdict[str, set[str]](set)
        for _, column, unit in self._measured:
            units[column].add(unit)
        for cells, column, unit in self._measured:
            if len(units[column]) > 1:
                cells[column] = f"{cells[column]} {unit}".strip()
        goods = sheet("articles", self._articles, first=columns("bmecat").values(), unread=self._unread.told())
        title = {column: f"{column} [{one}]" for column, [one, *more] in units.items() if one and not more}
        return replace(goods, rows=[[title.get(str(name), name) for name in goods.rows[0]], *goods.rows[1:]])

    def _price_lists(self) -> Iterator[Sheet]:
        """Yields a sheet for each type, currency and territory: prices that differ there are no tiers of one another.
        The first is the one to take; the others are hidden, and reported where they are not read. A second price of
        one article and quantity, which holds at another time, goes into a further sheet.
        """
        lists: dict[tuple[str, ...], dict[tuple[object, ...], Cells]] = {}
        for price in self._prices:
            key = [str(price.get(part) or "") for part in ("kind of price", "currency", "territory")]
            place = (price.get("article number"), price.get("from quantity"))
            number = next(n for n in range(1, len(self._prices) + 1) if place not in lists.get((*key, str(n)), {}))
            lists.setdefault((*key, str(number)), {})[place] = price
        order = sorted(lists, key=lambda key: (LISTED.index(key[0]) if key[0] in LISTED else len(LISTED), key))
        for at, made in enumerate(order):
            name = " ".join(filter(None, ("prices", *made[:-1], made[-1] if made[-1] != "1" else "")))
            yield sheet(name if at else "prices", lists[made].values(), first=PRICE_FIRST, hidden=at > 0)


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
