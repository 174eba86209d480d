"""npm packages, with a Node.js new enough for them, installed beside the package.json that pins them."""

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

INSTALL_SECONDS = 600


class InstallError(Exception):
    """The message says what is missing on this machine."""


@dataclass(frozen=True, slots=True)
class Packages:
    """``name`` and ``megabytes`` are for whoever waits."""

    folder: Path
    name: str
    megabytes: int

    @property
    def modules(self) -> Path:
        return self.folder / "node_modules"

    @property
    def node(self) -> str:
        return str(self.modules / "node" / "bin" / "node")

    def install(self) -> None:
        """Leaves an installation alone that has the versions of package.json."""
        if self._installed() == self._wanted():
            return
        npm = shutil.which("npm")
        if npm is None:
            raise InstallError(f"{self.name} is installed with npm, which is not on the PATH: install Node.js first.")
        print(
            f"Installing {self.name} into {self.modules} (about {self.megabytes} MB, Node.js included) ...",
            flush=True,
        )
        command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run(
            command, cwd=self.folder, timeout=INSTALL_SECONDS, check=False, capture_output=True, text=True
        )
        if done.returncode != 0 or self._installed() != self._wanted():
            raise InstallError(f"npm could not install {self.name}:\n{done.stdout}{done.stderr}")

    def _wanted(self) -> dict[str, str]:
        wanted: dict[str, str] = json.loads((self.folder / "package.json").read_text("utf-8"))["dependencies"]
        return wanted

    def _installed(self) -> dict[str, str]:
        manifests = {name: self.modules / name / "package.json" for name in self._wanted()}
        if not Path(self.node).is_file():
            return {}
        return {
            name: json.loads(path.read_text("utf-8"))["version"] for name, path in manifests.items() if path.is_file()
        }
