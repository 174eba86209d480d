"""API keys: created once, hashed, found only by who presents them, and ended."""

import hashlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from operations import api_keys, verify_api_key
from tests.deployment import Context, Deployment, as_tenant, end_sessions

SCOPES = ["equipment:read", "quotes:read"]


@pytest.fixture(autouse=True)
def tenants(deployment: Deployment) -> Iterator[None]:
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as superuser:
        superuser.execute("INSERT INTO quarry.tenants VALUES ('acme'), ('rival') ON CONFLICT DO NOTHING")
        yield
        superuser.execute("DELETE FROM quarry.api_keys")


def administer(deployment: Deployment, event: dict[str, Any]) -> dict[str, Any]:
    with deployment.serving("quarry_keys"):
        return api_keys.handler(event, Context())


def create(deployment: Deployment, **fields: Any) -> dict[str, Any]:
    event = {"action": "create", "tenant": "acme", "name": "agent", "scopes": SCOPES}
    return administer(deployment, {**event, **fields})


def verify(deployment: Deployment, key: str) -> dict[str, Any]:
    _, key_id, secret = key.split("_", 2)
    with deployment.serving("quarry_write"):
        return verify_api_key.handler(
            {"id": key_id, "sha256": hashlib.sha256(secret.encode()).hexdigest()}, Context()
        )


def test_a_key_names_its_tenant_subject_and_scopes(deployment: Deployment) -> None:
    made = create(deployment, subject="agent:kimi", days=None)
    answer = verify(deployment, made["key"])
    expected = {"valid": True, "tenant": "acme", "subject": "agent:kimi", "scopes": SCOPES, "expires_at": None}
    assert answer == expected
    assert verify(deployment, create(deployment)["key"])["subject"].startswith("key:")


def test_the_secret_is_neither_stored_nor_listed(deployment: Deployment) -> None:
    made = create(deployment)
    secret = made["key"].split("_", 2)[2]
    with psycopg.connect(deployment.superuser_dsn) as superuser:
        stored = superuser.execute("SELECT api_keys::text, secret_sha256 FROM quarry.api_keys").fetchone()
    assert stored is not None
    assert secret not in stored[0]
    assert stored[1] == hashlib.sha256(secret.encode()).digest()
    [listed] = administer(deployment, {"action": "list", "tenant": "acme"})["keys"]
    assert listed["id"] == made["id"]
    assert "sha256" not in str(listed)


