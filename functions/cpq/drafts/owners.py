"""Whose figures a statement states: those of the model that its row, its column or its own words name."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from cpq.drafts.evidence import Evidence, Machine
from cpq.drafts.facts import COMPARING, Fact, meant
from quarry.understanding.text import fold, key_of

OWNED = frozenset(("figure", "sizes", "voltage", "property", "number"))
"""Kinds of facts that a machine has."""
_ARTICLES = r"(?:the|our|your|each|an?|der|die|das|dem|den|des|el|la|los|las|le|les)\s+"
JOINED = re.compile(rf"[\s,;&+/]*(?:(?:and|or|und|oder|sowie|y|o|et|ou)\s+)?(?:{_ARTICLES})?(?:[^\W\d]\w*\s+)?")
"""What stands between models that share the figures behind them: the QR-325 and the Powerex SES2-3."""
BELONGS = re.compile(
    rf"\s*(?:of|for|on|from|with|in|at|bei|von|vom|fur|des|der|del?|en|para|du|pour|sur)?\s*(?:{_ARTICLES})?(?:[^\W\d]\w*\s+){{0,2}}"
)
"""What stands between a figure and the model behind it that it is of: 8.8 CFM of the Powerex SES2-3."""
NOT_JOINED = re.compile(r"\b(?:and|or|und|oder|sowie|y|o|et|ou|as|is|has|than)\b")
COMPARED = re.compile(
    rf"\b(?:{COMPARING}|in\s+place\s+of|than|unlike|compared\s+(?:to|with)|replac\w+|anstelle|als|que|reemplaza\w*"
    r"|remplac\w+)\s+(?:(?:the|only|its|two|an?|der|die|das|des|dem|von|el|la|los|las|de|del|le|les)\s+)*"
    r"(?:[^\W\d]\w*\s+)?$"
)
"""Behind this stands what the machine is held against, and its figures."""
NUMBERED = re.compile(
    r"\bItems?\s+\d{1,3}(?:(?:\s*,\s*|\s+(?:and|or|und|oder|y|o|et|ou)\s+)\d{1,3})*\b", re.IGNORECASE
)
"""Items of the letter, which stand there under this word in any language."""
OTHER_GOODS = re.compile(r"\s*(?:of|for|des|der|vom|fur|del?|para|du|pour)\s+((?:[^\W\d]\w*\s*){1,4})")


def owners(
    facts: Sequence[Fact],
    text: str,
    evidence: Evidence,
    *,
    given: Sequence[Machine] = (),
    items: Mapping[int, Machine] = MappingProxyType({}),
) -> list[Sequence[Machine]]:
    """For each fact the machines of which one has to have it, none where no model is named; ``given`` are those that
    the row or the column of the statement names, ``items`` those of the letter's items, by their number.
    """
    named = [(fact, machines_of(fact, evidence)) for fact in facts if fact.kind == "model"]
    for match in NUMBERED.finditer(text) if items else ():
        numbers = [int(number) for number in re.findall(r"\d+", match[0])]
        if all(number in items for number in numbers):
            named.append((Fact("model", match[0], match.start()), [items[number] for number in numbers]))
    named.sort(key=lambda pair: pair[0].start)
    said = fold(text)
    return [
        _owner(fact, named, said, evidence, given) if fact.kind in OWNED and not fact.together else ()
        for fact in facts
    ]


def machines_of(fact: Fact, evidence: Evidence) -> Sequence[Machine]:
    keys = {key_of(fact.text), *map(key_of, fact.values)}
    return [machine for machine in (*evidence.machines, *evidence.had) if machine.key in keys]


def _owner(
    fact: Fact,
    named: Sequence[tuple[Fact, Sequence[Machine]]],
    said: str,
    evidence: Evidence,
    given: Sequence[Machine],
) -> Sequence[Machine]:
    end = fact.start + len(fact.text)
    if COMPARED.search(said[: fact.start]):
        return ()
    behind = next(((model, own) for model, own in named if model.start >= end), None)
    if behind is not None and own_behind(said[end : behind[0].start]):
        return behind[1]
    before = [(model, own) for model, own in named if model.start < fact.start]
    found = list(before[-1][1]) if before else list(given)
    last = before[-1][0].start if before else 0
    for model, own in reversed(before[:-1]):
        between = said[model.start + len(model.text) : last]
        if not (JOINED.fullmatch(between) or COMPARED.search(between)):
            break
        found += own
        last = model.start
    if before and COMPARED.search(said[:last]):  # what the row is about stands before it
        found += given
    goods = OTHER_GOODS.match(said, end)
    kinds = meant(goods[1], evidence.reading.vocabulary, of=("family",)) if goods and found else frozenset()
    return () if kinds and not kinds & {machine.family for machine in found} else found


def own_behind(between: str) -> bool:
    """Whether a figure is of the model that stands behind these words."""
    return BELONGS.fullmatch(between) is not None and NOT_JOINED.search(between) is None
