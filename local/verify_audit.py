"""`python -m local.verify_audit`: verifies the audit chains of the running stack; exit code 1 if one is broken."""

import os
import sys

from local.failure import LocalError
from local.invoke import invoke
from local.settings import read_settings
from local.stack import require


def main() -> int:
    try:
        report = invoke(require(read_settings(os.environ).data_dir), "verify_audit", {})
    except LocalError as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{report['rows']} audit rows of {report['tenants']} tenants read.")
    for broken in report["broken"]:
        print(f"  {broken['tenant']}: broken at row {broken['seq']}: {broken['reason']}.")
    print("Every chain is intact." if report["intact"] else "Restore the database from before that row's time.")
    return 0 if report["intact"] else 1


if __name__ == "__main__":
    sys.exit(main())
