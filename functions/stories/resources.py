"""The live resource of the stories toolset: schema://taxonomy."""

import json
from collections.abc import Mapping

from quarry.tool.identity import Caller
from quarry.tool.resources import LiveResource, serve_resources
from stories import queries

MOST_TAGS = 100


def taxonomy(_: Mapping[str, str], caller: Caller) -> str:
    """Returns the values that stories can be filtered by, as JSON with counts."""
    values = queries.values(caller.tenant)
    slugs, paths = values.get("entity_slug", {}), values.get("code_path", {})
    return json.dumps(
        {
            **queries.totals(caller.tenant),
            "sections": queries.sections(caller.tenant),
            "statuses": values.get("status", {}),
            "actors": values.get("actor", {}),
            "entity_slugs": {"total": len(slugs), "most_frequent": dict(list(slugs.items())[:MOST_TAGS])},
            "code_paths": {
                "total": len(paths),
                "shared": sum(1 for frequency in paths.values() if frequency > 1),
                "most_frequent": dict(list(paths.items())[:MOST_TAGS]),
            },
        },
        ensure_ascii=False,
        indent=1,
    )


RESOURCES = [
    LiveResource(
        uri_template="schema://taxonomy",
        name="taxonomy",
        title="Taxonomy of the user stories",
        description="Sections, statuses, actors and the most frequent entities and code paths, live, with counts.",
        mime_type="application/json",
        read=taxonomy,
    )
]

handler = serve_resources("stories", RESOURCES)
