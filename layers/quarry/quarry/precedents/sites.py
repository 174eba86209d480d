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
    """Whether a sentence speaks of a site, a crew, a building, an arrangement, a line or the papers of a project;
    ``folded`` is the text folded.
    """
    told = (CREW, ARRANGED, BUILDING, DOCUMENT, PROCESS)
    return BRANCH.search(text) is not None or any(each.search(folded) for each in told)
