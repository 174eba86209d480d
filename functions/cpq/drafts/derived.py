"""Figures that a letter works out of others: converted, added, subtracted, multiplied, with one machine out, less
what a dryer takes, as a share of full vacuum.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from cpq.drafts.evidence import Evidence, Machine
from cpq.drafts.facts import Fact
from cpq.drafts.figures import CONVERTED, NATIVE, equals, half_of
from cpq.drafts.findings import Remark
from cpq.drafts.judging import ADDED
from cpq.drafts.scopes import Scope
from cpq.drafts.written_numbers import canonical, readings, rounding, spelled
from quarry.understanding.figures_fit import left_running
from quarry.understanding.standby import standbys
from quarry.understanding.text import fold, key_of
from quarry.understanding.units import ATMOSPHERE_INHG

FULL_VACUUM = re.compile(r"\b(?:vacuum|mercury|inhg|vakuum\w*|vacio|vide)\b")
"""Of a sentence in which a share is one of full vacuum, folded."""
COMPARED = re.compile(
    r"\b(?:more|less|under|below|above|over|quieter|louder|lighter|heavier|deeper|shallower|larger|smaller|wider|narrower|short"
    r"|apart|better|worse|difference|spare|hand|margin|left|reserve|mehr|weniger|unter|uber|leiser|lauter|leichter|schwerer|tiefer"
    r"|grosser|kleiner|unterschied|reserve|luft|menos|mas|debajo|encima|diferencia|sobra\w*|margen|reserva|moins|plus|dessous"
    r"|dessus|difference|ecart|marge|reste\w*)\b"
)
"""Beside a difference."""
NEAR = 24
"""Characters on either side of a difference in which it is called one."""
DEARER = re.compile(
    r"\b(?:exceed\w*|cheaper|dearer|ubersteig\w*|uberschreit\w*|billiger|teurer|gunstiger|excede\w*|barat\w+|car[oa]s?|depass\w*|chere?s?)\b"
)
"""The same of prices."""
BUDGET = re.compile(
    r"\b(?:your|ihr\w*|sus?|votre|vos)\s+(?:[^\W\d]+\s+){0,2}?(?:budget\w*|limit\w*|ceiling|\w*rahmen\w*|obergrenze|presupuesto|enveloppe)"
    r"(?:\s+(?:of|von|de|d')\s*|\s*)[$€]?\s*$"
    r"|\b(?:over|under|above|below|uber|unter|sobre|bajo|au-dessus\s+de)\s+(?:your|ihr\w*|sus?|votre|vos)\s*[$€]?\s*$"
)
"""Before an amount that is the customer's budget and no price."""
RECKONED = re.compile(
    r"\s[+–−=]\s|\b(?:plus|minus|less|together|zusammen|abzuglich|zuzuglich|menos|mas|moins|ensemble|juntos)\b"
)
MINOR_UNIT = 0.005
WHOLE = 20.0
"""From which a figure that is worked out may be rounded to a whole one."""
MOST_MACHINES = 12
"""That a sentence counts."""
COUNTED_BEFORE = 3
"""Words before a model in which it is counted: two Birkhagen HGS-37."""
EQUATED = re.compile(
    r"\b(?:the\s+same|equals?|equal\s+to|identical|equivalent|corresponds?\s+to|(?:das|der|die)selbe|das\s+gleiche|gleich|identisch|entspricht"
    r"|entsprechen|lo\s+mismo|la\s+misma|iguale?s?|equivalen?t?e?n?|corresponden?\s+a|la\s+meme|identiques?|equivaut|equivalent"
    r"|correspond(?:ent)?\s+a)\b"
)
DENIED = re.compile(
    r"\b(?:not?|nor|never|n't|close|almost|nearly|nicht|kein\w*|fast|casi|tampoco|ni|pas|presque)\b|[?¿]|\[[A-Z]"
)
ONE_OF = re.compile(
    r"\b(?:one|1|eine[rmn]?|una?|une)\s+(?:\w+\s+)?(?:of|von|de|des|d')\s*(?:the\s+|its\s+|las\s+|los\s+)?(?:\d{1,2}|\w+)\b.*\b(?:out|down|off|stopped"
    r"|isolated|auss?er|aus|steht|fuera|parad\w+|arret\w*|panne|hors)\b"
    r"|\b(?:remaining|others?|left\s+running|ubrigen|anderen|restantes|demas|restante?s?|autres)\b"
)
"""One of so many machines is out, or the others run."""
SOME_OF = re.compile(r"(?<![\d.,])(\d{1,2})\s+(?:of|von|de|sur|out\s+of)\s+(\d{1,2})(?![\d.,])")
"""3 of 4."""
LESS_PURGE = re.compile(
    r"\b(?:purge|net|netto|net[ot]s?|netas?|dry|dried|dryer|spul\w*|regenerat\w*|trocken\w*|\w*trockner\w*|purga|sec[oa]s?|secador\w*|secheur\w*"
    r"|secs?)\b"
)
"""Beside what leaves a dryer that takes a share of its rated flow."""
EACH = re.compile(r"\b(?:each|per|apiece|je|jeweils|cada|por|chacune?s?|par)\b")
ROUNDED = frozenset(("kg", "mm", "m3/h", "m3/min", "kw", "bar"))
"""Units into which the catalogue's are converted."""
ALIKE = 0.01
"""Share by which two figures that are said to be the same may differ."""


