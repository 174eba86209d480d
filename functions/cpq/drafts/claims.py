"""Whether a sentence claims something: of the machine, the price, the delivery, the warranty, the plant or a rule.

A claim is about one of these matters and says it as a fact. What a letter says of itself, asks, offers to talk about,
leaves open, shuts out or repeats from the customer's mail claims nothing. All is told by words in the languages of
letters, folded.
"""

import re
from collections.abc import Iterator, Sequence

from quarry.understanding.negation import DENYING
from quarry.understanding.text import fold, tokens
from quarry.understanding.words import Meaning, Vocabulary


def _words(*listed: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(" ".join(listed).split()).replace("_", r"\s+") + r")\b")


MACHINE = _words(
    r"machines? units? packages? equipment systems? models? motors? controllers? bearings? elements? starters?",
    r"anlagen? maschinen? aggregate? gerate? modelle? motor(?:en)? steuerung(?:en)? lager(?:ung)?",
    r"maquinas? equipos? unidad(?:es)? modelos? motor(?:es)? controlador(?:es)?",
    r"machines? appareils? groupes? modeles? moteurs? equipements?",
)
"""Nouns for goods beside the kinds that the trade's vocabulary has."""
BEGUN = re.compile(
    r"\W*(?:and\s+|but\s+|und\s+|aber\s+|y\s+|pero\s+|et\s+|mais\s+)?(?:it|they|its|their|this|these|both|each"
    r"|everything|nothing"
    r"|es|er|diese[rs]?|beide|alles|este|esta|estos|estas|ambos|ambas|todo|il|elle|ils|elles|celui-ci|celle-ci"
    r"|tout)\b"
)
"""A pronoun in the place of the subject."""
PLANT = _words(
    r"your_(?!\S*(?:mail|request|order|question|review|convenience|budget|time|inquiry|enquiry|interest|business|wish|reply|attention|contact)\b)\w+",
    r"halls?",
    r"doors? doorways? rooms? floors? walls? roofs? ceilings? foundations? pads? pip(?:ing|es?) headers? plants?",
    r"buildings?",
    r"sites? workshops? offices? neighbou?rs? breakers? wires? wiring cables? transformers? electrical_service",
    r"power_supply",
    r"operators? staff ambient elevators? stairs? docks? ductwork drains?",
    r"tur(?:en)? (?:roll)?tore?s? statik raume?s? raumen hallen? boden wande? fundamente? rohrleitung(?:en|snetz)?",
    r"leitung(?:en|snetz)? werke?s?",
    r"gebaude buros? nachbarn? sicherung(?:en)? kabel netz(?:es)? stromanschluss personal mitarbeiter",
    r"umgebung(?:stemperatur)?",
    r"betriebs\w*",
    r"puertas? portones porton cuartos? salas? pisos? losas? paredes techos? cimientos? cimentacion(?:es)?",
    r"tuberias? plantas? talleres taller edificios?",
    r"vecinos?",
    r"cables? acometidas? red(?:es)? operador(?:es)? personal ambiente",
    r"portes? loca(?:l|ux) salles? sols? dalles? escaliers? conduites?",
    r"murs? toits? fondations? tuyauteries? reseaux? usines? ateliers?",
    r"batiments? voisins?",
    r"sites? cables? branchements? operateurs? ambiante?",
)
"""What is the customer's."""
PLACED = _words(r"stands? located placed stehen steht aufgestellt")
COMMERCE = _words(
    r"pric(?:es?|ing) costs? deliver(?:y|ies|ed|s)? ships? shipments? freight warrant(?:y|ies) guarantees?",
    r"discounts? (?:spare_)?parts?",
    r"(?:spare|wear)s? stock warehouse investments? pays? payback savings? saves? energy electricity bills?",
    r"surcharges? training",
    r"(?:\d+|two|three|four|six|eight|ten|twelve)_(?:days|weeks|months|years) oil_changes? intervals?",
    r"maintenance changeovers? shutdowns? downtime lifetime",
    r"preise? kosten lieferung(?:en)? lieferzeit(?:en)? liefert fracht gewahrleistung garantie[n]? rabatte?",
    r"ersatzteile?",
    r"verschleissteile? verschleisteile? investition(?:en)? amortisier\w+ spar(?:en|t) ersparnis",
    r"energie(?:kosten)? stroms? wartung\w*",
    r"schulung(?:en)? stillstand",
    r"precios? costos? costes? entregas? fletes? garantias? descuentos? repuestos? refacciones piezas?",
    r"existencias? inversion(?:es)?",
    r"ahorr\w+ energia mantenimiento paradas? capacitacion",
    r"prix couts? livraisons? transport garanties? remises? pieces? stocks? investissements? economies?",
    r"economis\w+ energie",
    r"entretien maintenance arrets? amorti\w* rentabilis\w+ formation",
)
RULES = _words(
    r"codes? regulations? standards? norms? rules? directives? law laws certif\w+ approv(?:ed|als?)",
    r"compl(?:y|ies|iant|iance)",
    r"conforms? hazardous explosion atex",
    r"vorschrift(?:en)? normen? richtlinien? gesetze?n? zugelassen zertifi\w+ konform\w* ex-bereich",
    r"normas? reglament\w+ leyes certificad\w+ homologad\w+ cumplen? explosion",
    r"normes? reglement\w+ lois? homologue\w* certifie\w* conforme\w* explosion",
)
PRAISE = _words(
    r"quiet(?:er|est|ly)? silent whisper\S* noiseless reliabl[ey] trouble-free durable outlasts? efficient",
    r"economical effortless(?:ly)?",
    r"happy satisfied proven popular best safe(?:ly)? ideal perfect(?:ly)? unmatched",
    r"leise\w* flusterleise\w* zuverlassig\w* langlebig\w* effizient\w* sparsam\w* problemlos\w* muhelos\w*",
    r"ideal\w* perfekt\w* beste[nrs]?",
    r"silencios[oa]s? confiables? fiables? durader\w* eficientes? economic[oa]s? ideal(?:es)? perfect[oa]s?",
    r"mejor(?:es)?",
    r"silencieu(?:x|se|ses) fiables? durables? efficaces? economiques? ideale?s? parfaite?s? meilleure?s?",
)
TRADED = frozenset(("family", "service", "feature", "certificate", "use", "lubrication"))
"""Attributes of the trade's vocabulary that are matters of a claim."""

