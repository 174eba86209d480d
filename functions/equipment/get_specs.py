"""get_specs: several products side by side, against what is asked for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, ClassVar

from pydantic import ConfigDict, Field

from equipment import queries
from equipment.model import Product, Specifications
from quarry import characteristics
from quarry.paging.budget import LongText
from quarry.paging.pages import PagedArgs, PagedTexts, Pages
from quarry.precedents.past_lines import disagreement, own_disagreement
from quarry.products import PRODUCTS
from quarry.retrieval import answers, reasons, requests
from quarry.retrieval.nearness import KINDS
from quarry.retrieval.part_numbers import model_key
from quarry.retrieval.ranking import Candidate, Ranked
from quarry.retrieval.vocabulary import FIT, UNDERSTOOD, Query
from quarry.tool.contract import OPAQUE, Part, retrieval_tool
from quarry.tool.identity import Caller
from quarry.tool.runtime import serve
from quarry.understanding.fit import short
from quarry.understanding.heads import AUXILIARY
from quarry.understanding.needs import Item, Language, Need
from quarry.understanding.traits import row_traits
from quarry.units import BESIDE, METRIC_FIGURE, Units, units_of

TOOL = retrieval_tool(
    "get_specs",
    title="Compare products",
    toolset="equipment",
    description="""
        Catalogue rows of several models side by side, in the order asked; with needs each says how it meets
        them, and misleading names are told. Unknown models are in not_found; what a row leaves out
        the catalogue does not say.
    """,
)

PAGES = Pages(tool=TOOL, into="products", text=LongText("description"))

MACHINES = frozenset(("compressor", "vacuum_pump", "blower", "dryer", "receiver"))
"""Families whose name is a word of a request as well."""

DRIVEN = frozenset(("compressor", "vacuum_pump", "blower"))
POWERED = DRIVEN | {"dryer"}
OF_FAMILIES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("hp", "lubrication", "compression", "drive", "arrangement", "redundancy", "motor"), DRIVEN),
    **dict.fromkeys(("cooling", "dba", "quiet", "ambient_f", "altitude_ft"), POWERED),
    **dict.fromkeys(("dewpoint_f", "dryer_kind", "inlet_f", "net_cfm"), frozenset(("dryer",))),
    **dict.fromkeys(("filter_kind", "micron", "particle_class"), frozenset(("filtration",))),
    "voltage": POWERED | {"accessory"},
    "cfm": POWERED | {"filtration", "accessory"},
    "psi": (POWERED | {"filtration", "receiver"}) - {"vacuum_pump"},
    "inhg": frozenset(("vacuum_pump", "blower", "receiver")),
    "gallons": frozenset(("compressor", "vacuum_pump", "receiver")),
}
"""What is asked of some kinds of goods alone; any other need concerns all."""
OF_THE_SITE = frozenset((
    "voltage", "height_in", "width_in", "length_in", "altitude_ft", "ambient_f", "inlet_f", "cooling", "industry",
))  # fmt: skip
"""What is said of one thing and holds for all that stands beside it."""
OF_ONE_KIND = KINDS | {"model"}
OF_VESSELS = frozenset(("asme", "ped"))
"""Certificates that a tank has, and no machine beside it."""
OF_NO_ITEM = -1
UNPRINTED = frozenset(("gallons", "attributes", "source"))
"""Columns that no characteristics block has."""

Model = Annotated[str, Field(min_length=1, max_length=200)]


class GetSpecsArgs(PagedArgs):
    models: list[Model] = Field(min_length=1, max_length=20, description="Models, e.g. ['QMB30', 'QSI-500'].")
    needs: Query | None = Field(default=None, description="What is asked for, in words.")
    units: Units | None = Field(default=None, description=BESIDE)
    blocks: bool = Field(default=False, description="Filled characteristics blocks in place of columns.")


class MissingModel(Part):
    model: str = Field(description="The model as asked.")
    nearest: list[str] = Field(description="Models spelt most alike.")


class ComparedProduct(Product):
    """A row of the catalogue, and how it compares."""

    model_config = ConfigDict(json_schema_extra={OPAQUE: True})

    description: str = Field(default="", description="Catalogue text.")
    fit: str | None = Field(default=None, description=FIT)
    characteristics: str | None = Field(default=None, description="Filled block, with blocks.")
    conflict: str | None = Field(
        default=None,
        description="Where its own row or a past quote says otherwise: settle it before either is written.",
    )


class Compared(Part):
    products: list[ComparedProduct] = Field(
        description="In the order asked; more than one for a model that several manufacturers use."
    )
    omitted: int = Field(default=0, description="Products left to the next pages.")
    not_found: list[MissingModel] = Field(description="Models that are not in the catalogue; on the first page.")
    understood: list[str] | None = Field(default=None, description=UNDERSTOOD)
    notice: str | None = Field(
        default=None,
        description="Names that mislead, what is absent, what comes nearest.",
    )


class GetSpecsResult(PagedTexts, Compared):
    """Products side by side."""

    lean: ClassVar[bool] = True


def run(args: GetSpecsArgs, caller: Caller) -> GetSpecsResult:
    rows: list[Product] = []
    missing: list[MissingModel] = []
    for model in dict.fromkeys(args.models):
        found = queries.find(caller.tenant, model=model)
        rows.extend(product for product in found if product not in rows)
        if not found:
            missing.append(MissingModel(model=model, nearest=queries.nearest(caller.tenant, model=model)))
    products = _with_conflicts(rows, caller)
    page = GetSpecsResult(products=[], not_found=[] if args.cursor else missing)
    if args.needs is not None:
        reading = _read(args.needs, products, tenant=caller.tenant)
        asked = [need.shown or need.words for need in reading.request.needs] if reading.request else []
        products, notices = _against(products, reading)
        page = page.model_copy(update={"understood": asked, "notice": " ".join(notices) or None})
    if args.blocks:
        metric = characteristics.metric_of(args.needs or "", units=units_of(args.units, tenant=caller.tenant))
        language = requests.language_of(PRODUCTS, args.needs or "", tenant=caller.tenant)
        products = [
            _with_block(product, metric=metric, language=language, alone=args.needs is None) for product in products
        ]
    if units_of(args.units, tenant=caller.tenant) == "metric" or METRIC_FIGURE.search(args.needs or ""):
        products = [product if product.characteristics else product.with_metric() for product in products]
    keys = [(product.manufacturer, product.model) for product in products]
    return PAGES.of_ranking(page, products, keys=keys, args=args, caller=caller)


def _read(asked: str, products: Sequence[Product], *, tenant: str) -> requests.Reading:
    """The needs as of the machines that are compared where the words name no other: 300 SCFM of a vacuum pump is
    standard air, and m³/h tell no compressor.
    """
    reading = requests.read(PRODUCTS, asked, tenant=tenant)
    families = {product.family for product in products}
    request = reading.request
    if request is None or len(families) != 1 or not families <= MACHINES:
        return reading
    said = [need for need in request.needs if need.attribute == "family" and need.implied_by != "attribute"]
    if said:
        return reading
    named = f"{families.pop().replace('_', ' ')}, "
    reading = requests.read(PRODUCTS, named + asked, tenant=tenant)
    assert reading.request is not None
    items = [
        replace(item, needs=tuple(need for need in item.needs if need.attribute != "family"))
        for item in reading.request.items
    ]
    return replace(reading, request=replace(reading.request, items=tuple(items)))


def _with_block(
    product: ComparedProduct, *, metric: characteristics.Metric | None, language: Language, alone: bool
) -> ComparedProduct:
    """The columns stand in the block and not beside it again; ``alone``: nothing but the block is wanted."""
    block = characteristics.block(product.model_dump(), quantity=None, metric=metric, language=language)
    if block is None:
        return product
    columns = set(Specifications.model_fields) - (set() if alone else UNPRINTED)
    told = {"description": ""} if alone else {}
    return product.model_copy(update={**dict.fromkeys(columns), **told, "characteristics": block})


def _with_conflicts(products: Sequence[Product], caller: Caller) -> list[ComparedProduct]:
    """The products, each with where its own row does not agree with itself and, for who may read past quotes, the
    newest past line that contradicts it.
    """
    lines = queries.quoted(caller.tenant, products) if caller.may("quotes:read") else []
    compared = []
    for product in products:
        row = product.model_dump()
        said = (
            f"{line['source']}: {apart}"
            for line in lines
            if (line["model_key"], line["maker"]) == (model_key(product.model), product.manufacturer.lower())
            and (apart := disagreement(line, row))
        )
        conflicts = [*filter(None, [own_disagreement(row)]), *islice(said, 1)]
        compared.append(ComparedProduct.model_validate({**row, "conflict": "; ".join(conflicts) or None}))
    return compared


def _against(
    products: Sequence[ComparedProduct], reading: requests.Reading
) -> tuple[list[ComparedProduct], list[str]]:
    """(the products with their fit, what to know of all of them)."""
    rows = [Candidate(doc=number, row=product.model_dump()) for number, product in enumerate(products)]
    kinds = {(product.family, *sorted(_accessories(row.row))) for product, row in zip(products, rows, strict=True)}
    asked = {family for item in reading.request.items for family in item.families} if reading.request else set()
    families = {family for family, *_ in kinds}
    if len(kinds) == 1 and (not asked or not asked <= AUXILIARY or families <= asked):
        judged = answers.answered(rows, _concerning(reading, families.pop()), corpus=PRODUCTS)
    else:
        judged = [_of_its_own_kind(one, reading) for one in rows]
    fits = [_fit(one) for one in judged]
    told = [product.model_copy(update={"fit": fit}) for product, fit in zip(products, fits, strict=True)]
    return told, reasons.of_request(reading, [Ranked(one, 0.0, 0.0, 0.0) for one in judged], compared=True)


def _fit(one: Candidate) -> str | None:
    """Of a product of another kind than was asked for only what its row tells, and of a separator no voltage."""
    findings = one.answer.judgement.findings if one.answer else ()
    of_another = one.answer is not None and one.answer.item == OF_NO_ITEM
    silent = {"voltage"} if one.row["family"] == "accessory" else ()
    told = (
        each for each in findings if each.verdict != "unknown" or not (of_another or each.need.attribute in silent)
    )
    return short(told) or None


def _concerning(reading: requests.Reading, family: str) -> requests.Reading:
    """The reading with the needs that say anything of such a product."""
    if reading.request is None:
        return reading
    items = [
        replace(item, needs=tuple(need for need in item.needs if family in _families_of(need, family)))
        for item in reading.request.items
    ]
    return replace(reading, request=replace(reading.request, items=tuple(items)))


def _families_of(need: Need, family: str) -> Collection[str]:
    """Whom a need concerns, the ``family`` among them where it concerns all."""
    if need.attribute == "certificate" and need.values <= OF_VESSELS:
        return ("receiver",)
    return OF_FAMILIES.get(need.attribute, (family,))


def _of_its_own_kind(one: Candidate, reading: requests.Reading) -> Candidate:
    """Among goods of several kinds each answers for what is asked of its own, else for what concerns it of all that
    is asked.
    """
    if reading.request is None:
        return one
    family, whole = one.row["family"], reading.request.items
    reading = _concerning(reading, family)
    assert reading.request is not None
    items = reading.request.items
    own = [place for place, item in enumerate(items) if _names(item, one.row)]
    own = own or [place for place, item in enumerate(items) if _is_of_its_kind(item, one.row)]
    if own:
        asked = [items[place] for place in own]
    else:
        first = {
            need.attribute: need
            for item, asked_for in zip(reversed(items), reversed(whole), strict=True)
            for need in item.needs
            if need.attribute not in OF_ONE_KIND and _concerns(need, asked_for, family)
        }
        asked = [replace(items[0], needs=tuple(first.values()))] if first else []
    narrowed = replace(reading, request=replace(reading.request, items=tuple(asked)))
    [judged] = answers.answered([one], narrowed, corpus=PRODUCTS) if asked else [one]
    if judged.answer is None:
        return judged
    item = own[judged.answer.item] if own else OF_NO_ITEM
    return replace(judged, answer=replace(judged.answer, item=item))


def _names(item: Item, row: Mapping[str, object]) -> bool:
    """Whether the item asks for this very model."""
    need = item.need("model")
    return need is not None and model_key(str(row["model"])) in {model_key(value) for value in need.values}


def _is_of_its_kind(item: Item, row: Mapping[str, object]) -> bool:
    """Whether it is such a thing that the item asks for, of accessories one that serves the same."""
    kind = item.need("accessory_kind")
    other = kind is not None and kind.operator == "one_of" and not kind.values & _accessories(row)
    return row["family"] in item.families and not other and item.need("model") is None


def _accessories(row: Mapping[str, object]) -> frozenset[str]:
    return row_traits(row).get("accessory_kind", frozenset()) if row["family"] == "accessory" else frozenset()


def _concerns(need: Need, item: Item, family: str) -> bool:
    """Whether what is asked of an item holds for another kind of goods: what no such item has, and all that stands
    behind a compressor has its air and pressure.
    """
    kind = item.need("family")
    figures = {each.words for each in item.needs if each.low is not None or each.high is not None}
    # Who writes 150 mbar has a vacuum pump among the things of which he names none.
    named = item.need("model") or (kind and kind.words not in figures)
    # 40 hp of what only its pressure shows to be a compressor are none of a vacuum pump.
    named = named or (item.families <= DRIVEN and family in DRIVEN)
    if need.attribute in OF_THE_SITE or not named or not item.families:
        return True
    of_the_item = item.families & frozenset(_families_of(need, next(iter(item.families), "")))
    return not of_the_item or (item.families == {"compressor"} and family not in DRIVEN)


handler = serve(TOOL, GetSpecsArgs, run)
