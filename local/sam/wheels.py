"""Which packages of others each artefact of the build has, and in which versions.

Prints a line for each: what was tested on this machine and what is deployed for another have to be the same versions.
"""

import sys
from pathlib import Path

BUILD = Path(".aws-sam/build")


def listed(build: Path) -> list[str]:
    """Artefact, name and version of each package."""
    found = {
        f"{path.relative_to(build).parts[0]} {path.name.removesuffix('.dist-info').replace('-', '==')}"
        for path in build.rglob("*.dist-info")
    }
    return sorted(found)


if __name__ == "__main__":
    sys.stdout.writelines(f"{line}\n" for line in listed(BUILD))