ASKED = re.compile(
    r"[?¿]|\[[A-Z]|\b(?:please|kindly|let\s+(?:us|me)\s+know|do\s+not\s+hesitate|feel\s+free|bitte|por\s+favor"
    r"|sirvase|merci\s+de"
    r"|veuillez|n'hesitez)\b"
)
"""A question, a request, a placeholder."""
WRITTEN = re.compile(
    r"""\b(?:
    (?:we|i|our\s+(?:\w+\s+)?(?:technicians?|engineers?|manager|team|colleagues?|office|people|department
        |salesperson|salespeople|factory)|we've|i've|i'll|i'd|we'd)\s+(?:(?:have|had|would|will|can|could|must
        |also|again|gladly|only|then|are|am|be|were|to)\s+)*
        (?:thank\w*|offer\w*|quot\w+|propos\w+|suggest\w*|recommend\w*|underst\w+|look(?:ing)?|hop\w+|need\w*
            |assum\w*
        |bas(?:e|ed)|send\w*|sent|attach\w*|enclos\w*|call\w*|visit\w*|meet|talk\w*|discuss\w*|walk|ask\w*
            |check\w*|know\w*|learn\w*
        |regret\w*|glad|pleased|happy|delighted|sorry|like|prefer\w*|appreciate\w*|select\w*|chose\w*|see|saw
            |read|answer\w*|cannot)
    |(?:by|durch|por|par)\s+(?:our|unser\w*|nuestr\w*|notre|nos)\s+\w+
    |glad\s+to|pleased\s+to|look(?:ing)?\s+forward|would\s+(?:need|like|be\s+glad|send|have|suggest|prefer)
        |thank\s+you|thanks
    |(?:vielen|herzlichen|besten)\s+dank|danke\w*|(?:wir|ich)\s+(?:\w+\s+){0,3}?(?:bieten|empfehl\w+|schlag\w+
        |versteh\w+|freu\w+|hoff\w+|brauch\w+
        |benotig\w+|wurd\w+|send\w+|schick\w+|nehm\w+|muss\w*|fragen|wissen|rechnen)|bieten\s+wir|freuen\s+(?:wir
            |uns)|freue\s+mich
    |wir\s+(?:haben\s+)?(?:\w+\s+){0,8}?(?:angeboten|verstanden|ausgewahlt|zugrunde|erhalten|gelesen)
        |mussen\s+wir|anbieten|erfragen
    |(?:ansehen|besuchen|anrufen|besprechen|vorbeikommen)
    |gracias|(?:le|les|nos)\s+(?:ofrecemos|gustaria|agradecemos|proponemos|complace)|con\s+gusto|ofrecemos
        |cotiz(?:amos|ar\w*|o)|proponemos
        |preguntamos|consultamos|sugerimos|recomendamos|entendemos|quedamos|esperamos|agradecemos|necesitamos|tenemos\s+que|adjunt\w+
            |suponemos
        |puede\s+(?:visitar|llamar\w*|venir)|llamem\w+|saludos?|gustaria
    |merci|nous\s+(?:(?:vous|avons|le|la|les|l')\s*)*(?:demand\w+|propos\w+|offrons|chiffr\w+|compris|comprenons|esper\w+
        |recommand\w+|sugger\w+|besoin|remerci\w+
        |devons|joign\w+|envoy\w+|restons|serions|supposons|souhait\w+|avons\s+le\s+plaisir|plaisir)
            |avons\s+le\s+plaisir|dans\s+l'attente
        |(?:venir|passer)\s+voir|veuillez|chiffrerons
    |regards|sincerely|grusse\w*|grussen|salutations
    )""",
    re.VERBOSE,
)
"""What the house does in writing: it thanks, offers, asks, proposes, offers to come or to talk."""
WANTED = re.compile(
    r"""^\W*(?:(?:in|as|since|for|from|when|wie|da|weil|nach|aus|dans|selon|d'apres|en|segun|como|comme)\s+(?:\S+\s+){0,4}?)?
    (?:you|your\s+(?:\w+\s+)?(?:mail|e-mail|request|letter|inquiry|enquiry|specification|tender|drawing|list
        |question)s?
    |sie|ihre?[mnrs]?\s+(?:mail|e-mail|anfrage|schreiben|liste|frage|ausschreibung)|usted(?:es)?
    |su\s+(?:solicitud|consulta|correo|pedido|lista|pregunta)|vous|votre\s+(?:demande|courriel|mail|liste
        |question|cahier))
    \W+(?:\S+\s+){0,4}?
    (?:ask\w*|request\w*|wrote|writ\w+|stat\w+|told|tell|gave|give|mention\w*|nam(?:e|ed|es)|want\w*|wish\w*
        |need\w*|describ\w+|sa(?:y|ys|id)|specif\w+
    |call\w*|plan\w*|find|reach|see|angefragt|gefragt|fragen|wunsch\w*|gewunscht|wollen|mocht\w+|schreib\w*
        |geschrieben|nenn\w+|genannt|brauch\w+
    |benotig\w+|verlang\w+|erwahn\w+|finden|pid\w+|desea\w*|quier\w+|escrib\w+|necesit\w+|mencion\w+|indic\w+
        |encontrar\w*|demand\w+|l?'?ecriv\w+
    |souhait\w+|voul\w+|voudr\w+|besoin|mentionn\w+|indiqu\w+|trouver\w*|cherch\w+)\b""",
    re.VERBOSE,
)
"""What the customer wrote or wants, where the sentence begins with him."""
TOLD = re.compile(
    r"\bplease\s+note\s+(?:that\b|:)?"
    r"|^\W*(?:as|like|wie|como|comme)\s+(?:(?:you|sie|usted|vous|we|wir|nous)\s+)?\w+(?:\s+\w+){0,3}?\s*,\s*"
    r"|^\W*(?:as|wie|como|comme)\s+(?:requested|asked|discussed|agreed|wished|gewunscht|besprochen|angefragt"
    r"|pidio|solicito|acordado|demande|convenu)\b,?\s*"
    r"|,\s*(?:just\s+)?(?:as|wie|como|comme)\s+(?:you|sie|usted|vous)\b[^,.;]*"
    r"|\b(?:we|i|wir|nous)\s+(?:(?:can|are|am|happy|glad|pleased|to|hereby|konnen|pouvons|gern"
    r"|gerne)\s+)*(?:confirm|assure|promise|say|tell|inform|state"
    r"|bestatigen|versichern|confirmons|assurons)\s+(?:(?:you|ihnen|vous)\s+)?(?:that|dass|que)?\s*,?"
    r"|\b(?:le|les)?\s*(?:confirmamos|aseguramos)\s+que\b"
)
"""What stands before a claim and does not make it less of one: as you asked; we confirm that."""
NAMING = re.compile(
    r"\W*(?:(?:and|but|und|aber|y|et)\s+)?(?:the|this|that|our|an?|each|der|die|das|diese[rs]?|unser\w*"
    r"|eine?[rs]?|el|la|los|las|este|esta|una?|l[ea]s?"
    r"|cette?|ce|une|un)\s+(?:[\w-]+\s+(?:of|with|de|con|avec|mit|von)\s+)?"
)
"""What stands before a figure that only names the machine: the 505 cfm machine, le compresseur de 30 kW."""
LETTER = re.compile(
    r"""\b(?:
    (?:is|are|was|were|been|be|have|has)\s+(?:\w+\s+){0,3}?
        (?:listed|described|shown|given|stated|marked|quoted|priced|offered|attached|enclosed|summari[sz]ed
            |answered|addressed)
    |^\W*(?:attached|enclosed|below|above|anbei|beigefugt|adjunt[oa]s?|ci-joint\w*)|counts?
    |(?:is|are|stand|see|find|found|follows?|table|line|page|section)\s+(?:\w+\s+){0,3}?(?:below|above|overleaf
        |attached|enclosed)|replaces\s+(?:our|the)\s+(?:\w+\s+)?(?:one|offer|quot\w+|proposal|letter)
    |an?\s+(?:alternate|alternative|option)\b|per\s+(?:unit|piece)|separate(?:ly)?|can\s+be\s+sent|on\s+request
    |aufgefuhrt|beschrieben|angegeben|angeboten|genannt|beigefugt|anbei|unten|folgenden|getrennt
        |eine\s+(?:alternative|option)|verstehen\s+sich|je\s+stuck
    |ersetzt\s+(?:unser|das)\w*|auf\s+anfrage|nennen\s+wir
    |descrit[oa]s?|indicad[oa]s?|cotizad[oa]s?|ofrecid[oa]s?|adjunt[oa]s?|abajo|debajo|separado
        |una\s+(?:alternativa|opcion)|por\s+(?:unidad|pieza)
    |reemplaza\s+(?:la|nuestra)|se\s+encuentran|bajo\s+pedido
    |decrite?s?|indique[es]*|chiffre[es]*|ci-(?:dessous|joint\w*|apres)|figur\w+|separement|une\s+(?:variante
        |option)|s'entendent|a\s+l'unite
    |remplace\s+(?:la|notre)|sur\s+demande
    )\b""",
    re.VERBOSE,
)
"""What a letter says of itself: where a thing stands in it, and what it is an offer of."""
_NUMBERED = r"(?:items?|position(?:en)?|pos\.?|partidas?|postes?)\s+\d+(?:\s+(?:and|to|und|bis|y|a|et)\s+\d+)?"
_APART = r"(?:options?|optionen|opciones|alternates?)"
_PLACE = (
    rf"(?:{_NUMBERED}|{_APART}|(?:your\s+)?questions|alternatives?|alternativen|alternativas|variantes|terms|exclusions?|comparisons?|compliance|table"
    r"|bedingungen|fragen|vergleich|tabelle|condiciones|preguntas|comparacion|comparativa|tabla|conditions|comparaison|tableau)"
)
_STANDS = r"(?:stands?|follows?|steht|stehen|folgt|folgen|estan?|figuran?|siguen?|figure(?:nt)?)"
_HERE = r"(?:below|above|unten|oben|abajo|arriba|mas\s+abajo|ci-dessous|ci-dessus|plus\s+bas)"
_UNDER = r"(?:under|in|among|as|bei|unter|als|en|bajo|entre|como|comme|dans|sous)"
_ARTICLE = r"(?:the|our|der|den|dem|die|el|las?|los|les?)"
_ASIDE = (
    r"(?:,?\s*(?:(?:apart\s+from|not\s+in|outside|nicht\s+in|fuera\s+de|hors)\s+(?:(?:the|der|el|du|le)\s+)?(?:total|summe)"
    r"|(?:as\s+|als\s+|como\s+|comme\s+)?(?:an?|eine|una?|une)\s+(?:exception|alternate|option|ausnahme|excepcion)(?:\s+(?:to|from|von|zu|a|de)\s+(?:your|ihr\w*|sus?|vos|votre)(?:\s+\S+){1,3}?)?"
    r"|(?:with|mit|con|avec)\s+(?:its|their|a|ihrem|seinem|eigenem|su|un|son|leur)\s+(?:(?:own|eigenen?|propio|propre)\s+)?(?:price|preis|precio|prix)(?:\s+(?:propio|propre))?"
    r"|priced\s+(?:by\s+(?:itself|themselves)|separately|apart|on\s+(?:its|their)\s+own)|(?:so\s+that\s+|damit\s+|para\s+que\s+|pour\s+que\s+)(?:you|sie|vous|usted)\s+(?:can|konnen|pueda|puissiez)\s+(?:compare|leave\s+it\s+out|decide)))*"
)
IN_THE_LETTER = re.compile(
    rf"""\W*(?:
    (?:\S+\s+){{0,8}}?(?:(?:is|are|ist|sind|es|son|est|sont)\s+(?:(?:the|der|die|das|el|la|le)\s+|l')?(?:{_NUMBERED}|{_APART})
        |{_STANDS}\s+(?:{_HERE}\s+)?{_UNDER}\s+(?:{_ARTICLE}\s+)?{_PLACE}){_ASIDE}
    |{_UNDER}\s+(?:{_ARTICLE}\s+)?{_PLACE}\s+(?:{_HERE}\s+)?{_STANDS}\s+(?:those|the|its|all|our|your|die|der|das|alle|los|las|el|la|les|le|ce(?:ux|lles))(?:\s+\S+){{0,8}}
    |(?:we|wir|nous)\s+(?:put|list|show|offer|quote|price|set|give|fuhren|bieten|nennen|proposons|donnons)\s+(?:\S+\s+){{1,4}}?(?:{_HERE}\s+)?{_UNDER}\s+(?:{_ARTICLE}\s+)?{_PLACE}(?:\s+(?:auf|an))?{_ASIDE}
    |(?:(?:lo|la|los|las)\s+)?(?:ponemos|ofrecemos|cotizamos|listamos)\s+(?:\S+\s+){{0,4}}?(?:{_HERE}\s+)?{_UNDER}\s+(?:{_ARTICLE}\s+)?{_PLACE}{_ASIDE}
    |(?:\S+\s+){{0,10}}?(?:come|comes|add\s+up|sum\s+up|amount)\s+to\s+the\s+total\s+(?:below|above)
    |(?:the|these|all|our|die|diese|alle|los|estos|les|ces)\s+(?:(?:two|three|four|zwei|drei|dos|tres|deux|trois)\s+)?(?:prices?|preise|precios|prix)\s+(?:(?:below|above|unten|oben|abajo|arriba|ci-dessous|ci-dessus)\s+)?
        (?:are|is|sind|verstehen\s+sich|son|sont|s'entendent)\s+(?:before|without|net\s+of|exclusive\s+of|vor|ohne|sin|antes\s+de|sans|avant|hors)\s+(?:\S+\s*){{1,5}}
    |(?:this\s+is\s+|that\s+is\s+|it\s+is\s+)?(?:disregarded|left\s+(?:out|aside)|set\s+aside|omitted|noted|weggelassen|zur\s+kenntnis\s+genommen|omitido|anotado|laisse\s+de\s+cote|note)
        (?:,?\s+(?:as|wie|como|comme)\s+(?:\S+\s*){{1,4}})?
    |we\s+(?:leave|set)\s+(?:this|that|it)\s+(?:aside|out|for\s+another\s+(?:day|time))(?:,?\s+as\s+(?:\S+\s*){{1,3}})?
    )[.!]?\s*""",
    re.VERBOSE,
)
"""A whole sentence on where a thing stands in the letter, what its prices leave out, what it leaves aside."""
LEFT = re.compile(
    r"""\b(?:
    if|unless|whether|depends?|until|subject\s+to|provided|as\s+soon\s+as|once\s+(?:we|you)|before\s+we
        |to\s+be\s+(?:\w+\s+)?(?:confirmed|checked|clarified|settled|measured|agreed)
    |(?:has|have|needs?|must)\s+(?:to\s+)?be\s+(?:\w+\s+)?(?:confirm|check|clarif|settl|measur|agree|verif|ask
        |look)\w*
    |(?:has|have|needs?|must)\s+(?:\w+\s+)?(?:to\s+)?(?:confirm|check|clarify|measure|verify)
    |(?:will|shall|is|are|be)\s+(?:\w+\s+)?(?:confirmed|given|named|told|communicated|settled|left)
    |to\s+the\s+(?:maker|manufacturer|factory)|an\s+den\s+hersteller|al\s+fabricante|au\s+(?:constructeur|fabricant)
    |bears?\s+on|decides?|determines?|matters?\s+for|entscheidet|bestimmt|determina|determine
    |will\s+(?:confirm|check|ask|clarify|verify|tell|call|send|let|quote|answer)|may|might|could|should|would
        |open|unknown|by\s+others|customer's\s+side
    |excluded|extra|assum\w+
    |(?:muss|mussen|deben?|doit|doivent)\s+(?:\S+\s+){0,4}?(?:messen|medir|mesurer|confirmer|verifier)
    |wenn|falls|ob|sofern|vorausgesetzt|vorbehaltlich|siempre\s+que|a\s+condition|pourvu|sous\s+reserve|sobald|hangt|je\s+nachdem|noch\s+(?:zu|offen|nicht)|zu\s+(?:klaren|prufen|bestatigen)
        |(?:geklart|gepruft|bestatigt|mitgeteilt|angegeben)\s+werden
    |klaren|prufen|bestatigen|konnte[nr]?|durfte[n]?|sollte[n]?|musste[n]?|wurde[n]?|ware[n]?|offen|unbekannt
        |bauseits|bauseitig\w*
    |si|cuando|depende\w*|habra\s+que|hay\s+que|por\s+confirmar|confirmar\w*|se\s+(?:indicara|confirmara|definira
        |informara)|podria[n]?|deberia[n]?|puede\s+ser
    |por\s+(?:cuenta\s+de\s+)?otros|a\s+cargo\s+de|por\s+cuenta|pendiente
    |lorsque|depend\w*|il\s+(?:faudra|faut)|a\s+(?:confirmer|verifier|preciser)|sera\s+(?:indique|confirme
        |precise|communique)\w*|pourrait|pourraient|devrait
    |devraient|devons|serait|conviendrait|a\s+la\s+charge|reste(?:nt)?\s+(?:\S+\s+){0,4}?(?:a\s+\w+[ei]r|ouverte?s?|inconnue?s?|en\s+suspens)
        |(?:by|per|as|in|see)\s+the\s+manual|laut\s+(?:betriebs)?anleitung|segun\s+el\s+manual|selon\s+(?:la\s+notice|le\s+manuel)
    )\b""",
    re.VERBOSE,
)
"""What leaves it open, puts it off, shuts it out or says it with a doubt."""
DENIED = re.compile(
    rf"\b(?:{DENYING}|cannot|nor|none|hardly|n't|kaum|nie|ningun\w*|ni|nunca|apenas|aucun\w*|jamais)\b"
)
EVER = _words(r"never hardly nie niemals kaum nunca jamas apenas jamais")
PARTLY = re.compile(
    r"\b(?:not\s+(?:all|every)|nicht\s+(?:alle\w*|jede\w*)|no\s+tod[oa]s|pas\s+(?:tous|toutes|tout))\b"
)
"""A denial that leaves the rest."""
UNKNOWN = _words(
    r"catalogue data records? known? know stat(?:e|ed|es) giv(?:e|en|es) say(?:s)? tells? told includ\w* part_of",
    r"total quoted offered",
    r"katalog daten angaben? schweigt bekannt angegeben gesagt enthalten teil_des angeboten",
    r"catalogo datos indica\w* dice incluy\w* incluid\w* parte_de cotizad\w*",
    r"conocemos sabemos kennen wissen connai\w+ savons ignorons",
    r"donnees connue? indique\w* donne dit compren\w* compris\w* inclus\w* partie_de",
)
"""What a denial is about that tells what we do not know or do not offer."""
BURDEN = re.compile(
    r"""\b(?:need\w*|requir\w*|necess\w+|hear|notice|maintenance|service|training|foundations?|effort|noise|sound|vibrat\w*|wear|leak\w*|fail\w*
    |breaks?|clog\w*|complain\w*|chang\w+|downtime|problems?|trouble|disassembl\w*|modif\w*|surcharge|extra
        |charge|interruption
    |brauch\w*|benotig\w*|erforder\w*|notig|notwendig|hor\w+|wartung\w*|schulung|fundament|larm|gerausch\w*
        |schwingung\w*|verschleis\w*|ausfall\w*|problem\w*
    |umbau\w*|zuschlag\w*|aufpreis
    |necesit\w+|requier\w+|hace\s+falta|mantenimiento|ruido|vibra\w*|desgaste|fall\w+|problemas?|cambio|recargo|oye
    |besoin|demande|necessit\w+|exig\w+|entretien|bruit|vibr\w*|usure|panne\w*|probleme\w*|modif\w*|supplement\w*
        |entend\w*|(?:is|are|has|have)\s+no\s+(?:\w+\s+)?oil(?![\s-]?(?:free|less))|(?:ist|sind|hat|haben|enthalt)\s+kein(?:en)?\s+(?:tropfen\s+)?ol
        |(?:a|ont|contient)\s+(?:aucune|pas\s+d')\s*huile|no\s+(?:hay|tiene|lleva|contiene)\s+(?:\w+\s+de\s+)?aceite)\b""",
    re.VERBOSE,
)
"""What a machine is praised for not having and not asking for."""
COORDINATED = re.compile(
    r"\s*;\s*|,?\s+(?:and|but|und|aber|sowie|y|pero|et|mais)\s+"
    r"(?!(?:behind|after|downstream|hinter|nach|detras|despues|derriere|apres|en\s+a(?:val|mont))\b)"
)
"""What joins clauses, of which none is a place alone: before and behind the dryer."""
FIRST = 5
"""Words among which a sentence that describes goods names them."""
FEWEST = 3
"""Words of a clause that claims something by itself."""


