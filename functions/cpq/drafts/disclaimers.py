"""Sentences that bind nobody though they speak of goods: what was, is over, stands where, speaks against a thing.

All is told by words in the languages of letters, folded.
"""

import re

from cpq.drafts.claims import DENIED
from cpq.drafts.facts import meant
from quarry.understanding.text import fold
from quarry.understanding.words import Vocabulary

QUOTES = "\"“”„»«‟'’‘ "
"""What stands around a quotation."""
LED_IN = re.compile(r"[:,]\s+(?=[\"“„»«])|:\s+")
"""Between the words that name a source and what it says."""
MARKED = re.compile(r"[:,]\s+[\"“„»«]\s?(\S+(?:\s\S+){3,}?)\s?[\"”“«»][.!]?$")
"""The end of a sentence that quotes four words and more."""
ENDED = re.compile(
    r"""\b(?:
    (?:is|are|has|have|had|was|were)\s+(?:\w+\s+){0,2}?(?:over|out|ended|expired|lapsed|run\s+out)\s*(?:[.,;:]|$)|(?:falls?|drops?)\s+out
    |vorbei|abgelaufen|verfallen|erloschen|entfall(?:t|en)|scheide(?:t|n)\b.*\baus
    |(?:ha|han|esta|estan)\s+(?:venc\w+|caduc\w+|expir\w+|termin\w+)|(?:ya|ha|han)\s+pasa\w+|queda[n]?\s+(?:fuera|descartad\w+)
    |(?:est|sont|a|ont)\s+(?:expire\w*|echue?s?|ecoule\w*|ecarte\w*|termine\w*)|hors\s+de)(?!\w)""",
    re.VERBOSE,
)
"""A time is over, an offer has run out, a thing is left out."""
PAST = re.compile(
    r"""\b(?:was|were|had|came|did|gave|took|stood|held|sold|contained|shipped|offered|quoted|included|delivered|needed|weighed
    |war|waren|hatten?|kam(?:en)?|wurden?|gab|enthielt(?:en)?|kostete|betrug|lieferten?
    |fue|fueron|era|eran|tenia\w*|contenia\w*|incluia\w*|costo|estaba\w*|\w+(?:amos|aron|imos|ieron|aba|aban)|\w+o(?=\s+(?:un|una|el|la|con|en)\b)
    |etai(?:t|ent)|avai(?:t|ent|ons)|a\s+ete|ont\s+ete|\w+(?:aient|ions)|comprenait|contenait|coutait|fut)\b""",
    re.VERBOSE,
)
"""Verbs of the past."""
PERFECT = re.compile(
    r"\b(?:have|has)\s+\w+(?:ed|ght)\b|\bge\w{2,}(?:t|en)\s+(?:haben|hat)\b|\b(?:haben|hat)\s+(?:\S+\s+){1,8}?ge\w{2,}(?:t|en)\b"
    r"|\b(?:ha|han|hemos)\s+\w+[ai]do\b|\b(?:avez|avons|ont)\s+(?:\w+\s+)?\w+[eiu]s?\b"
)
"""The same in two words: haben gekauft, avez acheté."""
PRESENT = re.compile(
    r"\b(?:is|are|has|can|will|does|do|again|too|ist|sind|hat|haben|kann|wird|werden|gilt|wieder|es|son|tiene|sera|seran|puede|vuelve|est|sont|peut"
    r"|sera|seront|encore)\b"
)
"""Verbs by which a clause tells of today or of what comes."""
PREDICATED = re.compile(
    r"""\W*(?:(?:the|all|our|die|alle|unsere|los|nuestros|todos\s+los|les|nos|tous\s+les)\s+)(?:two\s+)?(?:prices?|preise|precios|prix)\s+(?:\S+\s+){0,3}?
    (?:are|sind|verstehen\s+sich|son|estan|sont|s'entendent)\s+
    (?:(?:in|en)\s+\S+(?:\s+\S+)?|(?:(?:the|die|los|les|those|ceux|del?|of|von)\s+){0,3}(?:today's|those\s+of\s+today|of\s+today|current|net|list|list\s+prices
    |heutigen?|aktuell\w*|nettopreise|netto|listenpreise|de\s+hoy|actuales|netos|de\s+lista|d'aujourd'hui|du\s+jour|actuels|nets|de\s+liste)
    (?:,?\s+(?:in|en)\s+\S+)?)[.!]?\s*""",
    re.VERBOSE,
)
"""A whole sentence on what the prices of the letter are: of today, of a list, net, in a currency."""
_PRONOUN = (
    r"(?:it|they|these|those|this|that|both|neither(?:\s+of\s+\w+)?|none(?:\s+of\s+\w+)?|es|sie|er|diese|beide|keine[rs]?(?:\s+von\s+\w+)?|nichts(?:\s+davon)?"
    r"|esto|est[oa]s|ambos|ambas|ningun[oa](?:\s+de\s+(?:l[oa]s\s+)?\w+)?|nada(?:\s+de\s+\w+)?|il|elle|ils|elles|ceci|cela|les\s+deux"
    r"|aucune?(?:\s+des\s+\w+)?(?:\s+n')?|rien(?:\s+de\s+\w+)?)"
)
STANDING = re.compile(
    rf"""\W*(?:{_PRONOUN}\s+)?(?:n'|ne\s+)?(?:is|are|stands?|listed|follows?|ist|sind|steht|stehen|esta|estan|figura|figuran|es|son|est|sont|figurent?|fait|font)\s+(?:pas\s+)?
    (?:in|on|under|among|part\s+of|in\s+der|bei|unter|teil|entre|en|parte\s+de|dans|parmi|sous|partie\s+de)\s+(?:(?:the|this|our|der|den|dem|des|diese\w*|las?|los|el|esta|les?|cette)\s+)?
    (?:proposal|offer|quot\w+|letter|total|sum|table|list|options?|alternates?|exclusions?|angebots?|tabelle|summe|liste|optionen|alternativen
    |oferta|tabla|lista|opciones|alternativas|offre|tableau|liste|variantes)(?:\s+(?:below|above|unten|oben|de\s+abajo|ci-dessous))?[.!]?\s*""",
    re.VERBOSE,
)
"""A whole sentence on where a thing that was named before stands in the letter, or that it does not."""
OFFERED = re.compile(
    r"\b(?:is|are|ist|sind|es|son|estan?|est|sont|fait|font)\b.*\b(?:proposal|offer|quot\w+|total|sum|angebots?|summe|oferta|offre)\b"
)
"""It is in the offer: that is a promise, unless it is denied."""
NONE = re.compile(r"\b(?:neither|none|not|kein\w*|nichts|nicht|ningun\w*|nada|no|aucune?|rien|pas)\b")
COUNTED = re.compile(
    r"\W*(?:alternat\w*|options?|opcion|variant\w+|items?|position|partida|poste)\s+\w{1,2}\s*[,:]\s+"
    r"(?:\d{1,2}|one|two|three|eine?|zwei|drei|una?|dos|tres|une?|deux|trois)\s+\S+(?:\s+\S+)?[.]?\s*"
)
"""What an alternate is, counted: Alternate A, one machine."""
BURDENED = re.compile(
    r"\W*(?:against|dagegen|gegen|en\s+contra\s+de|contra|contre)\s.*\b(?:speaks?|stands?|spricht|sprechen|habla\w*|esta|estan|parle\w*|plaide\w*)\b"
)
"""What speaks against a thing."""
WARNED = re.compile(
    r"""^(?!.*\b(?:nothing|nichts|nada|rien|no\s+part)\b).*\b(?:can|may|could|kann|konnen|puede[n]?|peu(?:t|vent)|pourrai(?:t|ent))\b[^;:]*\b(?:freeze|rust|corrode|leak|clog|trip|fail|break|burst|overheat|condense
    |suffer|einfrieren|gefrieren|rosten|korrodieren|ausfallen|verstopfen|kondensieren|uberhitzen|platzen
    |congelar\w*|oxidar\w*|fallar|romper\w*|tapar\w*|condensar\w*|sobrecalentar\w*
    |geler|rouiller|condenser|surchauffer|boucher|casser|eclater)\b""",
    re.VERBOSE,
)
"""What may go wrong."""
PLACED = re.compile(
    r"\W*(?:behind|before|after|ahead\s+of|downstream\s+of|upstream\s+of|hinter|vor|nach|detras\s+del?|antes\s+del?|despues\s+del?|derriere|apres|avant|en\s+aval|en\s+amont)"
    r"\s+(?:\S+\s*){1,3}"
)
"""A place in the line, without a verb."""
SUBSTANCES = {
    "water": r"(?:water|moisture|wasser|feucht\w*|agua|humedad|eau|humidite)",
    "oil": r"(?:oil|ol|aceite|huile)",
    "dust": r"(?:dust|particles|staub|partikel|polvo|particulas|poussieres?|particules)",
}
TAKEN = {"dryer": frozenset(("water",)), "filtration": frozenset(("oil", "dust"))}
"""What goods of a kind take out of the air, which every reader of the trade knows."""
PARTICULAR = re.compile(
    r"\d|\b(?:all|every|always|completely|totally|fully|this|these|our|your|the\s+dryer|alle[nrs]?|jede[nrs]?|immer|vollig|vollstandig|diese[nrs]?|unsere?|ihre?"
    r"|tod[oa]s?|siempre|completamente|est[eo]s?|nuestr\w+|sus?|tout\w*|toujours|totalement|ces?|cette|nos|notre|vos|votre|also|too|auch|tambien|aussi)\b"
)
"""What makes more of it than general knowledge."""
MOST = 9
"""Words of a sentence that says no more than what a kind of goods takes out."""


