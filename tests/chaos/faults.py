"""The faults: each does its harm when it is entered and undoes it when it is left."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

import psutil
import psycopg

from local.files import ROOT, write_json
from local.lifeline import child_environment
from local.ports import free_port
from local.stack import Stack, running
from tests.chaos.relays import Link, Relays

Fault = Callable[[], AbstractContextManager[None]]
OUTAGE_SECONDS = 3.0


def killed(stack: Stack, part: str) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        now = running(stack.data_dir)
        if now is not None:
            os.kill(now.processes[part], signal.SIGKILL)
        yield

    return fault


def frozen(stack: Stack, part: str) -> Fault:
    """The process and all that it has started."""

    @contextmanager
    def fault() -> Iterator[None]:
        now = running(stack.data_dir)
        assert now is not None
        top = psutil.Process(now.processes[part])
        family = [top, *top.children(recursive=True)]
        for process in family:
            with suppress(psutil.NoSuchProcess):
                process.suspend()
        time.sleep(OUTAGE_SECONDS)
        for process in reversed(family):
            with suppress(psutil.NoSuchProcess):
                process.resume()
        yield

    return fault


def environments_killed(stack: Stack, word: str) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        with urlopen(f"{stack.lambda_api}/_quarry/environments") as response:  # noqa: S310 - our own URL
            listed = json.load(response)["environments"]
        for environment in listed:
            if word in environment["function"]:
                with suppress(ProcessLookupError):
                    os.kill(environment["pid"], signal.SIGKILL)
        yield

    return fault


def sessions_ended(stack: Stack) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        with psycopg.connect(stack.database.dsn, autocommit=True) as connection:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'quarry_%'")
        yield

    return fault


def connections_exhausted(stack: Stack, role: str) -> Fault:
    """Takes what the role has left, ends the functions' sessions and takes those too."""

    @contextmanager
    def fault() -> Iterator[None]:
        passwords = json.loads((stack.data_dir / "functions-env.json").read_text("utf-8"))["Passwords"]
        address = stack.database
        own = f"host={address.host} port={address.port} dbname={address.name} user={role} sslmode=disable"
        with ExitStack() as held:
            ends = psycopg.connect(address.dsn, autocommit=True)
            held.callback(ends.close)
            for _ in range(2):
                with suppress(psycopg.OperationalError):
                    while True:
                        mine = psycopg.connect(own, password=passwords[role], application_name="chaos")
                        held.callback(mine.close)
                ends.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = %s AND application_name <> 'chaos'",
                    [role],
                )
            time.sleep(OUTAGE_SECONDS)
        yield

    return fault


def disk_full(folder: Path, *, health: str, said: list[str]) -> Fault:
    """``folder`` is a file system of its own; while it is full the front has to answer for itself."""

    @contextmanager
    def fault() -> Iterator[None]:
        ballast = folder / "ballast"
        room = os.statvfs(folder)
        with ballast.open("wb") as file, suppress(OSError):
            os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize)
        with ballast.open("ab") as file, suppress(OSError):
            while file.write(b"0" * 4096):
                file.flush()
        began = time.monotonic()
        while time.monotonic() < began + 10:
            asked = time.monotonic()
            with urlopen(health, timeout=10) as response:  # noqa: S310 - our own URL
                if response.status != 200 or time.monotonic() - asked > 2:
                    said.append(f"/healthz: {response.status} after {time.monotonic() - asked:.1f} s")
            time.sleep(0.5)
        ballast.unlink()
        yield

    return fault


def cut_off(relays: Relays, link: Link) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        relays.cut(link)
        time.sleep(OUTAGE_SECONDS)
        link.down = False
        yield

    return fault


def silent(link: Link) -> Fault:
    @contextmanager
    def fault() -> Iterator[None]:
        link.held = True
        time.sleep(OUTAGE_SECONDS)
        link.held = False
        yield

    return fault


@contextmanager
def second_chain(
    stack: Stack, relays: Relays, folder: Path, *, own: Mapping[str, str]
) -> Iterator[tuple[str, list[Link]]]:
    """Front and Lambda API of their own on the stack's servers, with a relay between each two; the front's URL. Front
    and functions have ``own`` variables besides."""
    database = relays.between("functions and database", host=stack.database.host, port=stack.database.port)
    embeddings = relays.between("functions and embeddings", host="127.0.0.1", port=_port(stack.embeddings or ""))
    variables = json.loads((stack.data_dir / "functions-env.json").read_text("utf-8"))
    variables["Parameters"] |= {
        "DB_PORT": str(database.port),
        "OPENAI_BASE_URL": f"http://127.0.0.1:{embeddings.port}/v1",
        **own,
    }
    write_json(folder / "functions-env.json", variables)
    api, front = free_port(), free_port()
    environment = psutil.Process(stack.processes["proxy"]).environ()
    command = [
        sys.executable,
        "-m",
        "local.lambda_api",
        "--port",
        str(api),
        "--template",
        str(ROOT / "template.yaml"),
    ]
    with ExitStack() as parts:

        def start(arguments: list[str], **more: str) -> None:
            log = parts.enter_context((folder / f"{arguments[2].partition('.')[2] or 'proxy'}.log").open("wb"))
            process = subprocess.Popen(
                arguments, cwd=ROOT, env=child_environment({**environment, **more}), stdout=log, stderr=log
            )
            parts.callback(process.wait, 60)
            parts.callback(process.terminate)

        start([*command, "--env-file", str(folder / "functions-env.json")])
        invocations = relays.between("front and functions", host="127.0.0.1", port=api)
        endpoint = f"http://127.0.0.1:{invocations.port}"
        start([sys.executable, "-m", "proxy"], PORT=str(front), AWS_ENDPOINT_URL_LAMBDA=endpoint, **own)
        clients = relays.between("client and front", host="127.0.0.1", port=front)
        url = f"http://127.0.0.1:{front}"
        await_answer(f"{url}/healthz")
        await_answer(f"http://127.0.0.1:{api}/healthz")
        yield f"http://127.0.0.1:{clients.port}", [clients, invocations, database, embeddings]


def await_answer(url: str) -> None:
    deadline = time.monotonic() + 60
    while True:
        with suppress(OSError):
            urlopen(url, timeout=10).close()  # noqa: S310 - our own URL
            return
        assert time.monotonic() < deadline, f"{url} does not answer"
        time.sleep(0.05)


def _port(url: str) -> int:
    return int(url.rsplit(":", 1)[1].split("/")[0])
