"""`make check-draft`: letters with a wrong figure, letters with right ones, and how many of each are doubted."""

import argparse
import sys
from collections.abc import Iterable

from cpq.drafts.checking import Remark, check
from tests.drafting.sentences import Case, cases

FOUND, DOUBTED = 0.97, 0.02
"""Share of wrong figures that has to be found, and of right letters that may be doubted."""


def doubts(case: Case) -> list[Remark]:
    return [each for each in check(case.text, case.evidence) if each.verdict != "supported"]


def share(made: Iterable[Case], *, shown: bool) -> tuple[int, int]:
    """How many of them are doubted, and how many there are; ``shown`` tells those that the check has wrong."""
    every = [(case, doubts(case)) for case in made]
    for case, found in every if shown else ():
        if bool(found) != bool(case.wrong):
            print(f"{case.language}: {case.text}\n  was {case.was!r}, is {case.wrong!r}, {found}")
    return sum(bool(found) for _, found in every), len(every)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drafting", description=__doc__)
    parser.add_argument("--each", type=int, default=40, help="letters of a language, of either kind")
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--missed", action="store_true", help="show what was missed or doubted wrongly")
    options = parser.parse_args()
    wrong, right = (
        share(cases(wrong=wrong, each=options.each, seed=options.seed), shown=options.missed)
        for wrong in (True, False)
    )
    print(f"Wrong figures found: {wrong[0]} of {wrong[1]}, at least {FOUND:.0%}.")
    print(f"Right letters doubted: {right[0]} of {right[1]}, at most {DOUBTED:.0%}.")
    return 0 if wrong[0] >= FOUND * wrong[1] and right[0] <= DOUBTED * right[1] else 1


if __name__ == "__main__":
    sys.exit(main())