def worked_out(
    facts: Sequence[Fact], remarks: Sequence[Remark], text: str, scope: Scope, evidence: Evidence,
    owners: Sequence[Sequence[Machine]],
) -> list[Remark]:  # fmt: skip
    """The remarks, with the figures as supported that the sentence works out of what is known, and with two that it
    wrongly calls the same as contradicted.
    """
    said, found = fold(text), list(remarks)
    if len([each for each in facts if each.kind == "figure"]) > 1:
        for _ in range(2):  # a share of what was converted
            for place, fact in enumerate(facts):
                pair = _beside(place, facts, found, said) if _is_open(fact, found[place]) else None
                if pair is not None:
                    source = f"worked out of {facts[pair].text}"
                    found[place] = Remark("supported", "figure", found[place].line, fact.text, source)
                    if found[pair].source == "request":  # told to be so much, and not wished
                        found[pair] = Remark("supported", "figure", found[pair].line, facts[pair].text, source)
        for place, fact in enumerate(facts):  # told to be so much in other units, and not wished
            if fact.kind == "figure" and found[place].source == "request":
                pair = _beside(place, facts, found, said)
                found[place] = replace(found[place], source="worked out") if pair is not None else found[place]
        found = _equated(facts, found, said)
    for place, fact in enumerate(facts):
        if fact.kind == "price" and found[place].verdict != "supported":
            source = _of_prices(fact, facts, found, said, evidence)
            found[place] = (
                Remark("supported", "price", found[place].line, fact.text, source) if source else found[place]
            )
        elif fact.kind in ("figure", "number") and found[place].verdict != "supported":
            source = _of_the_sentence(place, facts, found, said)
            found[place] = (
                Remark("supported", fact.kind, found[place].line, fact.text, source) if source else found[place]
            )
    for place, (fact, own) in enumerate(zip(facts, owners, strict=True)):
        if fact.kind == "figure" and found[place].verdict != "supported":
            machines = own or scope.machines
            source = _several(fact, text, machines) or _counted(fact, facts, said, evidence)
            source = source or _left(fact, said, machines, evidence)
            source = source or _difference(fact, said, own, scope, evidence)
            if source:
                found[place] = Remark("supported", "figure", found[place].line, fact.text, source)
    return found


