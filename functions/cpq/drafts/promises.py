"""Sentences of the letter that promise: what the house, the catalogue or a quote of ours has to hold."""

import re
from collections.abc import Collection, Iterator, Sequence

from cpq.drafts.evidence import Evidence
from cpq.drafts.facts import TELLING
from cpq.drafts.findings import Remark
from cpq.drafts.letter import Block
from cpq.drafts.scopes import Scope
from quarry.understanding.text import STEM, fold, tokens
from quarry.understanding.words import Vocabulary

PROMISING = re.compile(
    r"""^(?:yes|ja|si|oui)\b|\b(?:
    will|we'll|shall|guarante\w*|certif\w+|compl(?:y|ies|iant)|conforms?|warrant(?:y|ies|ed)?|ensures?|keeps?|maintains?
    |can\s+(?:stay|remain|be\s+reused|keep)|reus\w+|grant(?:ed|s)?|agree(?:d|s)?|accept(?:ed|s)?|free\s+of\s+charge
    |at\s+no\s+(?:charge|cost)|no\s+problem|of\s+course|included?s?|meets?|approved|food[\s-]grade|suitable|in\s+stock
    |gewahr(?:en|t)|gewaehr(?:en|t)|garanti\w*|zugesichert|sichern|wird|werden|erfullt|erfuellt|entspricht|konform\w*
    |zertifi\w+|akzeptier\w+|einverstanden|gern|kostenlos\w*|kostenfrei\w*|inklusive|enthalten|geeignet|lebensmittelecht
    |bleiben|halten|liefern\s+wir|wir\s+liefern|zugesagt
    |cumple\w*|otorg\w+|acept\w+|concede\w*|sera|seran|entregaremos|entregamos|incluid\w+|incluye\w*|gratis|claro
    |conforme\s+a|apto|apta|se\s+queda\w*|llegara
    |conforme\s+(?:a|aux?)|accord(?:ons|e)|accept\w+|sera|seront|livr(?:ons|e|erons)|inclus\w*|gratuit\w*|convient
    )\b""",
    re.VERBOSE,
)
"""Words of a sentence that binds the house, folded, in the languages of letters."""
OPENED = re.compile(
    r"""\[[A-Z]|\?|\b(?:not|no|cannot|nor|none|if|unless|whether|please|confirm\w*|depends?|until|subject\s+to
    |nicht|kein\w*|wenn|falls|ob|bitte|bestatig\w*|bestaetig\w*|klaren|geklart|klaeren|pruf\w+|sobald|noch
    |ningun\w*|por\s+favor|cuando|confirm\w*|depende|pas|aucun\w*|veuillez|lorsque|selon)\b""",
    re.VERBOSE,
)
"""What leaves a sentence open: a placeholder, a question, a denial, a condition, something to be confirmed."""
THEIRS = re.compile(
    r"""\b(?:you|your|yours|asked|ask|request(?:ed)?|required?|named|wish(?:ed)?|needed|ihr\w*|sie|angefragt\w*
    |gefordert\w*|gewunscht\w*|gewuenscht\w*|verlangt\w*|genannt\w*|su|sus|usted\w*|pidi\w+|pide\w*|solicit\w+|vous
    |votre|vos|demand\w+)\b""",
    re.VERBOSE,
)
"""Words by which a sentence says that a figure is the customer's."""
ASKING = re.compile(
    r"""\b(?:ask\w*|request\w*|requir\w*|wish\w*|want\w*|wrote|writ\w+|state[ds]?|told|tell|gave|giv\w+|mention\w*
    |quot\w+|offer\w*|inquir\w*|enquir\w*|angefragt\w*|anfrag\w*|gefordert\w*|gewunscht\w*|gewuenscht\w*|wunsch\w*
    |verlangt\w*|genannt\w*|schreib\w*|geschrieben|angebot\w*|anbiet\w*|pidi\w+|pide\w*|solicit\w+|escrib\w+|ofert\w+
    |demand\w+|ecri\w+|offr\w+|souhait\w+|items?|options?|positionen?|optionen|partidas?|opcion\w*|postes?)\b""",
    re.VERBOSE,
)
"""Words of a sentence that says again what the customer wrote, or where in the letter it is answered."""
SPARING = re.compile(
    r"""\b(?:no\s+need|(?:not|needn't)\s+(?:need|have\s+to|necessary)|need\s+not|nicht\s+(?:notig|erforderlich|notwendig)
    |brauchen\s+(?:sie\s+)?(?:nicht|kein\w*)|no\s+(?:hace\s+falta|es\s+necesari\w+|necesita\w*)|pas\s+besoin|inutile)\b""",
    re.VERBOSE,
)
"""Denials that tell the customer what he may leave as it is."""
GRANTED = re.compile(
    r"""\b(?:you\s+(?:(?:do|will|still|also|can|may)\s+)*(?:get|keep|reach|obtain|reuse)|sie\s+(?:erhalten|bekommen|behalten)
    |obtiene|conserva|vous\s+(?:obtenez|gardez|aurez)|we\s+(?:can\s+|will\s+)?(?:grant|give|offer|extend|guarantee)
    |wir\s+(?:gewahren|gewaehren|geben|bieten|raumen|raeumen|garantieren)|(?:le|les)\s+(?:damos|ofrecemos|concedemos)
    |nous\s+(?:accordons|offrons|garantissons))\b""",
    re.VERBOSE,
)
"""Words that name the customer, or us, and give him what he asked for."""
AGREED = re.compile(
    r"(?:yes|ja|si|oui|gladly|gerne?|certainly|of\s+course|naturlich|con\s+gusto|volontiers)\b[\s,.!:]"
)
"""How a sentence begins that says yes; a condition behind it leaves nothing open."""
CONDITION = re.compile(r"\b(?:if|unless|wenn|falls|cuando|lorsque)\b")
REPEATED = 0.6
"""Share of a promise's telling words that one text of the house, the catalogue or our quote has to have."""

