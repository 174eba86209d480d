"""The house template as the checker reads it: its standing words, its placeholders and the labels of its blocks."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from cpq.drafts.letter import BULLET, COMMENT, RULE, plain
from quarry.characteristics import BlockWords

PLACEHOLDER = re.compile(r"\[([A-Z][A-Z ]{2,40}|[a-z][a-z_]{1,40})\]")
_SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.DOTALL)
_WAITING = re.compile(r"(?m)^\| open \| sentence \|\n\|[-|]+\|\n((?:\|.*\n)+)")
_LAST_CELL = re.compile(r"(?m)\| ([^|\n]+?) \|$")
_NO_LIST = re.compile(r"(?m)^list_price: never$")
_FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHORTEST_COPY = 4
"""Words; fewer are alike by chance."""
REQUIRED = ("header", "intro", "line-item", "exclusions", "totals", "terms", "signature", "footer")
"""Sections without which a letter is not the house's; a template may have more."""
BY_SHAPE = ("line-item", "totals")
"""Those of them that are told in any language."""
OF_AN_OFFER = frozenset(("intro", "line-item", "exclusions", "totals", "terms"))
"""Those of them that a letter in the short form lacks: it offers nothing before a diagnosis or a size, and does not
thank for an invitation to quote.
"""


@dataclass(frozen=True)
class StandingText:
    """A unit of the template: literals with the placeholders between them, one fewer than the literals."""

    section: str
    literals: tuple[str, ...]
    names: tuple[str, ...]
    written: BlockWords | None = None
    """Of a characteristics block's line in another language than the template's: how that writes."""

    @cached_property
    def worded(self) -> bool:
        return any(letter.isalpha() for literal in self.literals for letter in literal)

    @cached_property
    def words(self) -> list[str]:
        return " ".join(self.literals).split()

    @cached_property
    def different_words(self) -> frozenset[str]:
        return frozenset(self.words)

    @property
    def shown(self) -> str:
        filled = [
            literal + (f"[{name}]" if name else "")
            for literal, name in zip(self.literals, (*self.names, ""), strict=True)
        ]
        return "".join(filled)

    @property
    def label(self) -> str:
        """What stands before the colon of a line such as "Capacity: [cfm] CFM"; empty where there is none."""
        head, colon, _ = self.literals[0].partition(":")
        return head if colon and self.names else ""


@dataclass(frozen=True)
class House:
    """``facts`` are by the placeholders they fill; ``blocks`` has the lines of each family's characteristics in each
    language.
    """

    standing: Sequence[StandingText]
    facts: Mapping[str, str]
    blocks: Mapping[str, Sequence[StandingText]]
    waiting: frozenset[str] = frozenset()
    """What a customer may read where an answer is open."""
    languages: Sequence[BlockWords] = ()
    """In which blocks are written besides the template's own."""
    shows_list: bool = True
    """False where no letter may tell what list is."""

    def beginning(self, text: str) -> Sequence[StandingText]:
        """Its texts in words that may be this one, by the sign that they begin with."""
        return self._by_first_sign.get(text[:1]) or self._by_first_sign[""]

    @cached_property
    def _by_first_sign(self) -> Mapping[str, Sequence[StandingText]]:
        worded = [each for each in self.standing if each.worded]
        signs = {each.literals[0][:1] for each in worded} | {""}
        return {sign: [each for each in worded if each.literals[0][:1] in ("", sign)] for sign in signs}

    @cached_property
    def copied(self) -> Sequence[StandingText]:
        """Its texts of several words, which a letter may have copied with a change."""
        lines = (each for block in self.blocks.values() for each in block)
        return [each for each in (*self.standing, *lines) if len(each.words) >= SHORTEST_COPY]

    @property
    def sections(self) -> Sequence[str]:
        return list(dict.fromkeys(each.section for each in self.standing))


def read_house(folder: Path) -> House:
    """The templates as they are published."""
    quote = (folder / "quote.md").read_text("utf-8")
    labels = (path.read_text("utf-8") for path in sorted((folder / "pdf" / "labels").glob("*.toml")))
    languages = [BlockWords.read(text) for text in labels if "\n[block]\n" in text]
    blocks = {
        path.stem.replace("-", "_"): [
            replace(standing, written=words)
            for words in (None, *languages)
            for standing in _standing(words.partial(path.read_text("utf-8")) if words else path.read_text("utf-8"))
        ]
        for path in sorted((folder / "characteristics").glob("*.md"))
    }
    facts: Mapping[str, Any] = yaml.safe_load(_FACTS.findall(quote)[0])
    said = {name.upper().replace("_", " "): _fact(value) for name, value in facts.items()}
    waiting = frozenset(match[1] for table in _WAITING.findall(quote) for match in _LAST_CELL.finditer(table))
    standing = [_with_facts(each, said) for each in _standing(quote)]
    return House(standing, said, blocks, waiting, languages, shows_list=_NO_LIST.search(quote) is None)


def _with_facts(standing: StandingText, facts: Mapping[str, str]) -> StandingText:
    """A unit without words of its own, such as the footer, has those of the house's facts."""
    if standing.worded:
        return standing
    literals, names = [standing.literals[0]], []
    for name, literal in zip(standing.names, standing.literals[1:], strict=True):
        if name in facts:
            literals[-1] += plain(facts[name]) + literal
        else:
            literals.append(literal)
            names.append(name)
    return StandingText(standing.section, tuple(literals), tuple(names))


def _fact(value: object) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _standing(template: str) -> list[StandingText]:
    found = []
    for name, body in _SECTION.findall(template):
        units: list[str] = []
        for line in (COMMENT.sub("", line) for line in body.splitlines()):
            fresh = not line.strip() or RULE.match(line) or BULLET.match(line) or line.startswith(("|", "#"))
            if fresh or not units or not units[-1]:
                units.append("")
            units[-1] += " " + (line if line.startswith("|") else plain(line))
            if not line.strip() or line.startswith(("|", "#")) or RULE.match(line):
                units.append("")
        found += [_unit(name, unit) for unit in units if re.search(r"\w", unit) and not RULE.match(unit)]
    return found


def _unit(section: str, text: str) -> StandingText:
    stripped = BULLET.sub("", text.strip().lstrip("# "), count=1).strip("| ")
    said = plain(" ".join(plain(cell) for cell in stripped.split("|")))
    parts = PLACEHOLDER.split(said)
    return StandingText(section, tuple(parts[::2]), tuple(parts[1::2]))


def filled(unit: StandingText, text: str) -> list[tuple[str, str]] | None:
    """What stands for each placeholder where the text is this unit, in order, an amount with its currency; None where
    it is not.
    """
    first, *rest = (literal.removesuffix("$") for literal in unit.literals)
    if not text.startswith(first) or (not rest and text != first):
        return None
    found, at = [], len(first)
    for place, (name, literal) in enumerate(zip(unit.names, rest, strict=True)):
        last = place == len(rest) - 1
        end = len(text) if last and not literal else text.rfind(literal) if last else text.find(literal, at + 1)
        if end < at or (last and end + len(literal) != len(text)):
            return None
        found.append((name, text[at:end].strip()))
        at = end + len(literal)
    return found
