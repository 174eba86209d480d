"""`make chaos`: faults of every part of a stack while clients read and write; what was lost, doubled or wrong.

Writes carry idempotency keys and are repeated until they are answered: quotes that are priced, letters in two
versions. A line per fault: acknowledged writes without their row or with a hole in it, keys with two, answers that
differ, the seconds after the fault's end until a read and a write had succeeded, and the processor's seconds that the
processes which were started meanwhile had taken by then: on a busy machine a start lasts as many times longer as the
machine has too much to do. The disk is a small file system of its own where one can be mounted; clocks are stepped
where there is a C compiler. In the end the audit chains are verified.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

from local import stack as local_stack
from local.maintain import verify_audit
from local.postgres_cluster import remove_cluster
from local.stack import Stack
from tests.chaos import faults
from tests.chaos.clocks import HOUR, KEY_SECONDS, Clock, clock_of, life_of_a_revoked_key, stepped
from tests.chaos.faults import Fault
from tests.chaos.relays import relaying
from tests.chaos.work import DRAFTERS, QUOTERS, READ, Front, lost_and_doubled, models, working
from tests.e2e.sample_calls import event
from tests.house import ENVIRONMENT

DISK = "1500m"
BEFORE_SECONDS, AFTER_SECONDS, RECOVERY_SECONDS = 3.0, 3.0, 90.0
PARTS = ("postgres", "lambda", "proxy", "embeddings", "aws")
GOAL_SECONDS = 2.0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--only", help="faults whose name holds this")
    parser.add_argument("--writers", type=int, default=QUOTERS + DRAFTERS, help="half make quotes, half letters")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="quarry-chaos-") as folder, small_disk(Path(folder) / "data") as mounted:
        Path(folder).chmod(0o755)
        data, clock = Path(folder) / "data", clock_of(Path(folder))
        try:
            with (
                local_stack.start(data, environment=ENVIRONMENT) as stack,
                relaying() as relays,
                faults.second_chain(stack, relays, Path(folder), own=clock.variables if clock else {}) as (
                    url,
                    links,
                ),
            ):
                said: list[str] = []
                own = stack.mcp.removesuffix("/mcp")
                tried = [(own, name, fault) for name, fault in on_the_stack(stack)]
                for link in links:
                    tried.append((url, f"cut off: {link.name}", faults.cut_off(relays, link)))
                    tried.append((url, f"silent: {link.name}", faults.silent(link)))
                if clock is not None:
                    for seconds in (-HOUR, HOUR):
                        tried.append((url, f"clock {seconds:+} s: front and functions", stepped(clock, seconds)))
                if mounted:
                    tried.append((own, "disk full", faults.disk_full(data, health=f"{own}/healthz", said=said)))
                chosen = [each for each in tried if options.only is None or options.only in each[1]]
                missed = run(stack, chosen, writers=options.writers)
                if verify_audit(stack):
                    said.append("An audit chain does not verify.")
                said += keys_outlived(data, clock, only=options.only or "")
                print("" if mounted else "No disk was filled: no file system could be mounted.")
                print("\n".join(said))
                return 1 if missed or said else 0
        finally:
            remove_cluster(data)


def on_the_stack(stack: Stack) -> Iterator[tuple[str, Fault]]:
    for part in PARTS:
        yield f"killed: {part}", faults.killed(stack, part)
    for part in PARTS:
        yield f"frozen: {part}", faults.frozen(stack, part)
    yield "killed: functions that search", faults.environments_killed(stack, "search")
    yield "killed: functions that write", faults.environments_killed(stack, "quote_create")
    yield "killed: functions that compose", faults.environments_killed(stack, "draft_compose")
    yield "ended: every session of the database", faults.sessions_ended(stack)
    yield "exhausted: connections of those who read", faults.connections_exhausted(stack, "quarry_read")
    yield "exhausted: connections of those who write", faults.connections_exhausted(stack, "quarry_write")


def run(stack: Stack, tried: list[tuple[str, str, Fault]], *, writers: int) -> int:
    """How many faults missed the goal of 0, 0, 0."""
    print("| fault | writes | lost | doubled | wrong | failed calls | longest s | back after s | CPU s |")
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    missed = late = 0
    for url, name, fault in tried:
        front = Front(url)
        right = answer_of(front)
        drafters = writers // 2
        work = working(front, event("quote_create"), right=right, quoters=writers - drafters, drafters=drafters)
        with work as record:
            time.sleep(BEFORE_SECONDS)
            began = time.time()
            with fault():
                ended = time.monotonic()
                while record.recovered_after(ended) == float("inf") and time.monotonic() < ended + RECOVERY_SECONDS:
                    time.sleep(0.05)
            started = processor_seconds(stack, since=began)
            time.sleep(AFTER_SECONDS)
        lost, doubled = lost_and_doubled(stack, record)
        back, wrong = record.recovered_after(ended), len(record.wrong)
        writes = len(record.written) + len(record.priced) + sum(version for _, version in record.drafted.values())
        longest = max((seconds for _, seconds, _ in record.failures), default=0.0)
        missed += bool(lost or doubled or wrong or back > RECOVERY_SECONDS)
        late += back > GOAL_SECONDS
        print(
            f"| {name} | {writes} | {lost} | {doubled} | {wrong} | {len(record.failures)} "
            f"| {longest:.1f} | {back:.1f} | {started:.1f} |",
            flush=True,
        )
        for what in sorted({failure for _, _, failure in record.failures})[:3]:
            print(f"  {what}", file=sys.stderr, flush=True)
    print(f"\n{missed} of {len(tried)} faults lost, doubled or falsified something.")
    print(f"{late} took over {GOAL_SECONDS:.0f} s to be forgotten.")
    return missed


def keys_outlived(data: Path, clock: Clock | None, *, only: str) -> list[str]:
    """What is wrong with how long a revoked key lives on, whatever the front's clock does meanwhile."""
    wrong: list[str] = []
    if clock is None or only not in "clock":
        return wrong
    for seconds in (-HOUR, HOUR):
        lived = life_of_a_revoked_key(data, clock, seconds=seconds)
        print(f"\nA key that is revoked while the front's clock steps by {seconds:+} s ends after {lived:.1f} s.")
        if lived > KEY_SECONDS + GOAL_SECONDS:
            wrong.append(f"a revoked key lived for {lived:.1f} s")
    return wrong


def processor_seconds(stack: Stack, *, since: float) -> float:
    """What those of the stack's processes that were started since then have used."""
    since -= 1  # the system tells a start to the second before
    seconds = 0.0
    for process in psutil.Process(stack.pid).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.create_time() >= since:
                seconds += sum(process.cpu_times()[:2])
    return seconds


def answer_of(front: Front) -> list[str]:
    """What the read finds when all is well; waits for a minute until it is."""
    deadline = time.monotonic() + 60
    while True:
        try:
            answer = front.call(*READ)
            if not answer.get("degraded"):
                return models(answer)
        except (OSError, LookupError, ValueError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Whether a file system of DISK could be mounted there; only a superuser may."""
    folder.mkdir(mode=0o755)
    command = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=755", "tmpfs", str(folder)]
    mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=False)  # noqa: S607 - wherever the system has it


if __name__ == "__main__":
    sys.exit(main())
