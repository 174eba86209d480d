"""`make emulated`: deploys the build on an AWS emulator, releases every kind of change, and deletes it again.

Prints what was created, invoked and changed. Exit code 1 at the first thing that is not as it should be. With --only
the stack is created with its corpus, and then no more is done than the steps that are named.
"""

import argparse
import re
import sys
import time

from local.failure import LocalError
from tests.emulated import answering, creation, inspecting, releasing
from tests.emulated.emulator import new_emulator
from tests.emulated.run import Run
from tests.emulated.stack import Unexpected

CREATION = (
    creation.fails_at_first,
    creation.is_created,
    creation.replaces_its_database,
    creation.takes_the_sample_corpus,
)
STEPS = (
    answering.answers_on_live,
    answering.answers_golden_cases,
    releasing.releases_a_layer,
    releasing.releases_a_parameter,
    releasing.releases_a_secret,
    answering.locks_out_a_key,
    inspecting.is_looked_at,
    releasing.is_given_room,
    releasing.rolls_back,
    releasing.is_restored,
    releasing.answers_on_the_restored_database,
    releasing.takes_back,
    answering.is_approved,
    answering.goes_behind_a_domain,
    inspecting.has_used_its_rights,
    inspecting.is_deleted,
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.emulated", description=__doc__)
    parser.add_argument("--only", default="", help="steps whose name holds this pattern: 'secret|domain'")
    options = parser.parse_args()
    started = time.monotonic()
    try:
        with new_emulator() as emulator:
            run = Run.on(emulator)
            for take in (*CREATION, *(each for each in STEPS if re.search(options.only, each.__name__))):
                take(run)
    except (LocalError, Unexpected) as failure:
        print(f"FAIL  {failure}")
        return 1
    print(f"all as it should be, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