def _of_prices(
    price: Fact, facts: Sequence[Fact], remarks: Sequence[Remark], said: str, evidence: Evidence
) -> str:  # fmt: skip
    """How it comes of prices of our quotes to this customer: so many of a machine, or the difference between two, or
    to his budget; or it is the budget itself, where the sentence calls it his.
    """
    lines = [*(evidence.offer.lines if evidence.offer is not None else ()), *evidence.priced]
    theirs = [amount for source in evidence.sources if source.origin == "request"
              for fact in evidence.measured(source) if fact.kind == "price" for amount in fact.amounts]  # fmt: skip
    before = said[: price.start] + fold(re.split(r"\d", price.text)[0])
    if BUDGET.search(before) and set(price.amounts) & set(theirs):
        return "request"
    named = {key_of(name): _count_before(said[: fact.start]) for fact in facts if fact.kind == "model"
             for name in (fact.text, *fact.values)}  # fmt: skip
    for line in lines:
        count = named.get(key_of(line.model), 1) if line.model else 1
        if line.net is not None and count > 1 and _is_amount(price, float(line.net) * count):
            return f"{count} x {line.model}"
    near = said[max(0, price.start - NEAR) : price.start + len(price.text) + NEAR]
    if COMPARED.search(near) is None and DEARER.search(near) is None:
        return ""
    ours = {float(amount) for line in lines for amount in (line.net, line.total) if amount is not None}
    ours |= {float(amount) for amount in (evidence.offer and evidence.offer.total,) if amount}
    beside = (fact.amounts for fact, remark in zip(facts, remarks, strict=True)
              if fact.kind == "price" and remark.verdict == "supported" and remark.source != "request")  # fmt: skip
    ours |= {amount for amounts in beside for amount in amounts}
    pair = (
        (one, two) for one in ours for two in (*ours, *theirs) if one != two and _is_amount(price, abs(one - two))
    )
    return next((f"the difference between {one:,.2f} and {two:,.2f}" for one, two in pair), "")


def _is_amount(price: Fact, amount: float) -> bool:
    return any(abs(stated - amount) < MINOR_UNIT for stated in price.amounts)


def _of_the_sentence(place: int, facts: Sequence[Fact], remarks: Sequence[Remark], said: str) -> str:
    """Which two figures of the sentence, both known, it is the sum or the difference of, where it is called that."""
    fact = facts[place]
    end = fact.start + len(fact.text)
    near = said[max(0, fact.start - NEAR) : end + NEAR]
    if not (fact.together or COMPARED.search(near) or RECKONED.search(said)):
        return ""
    others = [each for each, remark in zip(facts, remarks, strict=True)
              if each is not fact and each.kind == fact.kind and remark.verdict == "supported"]  # fmt: skip
    for one, two in combinations(others, 2):
        for column, value in _plain_values(fact).items():
            a, b = _plain_values(one).get(column), _plain_values(two).get(column)
            half = max(half_of(fact), 0.5 if value > WHOLE else 0.0) if fact.measure is not None else 0.0
            if a is not None and b is not None and min(abs(a + b - value), abs(abs(a - b) - value)) <= half:
                return f"worked out of {one.text} and {two.text}"
    return ""


def _plain_values(fact: Fact) -> Mapping[str, float]:
    if fact.measure is not None:
        return dict(canonical(fact.measure)) if fact.measure.low == fact.measure.high else {}
    return {"number": readings(fact.text)[-1]} if readings(fact.text) else {}


def _is_open(fact: Fact, remark: Remark) -> bool:
    return fact.kind == "figure" and remark.verdict == "unsupported"


def _beside(place: int, facts: Sequence[Fact], remarks: Sequence[Remark], said: str) -> int | None:
    """The place of the figure of which this one is another way to say it; of full vacuum its own."""
    fact = facts[place]
    assert fact.measure is not None
    vacuum = FULL_VACUUM.search(said) is not None
    if vacuum and fact.measure.attribute in ("in", "inhg") and _near(fact, fact.measure.low, ATMOSPHERE_INHG):
        return place
    for other, (theirs, remark) in enumerate(zip(facts, remarks, strict=True)):
        if other == place or theirs.measure is None or remark.verdict != "supported":
            continue
        if theirs.measure.unit.name != fact.measure.unit.name and _same(fact, theirs, vacuum=vacuum):
            return other
    return None


