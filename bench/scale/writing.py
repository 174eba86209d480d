"""Writes rows at a steady rate beside what is measured, as an ingest does, in a process of its own."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import batched
from multiprocessing import get_context
from multiprocessing.synchronize import Event

import psycopg
from psycopg.types.json import Jsonb

from bench.scale.catalogue import Catalogue
from bench.scale.loading import ROWS, Portion, Scratch

MOST_ROWS, BATCH, STARTED_BY = 200_000, 100, 60


@contextmanager
def writing(server: Scratch, catalogue: Catalogue, portion: Portion, *, first: int, rate: int) -> Iterator[None]:
    """Within it ``rate`` rows a second come in, a transaction for each BATCH; afterwards they are gone."""
    if not rate:
        yield
        return
    spawning = get_context("spawn")
    begun = spawning.Event()
    given = server.dsn, catalogue.seed, portion.tenant, first, rate, begun
    process = spawning.Process(target=_write, args=given, daemon=True)
    process.start()
    begun.wait(STARTED_BY)
    started = time.monotonic()
    try:
        yield
        if process.exitcode is not None:
            raise RuntimeError("The writer ended by itself; its trace stands above.")
    finally:
        process.terminate()
        process.join()
        took = time.monotonic() - started
        with server.connect() as connection:
            # The triggers see the rows of this tenant alone.
            connection.execute("SELECT set_config('quarry.tenant', %s, false)", [portion.tenant])
            gone = connection.execute("DELETE FROM equipment.products WHERE id > %s", [first]).rowcount
        print(f"{gone} rows were written beside, {gone / took:.0f} a second", file=sys.stderr)


def _write(dsn: str, seed: int, tenant: str, first: int, rate: int, begun: Event) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = (row for part in Catalogue(seed=seed).slices(MOST_ROWS, start=first)
                for row in Catalogue(seed=seed).rows(part, tenant=tenant))  # fmt: skip
        due = time.monotonic()
        for batch in batched(rows, BATCH):
            with connection.transaction():
                connection.execute("SELECT set_config('quarry.tenant', %s, true)", [tenant])
                with connection.cursor().copy(ROWS) as copy:
                    for row in batch:
                        copy.write_row((*row[:-1], Jsonb(row[-1])))
            begun.set()
            due += BATCH / rate
            time.sleep(max(0.0, due - time.monotonic()))
