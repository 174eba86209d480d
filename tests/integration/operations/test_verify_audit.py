"""verify_audit: every tenant's chain, and the row where one was tampered with."""

import psycopg
import pytest

from cpq import audit
from operations.verify_audit import handler
from quarry.tool.identity import Caller
from tests.deployment import Context, Deployment, as_tenant


def test_intact_chains_are_counted_and_a_broken_one_is_named_and_logged(
    deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    with psycopg.connect(deployment.superuser_dsn, autocommit=True) as superuser:
        superuser.execute("INSERT INTO quarry.tenants VALUES ('acme'), ('rival'), ('empty')")
        with deployment.connect("quarry_write") as connection:
            for tenant in ("acme", "acme", "rival"):
                caller = Caller(tenant=tenant, request_id="r", subject="agent:kimi")
                with as_tenant(connection, tenant):
                    audit.record(connection, caller=caller, action="a", quote_id="q", before=None, after={})
        with deployment.serving("quarry_write"):
            assert handler({}, Context()) == {"tenants": 3, "rows": 3, "intact": True, "broken": []}
            superuser.execute("SET session_replication_role = replica")
            superuser.execute("UPDATE cpq.audit SET actor = 'nobody' WHERE tenant = 'acme' AND seq = 2")
            found = handler({}, Context())
            assert handler({"tenant": "rival"}, Context())["intact"] is True
    assert found["intact"] is False
    assert found["broken"] == [{"tenant": "acme", "seq": 2, "reason": "its content does not match its hash"}]
    assert "audit_chain_broken" in capsys.readouterr().out
