"""news: how far a call is and which toolsets' rows were loaded, as the front asks for a client that waits."""

from typing import Any

import pytest

from local.files import ROOT
from operations.news import LIVE, handler
from proxy.manifest import load_manifest
from quarry.tool import progress
from tests.deployment import ClientContext, Context, Deployment, as_tenant, invoke

pytestmark = pytest.mark.usefixtures("reading")


def said(request_id: str, *, tenant: str = "acme") -> Any:
    return handler({"of": "call"}, Context(ClientContext({"request_id": request_id, "tenant": tenant})))["said"]


def test_the_newest_progress_of_a_call_is_told_to_its_own_tenant_only() -> None:
    assert said("r-1") is None
    for text in ("turn 1", "turn 2", "turn 2"):
        progress.note("acme", request_id="r-1", said=text)
    assert (said("r-1"), said("r-2"), said("r-1", tenant="rival")) == ("turn 2", None, None)


def test_words_of_a_question_are_left_out_for_a_tenant_that_lets_none_be_stored(deployment: Deployment) -> None:
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "silent"):
        connection.execute("INSERT INTO quarry.tenants (tenant) VALUES ('silent')")
        connection.execute("INSERT INTO quarry.tenant_settings (tenant, store_queries) VALUES ('silent', false)")
    for tenant in ("acme", "silent"):
        progress.note(tenant, request_id="r-3", said="turn 1", words="searching: boilers")
    assert (said("r-3"), said("r-3", tenant="silent")) == ("turn 1; searching: boilers", "turn 1")
    progress.forget("acme", request_id="r-3")
    assert said("r-3") is None


def test_progress_of_yesterday_is_forgotten(deployment: Deployment) -> None:
    progress.note("acme", request_id="r-new", said="on")
    with deployment.connect("quarry_read") as connection, as_tenant(connection, "acme"):
        connection.execute(
            "INSERT INTO quarry.call_progress VALUES ('acme', 'r-old', 'x', now() - interval '25 hours')"
        )
    with deployment.connect("quarry_ingest") as connection:
        assert progress.prune(connection) == 1
    assert (said("r-old"), said("r-new")) == (None, "on")


def test_an_unreachable_database_keeps_no_call_from_its_work(deployment: Deployment) -> None:
    with deployment.serving("quarry_read", DB_PORT="1"):
        progress.note("acme", request_id="r-1", said="on")


def test_what_was_loaded_is_told_by_toolset_and_what_changed_nothing_is_not(deployment: Deployment) -> None:
    before = invoke(handler, {}, tenant="acme")["changes"]
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "acme"):
        connection.execute("INSERT INTO quarry.tenants (tenant) VALUES ('acme') ON CONFLICT DO NOTHING")
        for kind, inserted, updated in (("readwise", 2, 1), ("stories", 0, 0), ("products", 5, 0)):
            connection.execute(
                """INSERT INTO quarry.ingests (tenant, kind, source, inserted, updated)
                   VALUES ('acme', %s, 'f', %s, %s)""",
                [kind, inserted, updated],
            )
    after = invoke(handler, {}, tenant="acme")["changes"]
    assert {name: after[name] - before[name] for name in after} == {"highlights": 3, "stories": 0, "equipment": 5}
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "acme"):
        connection.execute("UPDATE quarry.ingests SET undone_at = now() WHERE kind = 'readwise'")
    assert invoke(handler, {}, tenant="acme")["changes"]["highlights"] > after["highlights"]
    assert set(invoke(handler, {}, tenant="nobody")["changes"].values()) == {0}


def test_every_toolset_whose_resources_a_function_makes_is_told_of() -> None:
    manifest = load_manifest(ROOT / "proxy/manifest.json")
    made = [entry for entry in [*manifest.resources, *manifest.resource_templates] if entry.function]
    assert {entry.toolset for entry in made} == set(LIVE)