def _same(fact: Fact, other: Fact, *, vacuum: bool) -> bool:
    ours, theirs = _values(fact, vacuum=vacuum), _values(other, vacuum=vacuum)
    return any(column in theirs and _near(fact, value, theirs[column]) for column, value in ours.items())


def _values(fact: Fact, *, vacuum: bool) -> Mapping[str, float]:
    assert fact.measure is not None
    low = fact.measure.low
    if vacuum and fact.measure.attribute == "percent":
        return {"vacuum_inhg": low / 100 * ATMOSPHERE_INHG}
    if vacuum and fact.measure.unit.name == "in":
        return {"vacuum_inhg": low}
    if fact.measure.attribute == "in":
        return {"length_in": low}
    return dict(canonical(fact.measure))


def _near(fact: Fact, value: float, theirs: float) -> bool:
    """Whether a figure is the other one, to the digits that it is written in."""
    return abs(value - theirs) <= _half(fact) + CONVERTED * abs(theirs)


def _half(fact: Fact) -> float:
    """What the rounding of a figure hides, in the unit in which figures are compared."""
    assert fact.measure is not None
    half = half_of(fact)
    return half / 100 * ATMOSPHERE_INHG if fact.measure.attribute == "percent" else half


def _equated(facts: Sequence[Fact], remarks: Sequence[Remark], said: str) -> list[Remark]:
    """With the second of two figures contradicted that a sentence calls the same as the first and that is not."""
    found = list(remarks)
    places = [place for place, fact in enumerate(facts) if fact.kind == "figure"]
    if len(places) != 2 or EQUATED.search(said) is None or DENIED.search(said):
        return found
    one, two = (facts[place] for place in places)
    assert one.measure is not None
    assert two.measure is not None
    vacuum = FULL_VACUUM.search(said) is not None or "percent" in (one.measure.attribute, two.measure.attribute)
    ours, theirs = _values(one, vacuum=vacuum), _values(two, vacuum=vacuum)
    shared = [column for column in ours if column in theirs]
    if shared and not any(abs(ours[column] - theirs[column]) <= ALIKE * abs(theirs[column]) for column in shared):
        why = f"it is not the same as {one.text}"
        line = found[places[1]].line
        found[places[1]] = Remark("contradicted", "figure", line, two.text, "arithmetic", why=why)
    return found


def _several(fact: Fact, text: str, machines: Sequence[Machine]) -> str:
    """Whose figure it is as often as the sentence counts the machine: two together give twice as much."""
    assert fact.measure is not None
    if not fact.together:
        return ""
    counts = {int(number) for _, _, number in spelled(text) if number.isdecimal()}
    counts |= {int(number) for number in re.findall(r"(?<![\w.,-])\d{1,2}(?![\w.,-])", text)}
    for machine in machines:
        for column, _ in canonical(fact.measure):
            value = machine.values.get(column)
            for count in counts if column in ADDED and isinstance(value, int | float) else ():
                if 1 < count <= MOST_MACHINES and _is_times(fact, column, float(value or 0), count):
                    return f"catalogue: {count} x {machine.model}"
    return ""


def _is_times(fact: Fact, column: str, value: float, count: int) -> bool:
    """Whether a figure is so many times the catalogue's, or as often the rounded figure in the letter's own unit."""
    assert fact.measure is not None
    half = count * CONVERTED * value if fact.measure.unit.name != NATIVE[column] else 0.0
    off = (abs(stated - value * count) for name, stated in canonical(fact.measure) if name == column)
    return equals(fact, column, value * count) or any(each <= half for each in off)


def _counted(fact: Fact, facts: Sequence[Fact], said: str, evidence: Evidence) -> str:
    """The machines that the sentence counts or adds up and that have the figure together: two give twice as much."""
    assert fact.measure is not None
    named = [(each, machine) for each in facts if each.kind == "model" for machine in evidence.machines
             if machine.key in {key_of(each.text), *map(key_of, each.values)}]  # fmt: skip
    if not named or EACH.search(said):
        return ""
    for column, _ in canonical(fact.measure):
        values = [(machine, _count_before(said[: each.start]), machine.values.get(column)) for each, machine in named]
        sums = [float(value) * count for _, count, value in values if isinstance(value, int | float)]
        if column not in ADDED or len(sums) < len(named):
            continue
        if (fact.together or len(sums) == 1) and equals(fact, column, sum(sums)):
            return "catalogue: " + " + ".join(f"{count} x {machine.model}" for machine, count, _ in values)
    return ""


