"""Sentences of the letter that promise: what the house, the catalogue or a quote of ours has to hold."""

import re
from collections.abc import Sequence
from itertools import chain

from cpq.drafts.claims import (
    FREE,
    NAMING,
    PLACED,
    PLANT,
    PRAISE,
    TOLD,
    TRADE_TERMS,
    coordinated,
    goods,
    is_own,
    leads_with,
    matters,
    spares,
)
from cpq.drafts.disclaimers import binds_nobody, tells_the_past
from cpq.drafts.evidence import BINDING
from cpq.drafts.facts import meant
from cpq.drafts.findings import Remark
from cpq.drafts.judgements import fits, judges, of_another_kind, ruled
from cpq.drafts.offering import offers
from cpq.drafts.scopes import Scope
from cpq.drafts.written_numbers import telling
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
OF_THE_CUSTOMER = re.compile(
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
REFUSED = re.compile(r"(?:no|nein|non)\s?[,.:;–-]\s")
"""How an answer begins that says no."""
BUT = re.compile(r"\b(?:but|however|still|aber|sondern|jedoch|dafur|pero|sino|mais|par\s+contre)\b")
"""Behind a no it brings what is granted all the same."""
MAKERS = re.compile(
    r"(?:the\s+(?:maker|manufacturer)'?s'?\s+warranty\s+applies|es\s+gilt\s+die\s+(?:garantie|gewahrleistung)\s+des\s+herstellers"
    r"|die\s+(?:garantie|gewahrleistung)\s+des\s+herstellers\s+gilt|se\s+aplica\s+la\s+garantia\s+del\s+fabricante"
    r"|la\s+garantia\s+del\s+fabricante\s+se\s+aplica|la\s+garantie\s+du\s+(?:constructeur|fabricant)\s+s'applique)"
)
"""What the template has an answer say of a warranty, in the languages of letters."""
CONDITION = re.compile(r"\b(?:if|unless|provided|wenn|falls|vorausgesetzt|cuando|lorsque)\b")
PLACEHOLDER_END = re.compile(r"\[[A-Z][A-Z ]{2,40}\][.,;:]?\s+(?=(?:[A-ZÄÖÜÉÈÀÑ¡¿][\w']*|\W*\[)(?:\s|$))")
"""A placeholder behind which a sentence begins."""
ELSEWHERE = re.compile(r"[,;(–-]+\s*(?:see|siehe|ver|vease|voir|cf\.?)\s+(?:\w+\s+)?\[[A-Z][A-Z ]{2,40}\]\)?")
"""A placeholder that only points to another place."""
OPEN_WISH = re.compile(
    r"\b(?:please|kindly|let\s+(?:us|me)\s+know|feel\s+free|hesitate|bitte|favor|veuillez|you\s+(?:ask|wish|want|wrote|said)\w*|whether"
    r"|by\s+others|customer's\s+side|bauseits|excluded|may\s+be|might|would)\b"
)
"""An offer is none where it is asked for, told again or shut out."""
REPEATED = 0.6
"""Share of a promise's telling words that one passage of the house, the catalogue or our quote has to have."""

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
TOLD_WITHOUT_AN_END = 8
"""Words from which a text without a full stop is read as a sentence; a heading has fewer."""
FEWEST_HAD = 3
"""Telling words by which a sentence repeats one of a past quote; of one that it names one fewer, and all of them."""
UNHELD = "no source says so: quote one, put it as an open point with [ANSWER], or take it out"


def promised(
    text: str,
    judged: Sequence[tuple[int, Remark]],
    *,
    line: int,
    scope: Scope,
    question: str,
    vocabulary: Vocabulary,
    past: Scope | None = None,
    only_offers: bool = False,
) -> Remark | None:
    """A claim that rests on nothing, or only on the customer's own wish; in the answer to a ``question`` a wish that
    is repeated without a word of whose it is counts as granted, as does what is said of his own plant. ``judged`` is
    what was found of the sentence, with the place where each stands; ``past`` is what he has had, where
    the sentence names a past quote to him; ``only_offers`` looks for nothing but what the
    customer is offered.
    """
    parts = [(start, text[start:end]) for start, end in _beside_placeholders(text)]
    if not text.endswith("?"):
        for _, offered in parts:
            said = fold(offered)
            if OPEN_WISH.search(said) is None and offers(said) and not _held(said, scope, vocabulary):
                return unheld(offered, line, UNHELD)
    if only_offers:
        return None
    for start, part in parts:
        beside = [(place - start, remark) for place, remark in judged if start <= place < start + len(part)]
        found = _claimed(part, beside, line=line, scope=scope, question=question, vocabulary=vocabulary, past=past)
        if found is not None:
            return found
    return None


def _beside_placeholders(text: str) -> list[tuple[int, int]]:
    """The sentences of a text that a placeholder, which ends none, stands between."""
    starts = [0, *(match.end() for match in PLACEHOLDER_END.finditer(text))] if "[" in text else [0]
    return list(zip(starts, [*starts[1:], len(text)], strict=True))


def _claimed(
    text: str,
    judged: Sequence[tuple[int, Remark]],
    *,
    line: int,
    scope: Scope,
    question: str,
    vocabulary: Vocabulary,
    past: Scope | None,
) -> Remark | None:
    said = fold(text)
    refused = REFUSED.match(said)
    if refused is not None and (but := BUT.search(said)) is not None:
        rest = [(place - but.end(), remark) for place, remark in judged if place >= but.end()]
        return _claimed(
            text[but.end() :], rest, line=line, scope=scope, question=question, vocabulary=vocabulary, past=past
        )
    remarks = [remark for _, remark in judged]
    if judges(said) or ((rule := ruled(said)) and not _has_rule(said, telling(rule), scope)):
        return unheld(text, line, UNHELD)
    if figure := of_another_kind(said, remarks, scope.machines, vocabulary):
        return unheld(text, line, f"{figure} is of no machine of this kind")
    agreed = AGREED.match(said)
    spared = bool(question) and SPARING.search(said) is not None
    stated = text[refused.end() if refused else 0 :]
    stated = stated if agreed is None else CONDITION.sub(" ", fold(text[agreed.end() :]))
    if not spared and is_own(ELSEWHERE.sub("", stated)):
        return None
    if binds_nobody(stated, vocabulary) and PROMISING.search(said) is None:
        return None
    if past is not None and tells_the_past(said, sentence=said):
        return None
    wished = [each for each in remarks if each.source in ("request", "account") and each.verdict == "supported"
              and each.kind in ("figure", "number", "price", "voltage", "property", "payment term")]  # fmt: skip
    named = OF_THE_CUSTOMER.search(said) is not None
    granted = GRANTED.search(said) is not None
    if question and wished and (granted or not (named or refused)) and not _held(said, scope, vocabulary):
        return unheld(text, line, f"{wished[0].text} is what the customer asked for, and no source grants it")
    rests = any(map(_rests, remarks))
    said = TOLD.sub(lambda told: " " * len(told[0]), said)
    taken_up = bool(question and telling(said) & telling(fold(question))) and (spared or named) and not refused
    if taken_up and not rests and ASKING.search(said) is None and not _held(said, scope, vocabulary):
        return unheld(text, line, "no source knows the customer's own plant or site")
    if scope.machine is not None and not question:
        kinds = leads_with(said, vocabulary)
        if (
            kinds
            and scope.machine.family not in meant(text, vocabulary, of=("family",)) | kinds
            and not _held(said, scope, vocabulary)
        ):
            return unheld(
                text, line, f"the item is a {scope.machine.family.replace('_', ' ')} and this is of other goods"
            )
    if refused and remarks and all(each.verdict == "supported" for each in remarks):
        return None  # what the customer told is held against what he wishes
    sentence = text.endswith((".", "!")) or len(text.split()) >= TOLD_WITHOUT_AN_END
    # Words of a translation are not those of its original, which a note gives for a person to compare.
    translated = any(each.origin == "translated" and each.text for each in scope.sources)
    doubts: list[tuple[int, int]] = []
    for start, end in coordinated(text):
        clause = said[start:end]
        facts = [remark for place, remark in judged
                 if start <= place < end and NAMING.fullmatch(said[start:place]) is None]  # fmt: skip
        if fits(clause, [remark for place, remark in judged if start <= place < end]):
            doubts.append((start, end))
            continue
        doubted = any(each.verdict not in ("supported", "open") for each in facts)
        ours = [each for each in facts if _rests(each)]
        # That a dryer is a desiccant one tells nothing of the customer's figure beside it.
        grounded = bool(ours) and not (
            any(each in wished for each in facts) and all(each.kind == "property" for each in ours)
        )
        if (
            MAKERS.fullmatch(clause.strip(" .;,"))
            or doubted
            or grounded
            or (start > 0 and is_own(text[start:end]))
            or binds_nobody(text[start:end], vocabulary)
            or (past is not None and tells_the_past(clause, sentence=said))
            or _had(clause, past or scope, named=past is not None)
        ):
            continue
        told = spares(clause) or PRAISE.search(clause) is not None or (sentence and matters(clause, vocabulary))
        if text.isupper() or not (PROMISING.search(clause) is not None or (told and not translated)):
            continue
        theirs = not question and agreed is None
        of_machine = any(remark.kind == "model" and start <= place < end for place, remark in judged)
        if theirs and not of_machine and PLANT.search(clause) and any(each in wished for each in facts):
            continue
        held = not spares(clause) and _held(clause, scope, vocabulary, theirs=theirs)
        if not ((rests and facts and (named or not wished)) or held):
            doubts.append((start, end))
    return unheld(text[doubts[0][0] : doubts[-1][1]].strip(), line, UNHELD) if doubts else None


def _had(clause: str, scope: Scope, *, named: bool) -> bool:
    """Whether one sentence of what this customer was sold has all the telling words of a clause, or most of them
    where the clause names the quote.
    """
    words = telling(clause)
    share = REPEATED if named and len(words) >= FEWEST_HAD else 1.0
    enough = len(words) >= FEWEST_HAD - named
    return enough and any(len(words & passage) >= share * len(words) for passage in scope.had)


def _rests(remark: Remark) -> bool:
    """Whether it is a fact that something other than the customer's mail tells."""
    return (remark.verdict == "supported" and remark.source not in ("request", "account", "own words", "")
            and remark.kind not in ("model", "maker", "name", "number"))  # fmt: skip


def _has_rule(said: str, rule: frozenset[str], scope: Scope) -> bool:
    """Whether a passage of ours or of the customer's mail has the words of a rule, and most of what it is about."""
    words = telling(said)
    passages = chain(scope.passages, scope.told)
    return any(rule <= each and len(words & each) >= REPEATED * len(words) for each in passages)


def unheld(text: str, line: int, why: str) -> Remark:
    return Remark("unsupported", "promise", line, text, right="[ANSWER], with a review note", why=why)


def _held(said: str, scope: Scope, vocabulary: Vocabulary, *, theirs: bool = False) -> bool:
    """Whether a passage of ours has most of its telling words; ``theirs``: the mail may tell of his plant."""
    service = scope.item > 0 and scope.machine is None
    told = [word.text for word in tokens(said) if not (service and word.text in vocabulary.stop)]
    terms = TRADE_TERMS.intersection(told)
    if terms and any(terms <= {word.text for word in tokens(fold(each.flat))} for each in scope.sources
                     if each.origin in ("house", "quote")):  # fmt: skip
        return True
    if FREE.search(said) is not None and not any(FREE.search(fold(each.flat)) for each in scope.sources
                                                 if each.origin in BINDING):  # fmt: skip
        return False
    words = telling(" ".join(told)) - ORDINARY - telling(" ".join(goods(said, vocabulary, services=service)))
    if not words:
        return False
    of_the_plant = theirs and (PLANT.search(said) is not None or PLACED.search(said) is not None)
    passages = chain(scope.passages, scope.told if of_the_plant else ())
    return any(len(words & passage) >= REPEATED * len(words) for passage in passages)
