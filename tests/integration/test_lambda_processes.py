"""The local Lambda API's processes: how they scale, time out, crash, are replaced and end."""

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.integration.lambda_server import LambdaServer, alive, eventually, lambda_server


@pytest.fixture(scope="module")
def server() -> Iterator[LambdaServer]:
    with lambda_server("--init-seconds", "3") as running:
        yield running


@pytest.fixture(scope="module")
def small_server() -> Iterator[LambdaServer]:
    limits = ("--max-environments", "1", "--max-total", "2", "--max-queue", "1", "--queue-seconds", "0.3")
    with lambda_server(*limits, "--idle-seconds", "0.4") as running:
        yield running


def test_sequential_calls_share_one_process(server: LambdaServer) -> None:
    first = server.invoke("describe").payload["pid"]
    assert {server.invoke("describe").payload["pid"] for _ in range(20)} == {first}


def test_concurrent_calls_run_in_several_processes_up_to_the_limit(server: LambdaServer) -> None:
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda _: server.invoke("sleep", {"seconds": 0.1}), range(20)))
    pids = {answer.payload["pid"] for answer in answers}
    assert all(answer.error is None for answer in answers)
    assert 2 <= len(pids) <= 4
    assert server.pids("sleep") == pids


def test_a_call_over_its_timeout_ends_with_its_process_and_the_next_gets_a_new_one(
    server: LambdaServer,
) -> None:
    before = time.monotonic()
    answer = server.invoke("sleep", {"seconds": 30})
    assert 1 <= time.monotonic() - before < 3
    assert answer.error == "Unhandled"
    assert answer.payload["errorType"] == "Sandbox.Timedout"
    assert answer.payload["errorMessage"].endswith("Error: Task timed out after 1.00 seconds")
    assert server.says("Task timed out after 1.00 seconds")
    assert server.invoke("sleep", {"seconds": 0}).error is None


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        ({"status": 1}, "Runtime exited with error: exit status 1"),
        ({"status": 0}, "Runtime exited without providing a reason"),
        ({"signal": "SIGKILL"}, "Runtime exited with error: signal: killed"),
        ({"signal": "SIGSEGV"}, "Runtime exited with error: signal: segmentation fault"),
    ],
)
def test_a_crash_during_a_call_is_that_calls_error_and_nothing_runs_twice(
    server: LambdaServer, tmp_path: Path, event: dict[str, object], reason: str
) -> None:
    path = tmp_path / "starts"
    answer = server.invoke("die", {**event, "path": str(path)})
    assert path.read_text(encoding="utf-8") == "started\n"
    assert answer.error == "Unhandled"
    assert answer.payload["errorType"] == "Runtime.ExitError"
    assert answer.payload["errorMessage"].endswith(f"Error: {reason}")
    assert server.invoke("die").error is None


def test_killing_one_busy_process_fails_its_call_and_no_other(server: LambdaServer) -> None:
    server.invoke("sleep", {"seconds": 0})
    with ThreadPoolExecutor(2) as threads:
        calls = [threads.submit(server.invoke, "sleep", {"seconds": 0.7}) for _ in range(2)]
        assert eventually(lambda: server.busy("sleep") == 2)
        environments = server.get("/_quarry/environments")["environments"]
        busy = next(each["pid"] for each in environments if each["state"] == "busy")
        os.kill(busy, signal.SIGKILL)
        answers = [call.result() for call in calls]
    assert sorted(answer.error is None for answer in answers) == [False, True]


def test_calls_right_after_the_death_of_their_idle_process_never_fail(server: LambdaServer) -> None:
    client = server.client()
    pid = server.invoke("describe").payload["pid"]
    for _ in range(15):
        os.kill(pid, signal.SIGKILL)
        # A signal takes a moment, in which the process may still read an event and take it with it.
        while alive(pid):
            time.sleep(0.001)
        # No pause: the server may not know yet, and hand the event to nobody.
        response = client.invoke(FunctionName="quarry-describe", Payload=b'{"padding": "' + b"x" * 1000 + b'"}')
        assert "FunctionError" not in response
        (pid,) = server.pids("describe")


def test_an_idle_process_that_dies_is_noticed(server: LambdaServer) -> None:
    pid = server.invoke("describe").payload["pid"]
    os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: pid not in server.pids("describe"))


