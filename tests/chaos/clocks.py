"""Wall clocks of the front and of functions that step, and how long a revoked key lives on meanwhile."""

import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import which

from tests.chaos.faults import OUTAGE_SECONDS, Fault
from tests.chaos.work import READ
from tests.fronts import front, keys
from tests.fuzz.generating import MODERN, request

HOUR = 3600
KEY_SECONDS = 60
"""How long the front may take a key's validity as known."""


@dataclass(frozen=True)
class Clock:
    """``variables`` tie a process to it."""

    file: Path
    variables: dict[str, str]

    def step(self, seconds: int) -> None:
        with self.file.open("r+b") as file:
            file.write(struct.pack("q", seconds))


def clock_of(folder: Path) -> Clock | None:
    """One that can be stepped; None where no C compiler is."""
    if (compiler := which("cc")) is None:
        return None
    library, file = folder / "clock.so", folder / "clock"
    source = Path(__file__).with_name("clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(source)], check=True)
    file.write_bytes(struct.pack("q", 0))
    return Clock(file, {"LD_PRELOAD": str(library), "CLOCK_OFFSET_FILE": str(file)})


def stepped(clock: Clock, seconds: int) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        clock.step(seconds)
        time.sleep(OUTAGE_SECONDS)
        yield
        clock.step(0)

    return fault


def life_of_a_revoked_key(data_dir: Path, clock: Clock, *, seconds: int) -> float:
    """For how long a front that knows a key still takes it when it is revoked and the clock steps by ``seconds``."""
    key = keys(data_dir, "create", "revoked while the clock steps").splitlines()[0]
    with front(data_dir, AUTH_MODE="api_key", **clock.variables) as url:
        assert _status(url, key) == 200
        clock.step(seconds)
        keys(data_dir, "revoke", key.split("_")[1])
        revoked = time.monotonic()
        while _status(url, key) == 200:
            assert time.monotonic() < revoked + 3 * KEY_SECONDS, "the key lives on"
            time.sleep(0.2)
        clock.step(0)
        return time.monotonic() - revoked


def _status(url: str, key: str) -> int:
    tool, arguments = READ
    case = request("tools/call", {"name": tool, "arguments": arguments}, era=MODERN)
    headers = {**case.headers, "Authorization": f"Bearer {key}"}
    asked = urllib.request.Request(f"{url}/mcp", case.body, headers)  # noqa: S310 - our own URL
    try:
        with urllib.request.urlopen(asked, timeout=40) as answer:  # noqa: S310
            return int(answer.status)
    except urllib.error.HTTPError as refused:
        return refused.code