def _count_before(folded: str) -> int:
    """How many of the model behind these words there are: two, 3 x; else one."""
    words = re.findall(r"\w+", folded)[-COUNTED_BEFORE:]
    counts = [number for _, _, number in spelled(" ".join(words))] + [word for word in words if word.isdecimal()]
    return next((int(each) for each in counts if each.isdecimal() and 1 < int(each) <= MOST_MACHINES), 1)


def _left(fact: Fact, said: str, machines: Sequence[Machine], evidence: Evidence) -> str:
    """The machine of which it is the flow with one of its pumps out, or what leaves a dryer of the letter behind it,
    which takes a share of its own rated flow.
    """
    assert fact.measure is not None
    ones_out = ONE_OF.search(said) is not None or next(standbys(said), None) is not None
    purges = [(each.model, _purge(each)) for each in evidence.machines] if LESS_PURGE.search(said) else []
    for machine in machines:
        flow = machine.values.get("cfm")
        left = left_running(float(flow), machine.traits) if isinstance(flow, int | float) else None
        pumps = left[1] if left is not None else 0
        some = any(int(run) + 1 == int(of) == pumps for run, of in SOME_OF.findall(said))
        known = [(left[0], f"{machine.model}, one of {pumps} out")] if left and (ones_out or some) else []
        flows = [*known, *([(float(flow), machine.model)] if isinstance(flow, int | float) else [])]
        known += [(value - purge, f"{name}, less the purge of {dryer}")
                  for value, name in flows for dryer, purge in purges if purge]  # fmt: skip
        known += [(purge, f"the purge of {dryer}") for dryer, purge in purges if purge]
        for value, name in known:
            if any(column == "cfm" and abs(stated - value) <= max(0.5, half_of(fact))
                   for column, stated in canonical(fact.measure)):  # fmt: skip
                return f"catalogue: {name}"
    return ""


def _purge(machine: Machine) -> float:
    """What a dryer takes of its rated flow to regenerate, in cfm."""
    share, flow = max(map(float, machine.traits.get("purge", ())), default=0.0), machine.values.get("cfm")
    return share / 100 * float(flow) if isinstance(flow, int | float) and machine.family == "dryer" else 0.0


def _difference(fact: Fact, said: str, own: Sequence[Machine], scope: Scope, evidence: Evidence) -> str:
    """Between which two figures of one column it is the difference, where it is called one."""
    end = fact.start + len(fact.text)
    assert fact.measure is not None
    near = said[max(0, fact.start - NEAR) : fact.start], said[end : end + NEAR]
    if fact.measure.operator == "between" or not any(COMPARED.search(part) for part in (*near, fold(fact.text))):
        return ""
    for column, value in canonical(fact.measure):
        ours = list(_of_machines(own or scope.machines, column))
        theirs = [*_of_machines(evidence.machines, column), *_asked(column, scope, evidence)]
        half = rounding(fact.measure, fact.text) if fact.measure.unit.name in ROUNDED else 0.0
        for one, first in ours:
            for two, second in theirs:
                if abs(abs(first - second) - value) <= max(half, 1e-6) and first != second:
                    return f"the difference between {one} and {two}"
    return ""


def _of_machines(machines: Sequence[Machine], column: str) -> Iterator[tuple[str, float]]:
    for machine in machines:
        value = machine.values.get(column)
        if isinstance(value, int | float):
            yield machine.model, float(value)


def _asked(column: str, scope: Scope, evidence: Evidence) -> Iterator[tuple[str, float]]:
    for source in scope.stated:
        for fact in evidence.measured(source) if source.origin == "request" else ():
            if fact.measure is not None:
                yield from (("the request", value) for name, value in canonical(fact.measure) if name == column)