def test_every_call_to_a_module_that_cannot_be_imported_gets_the_runtimes_error(server: LambdaServer) -> None:
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: server.invoke("broken"), range(6)))
    for answer in answers:
        assert answer.error == "Unhandled"
        assert answer.payload["errorType"] == "Runtime.ImportModuleError"
        assert "a_package_nobody_has" in answer.payload["errorMessage"]
    assert server.says("a_package_nobody_has")
    assert eventually(lambda: server.pids("broken") == set())


def test_an_import_that_takes_too_long_is_ended(server: LambdaServer) -> None:
    answer = server.invoke("slow_start")
    assert answer.payload["errorType"] == "Sandbox.Timedout"
    assert "Initialization timed out after 3.00 seconds" in answer.payload["errorMessage"]
    assert server.pids("slow_start") == set()


def test_a_function_over_its_memory_is_killed(server: LambdaServer) -> None:
    answer = server.invoke("hoard", {"megabytes": 200})
    assert answer.payload["errorType"] == "Runtime.ExitError"
    assert answer.payload["errorMessage"].endswith("Runtime exited with error: signal: killed")
    assert server.says("of 128 MB used")


def test_a_function_runs_on_when_its_caller_goes_away(server: LambdaServer, tmp_path: Path) -> None:
    path = tmp_path / "written"
    event = f'{{"seconds": 0.6, "path": "{path}"}}'.encode()
    with pytest.raises(ReadTimeoutError):
        server.client(read_timeout=0.2).invoke(FunctionName="quarry-write_after", Payload=event)
    assert not path.exists()
    assert eventually(path.exists)


def test_calls_over_the_reserved_concurrency_are_throttled_at_once(server: LambdaServer) -> None:
    with ThreadPoolExecutor(1) as threads:
        running = threads.submit(server.invoke, "reserved", {"seconds": 0.8})
        assert eventually(lambda: server.busy("reserved") == 1)
        with pytest.raises(ClientError) as caught:
            server.invoke("reserved", {"seconds": 0})
        assert not running.done()
        assert running.result().error is None
    response = caught.value.response
    assert response["Error"]["Code"] == "TooManyRequestsException"
    assert response["ResponseMetadata"]["HTTPStatusCode"] == 429


def test_a_call_that_waits_too_long_or_finds_the_queue_full_is_throttled(small_server: LambdaServer) -> None:
    small_server.invoke("sleep", {"seconds": 0})
    client = small_server.client()  # to make one for each call may take as long as the call

    def outcome(_: int) -> str:
        try:
            client.invoke(FunctionName="quarry-sleep", Payload=b'{"seconds": 0.9}')
        except ClientError as error:
            return str(error.response["Error"]["Code"])
        return "served"

    with ThreadPoolExecutor(4) as threads:
        outcomes = list(threads.map(outcome, range(4)))
    assert sorted(outcomes) == [*["TooManyRequestsException"] * 3, "served"]


def test_functions_take_turns_where_the_machine_holds_fewer_environments(small_server: LambdaServer) -> None:
    for function in ("echo", "describe", "imports", "echo"):
        assert small_server.invoke(function, {"names": []}).error is None
        assert len(small_server.get("/_quarry/environments")["environments"]) <= 2


def test_idle_processes_are_ended_after_a_while(small_server: LambdaServer) -> None:
    pid = small_server.invoke("describe").payload["pid"]
    assert eventually(lambda: small_server.pids("describe") == set())
    assert eventually(lambda: not alive(pid))


def test_sigterm_lets_a_running_call_finish_and_leaves_no_process() -> None:
    with lambda_server() as server, ThreadPoolExecutor(1) as threads:
        running = threads.submit(server.invoke, "reserved", {"seconds": 0.7})
        assert eventually(lambda: server.busy("reserved") == 1)
        pids = server.pids("reserved")
        server.process.send_signal(signal.SIGTERM)
        assert running.result().error is None
        assert server.process.wait(60) == 0
        assert not any(map(alive, pids))


def test_sigkill_of_the_server_leaves_no_process_within_two_seconds() -> None:
    with lambda_server() as server, ThreadPoolExecutor(1) as threads:
        server.invoke("describe")
        threads.submit(server.invoke, "reserved", {"seconds": 4})
        assert eventually(lambda: server.busy("reserved") == 1)
        pids = server.pids("describe") | server.pids("reserved")
        assert len(pids) == 2
        server.process.kill()
        assert eventually(lambda: not any(map(alive, pids)), seconds=2)
