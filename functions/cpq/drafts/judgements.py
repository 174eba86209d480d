"""Sentences that judge for the customer: a thing fits what is his, is enough, does no harm, still holds; a rule
forbids it, all that he asks is met; somebody comes to him.

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
    |\b(?:goes?|slides?|comes?|rolls?|gets?|moves?|pass(?:es)?)\s+(?:\w+\s+)?(?:through|under|up)\b[^;]*\byour\b|\bpass(?:es)?\s+your\b
    |\b(?:geht|gehen|kommt|kommen|passier(?:t|en))\s+(?:\w+\s+)?(?:durch|unter)\b[^;]*\bihr\w{0,2}\b
    |\b(?:pasan?|entran?|caben?)\s+(?:\w+\s+)?(?:por|en|bajo)\b[^;]*\bsus?\b
    |\b(?:passe|passent|entrent?|tien(?:t|nent))\s+(?:\w+\s+)?(?:par|dans|sous)\b[^;]*\b(?:votre|vos)\b
    |\byour\s+(?:\w+\s+){1,2}?(?:carr(?:y|ies)|bears?|copes?|supports?|withstands?)\b|\bihr\w{0,2}\s+(?:\w+\s+){1,2}?(?:trag(?:t|en)|verkraft\w+|halt\w*\s+(?:\w+\s+)?(?:stand|aus))\b
    |\bsus?\s+(?:\w+\s+){1,2}?(?:aguanta|soporta|resiste)n?\b|\b(?:votre|vos)\s+(?:\w+\s+){1,2}?(?:supporte|porte|resiste)(?:nt)?\b
    """,
    re.VERBOSE,
)
"""A thing is enough for the customer, or for what is his; passes his door; his floor carries it."""
ENOUGH = re.compile(
    r"""\b(?:(?:is|are|there's|leaves?|leaving|have|has|remains?)\s+(?:\w+\s+){0,2}?(?:enough|plenty|ample|sufficient|adequate)|suffices?
    |(?:reich|genug)(?:t|en)(?!\s+(?:von|bis)\b)|(?:ist|sind|bleib(?:t|en)|hat|haben)\s+(?:\w+\s+){0,3}?(?:genug|genugend\w*|ausreichend\w*|reichlich)
    |bastan?|alcanzan?\s+(?:para|bien|de\s+sobra)|(?:es|son|queda[n]?|hay|tiene[n]?)\s+(?:\w+\s+){0,3}?(?:suficientes?|bastantes?|de\s+sobra)
    |suffi(?:t|sent)|(?:est|sont|reste|restent|a|ont)\s+(?:\w+\s+)?(?:assez|suffisamment|suffisante?s?|largement))\b""",
    re.VERBOSE,
)
"""The same without a word of whose need it is."""
BY_WRITING = re.compile(
    r"\b(?:e?-?mails?|calls?|lines?\s+(?:to|from)|words?|notes?|signatures?|orders?|anruf\w*|zeilen?|wort\w*|nachricht\w*|unterschrift\w*"
    r"|bestellung\w*|correos?|llamadas?|mensajes?|pedidos?|firma\w*|appels?|mots?|messages?|courriels?|commandes?)\b"
)
"""What is enough between two who write to each other."""
MET = r"(?:met|fulfill?ed|satisfied|covered|complied\s+with|kept|observed|respected)"
BLANKET = re.compile(
    rf"""\b(?:all|every|each|everything|anything|the\s+whole)\b[^;:]*\b(?:is|are|been|were)\s+(?:\w+\s+)?{MET}\b
    |\b(?:meets?|fulfill?s?|satisf(?:y|ies)|compl(?:y|ies)\s+with)\s+(?:\w+\s+)?(?:all|every|each|everything|anything|the\s+whole)\b
    |\b(?:alle[nrs]?|alles|samtliche\w*|jede[nrs]?)\b[^;:]*\b(?:erfull(?:t|en)|eingehalten|abgedeckt|halten\s+(?:\w+\s+)?ein)\b|\b(?:erfull(?:t|en)|halt(?:en)?)\s+(?:\w+\s+)?(?:alle[nrs]?|samtliche\w*|jede[nrs]?)\b
    |\b(?:tod[oa]s?|cada)\b[^;:]*\b(?:cumpl\w+|satisfech\w+|cubiert\w+)\b|\b(?:cumpl\w+|satisfacen?|cubren?)\s+(?:\w+\s+)?(?:tod[oa]s?|cada)\b
    |\b(?:tous|toutes|tout|chaque)\b[^;:]*\b(?:respecte|rempli|satisfait|couvert|tenu)e?s?\b|\b(?:respect|rempli|satisf|couvr)\w+\s+(?:\w+\s+)?(?:tous|toutes|tout|chaque)\b""",
    re.VERBOSE,
)
"""All that is asked is met: a table of single rows says that, and no sentence."""
FOREMOST = re.compile(
    r"\b(?:(?:small|larg|bigg|quiet|cheap|light|strong|short)est|most\s+\w+|(?:klein|gross|leise|billig|gunstig|leicht)st\w*|(?:la|le|el)\s+(?:mas|plus)\s+\w+)"
    r"\s+(?:[\w-]+\s+){0,3}?,?\s*(?:that|which|die|der|das|que|qui)\s+(?:\w+\s+){0,4}?"
    r"(?:meets?|fits?|stays?|keeps?|reach(?:es)?|gives?|covers?|satisf\w+|einhalt|erfullt|schafft|erreicht|deckt|cumplen?|alcanza|respecta?|respecte|tient|atteint|couvre)\b"
)
"""Of all machines one is the smallest or quietest that meets a need: a search tells that, and no row."""
EXCEPTED = re.compile(
    r"\b(?:except\w*|but|besides|save\s+(?:for|the)|apart\s+from|ausser|bis\s+auf|mit\s+ausnahme|excepto|salvo|menos|sauf|hormis|excepte)\b"
)
"""All but one thing."""
DECLARED = r"(?:certify|attest|vouch|warrant|guarantee|declare)"
PLEDGED = re.compile(
    rf"""\b(?:we|i)\s+(?:(?:hereby|herewith|can|will|do|gladly|also|even)\s+)*{DECLARED}\b|\b(?:is|are)\s+(?:hereby|herewith)\s+(?:certified|attested|guaranteed|warranted|declared)\b
    |\b(?:bescheinigen|attestieren|zertifizieren|garantieren|verburgen)\s+wir\b|\bwir\s+(?:\w+\s+){{0,3}}?(?:bescheinigen|attestieren|zertifizieren|garantieren|verburgen)\b
    |\b(?:certificamos|garantizamos|atestiguamos|damos\s+fe|hacemos\s+constar|se\s+certifica)\b
    |\b(?:attestons|certifions|garantissons|il\s+est\s+certifie)\b""",
    re.VERBOSE,
)
"""The house pledges its word."""
NOT_PLEDGED = re.compile(
    r"\b(?:not|nothing|none|nor|n't|cannot|nicht|nichts|kein\w*|no|nada|tampoco|ne|n'|pas|rien)\b\W*(?:\w+\W+){0,2}?$"
)
NOTHING_PLEDGED = re.compile(r"\W*(?:\w+\W+)?(?:not|nothing|none|no|nicht|nichts|kein\w*|nada|pas|rien)\b")
"""Before and behind such a word what makes none of it."""
_NAMED_RULE = (
    r"(?:(?:nfpa|osha|iso|iec|din|vdi|vde|asme|ansi|cga|nec|epa|csa|atex|ped|fda|nom|trbs|betrsichv|usda|nsf|haccp|gmp|ifs|brc|(?:en|ul|bs|as|ce|nf)(?=[\s-]*\d))\b[\s\d.:/-]*"
    r"|(?:the|local|state|federal|fire|building|electrical|plumbing)\s+(?:\w+\s+)?(?:codes?|laws?|standards?|regulations?|rules|authorit(?:y|ies)|inspectors?)\b"
    r"|(?:der|die|das)\s+(?:\w+\s+)?(?:norm(?:en)?|vorschrift(?:en)?|gesetz|richtlinien?|verordnung|behorde)\b"
    r"|(?:la|el|las|los)\s+(?:normas?|codigos?|ley(?:es)?|reglamentos?|autoridad)\b|(?:la|le|les|l')\s*(?:normes?|codes?|lois?|reglements?|reglementation|administration)\b)"
)
_RULING = (
    r"(?:forbids?|prohibits?|bans?|requires?|demands?|insists?|calls?\s+for|allows?|permits?|mandates?|prescribes?|rules?\s+out"
    r"|verbiete(?:t|n)|untersagt|verlang(?:t|en)|forder(?:t|n)|erlaub(?:t|en)|gestatte(?:t|n)|schreib(?:t|en)\b[^;]*\bvor|lass(?:t|en)\b[^;]*\bzu"
    r"|prohiben?|exigen?|requieren?|permiten?|obligan?|piden?|interdi(?:t|sent)|exigent?|impose(?:nt)?|autorisent?|permet(?:tent)?|oblige(?:nt)?)"
)
RULED = re.compile(
    rf"\b{_NAMED_RULE}\s*(?:\w+\s+){{0,4}}?{_RULING}\b|\b(?:forbidden|prohibited|banned|required|demanded|allowed|permitted|mandatory|illegal|verboten|vorgeschrieben|erlaubt|zulassig"
    rf"|prohibid[oa]|obligatori[oa]|permitid[oa]|interdite?|obligatoire|autorisee?)\s+(?:by|under|in|nach|laut|durch|por|segun|en|par|selon|dans)\s+{_NAMED_RULE}"
)
"""What a standard, a law or an authority forbids, demands or allows."""
HARMLESS = re.compile(
    r"""\b(?:no\s+(?:\w+\s+)?(?:harm|risk|danger)|(?:not|n't)\s+(?:harm|hurt|damage|matter)|without\s+(?:\w+\s+)?(?:harm|risk|danger)|harmless
    |schade(?:t|n)\b[^;]*\bnicht|kein\w*\s+(?:schaden|risiko|gefahr)|ohne\s+(?:schaden|risiko|gefahr)|unbedenklich|ungefahrlich
    |(?:no|ningun|sin)\s+(?:\w+\s+){0,2}?(?:dano|riesgo|peligro)|no\s+(?:dana|perjudica)n?|inofensiv[oa]s?
    |(?:aucun|pas\s+de|sans)\s+(?:mal|risque|danger|dommage)|ne\s+nui(?:t|sent)|inoffensi\w+
    |(?:is|are)\s+(?!not\b)(?:\w+\s+)?safe|(?<!not\s)(?:negligible|insignificant)|makes?\s+no\s+difference
    |(?<!nicht\s)(?:vernachlassigbar|unerheblich)|spielt\s+keine\s+rolle|(?<!no\ses\s)(?<!no\sson\s)(?:despreciables?|insignificantes?)|no\s+importa
    |(?<!pas\s)(?:negligeables?|insignifiante?s?)|ne\s+risque(?:nt)?\s+(?:pas|rien)
    |(?:not|n't|never|nothing|cannot)\s+(?:\w+\s+){0,5}?(?:freeze|rust|overheat|overload|burst)s?
    |(?:frier(?:t|en)|roste(?:t|n)|uberhitz(?:t|en)|platz(?:t|en))\b[^;]*\b(?:nicht|nie|niemals|kein\w*)|(?:nicht|nie|niemals)\s+(?:ein)?frier\w+
    |(?:no|nunca)\s+(?:se\s+)?(?:\w+\s+)?(?:congel|oxid|sobrecal)\w+|ne\s+(?:\w+\s+)?(?:gel|rouill|surchauff)\w+\s+(?:pas|jamais|plus))\b""",
    re.VERBOSE,
)
"""Doing something, or going without, does no harm; a thing does not matter, does not freeze."""
SUPPOSED = re.compile(r"\b(?:if|when|wenn|falls|si|cuando|lorsque|quand)\b")
"""What a harmless thing is harmless under, which leaves it as open as before."""
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
    """Whether a folded sentence says as a fact that somebody comes to the customer, that nothing does harm or that
    all that he asks is met.
    """
    if _sends(said):
        return True
    if HARMLESS.search(said) is not None and UNKNOWN.search(said) is None:
        return not any(each.search(SUPPOSED.sub(" ", said)) for each in (ASKED, LEFT, WANTED))
    leaving = (ASKED, LEFT, WANTED, DENIED, EXCEPTED)
    blanket = BLANKET.search(said) or FOREMOST.search(said)
    return blanket is not None and not any(each.search(said) for each in leaving)


def ruled(said: str) -> str:
    """The words of a folded sentence by which a rule forbids or demands or the house pledges itself, or none."""
    if any(each.search(said) for each in (ASKED, LEFT, WANTED)):
        return ""
    pledged = PLEDGED.search(said)
    denied = pledged is not None and (
        NOT_PLEDGED.search(said[: pledged.start()]) or NOTHING_PLEDGED.match(said, pledged.end())
    )
    told = RULED.search(said) if pledged is None or denied else pledged
    return told[0] if told is not None else ""


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
    enough = ENOUGH.search(said) is not None and BY_WRITING.search(said) is None
    if not (enough or FITS.search(said)) or any(each.search(said) for each in (ASKED, LEFT, WANTED, DENIED)):
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
