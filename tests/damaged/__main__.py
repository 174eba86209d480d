"""`python -m tests.damaged --seeds 50` (`make damaged`): exits 1 and says what is stored wrong or unaccounted for."""

import argparse
import sys

from tests.damaged.files import FILES, problems


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.damaged", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    arguments = parser.parse_args()
    found = [
        problem for seed in range(arguments.first, arguments.first + arguments.seeds) for problem in problems(seed)
    ]
    print(*found, f"{arguments.seeds} seeds of {FILES} files: {len(found)} problems", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