def matters(said: str, vocabulary: Vocabulary) -> bool:
    """Whether a folded text is about the machine, the price, delivery, warranty, the plant or a rule."""
    if any(pattern.search(said) for pattern in (MACHINE, PLANT, COMMERCE, RULES, PRAISE)) or BEGUN.match(said):
        return True
    return next(_traded(said, vocabulary), None) is not None


def goods(said: str, vocabulary: Vocabulary, *, services: bool) -> list[str]:
    """The words of a folded text that name goods, and services if these are what is sold."""
    found = [match[0] for match in MACHINE.finditer(said)]
    for text, meanings in _traded(said, vocabulary):
        if any(each.attribute == "family" and (services or each.value != "service") for each in meanings):
            found.append(text)
    return found


def leads_with(said: str, vocabulary: Vocabulary) -> frozenset[str]:
    """The kinds of goods that a folded sentence names among its first words."""
    for text, meanings in _traded(" ".join(said.split()[:FIRST]), vocabulary):
        kinds = frozenset(each.value for each in meanings if each.attribute == "family" and each.value != "service")
        if text and kinds:
            return kinds
    return frozenset()


def _traded(said: str, vocabulary: Vocabulary) -> Iterator[tuple[str, Sequence[Meaning]]]:
    words = tokens(said)
    for place in range(len(words)):
        count, meanings = vocabulary.match(words, place)
        if any(each.attribute in TRADED for each in meanings):
            yield said[words[place].start : words[place + count - 1].end], meanings


