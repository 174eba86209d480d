"""Where a fact of a statement comes from: judged against what its item may rest on."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from cpq.drafts.evidence import Evidence, Machine, OwnQuote, digits_of
from cpq.drafts.facts import JOINING, Fact
from cpq.drafts.figures import NATIVE, columns_of, ends_of, equals, states
from cpq.drafts.findings import Remark, Verdict
from cpq.drafts.scopes import Scope
from cpq.drafts.written_numbers import SIDES, WRITTEN_FIGURE, canonical, words_about
from quarry.money import with_code
from quarry.understanding.text import fold, key_of, tokens
from quarry.units import metric

SHOWN = {
    "hp": "HP", "cfm": "CFM", "psi": "PSIG", "vacuum_inhg": "inHg", "dewpoint_f": "°F", "gallons": "gal",
    "noise_dba": "dBA", "weight_lb": "lb", "length_in": "in", "width_in": "in", "height_in": "in",
}  # fmt: skip
ADDED = frozenset(("hp", "cfm", "gallons", "weight_lb"))
"""What several machines have together."""
OF_A_PLANT = frozenset(("pressure", "temperature", "temperature_c", "temperature_f"))
"""Measures of the customer's plant and of his peaks."""
WORDS_OF_A_MODEL = 6
MOST_GOODS = 4
"""Words between a count and the model that it counts: 2 coalescing filters NF-500C."""
MOST_COUNTED = 12
MOST_ADDED = 10
"""Lines of a quote whose sums are tried."""
COUNTED = frozenset(
    ("item", "items", "line", "lines", "pos", "position", "positions", "positionen", "posten", "option", "options",
     "stage", "stages", "step", "steps", "phase", "phases", "stufe", "schritt", "etapa", "fase", "paso", "etape",
     "question", "questions", "frage", "fragen", "pregunta", "preguntas",
     "no", "nr", "artikel", "page", "zeile", "partida", "partidas", "articulo", "articulos", "poste", "postes")
)  # fmt: skip
"""What a number behind it counts in the letter or in the request itself."""

SUPPLIES = frozenset(
    ("panel", "panels", "circuit", "supply", "service", "bus", "feeder", "board", "verteilung", "schaltschrank",
     "netz", "tablero", "circuito", "tableau", "armoire")
)  # fmt: skip
"""A number before these is a voltage whose unit is left out."""
MOTORS = {"480": "460", "600": "575", "240": "230", "120": "115"}
"""The motor's voltage, by that of an American supply."""
NOMINAL = {**MOTORS, "415": "400"}
"""The same, by a supply that a number alone names."""
QUANTITIES = frozenset(("quantity", "qty", "menge", "anzahl", "cantidad", "quantite"))
"""Behind these a number is how many of the item are offered."""


