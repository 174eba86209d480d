"""The names of a tenant's data: makers, models, customers, salespeople and contacts, as they are looked up."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from quarry.understanding.text import fold, key_of, tokens

SHORTEST_WORD = 5
"""Letters of the first word of a maker's name that stands for the whole."""
MOST_OF_SERIES = 24

SHORTEST_FIRST = 3
"""Letters of a salesperson's first name; there are few of them, and colleagues write them small."""
LEGAL_FORM = re.compile(
    r"[\s,]+(?:inc|incorporated|llc|l\.l\.c|ltd|limited|co|company|corp|corporation|plc|lp|llp|gmbh(?:\s*&\s*co\.?\s*kg)?"
    r"|kg|ag|se|ohg|e\.?k|s\.?a|s\.?a\.?r\.?l|s\.?l|b\.?v|n\.?v|oy|ab|aps|s\.?p\.?a)\.?$",
    re.IGNORECASE,
)
POSSESSIVE = re.compile(r"['’]s?(?=\s|$)")
"""St. Brendan's Hospital and St. Brendan Hospital are one."""
Kind = Literal["manufacturer", "model", "customer", "salesperson", "contact", "quote_number"]


def company_key(name: str) -> str:
    """The name without its legal form: "4M Industries, Inc." and "4m industries" are one company."""
    return key_of(without_form(POSSESSIVE.sub("", fold(name).strip()))) or key_of(name)


def without_form(name: str) -> str:
    while (shorter := LEGAL_FORM.sub("", name)) != name and key_of(shorter):
        name = shorter
    return name


@dataclass(frozen=True, slots=True)
class ModelName:
    model: str
    maker: str


@dataclass(frozen=True, slots=True)
class Mention:
    """A name that stands at tokens, `last` not included; several values where it names several models."""

    attribute: Kind
    values: frozenset[str]
    first: int
    last: int
    absent: bool = False


