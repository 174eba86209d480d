"""Items that tell a trouble and ask for no product: looked for in its place is the work that finds the cause."""

import re

from quarry.understanding.needs import SIZES, Request
from quarry.understanding.text import fold

AUDIT = "compressed air audit, leak survey"
VISIT = "service visit, diagnosis and repair"

TROUBLES = (
    (
        AUDIT,
        re.compile(
            r"\bpressure (?:\w+ ){0,3}(?:drops?|falls?|sags?|dips?|dropped|fell|dropping)\b"
            r"|\b(?:drop|loss|fall) (?:of|in) (?:air )?pressure\b|\blos(?:es|ing|t) (?:air )?pressure\b"
            r"|\blow (?:on )?(?:air|pressure) (?:at|in|on|when|during)\b|\b(?:gauge|pressure) (?:goes|went|is) down\b"
            r"|\bdruckabfall\b|\bdruck (?:\w+ ){0,4}(?:fallt|sinkt|bricht|lasst nach)\b|\bdruckeinbruch"
            r"|\bcaidas? de presion\b|\b(?:cae|baja|se cae) la presion\b|\bpresion (?:\w+ ){0,2}(?:cae|baja)\b"
            r"|\b(?:chute|baisse) de pression\b|\bpression (?:\w+ ){0,2}(?:chute|baisse|tombe)\b"
        ),
    ),
    (
        AUDIT,
        re.compile(
            r"\bwater (?:\w+ ){0,2}in (?:the |our |my )?(?:\w+ ){0,3}(?:lines?|air|hoses?|pipes?|piping|tools?)\b"
            r"|\bspit(?:s|ting) water\b"
            r"|\bwasser (?:in|im) (?:\w+ ){0,2}(?:\w*leitung\w*|\w*netz|druckluft|werkzeug\w*)\b"
            r"|\bagua en (?:la |las |el |los )?(?:\w+ )?(?:lineas?|tuberias?|aire|red|mangueras?)\b"
            r"|\beau dans (?:le |la |les |l')?(?:\w+ )?(?:reseau|air|conduites?|tuyau\w*|lignes?)\b"
        ),
    ),
    (
        AUDIT,
        re.compile(
            r"\b(?:air )?leaks?\b(?![ -]?(?:free|tight|rate|proof))|\bleaking\b|\bhiss(?:es|ing)?\b"
            r"|\bundicht|\bleckage|\bfugas?\b|\bfuites?\b"
            r"|\bruns? (?:all|day and|through the) night\b|\bnever (?:shuts off|stops|unloads)\b"
            r"|\blauft (?:die ganze nacht|nachts|standig|durch)\b|\btrabaja toda la noche\b|\btourne toute la nuit\b"
            r"|\b(?:electric(?:ity)?|power|energy) bill\b|\bstromrechnung\b|\b(?:factura|recibo) de (?:la )?luz\b"
            r"|\bfacture d'electricite\b"
        ),
    ),
    (
        AUDIT,
        re.compile(
            r"\bdo (?:i|we) (?:really )?need (?:a )?(?:bigger|larger|another|second|new)\b"
            r"|\bbrauche(?:n)? (?:ich|wir) (?:\w+ )?(?:grosser|weiter|zweit)"
            r"|\b(?:avons-nous|ai-je) besoin d'un (?:plus gros|autre)\b"
        ),
    ),
    (
        VISIT,
        re.compile(
            r"\b(?:makes?|making|started|starts) (?:to )?(?:a |an |some )?(?:\w+ )?(?:nois\w*|chatter|rattl\w*"
            r"|knock\w*|squeal\w*|grind\w*)\b|\b(?:strange|odd|funny) (?:noise|sound)s?\b|\bkeeps? tripping\b"
            r"|\btrips (?:out|off|on|the)\b|\boverheat(?:s|ing|ed)\b|\b(?:won't|will not|does not|doesn't) start\b"
            r"|\bmacht (?:\w+ )?gerausche?\b|\b(?:klopft|rattert|quietscht)\b|\b(?:wird zu heiss|uberhitzt)\b"
            r"|\bspringt nicht an\b|\bhace (?:mucho )?ruido\b|\bse (?:dispara|sobrecalienta|calienta)\b"
            r"|\bno arranca\b"
            r"|\bfait (?:du|un) bruit\b|\b(?:disjoncte|surchauffe)\b|\bne demarre pas\b"
            r"|\b(?:howl|whine|screech|shriek|squeal|vibrate)(?:s|d)?\b|\bhowling\b|\bbearings? nois\w*"
            r"|\b(?:noisy|bad|worn|failed|failing) bearings?\b"
            r"|\b(?:heult|jault|vibriert)\b|\blager(?:gerausch|schaden)\w*"
            r"|\b(?:aulla|chilla|vibra)\b|\bruido (?:de|del|en el|en los) (?:rodamiento|cojinete|balero)s?\b"
            r"|\b(?:hurle|siffle|vibre)\b|\bbruit (?:de|du|des|dans le) (?:roulement|palier)s?\b"
        ),
    ),
)
WANTED = re.compile(
    r"\b(?:quot(?:e|ation)|offers?|price|buy|purchase|looking for|replac\w*|wants?|recommend|suggest|supply|swap"
    r"|what (?:do|can) you|something (?:for|against|to))\b|(?<!do i )(?<!do we )(?<!really )\bneed(?:s|ed)?\b"
    r"|\b(?:angebot|anbieten|benotig\w*|such(?:e|en)|ersatz|mochten?|wollen)\b|\bbrauch\w+ (?!wir|ich)"
    r"|\b(?:cotiz|necesit|busca|quere|quier|reempla|ocupa)\w*|\b(?:devis|cherch\w*|voudr\w*|remplac\w*|propos\w*)\b"
)
"""What asks for a product in the sentence that tells the trouble."""
TELLING = SIZES | {"model", "dewpoint_f", "inhg", "micron", "compression", "lubrication"}
"""Needs of which one, told beside a trouble, shows that a product is asked for."""
OF_ITS_KIND = frozenset(("compression", "lubrication"))
"""What tells which of his machines is in trouble: the dry vane pump howls."""
THERE = frozenset(("compressor", "vacuum_pump", "blower"))
"""What the plant has where its trouble is told."""


def work_for(query: str, request: Request | None) -> str | None:
    """The work that finds the cause of what is told, where no product is asked for; else None."""
    folded = fold(query)
    work = next((name for name, pattern in TROUBLES if pattern.search(folded)), None)
    if work is None or WANTED.search(folded):
        return None
    said = [need for need in (request.needs if request else ()) if need.implied_by is None]
    of_a_kind = [
        need
        for need in said
        if need.attribute.endswith("_kind") or (need.attribute == "family" and not need.values <= THERE | {"service"})
    ]
    telling = TELLING - OF_ITS_KIND if work == VISIT else TELLING
    return None if of_a_kind or any(need.attribute in telling for need in said) else work


def notice_of(work: str) -> str:
    return (
        "A trouble is told and no product asked for: no machine is offered before the cause is known."
        f" Looked for: {work}."
    )