def judge(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    match fact.kind:
        case "figure":
            return _figure(fact, line=line, scope=scope, evidence=evidence)
        case "sizes":
            return _sizes(fact, line=line, scope=scope, evidence=evidence)
        case "voltage":
            return _voltage(fact, line=line, scope=scope, evidence=evidence)
        case "price":
            return price(fact, line=line, scope=scope, evidence=evidence)
        case "model":
            return _model(fact, line=line, scope=scope, evidence=evidence)
        case "maker":
            return _maker(fact, line=line, scope=scope, evidence=evidence)
        case "name":
            return named(fact, line=line, evidence=evidence)
        case "quote":
            return _quote(fact, line=line, evidence=evidence)
        case "property":
            return _property(fact, line=line, scope=scope, evidence=evidence)
        case "number":
            return _number(fact, line=line, scope=scope, evidence=evidence)


def _figure(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    assert fact.measure is not None
    columns = columns_of(fact)
    known: list[tuple[Machine, str, float]] = [
        (machine, column, float(machine.values[column]))
        for machine in scope.machines
        for column in columns
        if isinstance(machine.values.get(column), int | float) and not fact.other
    ]
    counts = dict(scope.quantities)
    known += [(machine, column, value * counts[machine.key])
              for machine, column, value in known
              if fact.together and machine.key in counts and column in ADDED]  # fmt: skip
    ends = ends_of(fact)
    has = next((one for one in known if equals(fact, one[1], one[2])), None)
    if ends or has is None:
        for source in scope.grounds:
            if states(fact, source, evidence.measured(source), ends=ends):
                return _supported(fact, line, source.name)
        if ends and all(any(equals(end, column, value) for _, column, value in known) for end in ends):
            return _supported(fact, line, "catalogue")
        if not scope.item and len(scope.machines) != 1 and _is_bare(fact, scope, evidence):
            return _supported(fact, line, "request")
        if known and _is_one(known):
            machine, column, value = known[0]
            right = _shown(machine, column, fact)
            why = f"{machine.maker} {machine.model} has {value:g} {SHOWN[column]}"
            return Remark("contradicted", "specification", line, fact.text, machine.model, right, why)
        return Remark("unsupported", "specification", line, fact.text, why="no source has this figure")
    return _supported(fact, line, f"catalogue: {has[0].maker} {has[0].model}")


def _is_bare(fact: Fact, scope: Scope, evidence: Evidence) -> bool:
    """Whether the customer wrote the number and left its unit to the reader: nine at peak; not of sizes and powers,
    which are the machine's.
    """
    assert fact.measure is not None
    digits = WRITTEN_FIGURE.findall(fact.text)
    theirs = (each for each in scope.stated if each.origin == "request")
    return fact.measure.attribute in OF_A_PLANT and len(digits) == 1 and any(
        other.kind == "number" and other.text == digits[0] for each in theirs for other in evidence.measured(each)
    )  # fmt: skip


def _is_one(known: Sequence[tuple[Machine, str, float]]) -> bool:
    """Whether one machine alone is meant, which tells what is right."""
    return len({machine.key for machine, _, _ in known}) == 1


def _shown(machine: Machine, column: str, fact: Fact) -> str:
    assert fact.measure is not None
    value = f"{machine.values[column]:g} {SHOWN[column]}"
    if fact.measure.unit.name == NATIVE[column]:
        return value
    converted = metric({column: machine.values[column]}) or {}
    return ", ".join([value, *(f"{number:g} {name}" for name, number in converted.items())])


def of_another(fact: Fact, *, beside: Iterable[Fact], line: int, scope: Scope, evidence: Evidence) -> Remark | None:
    """Where a figure is another machine's of the letter, and one of its own machine stands in the same sentence: "a
    dryer of 1000 scfm for the 505 cfm of the compressor"."""
    if fact.measure is None or scope.machine is None:
        return None
    columns = [column for column, _ in canonical(fact.measure)]
    own = scope.machine
    if not any(other is not fact and other.measure is not None and _has(own, other, columns) for other in beside):
        return None
    machine = next((each for each in evidence.machines if _has(each, fact, columns)), None)
    return None if machine is None else _supported(fact, line, f"catalogue: {machine.maker} {machine.model}")


def of_the_mail(fact: Fact, *, beside: Iterable[Fact], line: int, scope: Scope, evidence: Evidence) -> Remark | None:
    """Where a figure is what the customer wrote without its unit, and the machine's own stands in the same sentence:
    "10 bar for 9 bar at peak".
    """
    if fact.measure is None or not _is_bare(fact, scope, evidence):
        return None
    columns = [column for column, _ in canonical(fact.measure)]
    own = (other for other in beside if other is not fact and other.measure is not None)
    told = any(_has(machine, other, columns) for other in own for machine in scope.machines)
    return _supported(fact, line, "request") if told else None


def _has(machine: Machine, fact: Fact, columns: Sequence[str]) -> bool:
    values = [(column, machine.values.get(column)) for column in columns]
    return any(isinstance(value, int | float) and equals(fact, column, float(value)) for column, value in values)


def _sizes(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    sized = [(machine, own) for machine in scope.machines if len(own := own_sides(machine)) == SIDES]
    for machine, own in sized:
        if same_sides(fact.amounts, own):
            return _supported(fact, line, f"catalogue: {machine.maker} {machine.model}")
    for source in scope.grounds:
        if any(
            other.kind == "sizes" and same_sides(fact.amounts, other.amounts[::2])
            for other in evidence.measured(source)
        ):
            return _supported(fact, line, source.name)
    if len(sized) == 1:
        machine, own = sized[0]
        right = " x ".join(f"{side:g}" for side in own) + " in"
        why = f"{machine.maker} {machine.model} measures {right}"
        return Remark("contradicted", "specification", line, fact.text, machine.model, right, why)
    return Remark("unsupported", "specification", line, fact.text, why="no source has these sizes")


def own_sides(machine: Machine) -> Sequence[float]:
    """Length, width and height of the catalogue in inches, as far as it has them."""
    values = (machine.values.get(name) for name in ("length_in", "width_in", "height_in"))
    return [float(value) for value in values if isinstance(value, int | float)]


def same_sides(stated: Sequence[float], own: Sequence[float]) -> bool:
    """Whether each stated side is the own one within its rounding; `stated` as facts.sides gives it."""
    return len(stated) == 2 * len(own) and all(
        abs(side - ours) <= half for side, half, ours in zip(stated[::2], stated[1::2], own, strict=True)
    )


def _voltage(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    rated = [(machine, str(machine.values["voltage"])) for machine in scope.machines if machine.values.get("voltage")]
    for machine, voltage in rated:
        if fact.values <= set(re.findall(r"\d+", voltage)):
            return _supported(fact, line, f"catalogue: {machine.maker} {machine.model}")
    for source in scope.stated:
        if any(other.kind == "voltage" and fact.values <= other.values for other in evidence.measured(source)):
            return _supported(fact, line, source.name)
    # Who writes "460" leaves the unit to the reader.
    requests = (source for source in scope.stated if source.origin == "request")
    bare = next((source for source in requests if fact.values and fact.values <= source.numbers), None)
    if bare is not None:
        return _supported(fact, line, bare.name)
    if len(rated) == 1:
        return Remark("contradicted", "specification", line, fact.text, rated[0][0].model, rated[0][1])
    return Remark("unsupported", "specification", line, fact.text, why="no source has this supply")


def price(
    fact: Fact, *, line: int, scope: Scope, evidence: Evidence, allowed: Iterable[Decimal | None] | None = None
) -> Remark:
    """A price stands in a letter only where a quote of ours has it; `allowed` says which of its amounts may here."""
    offer = evidence.offer
    right: list[Decimal] = []
    if offer is not None:
        lines = [scope.line] if scope.line is not None else list(offer.lines)
        amounts = [amount for each in lines for amount in (each.net, each.unit_price, each.total)]
        if not scope.item:
            amounts += [offer.total, offer.tax]
        right = [amount for amount in (amounts if allowed is None else allowed) if amount is not None]
    if any(abs(float(amount) - stated) < 0.005 for amount in right for stated in fact.amounts):
        assert offer is not None
        return _supported(fact, line, offer.id, kind="price")
    if offer is None:
        why = "no quote was named that has this price: leave $[PRICE] to the salesperson"
        return Remark("unsupported", "price", line, fact.text, why=why)
    if not right:
        return Remark("unsupported", "price", line, fact.text, offer.id, why="the quote is not priced")
    if allowed is None and not scope.item and any(_adds_up(stated, offer) for stated in fact.amounts):
        return _supported(fact, line, f"{offer.id}: a sum of its lines", kind="price")
    told = allowed is not None or scope.line is not None or len(offer.lines) == 1
    said = with_code(right[0], offer.currency) if told else ""
    return Remark(
        "contradicted", "price", line, fact.text, offer.id, said, "" if told else "the quote has no such price"
    )


def _adds_up(stated: float, offer: OwnQuote) -> bool:
    """Whether it is what several lines of the quote come to together."""
    totals = [line.total for line in offer.lines if line.total is not None][:MOST_ADDED]
    sums = {Decimal(0)}
    for total in totals:
        sums |= {each + total for each in sums}
    return any(abs(float(each) - stated) < 0.005 for each in sums - {Decimal(0)})


def _keys(scope: Scope) -> set[str]:
    keys = {machine.key for machine in scope.machines}
    return keys | ({key_of(scope.line.model), key_of(scope.line.sku)} if scope.line else set())


def _model(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    keys = {key_of(fact.text), *map(key_of, fact.values)}
    if not evidence.models.isdisjoint(keys):
        return _supported(fact, line, "catalogue")
    # Goods without a row of the catalogue are known by what the customer had of them.
    had = (each for each in evidence.history if key_of(each.model) in keys or each.holds(fact.text))
    if scope.machine is None and (own := next(had, None)) is not None:
        return _supported(fact, line, own.name)
    if any(source.holds(fact.text) for source in scope.stated):
        return _supported(fact, line, next(source.name for source in scope.stated if source.holds(fact.text)))
    right = scope.machines[0].model if scope.item and scope.machines else ""
    why = "it is none of the products named for this draft" if fact.values else "no such model is known"
    verdict: Verdict = "contradicted" if right else "unsupported"
    return Remark(verdict, "model", line, fact.text, right=right, why=why)


def _maker(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    makers = {machine.maker for machine in evidence.machines}
    makers |= {each.maker for each in evidence.offer.lines} if evidence.offer else set()
    if fact.values & makers or any(source.holds(fact.text) for source in scope.stated):
        return _supported(fact, line, "catalogue")
    had = (
        each for each in evidence.history if not scope.item and (each.maker in fact.values or each.holds(fact.text))
    )
    if (own := next(had, None)) is not None:
        return _supported(fact, line, own.name)
    right = scope.machine.maker if scope.machine else ""
    return Remark("contradicted" if right else "unsupported", "maker", line, fact.text, right=right,
                   why="it makes none of the products named for this draft")  # fmt: skip


def named(fact: Fact, *, line: int, evidence: Evidence) -> Remark:
    """Names of the archive; those of the draft's own customer and of the house may stand in a letter."""
    key = key_of(fact.text)
    own = [evidence.customer, *evidence.people, evidence.request, evidence.address, *evidence.house.facts.values()]
    if fact.attribute == "salesperson" or any(key in key_of(text) for text in own if text):
        return _supported(fact, line, "account")
    whole = any(key == key_of(value) for value in fact.values) or " " in fact.text.strip()
    cited = [name for quote in evidence.past_quotes.values() for name in (quote.customer, *quote.people)]
    if whole or any(value in cited for value in fact.values):
        kind = "customer" if fact.attribute == "customer" else "person"
        return Remark("foreign", kind, line, fact.text, ", ".join(sorted(fact.values)), why="not of this customer")
    return _supported(fact, line, "own words")


def _quote(fact: Fact, *, line: int, evidence: Evidence) -> Remark:
    ours = {*evidence.quotes, evidence.offer.id} if evidence.offer is not None else evidence.quotes
    if fact.text in ours or fact.text in evidence.request:
        return _supported(fact, line, fact.text)
    theirs = evidence.past_quotes.get(fact.text)
    if theirs is not None and evidence.is_the_customer(theirs.customer):
        return _supported(fact, line, fact.text)
    return Remark("foreign", "quote number", line, fact.text, why="a letter names no other quote")


def _property(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    known = [(machine, fold(str(machine.values[fact.attribute])))
             for machine in scope.machines if machine.values.get(fact.attribute)]  # fmt: skip
    value = next(iter(fact.values))
    for machine, theirs in known:
        if value in theirs or theirs in value:
            return _supported(fact, line, f"catalogue: {machine.maker} {machine.model}")
    for source in scope.grounds:
        if any(other.kind == "property" and other.values == fact.values for other in evidence.measured(source)):
            return _supported(fact, line, source.name)
    if fact.attribute == "lubrication" and known and scope.item:
        return Remark("contradicted", "specification", line, fact.text, known[0][0].model, known[0][1])
    if fact.attribute == "certificate":
        return Remark("unsupported", "specification", line, fact.text, why="no source says so")
    return _supported(fact, line, "own words")


def _number(fact: Fact, *, line: int, scope: Scope, evidence: Evidence) -> Remark:
    text = fold(fact.text)
    before, following = fact.near
    if following in SUPPLIES and scope.machine is not None and scope.machine.values.get("voltage"):
        rated = str(scope.machine.values["voltage"])
        if {text, NOMINAL.get(text, text)} & set(re.findall(r"\d{3}", rated)):
            return _supported(fact, line, f"catalogue: {scope.machine.maker} {scope.machine.model}", kind="voltage")
        return Remark("contradicted", "specification", line, fact.text, scope.machine.model, rated)
    numbered = text.isdecimal() and 0 < int(text) <= scope.offered and _is_goods(before, evidence)
    if before.startswith("incoterm") or _counts_machines(fact, scope, evidence):
        return _supported(fact, line, "own words")
    if numbered or (before in COUNTED and not _beyond(before, text, scope)):
        return _supported(fact, line, "own words")
    if before in QUANTITIES and (scope.line is None or text == str(scope.line.quantity)):
        return _supported(fact, line, "own words")
    if theirs := next((each for each in evidence.own_past if text == str(each.quote_date.year)), None):
        return _supported(fact, line, theirs.number)
    if text == str(evidence.offer.valid_until.year if evidence.offer else ""):
        return _supported(fact, line, "own words")
    key = f"{following} {text}" if following.isalpha() else f"{before} {text}" if before else text
    if scope.line is not None and text == str(scope.line.quantity):
        return _supported(fact, line, evidence.offer.id if evidence.offer else "")
    digits = digits_of(text)
    for source in scope.by_digits.get(digits, ()):
        # What the customer wrote is said again in other words; of two digits a number is hardly met by chance.
        if key in source.numbers or (source.origin == "request" and len(text) > 1 and text in source.numbers):
            return _supported(fact, line, source.name)
        counted = source.counted.get(text) if source.origin == "request" else None
        if counted and counted & words_about(*fact.among):
            return _supported(fact, line, source.name)
        foreign = source.origin == "translated" or (source.origin in ("house", "quote") and evidence.translated)
        if foreign and digits in source.figures:
            return _supported(fact, line, source.name)
    if (not following.isalpha() or "x" in fact.near or following in JOINING) and any(
        text.replace(",", "") in machine.numbers for machine in scope.machines
    ):
        return _supported(fact, line, "catalogue")
    if text == str(evidence.today.year):
        return _supported(fact, line, "today")
    return Remark("unsupported", "number", line, fact.text, why="no source has this number here")


def _beyond(before: str, text: str, scope: Scope) -> bool:
    """Whether it is an item's number and the letter has fewer, and the request none of that number."""
    asked = any(text in source.numbers for source in scope.stated if source.origin == "request")
    return before in ("item", "items") and text.isdecimal() and int(text) > scope.items > 0 and not asked


def _counts_machines(fact: Fact, scope: Scope, evidence: Evidence) -> bool:
    """Whether it is how many of a model are meant, "4 x KC-150HL", "2 filters NF-500C": of one that is offered as
    many as are offered.
    """
    words, place = fact.among
    if not words or not fact.text.isdecimal():
        return False
    marked = fact.near[1] in ("x", "of", "von", "de")
    goods = 0 if marked or int(fact.text) > MOST_COUNTED or fact.near[0] in COUNTED else MOST_GOODS
    makers = {word for machine in evidence.machines for word in fold(machine.maker).split()}
    for start in range(place + 1 + marked, min(place + 2 + marked + goods, len(words))):
        first = start
        while words[first:] and words[first].text in makers:
            first += 1
        behind = "".join(word.text for word in words[first : first + WORDS_OF_A_MODEL])
        offered = {key: count for key, count in scope.quantities if behind.startswith(key)}
        if offered:
            return int(fact.text) in offered.values()
        if any(behind.startswith(key) for key in evidence.models):
            return True
        if not words[first:] or words[first].number or words[first].gap.strip():
            return False
    return False


def _is_goods(word: str, evidence: Evidence) -> bool:
    """Whether a number behind the word tells one machine of a letter from the next: compressor 2."""
    said = evidence.reading.vocabulary.match(tokens(word), 0)[1] if word.isalpha() else ()
    return any(each.attribute == "family" for each in said)


def _supported(fact: Fact, line: int, source: str, *, kind: str = "") -> Remark:
    return Remark("supported", kind or fact.kind, line, fact.text, source)
