"""What a negation reaches: the words right after it and those coordinated with them, or the words right before."""

import re
from collections.abc import Sequence

from quarry.understanding.marks import Mark, Role
from quarry.understanding.text import Token

REACH = 4
"""Words between a negation and the first word that it negates: not a very big desiccant."""
DENYING = r"no|not|never|nicht|kein\w*|pas"
"""Words that deny a sentence, in four languages, for a pattern that has more of them."""
APART = frozenset((
    "separate", "separated", "separately", "independent", "independently", "isolated", "getrennt", "separat",
    "unabhangig", "separado", "separada", "aparte", "independiente", "separe", "separee", "independant",
    "independante",
))  # fmt: skip
FROM = frozenset(("from", "of", "von", "vom", "de", "del", "du", "des"))
NOT_OF = re.compile(
    r"(?:not|never) (?:connected|tied|piped|shared|joined|part) (?:to|into|with|of)|(?:not|never) for (?:the|our)"
    r"|nicht fur (?:die|das|den|unsere?n?)|no para (?:el|la|los|las|nuestr[oa]s?)|pas pour (?:le|la|les|notre|nos)"
)
APART_REACH = 6
"""Words behind "separate from" that may be of what it is separate from."""
LIKE = frozenset(("as", "like", "wie", "como", "comme", "que"))
LIKE_REACH = 3
ROOMS = frozenset((
    "hall", "room", "building", "shop", "line", "wing", "department", "house", "halle", "raum", "gebaude", "linie",
    "nave", "sala", "linea", "salle", "atelier", "batiment", "ligne",
))  # fmt: skip
"""What the customer has and compares with: "the same as the packing hall"."""
CLAUSE = re.compile(r"[,;:!?()\n]|\.\s|--")
STOPS = re.compile(r"[;:!?\n)]|\.\s|--")


def negated(
    words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark], *, stop: frozenset[str]
) -> set[int]:
    """Places in `marks` that are negated."""
    found: set[int] = set()
    starts: dict[int, set[str]] = {}
    for role in roles:
        starts.setdefault(role.first, set()).add(role.value)
    for role in roles:
        if role.value == "negation":
            found.update(_after(words, role, roles, marks, starts, stop))
        elif role.value == "excluded_after":
            found.update(_before(words, role, marks))
    # "pas de vis lubrifiée" denies the lubrication: another screw will do.
    found -= {
        at
        for at in found
        if marks[at].attribute == "compression"
        and any(
            mark.attribute == "lubrication"
            and (mark.first == marks[at].first or (mark.first == marks[at].last and words[mark.first].soft))
            for mark in marks[max(0, at - 2) : at + 3]
        )
    }
    told = (marks[at] for at in found if marks[at].attribute not in ("family", "accessory_kind"))
    spans = {(mark.first, mark.last) for mark in told}
    # "not a desiccant dryer" denies the kind: a dryer is still asked for. "No chiller" asks for no accessory.
    return {at for at in found if marks[at].attribute != "family" or (marks[at].first, marks[at].last) not in spans}


def waived(words: Sequence[Token], roles: Sequence[Role], marks: Sequence[Mark]) -> set[int]:
    """Places in `marks` that are said not to matter: "dryer not required", "need not be oil free", or to be of
    something else: "separate from the medical vacuum", "the same as the packing hall".
    """
    found = _of_what_is_apart(words, marks)
    for role in roles:
        if role.value == "waived":
            found.update(_before(words, role, marks))
        elif role.value == "neutral":
            following = next((place for place, mark in enumerate(marks) if mark.first >= role.last), None)
            if following is not None and marks[following].first - role.last < 2 and "only" not in _text(words, role):
                found.add(following)
    return found