def spares(said: str) -> bool:
    """Whether it denies a burden, or denies for ever, which are claims: needs no maintenance, never clogs."""
    if UNKNOWN.search(said) is not None or PARTLY.search(said) is not None:
        return False
    return EVER.search(said) is not None or (DENIED.search(said) is not None and BURDEN.search(said) is not None)


FREE = re.compile(
    r"""\b(?:
    free\s+of\s+(?:charge|cost)|(?:at|for)\s+no\s+(?:(?:extra|additional|further)\s+)?(?:cost|charge)s?|on\s+us|on\s+the\s+house|at\s+our\s+(?:expense|cost|charge)
    |without\s+(?:extra\s+)?charge|kostenlos\w*|kostenfrei\w*|unentgeltlich\w*|ohne\s+(?:aufpreis|mehrkosten|berechnung)|(?:auf|zu)\s+unser\w*\s+(?:kosten|lasten)
    |geht\s+auf\s+uns|gratis|gratuit\w*|sin\s+(?:costo|coste|cargo)|por\s+(?:cuenta\s+nuestra|nuestra\s+cuenta)|sans\s+(?:frais|supplement)|a\s+(?:nos\s+frais|notre\s+charge)
    )\b""",
    re.VERBOSE,
)
"""What costs the customer nothing."""
TRADE_TERMS = frozenset(("exw", "fca", "fas", "fob", "cfr", "cif", "cpt", "cip", "dap", "dpu", "ddp"))
"""Incoterms, folded."""
GIVEN = re.compile(
    r"\b(?:free_of|free_(?:delivery|freight|training|service)|at_no|warrant\w*|guarant\w*|discounts?"
    r"|gewahrleist\w*|garant\w*"
    r"|rabatt\w*|skonto|kostenlos\w*|gratis|descuentos?|remises?|gratuit\w*)\b".replace("_", r"\s+")
)
"""What is promised even where it is offered."""

