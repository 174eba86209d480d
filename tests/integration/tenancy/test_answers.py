"""A tenant's answers are the same to the byte whether or not another tenant's data is in the same database."""

import json
import re
from typing import Any

import pytest

from cpq.approvals import links
from highlights.resources import handler as highlights_resources
from operations.api_keys import handler as api_keys
from stories.resources import handler as stories_resources
from tests.deployment import invoke
from tests.e2e.sample_calls import AFTER_ANOTHER, NEEDS_A_MODEL
from tests.integration.approval_page.visiting import Browser
from tests.integration.cpq.approving import KEY, PAGE
from tests.integration.tenancy.calls import READS, RESOURCES, WRITES, Call
from tests.integration.tenancy.houses import MARK, TENANT, TOOLS, House, role_of

DOWN = "http://127.0.0.1:9/v1"
PASSING = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00| UTC)?"  # moments
    r"|\bpt_[a-z0-9]+|\b[0-9a-f]{64}\b|(?<=documents-)[0-9a-f]{8}"  # random ids, hashes over moments, the bucket
    r"|(?<=ingest-)quarry-[0-9a-f]+|(?<=-)[0-9a-f]{8}(?=\.pdf)|(?<=X-Amz-)(Date|Signature)=[^&\"]+"
)
"""What differs from one run of a call to the next."""

LIST_CURSOR = '"cursor": '
"""quote_list's, which holds the moment and what was committed then."""


def told(answer: object) -> str:
    text = PASSING.sub("…", json.dumps(answer, ensure_ascii=False))
    return re.sub(f'{LIST_CURSOR}"[^"]+"', LIST_CURSOR, text)


def answers(house: House, calls: list[Call], **variables: str) -> dict[str, str]:
    """By a call's own text, in the given order; the environment changes only with the role."""
    found: dict[str, str] = {}
    for role in ("quarry_write", "quarry_read", "quarry_ingest"):
        with house.serving(role, **variables):
            for tool, arguments in calls:
                if role_of(tool) == role:
                    found[f"{tool} {json.dumps(arguments)} {len(found)}"] = told(house.call(tool, arguments))
    return found


@pytest.fixture(scope="module", autouse=True)
def written(houses: tuple[House, House]) -> tuple[dict[str, str], dict[str, str]]:
    """What every writing tool said, in a script of good and bad calls: once, before anybody reads."""
    alone, shared = houses
    return answers(alone, WRITES), answers(shared, WRITES)


def assert_alike(alone: dict[str, str], shared: dict[str, str]) -> None:
    assert alone.keys() == shared.keys()
    for call, answer in alone.items():
        assert answer == shared[call], call
    # Some tools repeat what they were asked.
    assert not [call for call, answer in shared.items() if MARK in answer and MARK not in call]


def assert_each_succeeded(said: dict[str, str], *, role: str) -> None:
    """A tool that only failed was not compared. ``ask`` has tests with scripted models of its own."""
    good = {call.partition(" ")[0] for call, answer in said.items() if not answer.startswith('{"error": true')}
    missing = {name for name in TOOLS if role_of(name) == role} - good - {NEEDS_A_MODEL, *AFTER_ANOTHER}
    assert not missing, (
        f"No call of {sorted(missing)} found anything: add one to tests/integration/tenancy/calls.py that does "
        "with the rows of tests/integration/tenancy/houses.py."
    )


def test_writes_are_answered_alike_numbers_keys_and_conflicts_included(
    written: tuple[dict[str, str], dict[str, str]],
) -> None:
    alone, shared = written
    assert_alike(alone, shared)
    assert_each_succeeded(shared, role="quarry_write")


def test_reads_are_answered_alike_counts_suggestions_and_cursors_included(
    houses: tuple[House, House], written: tuple[dict[str, str], dict[str, str]]
) -> None:
    alone, shared = (answers(house, READS) for house in houses)
    assert_alike(alone, shared)
    assert_each_succeeded(shared, role="quarry_read")
    assert_each_succeeded(shared | written[1], role="quarry_ingest")


def test_with_embeddings_down_what_another_tenant_has_cached_helps_nobody(houses: tuple[House, House]) -> None:
    calls: list[Call] = [
        ("search_equipment", {"query": f"what {MARK} asks"}),
        ("search_equipment", {"query": "rotary screw compressor never asked for"}),
        ("search_line_items", {"query": "vacuum pump of long ago"}),
        ("search_past_quotes", {"query": "compressed air of long ago"}),
        ("search", {"query": "who founded Acme and when"}),
        ("search_semantic", {"query": "habits that nobody asked about"}),
        ("find_related", {"context": "a gallery that nobody asked about"}),
    ]
    alone, shared = (answers(house, calls, OPENAI_BASE_URL=DOWN) for house in houses)
    assert_alike(alone, shared)
    assert all('"degraded": true' in answer or "UNAVAILABLE" in answer for answer in shared.values())


@pytest.mark.parametrize("event", RESOURCES, ids=json.dumps)
def test_resources_lists_and_completions_are_answered_alike(
    houses: tuple[House, House], event: dict[str, Any]
) -> None:
    said = []
    handler = stories_resources if event.get("uri", "").startswith("schema:") else highlights_resources
    for house in houses:
        with house.serving("quarry_read"):
            said.append(told(invoke(handler, event, tenant=TENANT)))
    assert said[0] == said[1]
    assert MARK not in said[1]


def test_a_link_to_another_tenants_request_opens_nothing_even_if_it_were_signed(houses: tuple[House, House]) -> None:
    alone, shared = houses
    theirs = [link for link in shared.inbox.links() if links.read(KEY.encode(), link.rpartition("/")[2])]
    tokens = [link.rpartition("/")[2] for link in theirs]
    claims = [claim for token in tokens if (claim := links.read(KEY.encode(), token))]
    neighbours = next(claim for claim in claims if claim.tenant != TENANT)
    forged = links.mint(
        KEY.encode(), tenant=TENANT, request_id=neighbours.request_id, expires_at=neighbours.expires_at
    )
    for house in (alone, shared):
        with house.serving("quarry_approve"):
            assert Browser().open(f"{PAGE}/{forged}").status == 404


def test_a_list_of_keys_names_the_tenants_own(houses: tuple[House, House]) -> None:
    for house in houses:
        with house.serving("quarry_keys"):
            listed = invoke(api_keys, {"action": "list", "tenant": TENANT}, tenant=TENANT)
        assert listed == {"keys": []}
