"""What a sentence says that a machine gives, runs on or suits: the customer's wish is no source of that.

All is told by words in the languages of letters, folded.
"""

import re
from collections.abc import Sequence

from cpq.drafts.evidence import Machine
from cpq.drafts.facts import Fact
from cpq.drafts.figures import meets
from cpq.drafts.findings import Remark
from cpq.drafts.judging import MOTORS
from quarry.characteristics import MISSING
from quarry.understanding.negation import DENYING
from quarry.understanding.text import fold

ASSERTING = re.compile(
    r"""\b(?:gives?|delivers?|reach(?:es)?|fits?|suits?|match(?:es)?|handles?|takes?|stands?|covers?|carries|carry|provides?
        |makes?|pulls?|manages?|achieves?|bears?|accepts?|has|have|comes?\s+with
        |(?:runs?|works?|operates?)\s+(?:on|at|off|with|from|in)|(?:is|are)\s+(?:\w+\s+)?(?:made|built|rated|good|enough|suitable|suited|sized|fine|right)
    |liefert|liefern|leistet|leisten|schafft|schaffen|reicht|reichen|passt|passen|erreicht|erreichen|deckt|genugt|genugen
        |vertragt|bringt|bringen|hat|haben|(?:lauft|laufen|arbeitet|arbeiten)\s+(?:mit|an|auf|bei)|eignet|eignen|geeignet
    |da|dan|entregan?|alcanzan?|sirven?|cumplen?|cubren?|bastan?|suministran?|soportan?|tienen?
        |(?:funcionan?|trabajan?|operan?|marchan?)\s+(?:con|a|en)|adecuad[oa]s?
    |(?:donne|delivre|couvre|debite|supporte|accepte)(?:nt)?|suffit|suffisent|convient|conviennent|fournit|fournissent
        |atteint|atteignent|produit|(?:fonctionne|marche|tourne)(?:nt)?\s+(?:a|au|en|avec|sur|sous)|adaptee?s?)\b""",
    re.VERBOSE,
)
"""Between a machine and a figure: it has, gives, bears or suits that."""
BEING = re.compile(r"\b(?:is|are|ist|sind|es|son|est|sont)\b")
"""The same before a property: it is air cooled."""
NOT_SURE = re.compile(
    rf"""\b(?:{DENYING}|cannot|nor|none|hardly|neither|n't|if|whether|provided|unless|once|confirm\w*|may|might|could|should|would|must|need\w*|(?:has|have)\s+to
        |ask\w*|check\w*|instead|below|above|beyond|under|short|exceed\w*|(?:more|less|other|rather)\s+than|against
    |ob|falls|wenn|sofern|bestatig\w*|kann|konnte\w*|sollte\w*|soll|muss|mussen|fragen|klaren|pruf\w*|statt|unter|uber|gegen
    |si|confirma\w*|podria\w*|deberia\w*|debe\w*|quizas|consult\w*|debajo|encima|frente|menos\s+de|mas\s+de
    |confirm\w*|verifi\w*|pourrai\w*|devrai\w*|doi(?:t|vent)|peut|demand\w*|dessous|dessus|moins\s+de|plus\s+de|au\s+lieu)\b|[?¿]|\[[A-Z]""",
    re.VERBOSE,
)
"""A sentence that denies, doubts, asks or compares."""
WISHED = re.compile(
    r"\b(?:asked|ask|want\w*|request\w*|requir\w*|wish\w*|named?|limits?|budget\w*|verlang\w*|gefordert\w*|gewunscht\w*|anforderung\w*"
    r"|pidi\w+|pide\w*|solicit\w*|requisit\w*|requerid\w*|demand\w*|exig\w*|souhait\w*|voul\w*)\b"
)
"""Between a machine and a figure that is said to be what the customer asks for."""
CLAUSE = re.compile(r"[;:]|[.!]\s|\s[-–]\s")
OF_THE_MACHINE = re.compile(
    r"\W*(?:it|(?:the|this|our)\s+(?:machine|unit|package|compressor|pump|dryer|blower|tank|receiver)"
    r"|(?:die|diese)\s+(?:maschine|anlage|pumpe)|der\s+(?:kompressor|verdichter|trockner|behalter)|(?:la|esta)\s+(?:maquina|bomba|unidad)"
    r"|el\s+(?:compresor|equipo|secador)|(?:la|cette)\s+(?:machine|pompe)|le\s+(?:compresseur|secheur|groupe))\b"
)
"""How a sentence begins that speaks of the machine of its item."""
KINDS = frozenset(("figure", "voltage", "number", "property"))


def asserted(facts: Sequence[Fact], text: str, *, of_item: bool) -> Sequence[bool]:
    """For each fact whether its sentence says as sure that a machine has it: the machine stands before the verb and
    the verb before the fact; ``of_item``: the sentence is of an item, whose machine need not be named.
    """
    said = fold(text)
    if len(said) != len(text) or NOT_SURE.search(said):
        return [False] * len(facts)
    models = [(each.start, each.start + len(each.text)) for each in facts if each.kind == "model"]
    start = OF_THE_MACHINE.match(said) if of_item and not models else None
    return [each.kind in KINDS and _is_said(each, said, models, start.end() if start else 0) for each in facts]


def _is_said(fact: Fact, said: str, models: Sequence[tuple[int, int]], begun: int) -> bool:
    begin = max((end for _, end in models if end <= fact.start), default=begun)
    between = said[begin : fact.start]
    if not begin or CLAUSE.search(between) or WISHED.search(between):
        return False
    return ASSERTING.search(between) is not None or (fact.kind == "property" and BEING.search(between) is not None)


def unknown(fact: Fact, remark: Remark, machines: Sequence[Machine]) -> Remark | None:
    """What there is to say of a fact that a sentence asserts of these machines and that the request alone has; None
    where their rows meet it.
    """
    if any(_bears(fact, machine) for machine in machines):
        return None
    who = " and ".join(f"{machine.maker} {machine.model}" for machine in machines[:2]) or "the machine"
    if remark.verdict == "contradicted":
        return remark
    why = f"asked, not known: the request has it, and no source says it of {who}"
    return Remark("unsupported", "specification", remark.line, fact.text, right=MISSING, why=why)


def _bears(fact: Fact, machine: Machine) -> bool:
    if fact.kind == "voltage":
        rated = set(re.findall(r"\d+", str(machine.values.get("voltage") or "")))
        return {MOTORS.get(value, value) for value in fact.values} <= rated
    return fact.kind == "figure" and meets(fact, machine)


def denied_property(fact: Fact, line: int, machines: Sequence[Machine]) -> Remark | None:
    """Where a machine's row has another value of what the sentence says that it is."""
    if fact.attribute not in ("cooling", "lubrication") or len(machines) != 1:
        return None
    theirs = fold(str(machines[0].values.get(fact.attribute) or ""))
    value = next(iter(fact.values))
    if not theirs or value in theirs or theirs in value or (value, theirs) == ("oil-free", "oilless"):
        return None
    model = machines[0].model
    return Remark("contradicted", "specification", line, fact.text, model, str(machines[0].values[fact.attribute]))