TAKEN_DOWN = re.compile(
    r"""\b(?:collect|gather|note|record|list|keep|take\s+(?:up|over|down)|halten|nehmen|sammeln|recogemos|anotamos|reunimos|prenons|relevons
        |recueillons|notons)\s+(?:\S+\s+){0,3}?
    (?:remarks?|comments?|data|figures?|facts?|findings|answers?|questions?|wishes|requirements?|measurements?|readings?|drawings?
    |notes?|details|information|minutes|bemerkungen|anmerkungen|daten|angaben|wunsche|fragen|messwerte|notiz
    |comentarios|datos|observaciones|preguntas|medidas|notas?|remarques|donnees|commentaires|souhaits|mesures|note)\b""",
    re.VERBOSE,
)
"""What the house takes down, which is no thing that it takes away or keeps in stock."""


def is_own(text: str) -> bool:
    """Whether a sentence is the letter's own: a request, an act of the house in writing, what the customer wrote, a
    word on the letter, something that is left open.
    """
    said = FREE.sub(" ", TOLD.sub("", fold(text)))
    if ASKED.search(text) or ASKED.search(said):
        return True
    if IN_THE_LETTER.fullmatch(said) or any(pattern.search(said) for pattern in (WANTED, LETTER, LEFT)):
        return True
    noted = TAKEN_DOWN.search(said)
    if noted is not None and COORDINATED.search(said, noted.end()) is None:
        return True
    if WRITTEN.search(said) is not None and GIVEN.search(said) is None:
        return True
    return DENIED.search(said) is not None and not spares(said)


def coordinated(text: str) -> list[tuple[int, int]]:
    """The clauses of a sentence that stand side by side, as places of the text."""
    found, start = [], 0
    for match in COORDINATED.finditer(fold(text)):
        if len(text[start : match.start()].split()) >= FEWEST and len(text[match.end() :].split()) >= FEWEST:
            found.append((start, match.start()))
            start = match.end()
    return [*found, (start, len(text))]
