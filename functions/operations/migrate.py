"""migrate: brings the database up to date; with {"reembed": true} it also starts over with another model."""

from pathlib import Path
from typing import Any

import psycopg

from operations import migrations
from quarry import database
from quarry.errors import Conflict
from quarry.identity import Caller, LambdaContext
from quarry.runtime import operate
from quarry.settings import settings


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    configuration = settings()
    model, dimensions = configuration.embedding_model, configuration.embedding_dimensions
    with psycopg.connect(**database.address(configuration), autocommit=True) as connection:
        applied = migrations.apply(
            connection, migrations.read(Path(configuration.migrations_dir)), model=model, dimensions=dimensions
        )
        held = migrations.model_on_record(connection)
        queued = 0
        if held != (model, dimensions):
            if event.get("reembed") is not True:
                raise Conflict(
                    f"The database holds vectors of {held[0]} ({held[1]} dimensions), the settings say {model} "
                    f'({dimensions}). Change EMBEDDING_MODEL back, or invoke with {{"reembed": true}} to drop all '
                    "vectors and embed every row again."
                )
            queued = migrations.change_model(connection, model=model, dimensions=dimensions)
    return {"applied": applied, "model": model, "dimensions": dimensions, "queued_for_embedding": queued}


handler = operate("migrate", run)
