"""The last step of `make build`: naming what was built, for SAM to publish every function when the name changes."""

import argparse
import hashlib
from pathlib import Path
from time import time_ns

from local.files import ROOT

BUILD = ROOT / ".aws-sam" / "build"
FILE = "release.toml"
"""In the build, where samconfig.toml refers to it: a build without a name cannot be deployed."""
DIGITS = 10
"""A version's logical id takes the first ten characters of AutoPublishCodeSha256 and ignores the rest."""


def release_of(build: Path, *, configuration: bytes, salt: str = "") -> str:
    """Ten hexadecimal digits that change with any file of the build and with the configuration.

    Bytecode does not count: it follows from the source, and two compilers may write it differently.
    """
    digest = hashlib.sha256(configuration + salt.encode())
    for path in sorted(build.rglob("*")):
        if path.is_file() and path.suffix != ".pyc" and path != build / FILE:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"\n{path.relative_to(build).as_posix()} {content}".encode())
    return digest.hexdigest()[:DIGITS]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m local.release", description=__doc__)
    parser.add_argument("--renew", action="store_true", help="another name for the same build")
    salt = str(time_ns()) if parser.parse_args().renew else ""
    release = release_of(BUILD, configuration=(ROOT / "samconfig.toml").read_bytes(), salt=salt)
    (BUILD / FILE).write_text(f'Release = "{release}"\n', "utf-8")
    print(f"Release {release}")


if __name__ == "__main__":
    main()
