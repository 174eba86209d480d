"""The proxy as a child of the stack: tied to the supervisor, otherwise the deployed one."""

import sys

from local.lifeline import die_with_parent


def main() -> None:
    die_with_parent()
    from proxy.__main__ import main as serve  # 0.6 s; the tie comes first

    sys.exit(serve([]))


if __name__ == "__main__":
    main()