PLAIN = frozenset(
    ("with", "from", "each", "item", "items", "line", "lines", "than", "that", "this", "least", "most", "more",
     "less", "under", "over", "about", "above", "below", "offered", "yours", "your", "type", "unit", "units", "rated",
     "shall", "must", "minimum", "maximum", "required", "including", "included", "package", "complete",
     "quantity", "section",
     "spec", "icfm", "acfm", "none", "bidder", "provide", "supply", "duty", "total", "together", "source", "plant",
     "station", "pressure", "sound", "noise", "level", "capacity", "flow", "power", "weight", "voltage", "volume",
     "rating")
)  # fmt: skip
"""Words of a requirement that ask for nothing by themselves."""
ORDINARY = frozenset(word[:STEM] for word in PLAIN)
TRAITS = frozenset(("feature", "certificate"))
UNSURE = "to be confirmed"
UNSAID = "nothing that was named says so of what is offered"
OURS = ("house", "catalogue", "quote", "past quote")


def promised(text: str, judged: Sequence[Remark], *, line: int, scope: Scope, question: str) -> Remark | None:
    """A promise that rests on nothing, or only on the customer's own wish; in the answer to a ``question`` a wish
    that is repeated without a word of whose it is counts as granted, as does what is said of his own plant.
    """
    said = fold(text)
    spared = bool(question) and SPARING.search(said) is not None
    stated = (text, said) if AGREED.match(said) is None else (CONDITION.sub(" ", text), CONDITION.sub(" ", said))
    if not spared and any(OPENED.search(each) for each in stated):
        return None
    wished = [each for each in judged if each.source in ("request", "account") and each.verdict == "supported"
              and each.kind in ("figure", "number", "price", "voltage", "property", "payment term")]  # fmt: skip
    named = THEIRS.search(said) is not None
    granted = GRANTED.search(said) is not None
    if question and wished and (granted or not named) and not _held(said, scope):
        return unheld(text, line, f"{wished[0].text} is what the customer asked for, and no source grants it")
    rests = any(each.verdict == "supported" and each.source not in ("request", "account", "own words", "")
                and each.kind not in ("model", "maker", "name", "number") for each in judged)  # fmt: skip
    taken_up = bool(question and telling(said) & telling(fold(question))) and (spared or named)
    if taken_up and not rests and ASKING.search(said) is None and not _held(said, scope):
        return unheld(text, line, "no source knows the customer's own plant or site")
    if PROMISING.search(said) is None:
        return None
    if (rests and (named or not wished)) or _held(said, scope):
        return None
    return unheld(text, line, "no source holds this promise")


