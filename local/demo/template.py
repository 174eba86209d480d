"""Cuts house templates into their sections and fills their placeholders."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import yaml

from local.demo.results import Product, shown

MISSING = "[NOT IN CATALOGUE – confirm]"
SECTION = re.compile(r"<!-- section: (\S+) -->\n(.*?)(?=<!-- section: |<!-- end of )", re.S)
FACTS = re.compile(r"^## House facts$.*?^```yaml\n(.*?)^```$", re.S | re.M)
FIELD = re.compile(r"\[([a-z_]+)\]")
MARK = re.compile(r"\s*<!-- (only|either): (\w+) -->")
PARTIALS = {"compressor": "compressor", "vacuum_pump": "vacuum-pump", "dryer": "dryer", "blower": "blower"}


def sections(template: str) -> dict[str, str]:
    return {name: body.strip() for name, body in SECTION.findall(template)}


def house_facts(template: str) -> dict[str, str]:
    """The house's facts under the names the skeleton's placeholders use; the offices one line each."""
    block = FACTS.search(template)
    facts: dict[str, str | list[str]] = yaml.safe_load(block.group(1)) if block else {}
    return {
        name.upper().replace("_", " "): "\\\n".join(value) if isinstance(value, list) else str(value).strip()
        for name, value in facts.items()
    }


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replaces `[NAME]` in one pass, so text that was filled in is never read for placeholders."""
    return re.sub(r"\[([A-Z][A-Z ]+)\]", lambda match: values.get(match.group(1), match.group()), text)


@dataclass(frozen=True)
class Characteristics:
    text: str
    missing: tuple[str, ...]


def fill_characteristics(partial: str, *, product: Product | None, values: Mapping[str, str]) -> Characteristics:
    """The partial's block for one product; `missing` holds the labels of the lines left to confirm."""
    known = _known(product) if product else {}
    lines = sections(partial)["characteristics"].splitlines()
    kind = f"{product.category} {product.series} {product.description}".lower() if product else ""
    done: list[str] = []
    missing: list[str] = []
    for line in _applicable(lines, kind=kind, known=known):
        filled = _fill_line(fill(line, values), known)
        if MISSING in filled and line.startswith("- "):
            missing.append(filled[2:].split(":")[0])
        done.append(filled)
    return Characteristics("\n".join(done), tuple(missing))


def _known(product: Product) -> dict[str, str]:
    return {name: shown(value) for name, value in product.model_dump(exclude_none=True).items() if value != ""}


def _applicable(lines: list[str], *, kind: str, known: Mapping[str, str]) -> list[str]:
    """Drops what a mark rules out: another kind of machine, or the empty half of an alternative."""
    marks = [MARK.search(line) for line in lines]
    kinds = {mark.group(2) for mark in marks if mark and mark.group(1) == "only"}
    stated = {word for word in kinds if word in kind}
    filled = {
        m.group(2)
        for line, m in zip(lines, marks, strict=True)
        if m and m.group(1) == "either" and _has_value(line, known)
    }
    kept: list[str] = []
    for line, mark in zip(lines, marks, strict=True):
        if mark and mark.group(1) == "only" and stated and mark.group(2) not in stated:
            continue
        if mark and mark.group(1) == "either" and mark.group(2) in filled and not _has_value(line, known):
            continue
        kept.append(MARK.sub("", line))
    return kept


def _has_value(line: str, known: Mapping[str, str]) -> bool:
    return any(name in known for name in FIELD.findall(line))


def _fill_line(line: str, known: Mapping[str, str]) -> str:
    if "series" not in known and "model" in known:
        line = line.replace("[series] / ", "")
    names = FIELD.findall(line)
    label, colon, _ = line.partition(":")
    if names and line.startswith("- ") and not any(name in known for name in names):
        return f"{label}{colon} {MISSING}"
    return FIELD.sub(lambda match: known.get(match.group(1), MISSING), line)
