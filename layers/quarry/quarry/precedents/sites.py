"""Sentences of the archive that are true of one customer alone: his crew, building, papers, and what stands there."""

import re

_PART = r"""(?:pip(?:e|es|ing)|headers?|pads?|foundations?|lines?|mains?|tanks?|receivers?|rooms?|wiring|panels?
    |breakers?|ducts?|ductwork|drains?|machines?|compressors?|pumps?|blowers?|skids?|rohrleitung(?:en)?|leitung(?:en)?|fundamente?
    |sockel|anschluss\w*|behalter|tuberias?|bases?|lineas?|tanques?|tuyauteries?|reseaux?|socles?|conduites?|cuves?)"""
_BUILDING = r"""(?:stairs?|stairwell|mezz(?:anine)?|penthouse|basement|closet|garage|annex|elevator
    |(?:boiler|compressor|pump|scroll)\s+room|roof|wall|ceiling|warehouse|roll-?up\s+door|mop\s+sink|loading\s+dock
    |your\s+dock|rolltor|keller|dach|halle|treppe|aufzug|escaleras?|sotano|azotea|nave|escaliers?|sous-sol|toit|atelier)"""
CREW = re.compile(
    r"""\b(?:unions?|unionized|millwrights?|riggers?|teamsters|badges?|escorts?|(?<!auto\s)shut\s?down|semester|(?:first|second|third|night|day)\s+shift
    |on\s+nights|sister\s+plant|\w+\s+by\s+\w+\s+maintenance
    |by\s+(?:the\s+)?(?:\w+'s\s+)?(?:mill|dairy|plant|district|brewery|hospital|city|mechanical\s+contractor)
    |your\s+(?:crew|people|side|manager|foreman|electricians?|welders?|hyster|dialer|wonderware|scada|qa)
    |fork\s?(?:lift|truck)|(?:operators?|customer|user|owner|foreman|manager|engineer|\w*master)\s+(?:has\s+|have\s+)?(?:ask\w*|like[sd]?|want\w*|wish\w*)
    |site\s+visit\s+(?:of|on|from|in)|(?:room|hall|line|plant|mill)\s+must\s+be\s+down
    |werkschutz|betriebsrat|nachtschicht|betriebsferien|sindicato|syndicat|equipe\s+de\s+nuit)\b""",
    re.VERBOSE,
)
BRANCH = re.compile(
    r"""\b(?:our|unsere[rnm]?|nuestra|notre)\s+[A-ZÄÖÜ]\w+\s+(?:branch|office|shop|depot|crew|Niederlassung|Filiale)\b
    |\b(?:[Bb]ranch|Niederlassung|Filiale|[Ss]ucursal|[Aa]gence)\s+(?:(?:in|of|de|en|à)\s+)?[A-ZÄÖÜ]\w+
    |\bTravel\s+from\s+[A-Z]\w+""",
    re.VERBOSE,
)
ARRANGED = re.compile(
    rf"""\b(?:existing|vorhanden\w*|bestehend\w*|existentes?|existante?s?)\b|\breuse\s+of\b|\bas\s+you\s+(?:own|have)\b
    |\b(?:old|present|actual(?:es)?)\s+(?:[\w"./-]+\s+){{0,3}}?{_PART}\b|\b{_PART}\s+actuelle?s?\b
    |\byour\s+(?:rooms?|altitude|elevation|hall|plant|building|headers?|floor|roof|panel|line|ceiling|network)\b
    |\bsame\s+(?:pad|place|spot|footprint)\b|\bstands?\s+there\b
    |\b(?:remove|removal\s+of)\s+(?:the\s+)?(?:old|existing)\b""",
    re.VERBOSE,
)
BUILDING = re.compile(
    rf"""\b(?:on|in|under|through|thru|into|up|down|over|behind|beside|from|auf|im|ins|in\s+d(?:ie|er)|durch\s+d(?:as|ie|en)
        |unter\s+d(?:er|em)|en|por|bajo|dans|sous|par)
    \s+(?:(?:the|your|el|la|le|l'|der|die|das|dem)\s+)?(?:\w+\s+)?{_BUILDING}\b""",
    re.VERBOSE,
)