def _of_what_is_apart(words: Sequence[Token], marks: Sequence[Mark]) -> set[int]:
    found: set[int] = set()
    for at in range(len(words) - 2):
        apart = words[at].text in APART and words[at + 1].text in FROM
        begin = at + 2 if apart or NOT_OF.fullmatch(" ".join(token.text for token in words[at : at + 3])) else None
        if begin is None:
            continue
        begin += not apart
        last = min(len(words), begin + APART_REACH)
        end = next((place for place in range(begin, last) if CLAUSE.search(words[place].gap)), last)
        found.update(place for place, mark in enumerate(marks) if begin <= mark.first < end)
    found.update(
        place
        for place, mark in enumerate(marks)
        if mark.attribute == "industry"
        and mark.last < len(words)
        and words[mark.last].text in ROOMS
        and any(token.text in LIKE for token in words[max(0, mark.first - LIKE_REACH) : mark.first])
    )
    families = {place for place, mark in enumerate(marks) if mark.attribute == "family"}
    # "Laborvakuum, getrennt vom medizinischen Vakuum" names once what both are.
    return found if families - found else found - families


def _text(words: Sequence[Token], role: Role) -> str:
    return " ".join(token.text for token in words[role.first : role.last])


def _barrier(words: Sequence[Token], first: int, last: int, *, commas: bool) -> bool:
    return any(STOPS.search(token.gap) or (commas and "," in token.gap) for token in words[first : last + 1])


def _content(
    words: Sequence[Token], first: int, last: int, starts: dict[int, set[str]], stop: frozenset[str]
) -> bool:
    """True where a word that says something stands between: "will not contaminate the paint"."""
    return any(words[at].text not in stop and at not in starts for at in range(first, last))


def _listed(roles: Sequence[Role], marks: Sequence[Mark], place: int) -> bool:
    """True where another of its kind follows after "or": no piston, scroll or vane."""
    following = next((mark for mark in marks[place + 1 :] if mark.attribute == marks[place].attribute), None)
    if following is None or following.first - marks[place].last > 3:
        return False
    return any(role.value == "or" and marks[place].last <= role.first < following.first for role in roles)


def _after(
    words: Sequence[Token],
    role: Role,
    roles: Sequence[Role],
    marks: Sequence[Mark],
    starts: dict[int, set[str]],
    stop: frozenset[str],
) -> set[int]:
    found: set[int] = set()
    end, group, joined = role.last, "", False
    for place, mark in enumerate(marks):
        if mark.first < role.last:
            continue
        between = set().union(*(starts[at] for at in range(end, mark.first) if at in starts))
        if not found:
            beyond = mark.first - role.last > REACH or _barrier(words, role.last, mark.first, commas=True)
            if beyond or "but" in between or _content(words, role.last, mark.first, starts, stop):
                break
            found.add(place)
            group, end = mark.attribute, mark.last
            continue
        if mark.first < end:
            if mark.first == marks[min(found)].first:
                found.add(place)
            continue
        coordinated = {"or", "negation"} & between or (mark.attribute == group and "and" in between)
        comma = mark.first < len(words) and "," in words[mark.first].gap
        adjacent = not between and not comma and mark.first == end and words[mark.first].soft
        described = (group, mark.attribute) in (("manufacturer", "model"), ("compression", "lubrication"))
        if _barrier(words, end, mark.first, commas=False) or "but" in between or mark.first - end > 2:
            break
        if mark.attribute == group and (coordinated or (comma and _listed(roles, marks, place))):
            joined = True
        elif (adjacent and described) or (
            coordinated and not joined and mark.attribute != "family" and "or" in between
        ):
            pass
        else:
            break
        found.add(place)
        end = mark.last
    return found


def _before(words: Sequence[Token], role: Role, marks: Sequence[Mark]) -> set[int]:
    last = max((mark.last for mark in marks if mark.last <= role.first), default=None)
    if last is None or role.first - last > 3 or _barrier(words, last, role.first, commas=True):
        return set()
    found = {place for place, mark in enumerate(marks) if mark.last == last}
    if any(marks[place].attribute != "family" for place in found):
        return found
    # "horizontal tanks won't fit": a tank does.
    first = min(marks[place].first for place in found)
    return {place for place, mark in enumerate(marks) if mark.last == first and mark.attribute != "family"} or found