def test_wrong_unknown_revoked_and_expired_keys_are_one_answer(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, revoked, expired = (create(deployment) for _ in range(3))
    administer(deployment, {"action": "revoke", "id": revoked["id"]})
    administer(deployment, {"action": "expire", "id": expired["id"], "days": 0})
    secret = wrong["key"].split("_", 2)[2]
    presented = [wrong["key"][:-1] + "!", f"qk_{'a' * 12}_{secret}", revoked["key"], expired["key"]]
    assert [verify(deployment, key) for key in presented] == [{"valid": False}] * 4
    logged = capsys.readouterr().out
    assert [logged.count(f'"{reason}"') for reason in ("wrong", "unknown", "ended")] == [1, 1, 2]
    assert secret not in logged


def test_use_is_noted_by_the_day(deployment: Deployment) -> None:
    key = create(deployment)["key"]
    for _ in range(2):
        assert verify(deployment, key)["valid"]
    [listed] = administer(deployment, {"action": "list", "tenant": "acme"})["keys"]
    assert len(listed["last_used_on"]) == len("2026-07-28")


def test_expiry_is_brought_forward_and_never_put_off(deployment: Deployment) -> None:
    made = create(deployment, days=2)
    assert (
        administer(deployment, {"action": "expire", "id": made["id"], "days": 90})["expires_at"] == made["expires_at"]
    )
    assert (
        administer(deployment, {"action": "expire", "id": made["id"], "days": 1})["expires_at"] < made["expires_at"]
    )


def test_a_tenant_sees_no_key_of_another_and_nobody_sees_one_unpresented(deployment: Deployment) -> None:
    made = create(deployment)
    assert administer(deployment, {"action": "list", "tenant": "rival"}) == {"keys": []}
    count = "SELECT count(*) AS n FROM quarry.api_keys"
    for role in ("quarry_write", "quarry_keys"):
        with deployment.connect(role) as connection:
            assert connection.execute(count).fetchone() == {"n": 0}
            with as_tenant(connection, "rival"):
                assert connection.execute(count).fetchone() == {"n": 0}
            with connection.transaction():
                connection.execute("SELECT set_config('quarry.presented_key', %s, true)", [made["id"]])
                assert connection.execute(count).fetchone() == {"n": 1}


def test_a_retrieval_role_cannot_read_keys_and_a_writing_one_cannot_widen_them(deployment: Deployment) -> None:
    made = create(deployment)
    for role in ("quarry_read", "quarry_ingest"):
        with deployment.connect(role) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SELECT id FROM quarry.api_keys")
    with (
        deployment.connect("quarry_write") as connection,
        as_tenant(connection, "acme"),
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("UPDATE quarry.api_keys SET scopes = '{cpq:write}' WHERE id = %s", [made["id"]])


def test_who_reads_strangers_files_makes_no_key_and_who_makes_keys_reads_nothing_else(deployment: Deployment) -> None:
    made = create(deployment)
    new = """
        INSERT INTO quarry.api_keys
        SELECT 'abcdefghijkl', 'acme', 'n', 's', decode(repeat('00', 32), 'hex'), '{a:read}' WHERE %s <> ''
    """
    revive = "UPDATE quarry.api_keys SET revoked_at = NULL WHERE id = %s"
    with deployment.connect("quarry_ingest") as connection, as_tenant(connection, "acme"):
        for statement in (new, revive):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(statement.encode(), [made["id"]])
    with deployment.connect("quarry_keys") as connection, as_tenant(connection, "acme"):
        for table in ("quotes.past_quotes", "cpq.quotes", "equipment.products", "quarry.ingests"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"SELECT FROM {table}".encode())


def test_a_key_is_known_whose_session_was_ended_meanwhile(deployment: Deployment) -> None:
    made = create(deployment)
    _, key_id, secret = made["key"].split("_", 2)
    presented = {"id": key_id, "sha256": hashlib.sha256(secret.encode()).hexdigest()}
    with deployment.serving("quarry_write"):
        assert verify_api_key.handler(presented, Context())["valid"]
        end_sessions(deployment.superuser_dsn)
        assert verify_api_key.handler(presented, Context())["valid"]


@pytest.mark.parametrize(
    ("fields", "part"),
    [
        ({"tenant": "nobody"}, "new_tenant"),
        ({"scopes": ["everything"]}, "scopes"),
        ({"scopes": []}, "scopes"),
        ({"days": 0}, "days"),
        ({"secret": "mine"}, "secret"),
    ],
)
def test_a_faulty_request_is_told_what_to_change(deployment: Deployment, fields: dict[str, Any], part: str) -> None:
    answer = create(deployment, **fields)
    assert answer["error"] is True
    assert part in answer["message"]


def test_a_new_tenant_can_get_its_first_key(deployment: Deployment) -> None:
    assert verify(deployment, create(deployment, tenant="newcomer", new_tenant=True)["key"])["tenant"] == "newcomer"


def test_an_unknown_id_is_not_found(deployment: Deployment) -> None:
    assert administer(deployment, {"action": "revoke", "id": "a" * 12})["code"] == "NOT_FOUND"


def grant(deployment: Deployment, tenant: str, wanted: int) -> dict[str, Any]:
    event = {"tenant": tenant, "wanted": wanted, "per_second": 0.001, "burst": 30}
    with deployment.serving("quarry_write"):
        return verify_api_key.handler(event, Context())


def test_what_a_tenants_processes_are_granted_together_is_its_burst_and_what_drained_away(
    deployment: Deployment,
) -> None:
    asked = [("rated", 20), ("rated", 20), ("rated", 1), ("other", 1)]
    answers = [grant(deployment, tenant, wanted) for tenant, wanted in asked]
    assert [answer["granted"] for answer in answers] == [20, 10, 0, 1]
    assert 900 < answers[2]["wait"] <= 1000
    as_before = "UPDATE quarry.tenant_rates SET settled_at = settled_at - interval '5000 s' WHERE tenant = 'rated'"
    with deployment.connect("quarry_write") as connection, as_tenant(connection, "rated"):
        connection.execute(as_before)
    assert grant(deployment, "rated", 9)["granted"] == 5


def test_grants_at_the_same_moment_are_not_given_twice(deployment: Deployment) -> None:
    values = {"tenant": "crowd", "wanted": 7, "per_second": 0.001, "burst": 100.0}

    def ask(_: int) -> int:
        granted = 0
        with deployment.connect("quarry_write") as connection, as_tenant(connection, "crowd"):
            connection.execute(verify_api_key.KNOW, values)
            for row in connection.execute(verify_api_key.GRANT, values):
                granted += row["granted"]
        return granted

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(40))) == 100
