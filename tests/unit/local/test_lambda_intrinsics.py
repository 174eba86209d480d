"""CloudFormation's intrinsic functions, resolved with what one machine knows."""

from pathlib import Path
from typing import Any

import pytest

from local.lambda_api.intrinsics import NO_VALUE, Resolver, StackValues, UnresolvableError, read_template

TEMPLATE = """
Parameters:
  Stage: {Type: String, Default: dev}
Mappings: {Sizes: {dev: {memory: 256}}}
Conditions:
  Dev: !Equals [!Ref Stage, dev]
  NotDev: !Not [!Condition Dev]
  Both: !And [!Condition Dev, !Condition NotDev]
Resources:
  F: {Type: AWS::Serverless::Function, Properties: {FunctionName: !Sub "${AWS::StackName}-f"}}
  Plain: {Type: AWS::Lambda::Function, Properties: {}}
  Bucket: {Type: AWS::S3::Bucket, Properties: {BucketName: !Sub "${Stage}-bucket"}}
  Nameless: {Type: AWS::S3::Bucket}
  Queue: {Type: AWS::SQS::Queue}
"""


def resolve(tmp_path: Path, expression: str) -> Any:
    path = tmp_path / "template.yaml"
    path.write_text(f"{TEMPLATE}\nValue: {expression}\n", encoding="utf-8")
    template = read_template(path)
    return Resolver(template, StackValues()).value(template["Value"])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("!Ref Stage", "dev"),
        ("!Ref AWS::Region", "us-east-1"),
        ("!Ref F", "quarry-f"),
        ("!Ref Plain", "quarry-Plain"),
        ("!Ref Bucket", "dev-bucket"),
        ("!GetAtt F.Arn", "arn:aws:lambda:us-east-1:123456789012:function:quarry-f"),
        ("{Fn::GetAtt: [F, Arn]}", "arn:aws:lambda:us-east-1:123456789012:function:quarry-f"),
        ("!GetAtt Bucket.Arn", "arn:aws:s3:::dev-bucket"),
        ("!Sub '${Stage}/${AWS::AccountId}/${F.Arn}/${!Stage}'", None),
        ("!Sub ['${A}-${Stage}', {A: !Ref AWS::Partition}]", "aws-dev"),
        ("!Select [1, !Split [',', 'x,y']]", "y"),
        ("!If [Dev, yes-dev, no-dev]", "yes-dev"),
        ("!If [NotDev, 1, [2, !If [Dev, !Ref AWS::NoValue, 3], 4]]", [2, 4]),
        ("{kept: 1, gone: !Ref AWS::NoValue}", {"kept": 1}),
        ("!If [Both, 1, !If [Dev, 2, 3]]", 2),
        ("!FindInMap [Sizes, !Ref Stage, memory]", 256),
    ],
)
def test_an_expression_has_its_value(tmp_path: Path, expression: str, value: object) -> None:
    if value is None:
        value = "dev/123456789012/arn:aws:lambda:us-east-1:123456789012:function:quarry-f/${Stage}"
    assert resolve(tmp_path, expression) == value


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("!Ref Nobody", "Nobody is known only after a deployment"),
        ("!Ref Queue", "Queue is named by its deployment"),
        ("!Ref Nameless", "Nameless is named by its deployment"),
        ("!GetAtt Queue.Arn", "Queue.Arn is known only"),
        ("!Sub 'x-${Queue.Arn}'", "Queue.Arn is known only"),
        ("!ImportValue other", "Fn::ImportValue is not resolved"),
    ],
)
def test_what_only_a_deployment_knows_is_said(tmp_path: Path, expression: str, reason: str) -> None:
    with pytest.raises(UnresolvableError, match=reason):
        resolve(tmp_path, expression)


def test_no_value_alone_is_the_marker(tmp_path: Path) -> None:
    assert resolve(tmp_path, "!Ref AWS::NoValue") is NO_VALUE


def test_a_condition_that_is_not_defined_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'Missing'"):
        resolve(tmp_path, "!If [Missing, 1, 2]")


def test_a_file_without_resources_is_no_template(tmp_path: Path) -> None:
    path = tmp_path / "other.yaml"
    path.write_text("a: 1", encoding="utf-8")
    with pytest.raises(ValueError, match="not a CloudFormation template"):
        read_template(path)
