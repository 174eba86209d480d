"""What roles may do against what they asked for, as `make emulated` compares them."""

import json
from pathlib import Path

from tests.emulated.rights import Excuse, Request, Right, faults, granted, read_requests

POLICY = {
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::documents/*"},
        {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": ["arn:f:search:*", "arn:f:get:*"]},
    ]
}
READ = Right("Role", "s3:GetObject", "arn:aws:s3:::documents/*")
ASKED = Request("Role", "s3:GetObject", "arn:aws:s3:::documents/a/b.pdf")
EXCUSE = Excuse("*", "s3:GetObject", "*documents*", because="Nobody reads.")


def test_a_right_is_one_action_on_one_pattern() -> None:
    assert len(list(granted("Role", POLICY))) == 4


def test_a_right_fits_a_request_of_its_own_role_for_what_it_names() -> None:
    assert READ.fits(ASKED)
    assert not READ.fits(Request("Another", ASKED.action, ASKED.resource))
    assert not READ.fits(Request("Role", "s3:PutObject", ASKED.resource))
    assert not READ.fits(Request("Role", ASKED.action, "arn:aws:s3:::templates/b.pdf"))


def test_a_right_is_asked_for_with_an_example_or_is_not_with_a_reason() -> None:
    assert faults([READ], [ASKED], asked=[ASKED], excuses=[]) == []
    assert faults([READ], [], asked=[], excuses=[EXCUSE]) == []


def test_whatever_differs_from_the_record_is_a_fault() -> None:
    differing = [
        faults([READ], [], asked=[], excuses=[]),  # neither asked for nor explained
        faults([READ], [ASKED], asked=[], excuses=[]),  # no example
        faults([READ], [ASKED], asked=[ASKED], excuses=[EXCUSE]),  # a reason why nobody asks, and somebody did
        faults([READ], [], asked=[ASKED], excuses=[EXCUSE]),  # an example of what nobody asked
        faults([], [], asked=[ASKED], excuses=[]),  # an example without a right
        faults([], [], asked=[], excuses=[EXCUSE]),  # a reason without a right
    ]
    assert [len(found) for found in differing] == [1] * 6


def test_requests_of_the_accounts_owner_are_no_roles_and_refused_is_what_nothing_allowed(tmp_path: Path) -> None:
    role = "arn:aws:sts::123456789012:assumed-role/stack-Role-1/function"
    lines = [
        ["arn:aws:iam::123456789012:root", "s3:GetObject", "*", "Allow"],
        [role, "s3:GetObject", "arn:x", "ImplicitDeny"],
        [role, "s3:GetObject", "arn:x", "Allow"],
        [role, "s3:GetObject", "arn:y", "ImplicitDeny"],
        ["arn:aws:sts::123456789012:assumed-role/another/function", "s3:GetObject", "arn:y", "ImplicitDeny"],
    ]
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    allowed, refused = read_requests(path, {"stack-Role-1": "Role"})
    assert allowed == {Request("Role", "s3:GetObject", "arn:x")}
    assert refused == {Request("Role", "s3:GetObject", "arn:y")}
