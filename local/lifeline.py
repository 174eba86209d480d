"""Ties a child process to the one that started it, so that not even `kill -9` leaves orphans.

`python -m local.lifeline MODULE …` runs a module that knows nothing of this, such as the proxy, tied.
"""

import ctypes
import gc
import os
import runpy
import signal
import sys
import threading
import time
from collections.abc import Mapping

PARENT_VARIABLE = "QUARRY_PARENT_PID"

_PR_SET_PDEATHSIG = 1
_POLL_SECONDS = 0.5


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a direct child that will call `die_with_parent`.

    It names this process, so that the child notices a parent that died before the child's first line ran.
    """
    return {**environment, PARENT_VARIABLE: str(os.getpid())}


def die_with_parent(*, signum: int = signal.SIGTERM) -> None:
    """Asks for `signum` when the parent dies. Call it first thing, and after any change of user.

    On Linux the tie is to the parent's *thread*: start children from a thread that lives as long as the
    process. A change of user id clears the tie; `execve` keeps it.
    """
    # Popped, so that a grandchild does not compare its parent with ours.
    expected = int(os.environ.pop(PARENT_VARIABLE, os.getppid()))
    if sys.platform == "linux":
        _request_death_signal(signum)
    else:
        threading.Thread(target=_watch, args=(expected, signum), name="lifeline", daemon=True).start()
    if os.getppid() != expected:
        # The parent died before the request was in place: nobody will send the signal.
        sys.exit(f"{sys.argv[0]}: the process that started this one ({expected}) is gone; stopping.")


def _request_death_signal(signum: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, ctypes.c_ulong(signum), 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"prctl(PR_SET_PDEATHSIG): {os.strerror(code)}")


def _watch(parent: int, signum: int) -> None:
    while os.getppid() == parent:
        time.sleep(_POLL_SECONDS)
    os.kill(os.getpid(), signum)


if __name__ == "__main__":
    die_with_parent()
    # What a program imports stays, and looking through it again and again is a fifth of its start.
    gc.set_threshold(50_000)
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
