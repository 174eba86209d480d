"""Machines that the customer would give in payment: a matter that a person answers and no thing to look for."""

import re

from quarry.understanding.text import fold

TRADE_IN = re.compile(
    r"""\btrade[\s-]?ins?\b(?!\s+(?:compressed|air|goods))|\btraded?\s+(?:\S+\s+){1,6}?in\b|\btrading\s+(?:\S+\s+){1,6}?in\b
    |\bpart[\s-]exchange\b|\bbuy[\s-]?back\b
    |\b(?:tak(?:e|es|ing)|buy(?:ing)?)\s+(?:back\s+)?(?:our|my|the)\s+(?:old|existing|present|current)\b
    |\b(?:tak(?:e|es|ing)|buy(?:ing)?)\s+(?:\S+\s+){1,6}?in\s+(?:part\s+)?(?:payment|exchange)\b
    |\b(?:in\s+zahlung|inzahlungnahme|inzahlung)\b|\bruck(?:nahme|kauf)\b|\bzuruck(?:nehmen|kaufen|genommen)\b
    |\b(?:(?:(?:entreg\w+|dej\w+|dar|damos|tom\w+)\s+(?:\S+\s+){0,5}?)?a\s+cuenta(?!\s+corriente)|recompra\w*|(?:como|en)\s+parte\s+de(?:l)?\s+pago|retom\w+)\b
    |\brepris(?:e|es)?\s+(?:de\s+|d'|du\s+)?(?:l'|la\s+|le\s+|notre\s+|nos\s+|votre\s+)?(?:\S+\s+){0,3}?(?:ancien\w*|vieu\w*|vieil\w*|existant\w*|notre|compresseur|machine|pompe|secheur)
    |\brepren\w+\s+(?:notre|nos|l'ancien\w*|le\s+vieux|la\s+vieille)""",
    re.VERBOSE,
)
"""Words for it, folded, in the languages of requests."""
OURS = re.compile(
    r"\b(?:our|my|the|unser\w*|mein\w*|die|den|das|nuestr\w*|mi|el|la|notre|nos|mon|l')\s*"
    r"(?:old|existing|present|current|alt\w*|vorhanden\w*|bisherig\w*|viej\w*|antigu\w*|actual|ancien\w*|vieux|vieille|existant\w*)\b"
)
"""What is given stands before the words as often as behind them: our old 50 HP in part exchange."""
FOR = re.compile(r"\b(?:for|against|towards?|gegen|fur|beim\s+kauf|por|para|contra|contre|pour)\s+(?:an?\s+|the\s+)?")
"""Behind this stands what is bought instead."""
CLAUSE = re.compile(r"[;\n]|,(?!\d)|\.\s|\?\s|\.$")
LINKING = re.compile(
    r"(?:[\s,;:.&+(-]|\b(?:with|and|plus|including|incl|mit|und|inkl|sowie|con|y|mas|avec|et|please|bitte"
    r"|we|you|would|could|want|like|to|wir|mochten|wurden|gegen|bei)\b)+$"
)
ALONE = "trade-in"
"""What is read of a request for nothing else."""
WHICH_MACHINE = "Which machine is given in payment: maker, model, year, running hours and condition?"


def parted(text: str) -> tuple[str, str] | None:
    """(what is asked for without it, the words of what is given in payment), where a text speaks of that."""
    folded = fold(text)
    said = TRADE_IN.search(folded)
    if said is None:
        return None
    begin = max((match.end() for match in CLAUSE.finditer(folded, 0, said.start())), default=0)
    behind = CLAUSE.search(folded, said.end())
    end = behind.start() if behind else len(text)
    given = OURS.search(folded, begin, said.start())
    start = given.start() if given else said.start()
    bought = FOR.search(folded, said.end(), end)
    end = bought.start() if bought else end
    before, after = text[:start], text[bought.end() if bought else end :]
    before = before[: len(before) - len(link[0])] if (link := LINKING.search(fold(before))) else before
    rest = ", ".join(part.strip(" ,;:.?\n") for part in (before, after) if part.strip(" ,;:.?\n"))
    return rest, text[start:end].strip(" ,;:.?\n")