def unheld(text: str, line: int, why: str) -> Remark:
    return Remark("unsupported", "promise", line, text, right="[ANSWER], with a review note", why=why)


def _held(said: str, scope: Scope) -> bool:
    """Whether a text of ours has most of its telling words."""
    words = telling(said) - ORDINARY
    texts = [each for each in scope.sources if each.origin in OURS]
    return bool(words) and any(
        len(words & telling(fold(each.flat))) >= REPEATED * len(words)
        for each in (*texts, *(machine.row for machine in scope.machines))
    )


def telling(folded: str) -> frozenset[str]:
    """The beginnings of its words of four letters and more, and its numbers of two digits and more."""
    words = re.findall(r"[^\W\d_]{4,}", folded)
    return frozenset([*(word[:STEM] for word in words), *re.findall(r"\d{2,}", folded)])


def not_complied(unit: Block, scope: Scope, evidence: Evidence) -> Iterator[Remark]:
    """What a row says to be complied with that neither its machine nor a line of ours has: words that the trade's
    vocabulary does not know as a kind of goods, in the language of the catalogue."""
    requirement, offered = unit.cells[0], unit.cells[1]
    if evidence.reading.language(requirement) != "en":
        return
    named = [machine for machine in scope.machines if fold(machine.model) in fold(unit.text)]
    rows = [machine.row for machine in named or scope.machines]
    models = {fold(machine.model) for machine in named or scope.machines}
    texts = [each for each in scope.sources if each.origin in OURS
             and (not named or each.origin in ("house", "quote") or fold(each.model) in models)]  # fmt: skip
    have = frozenset().union(*(telling(fold(each.flat)) for each in (*rows, *texts)))
    folded = fold(f"{requirement} {offered}")
    words, vocabulary = tokens(folded), evidence.reading.vocabulary
    said = frozenset().union(*(meant(each.flat, vocabulary, of=TRAITS) for each in (*rows, *texts)))
    known: set[int] = set()
    lacking: dict[str, str] = {}
    for place in range(len(words)):
        count, meanings = vocabulary.match(words, place)
        known |= set(range(place, place + count))
        for each in meanings:
            if each.attribute in TRAITS and each.value not in said:
                lacking[each.value] = folded[words[place].start : words[place + count - 1].end]
    for text in lacking.values():
        yield Remark("unsupported", "compliance", unit.line, text, right=UNSURE, why=UNSAID)
    for place, word in enumerate(words):
        counted = place > 0 and words[place - 1].number  # a unit, or what a number counts
        telling_word = len(word.text) >= TELLING and word.text.isalpha() and word.text not in PLAIN
        if telling_word and not counted and place not in known and word.text[:STEM] not in have:
            yield Remark("unsupported", "compliance", unit.line, word.text, right=UNSURE, why=UNSAID)


def meant(text: str, vocabulary: Vocabulary, *, of: Collection[str]) -> frozenset[str]:
    """The values that a text names, in any language, of the attributes ``of``."""
    words = tokens(fold(text))
    return frozenset(
        each.value
        for place in range(len(words))
        for each in vocabulary.match(words, place)[1]
        if each.attribute in of
    )
