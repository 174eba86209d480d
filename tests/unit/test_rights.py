"""What roles may do against what they asked for, as `make emulated` compares them."""

import json
from pathlib import Path

from tests.emulated.rights import Request, Right, granted, read_requests, unused

POLICY = {
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:GetObject", "s3:PutObject"], "Resource": "arn:aws:s3:::documents/*"},
        {"Effect": "Allow", "Action": "lambda:InvokeFunction", "Resource": ["arn:f:search:*", "arn:f:get:*"]},
    ]
}


def test_a_right_is_one_action_on_one_pattern() -> None:
    assert len(list(granted("Role", POLICY))) == 4


def test_a_right_is_used_by_an_allowed_request_of_its_own_role_for_what_it_names() -> None:
    rights = {"physical": list(granted("Role", POLICY))}
    requests = [
        Request("physical", "s3:GetObject", "arn:aws:s3:::documents/a/b.pdf", allowed=True),
        Request("physical", "s3:PutObject", "arn:aws:s3:::documents/a/b.pdf", allowed=False),
        Request("another", "lambda:InvokeFunction", "arn:f:get:live", allowed=True),
        Request("physical", "lambda:InvokeFunction", "arn:f:search:live", allowed=True),
    ]
    assert unused(rights, requests) == [
        Right("Role", "s3:PutObject", "arn:aws:s3:::documents/*"),
        Right("Role", "lambda:InvokeFunction", "arn:f:get:*"),
    ]


def test_requests_of_the_accounts_owner_are_no_roles(tmp_path: Path) -> None:
    lines = [
        ["arn:aws:iam::123456789012:root", "s3:GetObject", "*", "Allow"],
        ["arn:aws:sts::123456789012:assumed-role/stack-Role-1/function", "s3:GetObject", "arn:x", "ImplicitDeny"],
    ]
    path = tmp_path / "asked.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert read_requests(path) == [Request("stack-Role-1", "s3:GetObject", "arn:x", allowed=False)]
