"""Letters that several writers compose at the same moment, and one whose connection is lost on the way."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tests.deployment import TENANT, Deployment, as_tenant
from tests.integration.cpq.drafts import rows
from tests.integration.cpq.letters import GROEB, ONE, PAGE
from tests.integration.cpq.processes import Calls, calling_processes

NEW = {"account_id": GROEB, "page": PAGE, "items": ONE}
HELD = """
    INSERT INTO cpq.audit (tenant, actor, action, subject_kind, subject_id, request_id)
    VALUES (quarry.current_tenant(), 'agent:test', 'draft.composed', 'draft', 'D-1999-0001', 'held')
"""
"""Holds the chain of the audit, which a composing takes last: what waits for it has written everything else."""
LOSE_WAITING = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND wait_event_type = 'Lock'
"""
SECONDS = 60


@pytest.fixture(scope="module")
def composing(letters: Deployment) -> Iterator[Calls]:
    with calling_processes(letters) as calls:
        yield calls


def left_behind(letters: Deployment) -> list[int]:
    """How many drafts, audited changes of drafts and keys there are."""
    [row] = rows(
        letters,
        "SELECT (SELECT count(*) FROM cpq.drafts) AS drafts, (SELECT count(*) FROM cpq.audit) AS audited, "
        "(SELECT count(*) FROM cpq.idempotency_keys) AS keys",
    )
    return [row["drafts"], row["audited"], row["keys"]]


def composed(composing: Calls, **given: Any) -> dict[str, Any]:
    [answer] = composing([("draft_compose", {**NEW, **given})])
    assert not answer.get("error"), answer
    return answer


def test_of_two_changes_of_one_version_at_once_one_is_made_and_the_other_is_a_conflict(
    letters: Deployment, composing: Calls
) -> None:
    for _ in range(5):
        draft = composed(composing)
        change = {"draft_id": draft["draft_id"], "expected_version": 1}
        answers = composing([("draft_compose", {**change, "notes": [str(number)]}) for number in range(2)])
        assert Counter(answer.get("code") for answer in answers) == {None: 1, "CONFLICT": 1}
        [won] = [number for number, answer in enumerate(answers) if "code" not in answer]
        kept = rows(
            letters, "SELECT version, content FROM cpq.drafts WHERE id = %s ORDER BY version", draft["draft_id"]
        )
        assert [row["version"] for row in kept] == [1, 2]
        assert kept[1]["content"]["notes"] == [str(won)]


def test_of_many_changes_without_a_version_each_is_made_or_told_to_be_none(
    letters: Deployment, composing: Calls
) -> None:
    draft = composed(composing)
    answers = composing(
        [("draft_compose", {"draft_id": draft["draft_id"], "notes": [str(number)]}) for number in range(8)]
    )
    made = sorted(answer["version"] for answer in answers if "code" not in answer)
    assert made == list(range(2, 2 + len(made)))
    assert {answer["code"] for answer in answers if "code" in answer} <= {"CONFLICT"}
    [row] = rows(letters, "SELECT max(version) AS newest FROM cpq.drafts WHERE id = %s", draft["draft_id"])
    assert row["newest"] == 1 + len(made)


def test_new_letters_at_once_get_numbers_without_a_gap(composing: Calls) -> None:
    first = int(composed(composing)["draft_id"].rpartition("-")[2])
    answers = composing([("draft_compose", NEW)] * 8)
    numbers = sorted(int(answer["draft_id"].rpartition("-")[2]) for answer in answers)
    assert numbers == list(range(first + 1, first + 9))


def test_a_composing_that_loses_its_database_leaves_nothing_and_gives_its_number_back(
    letters: Deployment, composing: Calls
) -> None:
    before = int(composed(composing)["draft_id"].rpartition("-")[2])
    kept = left_behind(letters)
    with letters.connect("quarry_write") as held, as_tenant(held, TENANT), ThreadPoolExecutor(1) as thread:
        held.execute(HELD)
        waiting = thread.submit(composing, [("draft_compose", {**NEW, "idempotency_key": "lost"})])
        with letters.connect("quarry_write") as other:
            until = time.monotonic() + SECONDS
            while not other.execute(LOSE_WAITING).fetchall() and time.monotonic() < until:
                time.sleep(0.05)
        answers = waiting.result(SECONDS)
        raise psycopg.Rollback
    assert [answer.get("code") for answer in answers] == ["UNAVAILABLE"]
    assert left_behind(letters) == kept
    again = composed(composing, idempotency_key="lost")
    assert int(again["draft_id"].rpartition("-")[2]) == before + 1
