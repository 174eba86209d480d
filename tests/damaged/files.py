"""Damaged staging files made by mutation: nothing is read wrongly, and every row is accounted for."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from random import Random

from local.corpus_loader import CORPUS
from operations.reading import read
from quarry.ingestion import Accepted, Rejected
from stories.ingestion import STORIES, StoryRow

FILES = 300
ROWS = 40
LEAST_KEPT = 0.9
Mutation = Callable[[list[str], int, Random], None]


@cache
def clean() -> list[str]:
    """The sample as lines without a fault."""
    with (CORPUS / "stories/stories.csv").open("rb") as file:
        found = [item.row for item in read(file, STORIES, file_name="x.csv") if isinstance(item, Accepted)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in found:
        assert isinstance(row, StoryRow)
        lists = ["; ".join(row.entity_slugs), "; ".join(row.code_paths)]
        writer.writerow([row.story_key, row.section, row.title, row.narrative, row.actor, row.status, *lists])
    return text.getvalue().splitlines()


def unquoted(lines: list[str], at: int, _: Random) -> None:
    lines[at] = lines[at].replace('"', "")


def quote_lost(lines: list[str], at: int, random: Random) -> None:
    if places := [found.start() for found in re.finditer('"', lines[at])]:
        place = random.choice(places)
        lines[at] = lines[at][:place] + lines[at][place + 1 :]


def quote_added(lines: list[str], at: int, random: Random) -> None:
    place = random.choice([0, *(found.end() for found in re.finditer(",", lines[at]))])
    lines[at] = lines[at][:place] + '"' + lines[at][place:]


def comma_added(lines: list[str], at: int, random: Random) -> None:
    place = random.randint(0, len(lines[at]))
    lines[at] = lines[at][:place] + "," + lines[at][place:]


def comma_lost(lines: list[str], at: int, random: Random) -> None:
    place = random.choice([found.start() for found in re.finditer(",", lines[at])] or [0])
    lines[at] = lines[at][:place] + lines[at][place + 1 :]


def commas_behind(lines: list[str], at: int, random: Random) -> None:
    lines[at] += "," * random.randint(1, 3)


# A row cut within its last cell is a row like any other: only what was cut before can be told.
def cut_short(lines: list[str], at: int, random: Random) -> None:
    lines[at] = lines[at][: random.randrange(1, max(2, lines[at].rfind(",")))]


def broken_in_two(lines: list[str], at: int, random: Random) -> None:
    place = random.randrange(1, max(2, lines[at].rfind(",")))
    lines[at : at + 1] = [lines[at][:place], lines[at][place:]]


def joined_to_the_next(lines: list[str], at: int, _: Random) -> None:
    lines[at : at + 2] = ["".join(lines[at : at + 2])]


def twice(lines: list[str], at: int, _: Random) -> None:
    lines.insert(at, lines[at])


def blank_line(lines: list[str], at: int, _: Random) -> None:
    lines.insert(at, "")


MUTATIONS: tuple[Mutation, ...] = (
    unquoted, quote_lost, quote_added, comma_added, comma_lost, commas_behind, cut_short, broken_in_two,
    joined_to_the_next, twice, blank_line,
)  # fmt: skip
HEADER = "story_key,section,title,narrative,actor,status,entity_slugs,code_paths"


def squashed(text: str) -> str:
    return re.sub(r"[\W_]+", "", text)


def told(row: StoryRow) -> tuple[object, ...]:
    """What a row says, whichever of title and narrative a comma was given to; quotes and commas are the damage."""
    return (
        row.section_key,
        squashed(row.title + row.narrative),
        row.actor,
        row.status,
        tuple(row.entity_slugs),
        tuple(row.code_paths),
    )


def problems(seed: int, *, files: int = FILES) -> Iterator[str]:
    """What is stored wrong, unaccounted for or needlessly given up in so many damaged files; nothing, that is."""
    random, rows = Random(seed), clean()
    right = _right(rows)
    read_rows = kept = 0
    for number in range(files):
        start = random.randrange(len(rows) - ROWS)
        lines = rows[start : start + ROWS]
        whole = set(lines)
        for _ in range(random.randint(1, 3)):
            # A row that is damaged twice may read like any other: cut short, and then given commas again.
            once = [at for at in range(len(lines) - 1) if lines[at] in whole and lines[at + 1] in whole]
            random.choice(MUTATIONS)(lines, random.choice(once), random)
        text = "\n".join([HEADER, *lines])
        items = list(read(io.BytesIO(text.encode()), STORIES, file_name="x.csv"))
        stored = [item for item in items if isinstance(item, Accepted)]
        where = f"seed {seed}, file {number}"
        for item in stored:
            assert isinstance(item.row, StoryRow)
            if told(item.row) != right.get(item.row.story_key):
                yield f"{where}: stored wrong {told(item.row)} of {text.splitlines()[item.line - 1]!r}"
        if len({item.line for item in items}) != len(items):
            yield f"{where}: two records of one line"
        texts = [item.raw if isinstance(item, Rejected) else item.row.model_dump_json() for item in items]
        seen = squashed("".join(texts))
        # A row is told by its key, what is left of one by its first words.
        lost = [line for line in lines if squashed(re.split('[",]', line.strip('"'))[0]) not in seen]
        yield from (f"{where}: unaccounted {line!r}" for line in lost)
        read_rows += len(lines)
        kept += len(stored)
    if kept / read_rows <= LEAST_KEPT:
        yield f"seed {seed}: {kept} of {read_rows} rows were kept"


def _right(rows: Sequence[str]) -> dict[str, tuple[object, ...]]:
    whole = read(io.BytesIO("\n".join([HEADER, *rows]).encode()), STORIES, file_name="x.csv")
    found = [item.row for item in whole if isinstance(item, Accepted)]
    return {row.story_key: told(row) for row in found if isinstance(row, StoryRow)}