def binds_nobody(text: str, vocabulary: Vocabulary) -> bool:
    said = fold(text)
    if PREDICATED.fullmatch(said) is not None or COUNTED.fullmatch(said) is not None:
        return True
    if STANDING.fullmatch(said) is not None and (OFFERED.search(said) is None or NONE.search(said) is not None):
        return True
    if PLACED.fullmatch(said) is not None and meant(said, vocabulary, of=("family",)):
        return True
    if WARNED.search(said) is not None and DENIED.search(said) is None:
        return True
    return ENDED.search(said) is not None or BURDENED.match(said) is not None or _known_of_a_kind(said, vocabulary)


def _known_of_a_kind(said: str, vocabulary: Vocabulary) -> bool:
    if len(said.split()) > MOST or PARTICULAR.search(said) is not None:
        return False
    kinds = meant(said, vocabulary, of=("family",))
    substances = {name for name, words in SUBSTANCES.items() if re.search(rf"(?<!\w){words}(?!\w)", said)}
    return bool(substances) and any(substances <= TAKEN[kind] for kind in kinds & TAKEN.keys())


def tells_the_past(clause: str, *, sentence: str) -> bool:
    """Whether a folded clause of a sentence on a past quote tells what was, and nothing that is or will be."""
    if PAST.search(sentence) is None and PERFECT.search(sentence) is None:
        return False
    return PRESENT.search(PERFECT.sub(" ", clause)) is None


def quotations(text: str) -> list[str]:
    """What a sentence may quote: all of it, or what stands behind the words that name a source, without marks."""
    led = LED_IN.search(text)
    parts = [text, *([text[led.end() :]] if led is not None else [])]
    return [bare for each in parts if (bare := each.strip(QUOTES)) != text]
