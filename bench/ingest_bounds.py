"""`make bench-bounds`: the largest resident set of the ingest function on hostile and honest files of 300 MB.

Each file is made on disk, served as S3 serves it, and ingested by the real handler in a process of its own, on a
Postgres of its own. What the process needs before its first file stands beside it. Then small files that become large
when they are read, which a process of the function's own tries first: the larger of the two counts.
"""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from local.files import IMPORT_ROOTS, ROOT
from tests.deployment import Deployment
from tests.hostile import HOSTILE
from tests.servers import new_postgres

LIMIT_MB = 150
_PIECE = 1_000_000
_RUN = """
import json, sys, resource
from operations.ingest import handler
from tests.deployment import ClientContext, Context
def most():
    # ru_maxrss would count what the process that started this one had.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
before = most()
event = {"bucket": "files", "key": sys.argv[1], "kind": sys.argv[2]}
answer = handler(event, Context(ClientContext({"tenant": "bounds"}), remaining_ms=10**9))
after = max(most(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print("ANSWER" + json.dumps({"answer": answer, "before": before, "after": after}))
"""
PRODUCT = {"manufacturer": "Acme", "category": "c", "family": "compressor", "description": "d " * 60}
HEADER = "model,manufacturer,category,family,description\n"


def _pieces(piece: str) -> Callable[[int], Iterator[str]]:
    return lambda size: (piece * max(_PIECE // len(piece), 1) for _ in range(0, size, _PIECE))


def _products(size: int) -> Iterator[str]:
    written = number = 0
    while written < size:
        number += 1
        line = json.dumps({**PRODUCT, "model": f"M{number}"}) + "\n"
        written += len(line)
        yield line


def _after(beginning: str, rest: Callable[[int], Iterator[str]]) -> Callable[[int], Iterator[str]]:
    def pieces(size: int) -> Iterator[str]:
        yield beginning
        yield from rest(size)

    return pieces


LONG_ROW = json.dumps({**PRODUCT, "model": "L", "description": "ab cd " * 30_000}) + "\n"
FILES: dict[str, tuple[str, str, Callable[[int], Iterator[str]]]] = {
    "one line of JSON": ("a.jsonl", "products", _after('{"model": "', _pieces("x"))),
    "one quoted field": ("b.csv", "products", _after(HEADER + 'M,"', _pieces("word word word\n"))),
    "an open quote in each row": ("c.csv", "products", _after(HEADER, _pieces('M,Acme,c,"rotary screw,d\n'))),
    "rows without anything": ("d.jsonl", "products", _pieces("{}\n")),
    "nested to the depth of a line": ("e.jsonl", "products", _pieces('{"a":' * 900 + "1" + "}" * 900 + "\n")),
    "many values in a row": ("f.jsonl", "products", _pieces("[" + "1," * 400_000 + "1]\n")),
    "long rows of one key": ("g.jsonl", "products", _pieces(LONG_ROW)),
    "a header of nothing else": ("h.csv", "products", _pieces("column,")),
    "a document": ("i.md", "documents", _pieces("# a\n\nb\n\n")),
    "products": ("j.jsonl", "products", _products),
}


@contextmanager
def _bucket(folder: Path) -> Iterator[str]:
    """Serves the folder's files as S3 serves the objects of a bucket: whole, or by ranges."""
    app = Starlette(routes=[Mount("/files", StaticFiles(directory=folder))])
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=server.run, args=([listener],))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        thread.join()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest_bounds", description=__doc__)
    parser.add_argument("--megabytes", type=int, default=300)
    parser.add_argument("--only", choices=[*FILES, *HOSTILE], action="append")
    options = parser.parse_args()
    print(f"| file of {options.megabytes} MB | MB before | MB at most | seconds | rows | rejected | ended |")
    print("|---|---|---|---|---|---|---|", flush=True)
    too_much = []
    with (
        new_postgres() as server,
        TemporaryDirectory(prefix="quarry-bounds-") as folder,
        _bucket(Path(folder)) as url,
    ):
        deployed = Deployment(
            host=server.host, port=server.port, name="quarry", superuser_dsn=server.named("quarry").dsn
        )
        environment = {
            **os.environ,
            **deployed.variables("quarry_ingest"),
            "PYTHONPATH": os.pathsep.join(map(str, IMPORT_ROOTS)),
            "OPENAI_BASE_URL": url,
            "AWS_ENDPOINT_URL": url,
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
        }
        for title in (title for title in options.only or FILES if title in FILES):
            name, kind, pieces = FILES[title]
            path = Path(folder) / name
            with path.open("w", encoding="utf-8") as file:
                _fill(file, pieces(options.megabytes * _PIECE), size=options.megabytes * _PIECE)
            most = _measure(title, name, kind, environment)
            path.unlink()
            too_much += [title] if most > LIMIT_MB else []
        for title in (title for title in options.only or HOSTILE if title in HOSTILE):
            name, content = HOSTILE[title]
            (Path(folder) / name).write_bytes(content())
            kind = "documents" if name.endswith(".pdf") else "products"
            too_much += [title] if _measure(title, name, kind, environment) > LIMIT_MB else []
    print(f"\nAt most {LIMIT_MB} MB: " + (f"not with {', '.join(too_much)}." if too_much else "all."))
    return 1 if too_much else 0


def _fill(file: IO[str], pieces: Iterator[str], *, size: int) -> None:
    written = 0
    for piece in pieces:
        if written >= size:
            return
        written += file.write(piece)


def _measure(title: str, name: str, kind: str, environment: dict[str, str]) -> float:
    """MB at most; prints a line of the table."""
    started = time.monotonic()
    command = [sys.executable, "-c", _RUN, name, kind]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    found = re.search(r"^ANSWER(.*)$", done.stdout, re.MULTILINE)
    if found is None:
        print(f"| {title} | | | {seconds:.0f} | died: {done.stderr[-300:]!r} |", flush=True)
        return float("inf")
    told = json.loads(found[1])
    answer = told["answer"]
    report = answer.get("reports", [{"stopped": answer.get("message")}])[0]
    ended = report.get("stopped") or ("read to its end" if report.get("finished") else "NOT FINISHED")
    print(
        f"| {title} | {told['before'] / 1000:.0f} | {told['after'] / 1000:.0f} | {seconds:.0f} "
        f"| {report.get('rows_read', 0):,} | {report.get('rejected', 0):,} | {ended[:80]} |",
        flush=True,
    )
    return float(told["after"]) / 1000


if __name__ == "__main__":
    sys.exit(main())
