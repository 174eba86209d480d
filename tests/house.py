"""A stack that is started for tests, in a folder of its own, and leaves nothing behind."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from local import stack as local_stack
from local.postgres_cluster import remove_cluster
from local.stack import Stack

# A developer's own key would send the corpus to a provider, and golden scores are calibrated for the local model.
PROVIDERS = ("OPENAI_", "AZURE_", "CHAT_", "KNOWLEDGE_", "AUTH_MODE", "OAUTH_")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(PROVIDERS)}


class House:
    """The stack and its data directory, which outlives a restart."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self._running = ExitStack()

    def start(self, **variables: str) -> Stack:
        environment = {**ENVIRONMENT, **variables}
        return self._running.enter_context(local_stack.start(self.data_dir, environment=environment))

    def stop(self) -> None:
        self._running.close()


@contextmanager
def new_house(**variables: str) -> Iterator[House]:
    """Started, on a free port; stopped and removed at the end."""
    folder = Path(mkdtemp(prefix="quarry-e2e-"))
    folder.chmod(0o755)  # Postgres may run under an account of its own
    house = House(folder)
    try:
        house.start(**variables)
        yield house
    finally:
        house.stop()
        remove_cluster(folder)
        rmtree(folder)
