"""Sentences that judge for the customer: a thing fits what is his, does no harm, still holds; somebody comes to him.

No catalogue tells any of it. All is told by words in the languages of letters, folded.
"""

import re
from collections.abc import Sequence

from cpq.drafts.claims import ASKED, DENIED, LEFT, UNKNOWN, WANTED
from cpq.drafts.disclaimers import ENDED, PAST
from cpq.drafts.evidence import Machine
from cpq.drafts.facts import meant
from cpq.drafts.findings import Remark
from quarry.understanding.text import fold
from quarry.understanding.words import Vocabulary

FITS = re.compile(
    r"""\b(?:fits?|suits?|suffices?|satisf(?:y|ies)|sufficient|adequate|suitable|(?:is|are|be|big|large|strong)\s+enough
        |the\s+(?:right|proper)|(?:is|are)\s+(?:\w+\s+)?what)\b[^;]*\b(?:you|yours?)\b
    |\b(?:pass(?:t|en)|reich(?:t|en)|genug(?:t|en)?|ausreichend|geeignet|richtige[nrs]?)\b[^;]*\b(?:ihr\w{0,2}|sie)\b
    |\b(?:ihr\w{0,2}|sie)\b[^;]*\b(?:pass(?:t|en)|reich(?:t|en)|genug(?:t|en)?|ausreicht|geeignet|richtig|gut\s+bedient)\b
    |\b(?:suficientes?|bastan?|adecuad[oa]s?|apropiad[oa]s?|satisfacen?|sirven?|quedan?\s+(?:bien|justo))\b[^;]*\b(?:sus?|ustedes|usted)\b|\blo\s+que\s+usted(?:es)?\s+necesita|\bles?\s+alcanza\b
    |\b(?:suffi\w+|convien\w+|adapte\w*|satisfait|satisfont|assez\s+\w+|ce\s+que\s+demandent?)\b[^;]*\b(?:vous|votre|vos)\b|\bce\s+qu'il\s+vous\s+faut\b|\bvous\s+serez\s+\w+
    """,
    re.VERBOSE,
)
"""A thing is enough for the customer, or for what is his."""
HARMLESS = re.compile(
    r"""\b(?:no\s+(?:\w+\s+)?(?:harm|risk|danger)|(?:not|n't)\s+(?:harm|hurt|damage|matter)|without\s+(?:\w+\s+)?(?:harm|risk|danger)|harmless
    |schade(?:t|n)\b[^;]*\bnicht|kein\w*\s+(?:schaden|risiko|gefahr)|ohne\s+(?:schaden|risiko|gefahr)|unbedenklich|ungefahrlich
    |(?:no|ningun|sin)\s+(?:\w+\s+){0,2}?(?:dano|riesgo|peligro)|no\s+(?:dana|perjudica)n?|inofensiv[oa]s?
    |(?:aucun|pas\s+de|sans)\s+(?:mal|risque|danger|dommage)|ne\s+nui(?:t|sent)|inoffensi\w+)\b""",
    re.VERBOSE,
)
"""Doing something, or going without, does no harm."""
LASTING = re.compile(
    r"""\bstill\s+(?:\w+\s+){0,2}?(?:valid|good|holds?|stands|applies|covered|warrant\w+|guarant\w+)\b|\bstill\s+(?:\w+\s+){0,4}?warranty\b
    |\b(?:noch|weiterhin)\b.*\b(?:gultig|garantie|gewahrleistung|gedeckt)\b|\b(?:gilt|gelten|besteht)\b.*\b(?:noch|weiterhin)\b
    |\b(?:sigue[n]?|todavia|aun)\b.*\b(?:vigentes?|valid[oa]s?|vale|garantia|cubiert[oa]s?|en\s+pie)\b
    |\b(?:toujours|encore|reste(?:nt)?)\b.*\b(?:valables?|valides?|garantie|couvert\w*|vigueur)\b""",
    re.VERBOSE,
)
"""What was offered or granted once is said to hold today."""
HOLDING = re.compile(
    r"\b(?:valid|good|applies|holds?(?=\W*$)|gultig|gilt|vigentes?|valid[oa]s?|vale|valables?|valides?|vaut)\b"
)
"""An offer holds; said of a past one it is a claim without "still" too."""
PERSON = (
    r"(?:technicians?|mechanics?|fitters?|engineers?|someone|somebody|\w*techniker\w*|\w*monteur\w*|mechaniker\w*|jemand\w*"
    r"|tecnic[oa]s?|mecanic[oa]s?|alguien|techniciens?|mecaniciens?|quelqu'un)"
)
SENT = re.compile(
    rf"\b(?:(?:will|shall)\s+)?(?:send|sending|schick(?:t|en)|send(?:et|en)|mand(?:amos|aremos)|envi(?:amos|aremos)|envoy(?:ons|e)|enverrons)\b(?:\W+\w+){{0,3}}?\W+{PERSON}\b"
)
"""The house sends somebody."""
PRESENT = re.compile(
    rf"\b{PERSON}\b|\bwe\s+(?:(?:will|can|shall)\s+)?(?:come|visit|be\s+(?:there|with\s+you|at\s+your|on\s+your|on\s+site))\b"
    r"|\bwir\s+(?:kommen|besuchen|sind)\b|\b(?:vamos|iremos|venimos|pasamos)\b|\bnous\s+(?:venons|viendrons|passons|passerons)\b"
)
ON_A_DAY = re.compile(
    r"\b(?:tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:this|next|coming)\s+week"
    r"|morgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|(?:diese|nachste|kommende)[nr]?\s+woche"
    r"|manana|lunes|martes|miercoles|jueves|viernes|sabado|domingo|(?:esta|proxima)\s+semana|semana\s+que\s+viene"
    r"|demain|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche|cette\s+semaine|semaine\s+prochaine)\b"
)
POSSIBLY = re.compile(r"\b(?:can|konnen|podemos|pouvons|puede|peut)\b")
OF_A_KIND = re.compile(r"\W*(?:an?|any|each|every|eine?|jede[rs]?|una?|cada|cualquier|une|tout|toute|chaque)\s")
"""How a sentence begins that is about a whole kind of goods."""
KINDS = ("dryer_kind", "compression", "filter_kind")
FIRST = 60
"""Characters among which such a sentence names its kind."""
HIS = re.compile(
    r"\b(?:[Yy]our|[Ii]hr(?:e[mnrs]?)?|[Ss]us?|[Vv]otre|[Vv]os)\s+(?:[^\W\d_][\w'’]*\s+){0,2}?(?P<what>[A-Z]{3,})\b"
)
"""A thing of the customer's that is known by capitals alone: your HACCP plan."""
ORDERING = frozenset(("RFQ", "RFP", "VAT", "IVA", "TVA", "RFC", "CEO", "CFO"))
"""What a customer has by being one."""


