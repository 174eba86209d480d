"""The live resource of the equipment toolset: the attributes of the goods of all families."""

from collections.abc import Mapping

from equipment import queries
from equipment.list_attributes import told_of
from quarry.retrieval.here import attributes_of
from quarry.tool.identity import Caller
from quarry.tool.resources import LiveResource, serve_resources


def attributes(_: Mapping[str, str], caller: Caller) -> str:
    known = attributes_of(caller.tenant)
    return "\n\n".join(
        f"# {row['family']} ({row['rows']})\n{told_of(row['family'], row['rows'], known, caller.tenant)}"
        for row in queries.families(caller.tenant)
    )


RESOURCES = [
    LiveResource(
        uri_template="schema://attributes",
        name="attributes",
        title="Attributes of the goods",
        description="Families and what their goods are told apart by, with units, ranges and values, live.",
        mime_type="text/plain",
        read=attributes,
    )
]

handler = serve_resources("equipment", RESOURCES)
