"""What the values of a closed field mean, each written down for a person to look at."""

from collections import Counter
from collections.abc import Sequence

from operations.tables.cells import text_of
from operations.tables.conversion import slug
from operations.tables.mapping import SECTION, SHEET, Rule
from operations.tables.names import Families, choice_named, family_named
from operations.tables.sheets import TableRow

MOST_VALUES = 80
"""Different values of a column that are worth a table of what they mean."""


def meanings(
    name: str,
    rule: Rule,
    rows: Sequence[TableRow],
    *,
    beside: Sequence[str],
    choices: tuple[str, ...],
    families: Families,
) -> tuple[dict[str, str], list[str]]:
    """(meaning by value, what a person has to look at); a family that a value does not name is looked for ``beside``
    it, in the columns that describe the goods.
    """
    said: dict[str, Counter[str | None]] = {}
    for row in rows:
        special = {SECTION: row.section, SHEET: row.sheet}
        for column in rule.columns:
            if text := text_of(special.get(column) or row.cells.get(column)):
                told = " ".join(text_of(row.cells.get(each)) for each in beside)
                said.setdefault(text, Counter())[family_named(told, families) if name == "family" else None] += 1
    found: dict[str, str] = {}
    doubts: list[str] = []
    for text, beside_it in list(said.items())[:MOST_VALUES]:
        meant = family_named(text, families) if name == "family" else choice_named(name, text, choices)
        meant = meant or beside_it.most_common(1)[0][0]
        if meant is not None:
            found[text] = meant
        elif name == "family":
            found[text] = slug(text)
            doubts.append(f"family: {text!r} is none of the usual ones; stored as {slug(text)!r}.")
        else:
            doubts.append(f"{name}: what does {text!r} mean? Write one of {', '.join(choices)} into values.")
    return found, doubts
