"""What a user would pick instead: FastMCP, serving a function itself or standing before another server.

`python -m bench.hops.peers {function|search|proxy} PORT [URL]`, in the venv of bench/requirements.txt.
"""

import gc
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import uvicorn
from fastmcp import FastMCP
from fastmcp.server import create_proxy

from bench.hops.double import RESULT
from bench.hops.tool import NAME

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def function() -> FastMCP:
    """A function in the server's own process that answers at once, as the double does."""
    return _serving(lambda _arguments: RESULT)


def search() -> FastMCP:
    """The product's own function, without proxy and Lambda: one process, one connection to the database."""
    from equipment.search_equipment import handler  # needs the stack's environment

    context: Any = SimpleNamespace(aws_request_id="bench", client_context=None)
    return _serving(lambda arguments: handler(arguments, context))


def _serving(answer: Answer) -> FastMCP:
    server: FastMCP = FastMCP("peer")

    def search_equipment(
        query: str,
        hp_min: float | None = None,
        hp_max: float | None = None,
        lubrication: str | None = None,
        top_k: int = 10,
    ) -> dict[str, Any]:
        """Find catalogue products for a need."""
        given = {"query": query, "hp_min": hp_min, "hp_max": hp_max, "lubrication": lubrication, "top_k": top_k}
        return answer({name: value for name, value in given.items() if value is not None})

    # In the event loop's thread: a connection to the database serves one caller at a time.
    server.tool(search_equipment, name=NAME, run_in_thread=False)
    return server


def main() -> None:
    kind, port, *rest = sys.argv[1:]
    server = create_proxy(rest[0]) if kind == "proxy" else {"function": function, "search": search}[kind]()
    app = server.http_app(path="/mcp", stateless_http=True, json_response=True)
    gc.freeze()
    uvicorn.run(app, port=int(port), http="httptools", log_level="warning", access_log=False, server_header=False)


if __name__ == "__main__":
    main()
