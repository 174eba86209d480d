"""The operators of `make mutants`: each changes one place, and the rest still reads as it did."""

import pytest
import yaml

from tests.mutants.__main__ import chosen
from tests.mutants.kinds import CONFIGURED, MANIFEST, TEMPLATE, WORKFLOWS, Mutant, mutants
from tests.mutants.places import places

TEXT = """\
Resources:
  Bucket:
    Type: AWS::S3::Bucket
    # Kept.
    DeletionPolicy: Retain
    Properties:
      Tags: [{Key: Name, Value: a}, {Key: Stage, Value: b}]
      Public: false
  Role:
    Properties:
      Statement:
        - Sid: Reads
          Action: [s3:GetObject, s3:ListBucket]
          Resource:
            - one
            - two
        - Sid: Writes
          Action: s3:PutObject
          Resource: one
"""


def without(path: str) -> object:
    (place,) = [each for each in places(TEXT) if each.path == path]
    assert place.whole
    start, end = place.whole
    return yaml.safe_load(TEXT[:start] + TEXT[end:])


@pytest.mark.parametrize("path", [each.path for each in places(TEXT) if each.whole])
def test_a_place_is_cut_out_with_all_that_it_holds_and_nothing_else(path: str) -> None:
    expected = yaml.safe_load(TEXT)
    *way, last = path.replace("[", ".[").split(".")
    holder = expected
    for step in way:
        holder = inside(holder, step)
    if last.startswith("["):
        holder.remove(inside(holder, last))
    else:
        del holder[last]
    assert without(path) == expected


def inside(node: object, step: str) -> object:
    """What a step of a path leads to: a key, or an item by its name or number."""
    if isinstance(node, dict):
        return node[step]
    assert isinstance(node, list)
    name = step.strip("[]")
    named = [each for each in node if name in (each, isinstance(each, dict) and each.get("Sid"))]
    return named[0] if named else node[int(name)]


def test_a_value_is_written_over_where_it_stands() -> None:
    made = {each.name.partition("template.yaml ")[2]: each for each in mutants(TEMPLATE, TEXT)}
    widened = next(each for each in mutants(TEMPLATE, TEXT) if each.kind == "resource widened")
    statement = yaml.safe_load(widened.of(TEXT))["Resources"]["Role"]["Properties"]["Statement"][0]
    assert statement == {"Sid": "Reads", "Action": ["s3:GetObject", "s3:ListBucket"], "Resource": "*"}
    assert "Resources.Bucket.DeletionPolicy" in made


@pytest.mark.parametrize("file", [TEMPLATE, MANIFEST, CONFIGURED, *WORKFLOWS])
def test_names_of_mutants_are_their_own(file: str) -> None:
    text = TEXT if file in (TEMPLATE, MANIFEST) else "jobs:\n  a:\n    needs: b\n    steps: [{run: x}, {run: y}]\n"
    names = [each.name for each in mutants(file, text)]
    assert len(set(names)) == len(names)


def test_the_same_are_chosen_when_others_are_added() -> None:
    found = [Mutant("kind", TEMPLATE, str(number), 0, 1, "") for number in range(30)]
    few = chosen(found[:20], most=3, seed="")
    assert few == chosen(found[:20], most=3, seed="")
    assert len(few) == 3
    more = chosen(found, most=30, seed="")
    assert [each for each in more if each in found[:20]][:3] == few
    assert chosen(found, most=30, seed="1") != more