@dataclass(frozen=True)
class Names:
    """The names of a tenant's data. `makers`: folded name to the name as written; `models`: key to who makes it."""

    makers: Mapping[str, str] = field(default_factory=dict)
    models: Mapping[str, Sequence[ModelName]] = field(default_factory=dict)
    customers: Mapping[str, str] = field(default_factory=dict)
    salespeople: Mapping[str, str] = field(default_factory=dict)
    contacts: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def maker_phrases(self) -> Mapping[str, str]:
        """Makers by their words, by their words run together, and by a first word that no other maker begins with."""
        phrases: dict[str, str] = {}
        firsts: dict[str, set[str]] = {}
        for folded, maker in self.makers.items():
            words = [token.text for token in tokens(fold(folded))]
            if words:
                phrases[" ".join(words)] = phrases["".join(words)] = maker
                firsts.setdefault(words[0], set()).add(maker)
        for first, makers in firsts.items():
            if len(makers) == 1 and len(first) >= SHORTEST_WORD:
                phrases.setdefault(first, next(iter(makers)))
        return phrases

    @cached_property
    def initials(self) -> Mapping[str, str]:
        """Makers of several words by their first letters, where these are of one alone: GD for Gardner Denver."""
        found: dict[str, set[str]] = {}
        for folded, maker in self.makers.items():
            words = [token.text for token in tokens(fold(folded))]
            if 1 < len(words) < 4:
                found.setdefault("".join(word[0] for word in words), set()).add(maker)
        return {letters: next(iter(makers)) for letters, makers in found.items() if len(makers) == 1}

    @cached_property
    def maker_starts(self) -> frozenset[str]:
        return frozenset(phrase.split()[0] for phrase in self.maker_phrases)

    @cached_property
    def beginnings(self) -> frozenset[str]:
        return frozenset(key[:2] for key in self.models)

    @cached_property
    def sorted_keys(self) -> Sequence[str]:
        return sorted(self.models)

    @cached_property
    def keys_by_length(self) -> Mapping[int, Sequence[str]]:
        found: dict[int, list[str]] = {}
        for key in self.models:
            found.setdefault(len(key), []).append(key)
        return found

    @cached_property
    def series(self) -> Mapping[str, frozenset[str]]:
        """Models by the letters that their name begins with: qgv to QGV-50, QGV-75, QGV-100."""
        found: dict[str, set[str]] = {}
        for key, names in self.models.items():
            letters = re.match(r"[a-z]{2,}(?=\d)", key)
            if letters is not None:
                found.setdefault(letters[0], set()).update(name.model for name in names)
        return {letters: frozenset(models) for letters, models in found.items() if len(models) <= MOST_OF_SERIES}

    @cached_property
    def abridged(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """Models by the first word of their name and a long figure further on: R5 and 400 to R5 RA 0400 C."""
        found: dict[tuple[str, str], set[str]] = {}
        for names in self.models.values():
            for name in names:
                first, *others = name.model.split()
                for word in others[1:]:
                    if word.isdecimal() and len(figure := word.lstrip("0")) > 2:
                        found.setdefault((key_of(first), figure), set()).add(name.model)
        return {short: frozenset(models) for short, models in found.items() if len(models) == 1}

    @cached_property
    def abridged_starts(self) -> frozenset[str]:
        """What the first word of a model that can be abridged begins with."""
        return frozenset(first[:length] for first, _ in self.abridged for length in range(1, len(first) + 1))

    @cached_property
    def tails(self) -> Mapping[str, frozenset[str]]:
        """Models by the last words of their name: t75 to EnviroAire T75, lx0430 to Dolphin LX 0430."""
        found: dict[str, set[str]] = {}
        for names in self.models.values():
            for name in names:
                words = name.model.split()
                for first in range(1, len(words)):
                    tail = key_of("".join(words[first:]))
                    if len(tail) > 2 and tail[0].isalpha() and tail[-1].isdigit():
                        found.setdefault(tail, set()).add(name.model)
        return {tail: frozenset(models) for tail, models in found.items()}

    @cached_property
    def people(self) -> Mapping[str, tuple[Kind, str]]:
        """Customers, salespeople and contacts by their words, and by any part of their words that is of one alone."""
        whole: dict[str, tuple[Kind, str]] = {}
        parts: dict[str, set[tuple[Kind, str]]] = {}
        of_kind: tuple[tuple[Kind, Mapping[str, str]], ...] = (
            ("contact", self.contacts), ("customer", self.customers), ("salesperson", self.salespeople),
        )  # fmt: skip
        for attribute, names in of_kind:
            for folded, name in names.items():
                meant = (attribute, name)
                for words in _spellings(folded):
                    whole[" ".join(words)] = meant
                    for first in range(len(words)):
                        for last in range(first + 1, len(words) + 1):
                            part = words[first:last]
                            short = SHORTEST_FIRST if attribute == "salesperson" else SHORTEST_FIRST + 1
                            if len(part) > 1 or len(part[0]) >= short:
                                parts.setdefault(" ".join(part), set()).add(meant)
                            if attribute == "salesperson" and len(part) == 1:
                                parts.setdefault(f"{part[0]}s", set()).add(meant)
        return {part: next(iter(meant)) for part, meant in parts.items() if len(meant) == 1} | whole

    @cached_property
    def people_spelt(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        """Single words of their names by first letter and length, to forgive one slip."""
        found: dict[tuple[str, int], list[str]] = {}
        for word in self.people:
            if word.isalpha():
                found.setdefault((word[0], len(word)), []).append(word)
        return {bucket: tuple(words) for bucket, words in found.items()}

    @cached_property
    def people_starts(self) -> frozenset[str]:
        """First words of their names, also as owners without an apostrophe; another word names nobody."""
        firsts = [part.split()[0] for part in self.people]
        return frozenset((*firsts, *(f"{first}s" for first in firsts)))


def _spellings(name: str) -> list[list[str]]:
    """The words of a name, with and without the "s" of an owner run together: Brendan's, Brendans."""
    words = [token.text for token in tokens(fold(name))]
    joined: list[str] = []
    for word in words:
        if word == "s" and joined:
            joined[-1] += "s"
        else:
            joined.append(word)
    return [words, joined] if joined != words else [words]
