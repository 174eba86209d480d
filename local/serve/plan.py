"""The steps of a start of the real stack, and the facts they share."""

import json
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path

from local import sample, tenants
from local.corpus_loader import drain
from local.database import DATABASE, prepare
from local.environment import child_base
from local.files import ROOT, write_json
from local.ports import HOST, assign_ports
from local.postgres import EmbeddedPostgres
from local.serve import own_keys, programs
from local.serve.programs import ROLES, Parts, fill
from local.serve.supervisor import Step
from local.settings import Settings
from local.stack import SAMPLE_TENANT, Stack, invoke


def choose_parts(settings: Settings, *, mcp_port: int, pid: int, environment: Mapping[str, str]) -> Parts:
    """Makes the database cluster on the first start; starts nothing."""
    data_dir = settings.data_dir
    record = data_dir / "ports.json"
    remembered = json.loads(record.read_text()) if record.exists() else {}
    choice = tenants.choose(settings)
    ports = assign_ports(("postgres", "aws", "embeddings", "lambda", "front"), remembered=remembered)
    write_json(record, ports)
    postgres = EmbeddedPostgres(data_dir, port=ports["postgres"])
    # A front that asks for no keys serves one tenant.
    served = choice.sample and (choice.tenant == SAMPLE_TENANT or settings.takes_keys)
    mcp = f"http://{HOST}:{mcp_port}/mcp"
    stack = Stack(
        mcp=mcp,
        lambda_api=f"http://{HOST}:{ports['lambda']}",
        aws=f"http://{HOST}:{ports['aws']}",
        embeddings=None if settings.remote_embeddings else f"http://{HOST}:{ports['embeddings']}/v1",
        approvals=f"http://{HOST}:{ports['front']}/approve",
        origin=_origin(settings, mcp_port, pages=ports["front"]),
        tenant=choice.tenant,
        sample=mcp if served else None,
        database=postgres.prepare().named(DATABASE),
        data_dir=data_dir,
        pid=pid,
    )
    return Parts(
        settings=settings,
        stack=stack,
        choice=choice,
        postgres=postgres,
        mcp_port=mcp_port,
        passwords={role: secrets.token_urlsafe(24) for role in ROLES},
        approval_key=_kept_key(data_dir / "approval-key.json"),
        document_key=_kept_key(data_dir / "document-key.json"),
        base=child_base(environment, data_dir=data_dir),
    )


def _origin(settings: Settings, port: int, *, pages: int) -> str:
    """Under which people open what they are sent: approvals and documents stand beside /mcp."""
    if settings.public_url:
        return settings.public_url.rstrip("/")
    if settings.runs_built_front:
        return f"http://{HOST}:{pages}"  # a function's URL serves nothing else
    return f"http://{settings.known_as}:{port}"


def steps(parts: Parts) -> list[Step]:
    """The steps, to be stopped in the reverse order; each starts as soon as those it names in `after` are done."""
    stack, settings = parts.stack, parts.settings
    if stack.embeddings is not None:
        provider = programs.embeddings(parts, url=stack.embeddings)
        embeddings = Step("embeddings", f"loading {settings.model}", program=provider)
    else:
        name = "Azure OpenAI" if settings.azure_openai_api_key else "OpenAI"
        given = (parts.base.get(variable) for variable in ("AZURE_OPENAI_ENDPOINT", "OPENAI_BASE_URL"))
        where = next(filter(None, given), "its default address")
        embeddings = Step("embeddings", f"{settings.model} of {name} at {where}")
    return [
        Step("postgres", "starting PostgreSQL with pgvector", program=programs.postgres(parts)),
        Step("aws", "starting S3, Secrets Manager and SNS", program=programs.aws(parts)),
        embeddings,
        Step("lambda", "starting the Lambda API", program=programs.lambda_api(parts)),
        Step("approvals", "starting the approval page", program=programs.approvals(parts), after=("lambda",)),
        Step("database", "applying migrations", work=lambda _: _prepare_database(parts), after=("postgres",)),
        Step("templates", "publishing", work=lambda _: _publish(parts), after=("aws", "lambda", "database")),
        Step(
            "sample",
            "looking for changes",
            work=lambda report: _load_corpus(parts, report),
            after=("templates", "embeddings"),
        ),
        *([_keys(parts)] if settings.takes_keys else []),
        # On a first start clients find the door closed rather than an empty database.
        Step(
            "proxy",
            "starting the MCP server",
            program=programs.proxy(parts),
            after=("lambda", "database") if _is_loaded(parts) else ("sample",),
        ),
    ]


def _keys(parts: Parts) -> Step:
    return Step("keys", "looking for its own", work=lambda _: own_keys.make(parts.stack), after=("templates",))


def _kept_key(record: Path) -> str:
    """A key that signs links, the same at every start: links outlive one."""
    if not record.exists():
        write_json(record, {"key": secrets.token_urlsafe(48)})
    key: str = json.loads(record.read_text())["key"]
    return key


def count_tools() -> int:
    return len(json.loads((ROOT / "proxy" / "manifest.json").read_text())["tools"])


def _prepare_database(parts: Parts) -> str:
    result = prepare(
        parts.stack.database.dsn,
        model=parts.settings.model,
        dimensions=parts.settings.dimensions,
        passwords=parts.passwords,
        reembed=parts.settings.reembed,
    )
    may_be_new = parts.settings.new_tenant
    tenants.admit(parts.stack.database.dsn, parts.choice.tenant, may_be_new=may_be_new)
    parts.choice.keep(parts.stack.data_dir)
    return f"{len(result['applied'])} new migrations applied, serving the tenant {parts.choice.tenant}"


def _publish(parts: Parts) -> str:
    fill(parts.stack, passwords=parts.passwords)
    invoke(parts.stack, "publish_templates", {})
    return "published"


def _load_corpus(parts: Parts, report: Callable[[str], None]) -> str:
    said = "none asked for"
    if parts.choice.sample and not _is_loaded(parts):
        said = sample.bring_up_to_date(parts.stack, wanted=_wanted(parts), on_progress=report)
    elif parts.choice.sample:
        said = "unchanged, checked"
    if parts.settings.reembed:
        drain(parts.stack, on_progress=report)
    return said


def _is_loaded(parts: Parts) -> bool:
    return not parts.choice.sample or sample.is_loaded(parts.stack.data_dir, wanted=_wanted(parts))


def _wanted(parts: Parts) -> str:
    return sample.fingerprint(cluster=parts.stack.database.password)