def judges(said: str) -> bool:
    """Whether a folded sentence says as a fact that somebody comes to the customer or that nothing does harm."""
    if _sends(said):
        return True
    if any(each.search(said) for each in (ASKED, LEFT, WANTED)):
        return False
    return HARMLESS.search(said) is not None and UNKNOWN.search(said) is None


def lasts(said: str, *, past: bool) -> bool:
    """Whether a folded sentence says that what was offered once holds today; ``past``: it names the quote."""
    lasting = LASTING.search(said)
    if lasting is None and not (past and HOLDING.search(said) is not None and PAST.search(said) is None):
        return False
    rest = said if lasting is None else said[: lasting.start()] + said[lasting.end() :]
    return not any(each.search(rest) for each in (ASKED, LEFT, WANTED, DENIED, ENDED))


def _sends(said: str) -> bool:
    """Whether somebody comes to the customer: on a day, or sent without a condition."""
    sent = SENT.search(said)
    if sent is None and (PRESENT.search(said) is None or ON_A_DAY.search(said) is None):
        return False
    if sent is not None and POSSIBLY.search(said) is not None and ON_A_DAY.search(said) is None:
        return False
    rest = said if sent is None else said[: sent.start()] + said[sent.end() :]
    return not any(each.search(rest) for each in (ASKED, LEFT, WANTED, DENIED))


def fits(said: str, remarks: Sequence[Remark]) -> bool:
    """Whether a folded clause says that a thing is enough for the customer and holds no figure of it against his."""
    if FITS.search(said) is None or any(each.search(said) for each in (ASKED, LEFT, WANTED, DENIED)):
        return False
    figures = [each for each in remarks if each.verdict == "supported" and each.kind in ("figure", "number", "sizes")]
    wished = [each for each in figures if each.source in ("request", "account")]
    return not (wished and len(wished) < len(figures))


def of_another_kind(said: str, remarks: Sequence[Remark], machines: Sequence[Machine], words: Vocabulary) -> str:
    """The figure of a folded sentence on a whole kind of goods that none of this kind is the source of; empty
    without.
    """
    if OF_A_KIND.match(said) is None or DENIED.search(said) is not None:
        return ""
    kinds = meant(said[:FIRST], words, of=KINDS)
    if not kinds:
        return ""
    others = {each.row.name for each in machines if not any(kinds & each.traits.get(kind, set()) for kind in KINDS)}
    figures = (each for each in remarks if each.kind == "figure" and each.verdict == "supported")
    return next((each.text for each in figures if each.source in others or each.source == "request"), "")


def not_his(text: str, known: str) -> str:
    """What the text calls the customer's and nothing that is known of him or of the trade names; empty without."""
    if ASKED.search(fold(text)) is not None:
        return ""
    named = (match["what"] for match in HIS.finditer(text))
    return next((each for each in named if each not in ORDERING and each not in known), "")
