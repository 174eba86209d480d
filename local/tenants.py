"""Whose data the commands of this machine work on: the tenant that TENANT names, else the one the stack serves."""

from pathlib import Path
from typing import Literal

import psycopg
from pydantic import BaseModel, ConfigDict

from local.failure import LocalError
from local.files import write_json
from local.settings import Settings, read_settings
from local.stack import SAMPLE_TENANT, Stack, require

OTHER_CANARY = "canary-other"
"""The canary's second tenant, which has no rows and must see none."""

Absent = Literal["refused", "made"]
"""What becomes of a tenant that does not exist: made only where NEW_TENANT says so too."""

_RECORD = "tenant.json"

KNOWN = "SELECT tenant FROM quarry.tenants ORDER BY tenant"
ADD = "INSERT INTO quarry.tenants (tenant) VALUES (%s) ON CONFLICT DO NOTHING"


class Choice(BaseModel):
    """What a stack is for, kept in its data directory: the tenant that it serves by itself, and whether the sample is
    loaded beside it."""

    model_config = ConfigDict(frozen=True)

    tenant: str
    sample: bool

    def keep(self, data_dir: Path) -> None:
        write_json(data_dir / _RECORD, self.model_dump())


def choose(settings: Settings) -> Choice:
    """What the settings ask for, else what the data directory was started for before."""
    kept = _kept(settings.data_dir)
    sample = kept.sample if settings.sample is None else settings.sample
    tenant = settings.tenant or kept.tenant
    if tenant == SAMPLE_TENANT and not sample:
        raise LocalError(
            f"Without the sample there is no tenant '{SAMPLE_TENANT}': name your own, which starts empty. "
            "NEW_TENANT=1 SAMPLE=0 TENANT=acme make serve"
        )
    return Choice(tenant=tenant, sample=sample)


def _kept(data_dir: Path) -> Choice:
    try:
        return Choice.model_validate_json((data_dir / _RECORD).read_text("utf-8"))
    except FileNotFoundError:
        return Choice(tenant=SAMPLE_TENANT, sample=True)


def running_stack(*, absent: Absent = "made") -> tuple[Stack, str]:
    """The stack that runs on DATA_DIR and the tenant that a command works on. Raises LocalError."""
    settings = read_settings()
    stack = require(settings.data_dir)
    return stack, tenant_of(settings, stack, absent=absent)


def tenant_of(settings: Settings, stack: Stack, *, absent: Absent = "made") -> str:
    """Raises LocalError for a tenant that does not exist, unless NEW_TENANT is set and the command may make one."""
    tenant = settings.tenant or stack.tenant
    with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
        known = [str(row[0]) for row in connection.execute(KNOWN)]
        if tenant not in known:
            if absent == "refused" or not settings.new_tenant:
                raise LocalError(_unknown(tenant, known, may_be_new=absent == "made"))
            connection.execute(ADD, [tenant])
    return tenant


def admit(dsn: str, tenant: str, *, may_be_new: bool) -> None:
    """Makes the tenant that a stack serves. Raises LocalError for a new name beside others."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        known = [str(row[0]) for row in connection.execute(KNOWN)]
        if tenant not in known and known and not may_be_new:
            raise LocalError(_unknown(tenant, known, may_be_new=True))
        connection.execute(ADD, [tenant])


def _unknown(tenant: str, known: list[str], *, may_be_new: bool) -> str:
    from quarry.text import alike  # which stdio puts on the path once it runs

    meant = alike(tenant, known, most=1)
    hint = f" Did you mean {meant[0]}?" if meant else f" There are: {', '.join(known) or 'none'}."
    new = f" If it is new, say so: NEW_TENANT=1 TENANT={tenant}" if may_be_new else ""
    return f"There is no tenant '{tenant}'.{hint}{new}"
