"""migrate: brings the database up to date, with {"reembed": true} also to a new model; {"check": true} only looks."""

from pathlib import Path
from typing import Any

import psycopg
from aws_lambda_powertools.utilities.data_classes import CloudFormationCustomResourceEvent

from operations import custom_resource, migrations
from operations.migrations import Ahead
from quarry.data import database
from quarry.data.settings import settings
from quarry.tool.errors import Conflict
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import logger, operate


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    """Takes {"reembed"?, "check"?}, or a custom resource's event, whose property Reembed means the same."""
    request = custom_resource.request_of(event)
    if request is None and event.get("check") is True:
        with psycopg.connect(**database.address(settings()), autocommit=True) as connection:
            return migrations.state(connection, migrations.read(Path(settings().migrations_dir)))
    if request is None:
        return _migrate(reembed=event.get("reembed") is True)
    return custom_resource.fulfil(request, context, resource="migrations", work=lambda: _deploy(request))


def _deploy(request: CloudFormationCustomResourceEvent) -> dict[str, Any]:
    """Returns what the template may read by Fn::GetAtt, such as the number of migrations that were applied."""
    try:
        # CloudFormation turns every property into text.
        result = _migrate(reembed=str(request.resource_properties.get("Reembed", "")).lower() == "true")
    except Ahead as ahead:
        if request.request_type == "Create":
            raise
        # A rollback runs the former release, which works with the newer schema: changes of it expand first and
        # contract releases later. A refusal here would stop the rollback halfway.
        logger("migrate").warning("database_is_ahead", extra={"reason": ahead.message})
        return {"Applied": 0, "Ahead": True}
    return {"Applied": len(result["applied"]), "Ahead": False, "QueuedForEmbedding": result["queued_for_embedding"]}


def _migrate(*, reembed: bool) -> dict[str, Any]:
    configuration = settings()
    model, dimensions = configuration.embedding_model, configuration.embedding_dimensions
    with psycopg.connect(**database.address(configuration), autocommit=True) as connection:
        applied = migrations.apply(
            connection, migrations.read(Path(configuration.migrations_dir)), model=model, dimensions=dimensions
        )
        held = migrations.model_on_record(connection)
        queued = 0
        if held != (model, dimensions):
            if not reembed:
                raise Conflict(
                    f"The database holds vectors of {held[0]} ({held[1]} dimensions), the settings say {model} "
                    f'({dimensions}). Change EMBEDDING_MODEL back, or invoke with {{"reembed": true}} (on a deployed '
                    "stack: the parameter Reembed) to drop all vectors and embed every row again."
                )
            queued = migrations.change_model(connection, model=model, dimensions=dimensions)
    return {"applied": applied, "model": model, "dimensions": dimensions, "queued_for_embedding": queued}


handler = operate("migrate", run)
