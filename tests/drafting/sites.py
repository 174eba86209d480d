"""Sentences of past lines that are true of one site alone, told by reading, and what check_draft says of each."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from cpq.drafts.letter import sentences
from tests.drafting.composing import Item, Letter, past, write
from tests.drafting.letters import report

READ: dict[tuple[str, int], tuple[str, ...]] = {
    ("Q24-0109", 1): (), ("Q23-0357", 1): ("Old machine is",), ("Q25-0745", 2): (),
    ("Q24-0175", 3): ("Second shift",),
    ("Q25-0404", 1): ("Resin dust",), ("Q25-0404", 4): ("Resin dust",),
    ("Q18-0318", 1): ("Geräusch wurde im Freifeld",),
    ("Q18-0318", 2): ("Die vorhandene", "Abluft im Winter", "Einbringung"), ("Q18-0318", 3): (),
    ("Q19-0836", 1): ("Replace the old vanes",), ("Q26-0601", 1): ("420 acfm", "Siloxanes"), ("Q26-0332", 1): (),
    ("Q22-0710", 2): (), ("Q23-0772", 1): ("Rated 417",), ("Q25-0724", 1): (), ("Q22-0660", 2): ("Kegs keep",),
    ("Q25-0292", 4): ("Wet end", "3 people", "Bring the fork"), ("Q18-0714", 1): (), ("Q24-0590", 2): (),
    ("Q24-0811", 1): (), ("Q24-0875", 1): ("Patients till", "Exhaust run"), ("Q23-0455", 2): (),
    ("Q18-0129", 2): (), ("Q18-0585", 4): ("Coalescer ahead of booth",), ("Q24-0145", 2): (), ("Q24-0145", 5): (),
    ("Q19-0290", 2): ("1000 cfm on",), ("Q22-0655", 2): (), ("Q20-0213", 2): ("Routers idle", "Filter ahead is"),
    ("Q18-0129", 1): ("Existing 50's",),
}  # fmt: skip
"""Lines by quote and position, with how those of their sentences begin that speak of the customer's site."""


@dataclass(frozen=True, slots=True)
class Sited:
    sentence: str
    of_a_site: bool
    foreign: bool


@cache
def sited() -> tuple[Sited, ...]:
    return tuple(_sited())


def _sited() -> Iterator[Sited]:
    for (quote, position), beginnings in READ.items():
        text = past()[1][quote, position]["description"].partition("\n")[0]
        for sentence in sentences(text):
            item = Item(model="QMB30", copied=(quote, position, sentence))
            letter = Letter(name="", customer="Elm", request="", project="air", requirements="air", items=[item])
            drafted = write(letter)
            faults = report(drafted.text, drafted.evidence).faults
            yield Sited(sentence, sentence.startswith(beginnings), any(each.verdict == "foreign" for each in faults))
