"""The machine that a plant has to do without, as it is written: one pump down, bei Ausfall einer Pumpe."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

MOST_MENTIONS = 30
N_PLUS_1 = "n+1"

_MACHINE = (
    r"(?P<machine{n}>vacuum pumps?|pumps?|compressors?|blowers?|dryers?|units?|machines?|motors?|modules?"
    r"|legs?|of (?:them|the \w+)"
    r"|vakuumpumpe|pumpe|kompressor|verdichter|geblase|trockner|einheit|maschine|anlage|aggregat|davon"
    r"|bomba|unidad|maquina|compresor|equipo|soplador|secador|de (?:ellas|ellos|las \w+|los \w+)"
    r"|pompe|machine|compresseur|unite|groupe|surpresseur|secheur|d'(?:elles|entre elles|eux))"
)


def _machine(n: int) -> str:
    return _MACHINE.format(n=n)


_ONE = r"(?:(?:any|the|either|its)\s)?(?:one|1|single|largest|biggest|lead)(?:\s(?:largest|single|lead))?"
_EINE = r"(?:einer?|einem|eines|einen|der groe?s+ten|die groe?s+te|1)(?:\s(?:groe?s+ten|einzigen|beliebigen))?"
_UNA = r"(?:una?|uno|1|la mayor|cualquier|la mas grande)"
_UNE = r"(?:une?|1|la plus grosse|la plus grande|n'importe quelle)"
_OUT = (
    r"(?:out of (?:service|action|commission|order|operation)|out for (?:service|maintenance|repair)"
    r"|(?:under|in|on|as|for) (?:maintenance|standby|stand-by|reserve|backup)|redundant|standby|off[ -]?line"
)
_ENGLISH = (
    rf"\b(?:(?:even\s)?(?:with|w/|if|when|while|at|having)\s)(?:the\s)?{_ONE}(?:\s{_machine(1)})?"
    rf"\s(?:(?:is|being|goes|taken|has gone)\s)?{_OUT}|out|down|off|failed|fails|failing|stopped|lost|isolated)\b",
    rf"\b{_ONE}(?:\s{_machine(2)})?\s(?:is\s)?{_OUT})(?!\w)",
    rf"\b(?:loss|failure|outage) of (?:a|{_ONE})(?:\s{_machine(3)})?\b",
    rf"\b(?:{_ONE}|each|either)(?:\s{_machine(4)})?(?:\salone)?\s(?:(?:can|must|should|to|will|has to|able to)\s)?"
    r"(?:carry|carries|carrying|handles?|covers?|holds?|takes?|does|do)(?:\salone)?"
    r"\s(?:it|all|everything|100 ?%|(?:the\s)?(?:whole|full|entire|peak|total)(?:\s\w+)?|the (?:load|demand"
    r"|flow|duty|plant|job))"
    r"(?:\salone|\sby itself|\sof it)?(?!\w)",
)
_GERMAN = (
    rf"\b(?:bei|nach|trotz)\s(?:ausfall|wartung|stillstand|wegfall)\s(?:von\s)?{_EINE}(?:\s{_machine(5)}n?)?\b",
    rf"\b(?:auch\s)?(?:wenn|falls)\s{_EINE}(?:\s{_machine(6)})?\s(?:ausfallt|steht|auss?er betrieb ist"
    rf"|gewartet wird|in wartung ist)\b",
    rf"\b(?:(?:mit|davon)\s)?{_EINE}(?:\s{_machine(7)})?\s(?:auss?er betrieb|in wartung|(?:als|in) reserve"
    rf"|redundant|im stand-?by|abgeschaltet)\b",
    rf"\b(?:eine|jede)(?:\s{_machine(8)})?(?:\sallein)?\s(?:schafft|tragt|deckt|ubernimmt|reicht)(?:\s(?:es"
    rf"|alles|allein|aus|den bedarf"
    r"|(?:die|den) (?:volle|vollen|ganze|ganzen|gesamte|gesamten)\s\w+|die last))*\b",
)
_SPANISH = (
    rf"\b(?:(?:con|aun con|incluso con)\s)?{_UNA}(?:\s{_machine(9)})?\s(?:fuera de servicio|parada|detenida"
    rf"|en (?:reserva|mantenimiento|espera)"
    r"|de (?:reserva|respaldo)|fuera|redundante|averiada)\b",
    rf"\b(?:si|cuando)\s(?:falla|se para|cae)\s{_UNA}(?:\s{_machine(10)})?\b",
    rf"\b(?:ante|en caso de|por)\s(?:la\s)?(?:falla|fallo|paro|averia)\sde\s{_UNA}(?:\s{_machine(11)})?\b",
    rf"\b(?:una sola|cada)(?:\s{_machine(12)})?\s(?:soporta|cubre|lleva|basta|alcanza|puede con)"
    r"(?:\s(?:todo|sola|(?:toda\s)?(?:la|el) (?:carga|demanda|caudal|total)))*\b",
    rf"\buna(?:\s{_machine(13)})?\s(?:soporta|cubre|puede con)\s(?:todo|(?:toda\s)?la (?:carga|demanda))\b",
)
_FRENCH = (
    rf"\b(?:(?:avec|meme avec)\s)?{_UNE}(?:\s{_machine(14)})?\s(?:a l'arret|hors service|en panne|en secours"
    rf"|de secours|en reserve|en maintenance"
    r"|arretee?|redondante?|indisponible)\b",
    rf"\ben cas (?:de panne|d'arret|de defaillance) (?:de |d'){_UNE}(?:\s{_machine(15)})?\b",
    rf"\b(?:si|quand)\s{_UNE}(?:\s{_machine(16)})?\s(?:tombe en panne|s'arrete|est (?:en panne|a l'arret"
    rf"|hors service))\b",
    rf"\b(?:une seule|un seul|chacune?)(?:\s{_machine(17)})?\s(?:suffit|assure|porte|couvre|tient)"
    r"(?:\s(?:tout|le tout|seule?|(?:toute\s)?la (?:charge|demande)|le (?:debit|besoin)))*\b",
)
STANDBY = re.compile("|".join(f"(?:{form})" for form in (*_ENGLISH, *_GERMAN, *_SPANISH, *_FRENCH)))
FAMILIES = (
    (re.compile(r"compress|kompressor|verdichter"), "compressor"),
    (re.compile(r"blower|geblase|soplador|surpresseur"), "blower"),
    (re.compile(r"dryer|trockner|secador|secheur"), "dryer"),
)
"""What a plant is of whose machines are called so; pumps are also those of a scroll compressor."""
TRIGGER = re.compile(
    r"\b(?:out|off|down|fail|stopped|lost|isolated|stand-?by|redundan|reserv|maintenance|backup|loss|outage|carr[yi]|handle|cover|hold"
    r"|takes?\b|do(?:es)?\b|ausfall|wartung|stillstand|wegfall|auss?er|steht|gewartet|abgeschaltet|schafft|tragt|deckt|ubernimmt|reicht"
    r"|fuera|parad|se para|deteni|mantenimiento|respaldo|averia|falla|fallo|cae|soporta|cubre|lleva|basta"
    r"|alcanza|puede|espera|arret|hors"
    r"|panne|secours|indisponible|defaillance|suffit|assure|porte|couvre|tient)"
)
"""A word that every one of the forms has; the forms are tried around it alone, which keeps a long text cheap."""
BEFORE, BEHIND = 45, 45
"""Characters around such a word within which a form stands."""


@dataclass(frozen=True, slots=True)
class Standby:
    """Where the words stand, and the family of the machine that they name, "" for none."""

    start: int
    end: int
    family: str


def standbys(folded: str) -> Iterator[Standby]:
    """Every mention in a folded text, in order."""
    end = 0
    for trigger in islice(TRIGGER.finditer(folded), MOST_MENTIONS):
        match = STANDBY.search(folded, max(end, trigger.start() - BEFORE), trigger.end() + BEHIND)
        if match is None or trigger.start() < end:
            continue
        named = next((value for value in match.groupdict().values() if value), "")
        family = next((name for pattern, name in FAMILIES if pattern.search(named)), "")
        end = match.end()
        yield Standby(match.start(), end, family)
