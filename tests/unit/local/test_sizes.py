"""What `make build` says of each function's size, and what it refuses."""

from pathlib import Path

import pytest

from local.sam.sizes import LIMIT, main, report, verdict

TEMPLATE = """
Resources:
  Dependencies:
    Type: AWS::Serverless::LayerVersion
    Properties: {ContentUri: Dependencies}
  Small:
    Type: AWS::Serverless::Function
    Properties: {FunctionName: small, Handler: a.b, Runtime: python3.13, CodeUri: Small}
  Large:
    Type: AWS::Serverless::Function
    Properties: {FunctionName: large, Handler: a.b, Runtime: python3.13, CodeUri: Large, Layers: [!Ref Dependencies]}
"""


def sparse(path: Path, size: int) -> None:
    path.parent.mkdir(parents=True)
    with path.open("wb") as file:
        file.truncate(size)


@pytest.fixture
def build(tmp_path: Path) -> Path:
    (tmp_path / "template.yaml").write_text(TEMPLATE, "utf-8")
    sparse(tmp_path / "Small/code", 3 * 2**20)
    sparse(tmp_path / "Large/code", LIMIT - 200 * 2**20)
    return tmp_path


@pytest.mark.parametrize(("beyond", "refused"), [(0, 0), (1, 1)])
def test_a_function_with_its_layers_may_have_262144000_bytes_and_none_more(
    build: Path, beyond: int, refused: int
) -> None:
    sparse(build / "Dependencies/python/library", 200 * 2**20 + beyond)
    assert (main(build), LIMIT) == (refused, 262_144_000)


def test_the_size_of_every_function_is_printed(build: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sparse(build / "Dependencies/python/library", 100 * 2**20)
    main(build)
    assert capsys.readouterr().out.splitlines() == [" 150.0 MiB  60.0%  large", "   3.0 MiB   1.2%  small"]


def test_who_comes_near_the_limit_is_warned_of() -> None:
    assert (verdict(int(0.899 * LIMIT)), verdict(LIMIT + 1)) == ("", "TOO LARGE FOR LAMBDA: ")
    assert list(report({"quote_pdf": int(0.91 * LIMIT)})) == [" 227.5 MiB  91.0%  WARNING, near the limit: quote_pdf"]
