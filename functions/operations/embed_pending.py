"""embed_pending: drains the embedding queue until it is empty or time runs short."""

from typing import Any

from quarry import observation
from quarry.data import database
from quarry.data.settings import settings
from quarry.embedding import query_vectors, queue
from quarry.observation import Metric
from quarry.tool.identity import Caller, LambdaContext
from quarry.tool.runtime import operate

TIME_TO_FINISH_MS = 8000
"""This is left over before the function's own time-out, so that a batch in flight can be written."""


def run(event: dict[str, Any], caller: Caller, context: LambdaContext) -> dict[str, Any]:  # noqa: ARG001
    query_vectors.refuse_other_model(settings())
    connection = database.session().connection
    drained = queue.drain(connection, may_go_on=lambda: context.get_remaining_time_in_millis() > TIME_TO_FINISH_MS)
    query_vectors.prune(connection)
    backlog = queue.backlog(connection)
    observation.note(Metric.QUEUE_DEPTH, backlog["pending"])
    observation.note(Metric.DEAD_LETTERS, backlog["dead"])
    return {"embedded": drained.embedded, "refused": drained.refused, "stopped": drained.stopped, **backlog}


handler = operate("embed_pending", run)
