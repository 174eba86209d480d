"""MiniStack that also writes down what every role asks: a line for each decision, into the file named in ASKED.

Runs in MiniStack's own environment.
"""

import json
import os
from pathlib import Path
from typing import Any

from ministack.app import main
from ministack.core import iam_evaluator

_decide = iam_evaluator.evaluate


def _decide_and_note(request: Any, *policies: Any) -> Any:
    result = _decide(request, *policies)
    line = json.dumps([request.principal_arn, request.action, request.resource_arn, result.decision])
    with Path(os.environ["ASKED"]).open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
    return result


iam_evaluator.evaluate = _decide_and_note

if __name__ == "__main__":
    main()
