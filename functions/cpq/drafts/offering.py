"""Whether a sentence gives the customer something: what he gets or may do, and what the house does for him.

All is told by words in the languages of letters, folded.
"""

import re

from cpq.drafts.claims import DENIED, FREE, TAKEN_DOWN, WRITTEN

COURTESY = re.compile(
    r"""\b(?:call\w*|phone|ring|reach|contact|write|e-?mail|ask|tell|let|visit|see|look|find|read|note|compare|choose
    |select|pick|decide|(?:may|can|to)\s+(?:(?:also|still|then)\s+)?order|reply|answer|confirm|speak|talk|discuss|meet|come|count|imagine|guess|think|remember|recall
    |want|wish|like|prefer|need|know|have\s+(?:asked|questions?|wishes)|take\s+(?:this|it)\s+as|quot\w+|proposal|offer
    |drawings?|data\s+sheets?|letter|(?:send|give|name|mail)\s+(?:us|me)|(?:send|let)\s+(?:\S+\s+){1,5}?to\s+(?:us|me)|questions?
    |anrufen|telefon\w*|erreich\w+|melden|schreiben|fragen|find\w+|sehen|wahlen|auswahlen|bestellen|besuchen|sprechen
    |mitteilen|entnehmen|vergleichen|nennen|entscheiden|wenden|mailen|senden|schicken|lesen|angebot\w*|zeichnung\w*
    |datenbl\w+|antwort\w*|wunschen|mochten|brauchen|benotigen
    |llamar\w*|contactar\w*|escribir\w*|visitar\w*|encontrar\w*|ver|elegir|escoger|pedir\w*|consultar\w*|preguntar\w*|venir
    |decidir|comparar|enviar\w*|mandar\w*|decir\w*|oferta|cotizacion|plano|respuesta|leer
    |appeler|joindre|contacter|ecrire|voir|trouver|choisir|commander|consulter|demander|visiter|passer|decider|comparer
    |envoyer|dire|offre|plan|reponse|lire)\b""",
    re.VERBOSE,
)
"""What a customer may do with a letter and with whoever wrote it."""
OFFERED = re.compile(
    r"""\byou\s+(?:(?:will|also|still|both|each|then|always|even|gladly|of\s+course)\s+)*(?:may|can|get|receive|pay\s+(?:only|nothing|no)|are\s+(?:free|entitled|welcome)\s+to
        |need\s+(?:not\s+|only\s+)pay|save|have\s+the\s+right)\b
    |\bsie\s+(?:konnen|durfen|bekommen|erhalten|zahlen\s+(?:nur|erst|nichts)|sparen|haben\s+(?:das|ein)\s+\w*recht)\b|\b(?:konnen|durfen|bekommen|erhalten)\s+sie\b
    |\busted(?:es)?\s+(?:tambien\s+)?(?:puede|podra|recibe|recibira|obtiene|paga|ahorra)n?\b|^\W*(?:tambien\s+)?(?:puede|podra|recibira|obtendra)n?\s+\w+(?:ar|er|ir)(?:l[aeo]s?)?\b|\b(?:puede|podra)n?\s+usted
    |\bvous\s+(?:pouvez|pourrez|recevez|recevrez|beneficiez|obtenez|payez|economisez|avez\s+(?:le\s+)?droit)\b""",
    re.VERBOSE,
)
"""What the customer may do or gets."""
POSSIBLE = re.compile(
    r"\b(?:is|are)\s+(?:also\s+|always\s+|certainly\s+)?possible\b|\b(?:ist|sind)\b.*\bmoglich\b|\bmoglich\s+(?:ist|sind)\b"
    r"|\b(?:es|son)\s+(?:tambien\s+)?posibles?\b|\b(?:est|sont)\s+(?:aussi\s+)?possibles?\b"
)
_ACTS = (
    r"(?:match|beat|undercut|take\s+(?:\S+\s+){0,4}?(?:back|away|over)|collect|pick\s+up|fetch|refund|reimburse|waive|pay|cover|bear|absorb|credit|install|commission|train"
    r"|repair|replace|exchange|swap|service|maintain|stock|keep|store|respond|arrive|deliver|ship|dispose|remove|rent|lend|loan|hold)"
)
ACTING = re.compile(
    rf"""\bwe\s+(?:(?:will|can|also|always|gladly|even|shall|do)\s+)*{_ACTS}\b
    |\bwir\s+(?:\w+\s+){{0,2}}?(?:gleichen|unterbieten|holen|nehmen|erstatten|ubernehmen|tragen|zahlen|montieren|schulen|reparieren
        |ersetzen|tauschen|entsorgen|halten|kommen|vermieten|leihen)\b
    |\b(?:igualamos|mejoramos|recogemos|retiramos|reembolsamos|devolvemos|pagamos|asumimos|instalamos|capacitamos|reparamos|reemplazamos
        |prestamos|rentamos)\b
    |\bnous\s+(?:\w+\s+)?(?:alignons|reprenons|remboursons|payons|prenons|installons|formons|reparons|remplacons|enlevons|louons|pretons)\b""",
    re.VERBOSE,
)
"""What the house does beyond writing."""
STAFF = re.compile(
    r"""^\W*(?:(?:and|but|und|aber|y|et)\s+)?(?:
    (?:one\s+of\s+)?our\s+(?:\w+\s+)?(?:technicians?|mechanics?|fitters?|engineers?|installers?|service(?:man|men|\s+(?:team|people|van|crew))|crews?|drivers?|hotline|workshop)
    |unser\w*\s+(?:\w+\s+)?(?:monteur\w*|\w*techniker\w*|mechaniker\w*|kundendienst\w*|fahrer\w*|montageteam|werkstatt|service(?:team)?)
    |(?:uno\s+de\s+)?nuestr\w+\s+(?:tecnic\w+|mecanic\w+|montador\w*|ingenier\w+|equipo\s+de\s+servicio|chofer\w*|taller)
    |(?:un\s+de\s+)?(?:notre|nos)\s+(?:technicien\w*|mecanicien\w*|monteur\w*|ingenieur\w*|equipe\w*|chauffeur\w*|atelier)
    )\b""",
    re.VERBOSE,
)
"""Its people, who do or can do something."""
EXPERIENCE = re.compile(
    r"""\bwe\s+(?:have|'ve)\s+(?:\w+\s+){0,2}?(?:supplied|equipped|installed|built|delivered|served|fitted|commissioned|sold|outfitted)\b
    |\b(?:wir\s+haben|haben\s+wir)\b.*\b(?:ausgerustet|ausgestattet|geliefert|installiert|gebaut|realisiert|betreut|versorgt|verkauft|in\s+betrieb\s+genommen)\b
    |\bhemos\s+(?:\w+\s+)?(?:equipado|instalado|suministrado|entregado|vendido|atendido|montado)\b
    |\bnous\s+avons\s+(?:\w+\s+)?(?:equipe|installe|fourni|livre|vendu|realise|monte)\b""",
    re.VERBOSE,
)
"""What the house has done for others."""
SERVED = re.compile(
    r"\b(?:is|are|gets?|will\s+be)\s+(?:\w+\s+)?(?:collected|picked\s+up|taken\s+(?:back|away)|removed|disposed\s+of|delivered|installed"
    r"|commissioned|serviced|trained|refunded|credited|replaced|repaired|waived|covered|paid\s+(?:back|by\s+us))\b"
    r"|\b(?:wird|werden)\b.*\b(?:abgeholt|zuruckgenommen|entsorgt|angeliefert|montiert|installiert|geschult|erstattet|ersetzt|repariert)\b"
    r"|\bse\s+(?:recoge|retira|instala|entrega|reembolsa|repara|reemplaza)n?\b"
    r"|\b(?:est|sont|sera|seront)\s+(?:\w+\s+)?(?:repris|enleve|installe|livre|rembourse|remplace|repare)e?s?\b"
)
_TIMES = "when|once|until|before|after|where|cuando|quand"
INTRODUCED = re.compile(rf"\b(?:{_TIMES}|if|whether|what|how|which|as|si|como|que|comme)\s$")
"""What stands right before the words of a clause that tells no fact: if you may, as we install."""
LONGEST_INTRODUCED = 10
SUBORDINATE = re.compile(rf"\b(?:{_TIMES}|unless|wenn|sobald|bevor|nachdem|lorsque)\b[^,;]*")


def offers(said: str) -> bool:
    """Whether a folded sentence promises by what the customer gets or may do, or by what the house does."""
    if FREE.search(said) is not None or EXPERIENCE.search(said) is not None:
        return True
    if DENIED.search(said) is not None:
        return False
    if _as_a_fact(OFFERED, said):
        return COURTESY.search(said) is None
    main = TAKEN_DOWN.sub(" ", SUBORDINATE.sub(" ", said))
    if POSSIBLE.search(main) is not None or SERVED.search(main) is not None or _as_a_fact(ACTING, main):
        return True
    return STAFF.search(said) is not None and WRITTEN.search(said) is None


def _as_a_fact(pattern: re.Pattern[str], said: str) -> bool:
    """Whether a text has it and no word before that makes it a condition, a question or a comparison."""
    return any(
        INTRODUCED.search(said, max(0, match.start() - LONGEST_INTRODUCED), match.start()) is None
        for match in pattern.finditer(said)
    )
