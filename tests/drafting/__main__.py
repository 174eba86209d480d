"""`make check-draft`: 1,000 slips in good drafts, how many of each kind are found, and false alarms."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from tests.drafting.judgements import judged
from tests.drafting.letters import drafts, report
from tests.drafting.mutations import KINDS, Slip, slips
from tests.drafting.promises import placed, share
from tests.drafting.sites import sited

SEED = 16
SLIPS = 1_000
FOUND, FALSE = 0.99, 0.01
"""Share of slips that has to be found, and of an untouched draft's statements that may be called wrong."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``located``: a finding stands on a line that the slip changed."""

    draft: str
    slip: Slip
    found: bool
    located: bool


@dataclass(frozen=True, slots=True)
class Figures:
    outcomes: Sequence[Outcome]
    statements: int
    alarms: int

    @property
    def found(self) -> float:
        return sum(outcome.found for outcome in self.outcomes) / len(self.outcomes)

    @property
    def false(self) -> float:
        return self.alarms / self.statements


def measure(*, count: int, seed: int) -> Figures:
    written = drafts()
    reports = [report(draft.text, draft.evidence) for draft in written]
    outcomes = []
    for draft, slip in slips(written, count=count, seed=seed):
        faults = report(slip.text, draft.evidence).faults
        located = any(fault.line in slip.lines for fault in faults)
        outcomes.append(Outcome(draft.letter.name, slip, bool(faults), located))
    return Figures(outcomes, sum(len(each.findings) for each in reports), sum(len(each.faults) for each in reports))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.drafting", description=__doc__)
    parser.add_argument("--count", type=int, default=SLIPS)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--missed", action="store_true", help="show the slips that were not found")
    parser.add_argument("--held-back", action="store_true", help="with --missed, the sentences held back as well")
    options = parser.parse_args()
    figures = measure(count=options.count, seed=options.seed)
    print("| slip | made | found | on its line |\n|---|---:|---:|---:|")
    for kind in KINDS:
        mine = [outcome for outcome in figures.outcomes if outcome.slip.kind == kind]
        print(f"| {kind} | {len(mine)} | {sum(each.found for each in mine)} | {sum(each.located for each in mine)} |")
    every = figures.outcomes
    print(f"| **all** | {len(every)} | {sum(each.found for each in every)} | {sum(each.located for each in every)} |")
    print(f"\nFound {figures.found:.1%}, at least {FOUND:.0%}.")
    print(f"Of {figures.statements:,} statements in untouched drafts {figures.alarms} were called wrong: "
          f"{figures.false:.1%}, at most {FALSE:.0%}.")  # fmt: skip
    every_sentence, judgements = list(placed()), list(judged())
    for half in ("seen", "held back"):
        promises = share(every_sentence, promise=True, half=half)
        harmless = share(every_sentence, promise=False, half=half)
        harmful = share(judgements, promise=True, half=half)
        binding_nobody = share(judgements, promise=False, half=half)
        print(f"Judgements {half}: {harmful[0]} of {harmful[1]} doubted, "
              f"{binding_nobody[0]} of {binding_nobody[1]} sentences that bind nobody passed.")  # fmt: skip
        print(f"Sentences {half}: {promises[0]} of {promises[1]} promises doubted, "
              f"{harmless[0]} of {harmless[1]} harmless ones passed.")  # fmt: skip
    of_a_site = [each.foreign for each in sited() if each.of_a_site]
    others = [each.foreign for each in sited() if not each.of_a_site]
    print(f"Proven sentences: {sum(of_a_site)} of {len(of_a_site)} on another's site called foreign, "
          f"{sum(others)} of {len(others)} others.")  # fmt: skip
    if options.missed:
        for each in (*every_sentence, *judgements):
            if not each.right and (each.half == "seen" or options.held_back):
                print(f"{'missed' if each.promise else 'false'}, {each.half}, {each.place}: {each.sentence}")
        for outcome in every:
            if not outcome.found:
                print(f"{outcome.draft}: {outcome.slip.kind}\n  - {outcome.slip.was}\n  + {outcome.slip.now}")
    return 0 if figures.found >= FOUND and figures.false <= FALSE else 1


if __name__ == "__main__":
    sys.exit(main())
