"""`make on-a-stack DO="canary clients"`: runs a command on a stack started for it, told to it as PORT and DATA_DIR.

The exit code is the command's.
"""

import argparse
import signal
import subprocess
import sys
from urllib.parse import urlsplit

from local.failure import LocalError
from local.stack import require
from tests.house import ENVIRONMENT, new_house


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.on_a_stack", description=__doc__)
    parser.add_argument("command", nargs=argparse.REMAINDER, help="what to run, with its arguments")
    command = parser.parse_args().command
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    print("Starting a stack ...", flush=True)
    try:
        with new_house() as house:
            stack = require(house.data_dir)
            place = {"DATA_DIR": str(house.data_dir), "PORT": str(urlsplit(stack.mcp).port)}
            return subprocess.run(command, env=ENVIRONMENT | place, check=False).returncode
    except LocalError as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