_MONTH = (
    r"(?:jan|feb|mar|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez|enero|febrero|abril|agosto|diciembre|fevrier|avril|juin|juillet|aout)\w*"
    r"|summer|winter|spring|autumn|fall|sommer|fruhjahr|herbst|verano|invierno|ete|hiver|easter|christmas|weihnachten|navidad|noel"
)
PLACE = re.compile(
    rf"""\b(?:north|south|east|west)(?:ern)?\s+(?:wall|side|wing|bay|corner|end)\b|\b(?:nord|sud|ost|west)(?:seite|wand|flugel)\b
    |\b(?:pared|muro|lado)\s+(?:norte|sur|este|oeste)\b|\b(?:mur|cote)\s+(?:nord|sud|est|ouest)\b
    |\bstands?\s+in\s+the\s+station\b|\b(?:floor|spill)\s+pits?\b|\bbodengruben?\b|\bfosas?\b|\bfosses?\b
    |\bthe\s+(?!(?:compress\w+|machine|equipment|engine|boiler|electrical|control|mechanical|pump|plant|blower|vacuum|same|whole)\b)[a-z-]{{3,}}\s+room\b
    |\b(?:stop|outage|turnaround|standstill|stillstand|parada|paro|arret)\s+(?:in|im|an|zu|en|de|at)\s+(?:{_MONTH})\b|\bis\s+the\s+window\b
    |\b(?:your|the|ihr\w*|su|votre)\s+(?:first|second|erste[rsn]?|zweite[rsn]?|primer[ao]?|segund[ao]|premiere?|deuxieme)\s+(?:skids?|units?|machines?|packages?|anlagen?|maschinen?|equipos?|maquinas?|groupes?)\b
    |\b\d+\s+(?:pumps|machines|compressors|blowers|pumpen|maschinen|bombas|maquinas|pompes)\s+(?:through|under|on|from|uber|por|a\s+traves\s+de|par|sous)\s+(?:one|a|the|eine?[nm]?|un[ao]?|une)\b""",
    re.VERBOSE,
)
"""Where a thing stands, when the plant stops, and beside which of its machines; heat that leaves the machine room is
none.
"""
BESIDE = re.compile(
    r"\beggs\s+in\s+(?:the\s+)?one\s+basket\b|\b(?:more|less|fewer|bigger|smaller|cheaper|quieter|louder)\b[^.;]*\bthan\s+(?:the|our)\s+"
    r"(?:scrolls?|screws?|recips?|pistons?|claws?|vanes?|others?|base|first|smaller|larger|option|item)\b"
    r"|\b(?:mehr|weniger|grosser|kleiner|leiser|lauter|billiger)\b[^.;]*\bals\s+d(?:ie|er|as)\s+(?:schraube\w*|scroll\w*|kolben\w*|klaue\w*|andere\w*|erste\w*)"
    r"|\b(?:mas|menos)\b[^.;]*\bque\s+(?:el|la)\s+(?:tornillo|scroll|piston|otr[oa]|primer[ao]?)\b"
    r"|\b(?:plus|moins)\b[^.;]*\bque\s+(?:le|la|l')\s*(?:vis|scroll|piston|autre|premiere?)\b"
)
"""What compares the machine with another one of the same quote."""
DOCUMENT = re.compile(
    r"""(?<!\d\s)(?<!\d,\s)\b(?:appendix|annex|addendum|attachment|exhibit|enclosure|anhang|anlage|anexo|apendice|annexe)\s+(?:\d{1,2}|[a-h]|[ivx]{1,4})\b
    |\b(?:urs|rfq|rfp|rfi|lastenheft|pflichtenheft|pliego|cahier\s+des\s+charges)\b
    |\b(?:your|per|of\s+the|ihr\w*|laut|su|votre)\s+(?:spec(?:ification|ifikation)?s?|tender|drawings?|zeichnung|ausschreibung|plano|plan)
    \s+(?:no\.?|nr\.?|section|rev\.?|page|sheet|item|seite|blatt)?\s*[a-z]?-?\d""",
    re.VERBOSE,
)
"""The papers of one project: appendix C, the URS, drawing 12; annex E of a norm is none."""
PROCESS = re.compile(
    r"""\b(?:you|your\s+\w+)\s+(?:mailed|sent|gave|showed|told|faxed|asked|wanted|measured|logged|counted)\b
    |\bsie\s+(?:uns\s+)?(?:geschickt|gesandt|genannt|gegeben|gezeigt)\b
    |\bque\s+(?:nos\s+)?(?:envio|mando|enviaron|mandaron|indico)\b|\bque\s+vous\s+(?:nous\s+)?avez\s+\w+
    |\b(?:filler|packer|capper|labeler|conveyor|abfuller|llenadora|remplisseuse|soutireuse)\s+(?:speed|runs|rate|does|lauft|corre|tourne)
    |\bpull(?:ing|s)?[\s-]+(?:it\s+)?down\s+(?:the|your|each)\b|\bsanitation\s+(?:has|crew|runs|needs|takes|comes)\b
    |\b(?:from|until|till|at|ab|bis|um|desde|hasta|de|a)\s+(?:midnight|mitternacht|medianoche|minuit)\b""",
    re.VERBOSE,
)
"""What a customer told of himself, and how his own line and his day go."""


def of_one_site(text: str, *, folded: str) -> bool:
    """Whether a sentence speaks of a site, a crew, a building, an arrangement, another machine, a line or the papers
    of a project;
    ``folded`` is the text folded.
    """
    told = (CREW, ARRANGED, BUILDING, PLACE, BESIDE, DOCUMENT, PROCESS)
    return BRANCH.search(text) is not None or any(each.search(folded) for each in told)
