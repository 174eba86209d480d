"""`make edge`: what a stack with a domain needs of us-east-1 where it stands in another region itself.

`python -m local.edge FILE` writes a template of its own with template.yaml's firewall, its log and the function that
gives challenges their name back; CloudFront takes these from nowhere else.
"""

import copy
import json
import sys
from pathlib import Path
from typing import Any

from local.files import ROOT
from local.lambda_api.intrinsics import read_template

RESOURCES = ("ChallengeRole", "ChallengeFunction", "ChallengeVersion", "WebAcl", "EdgeLogs", "EdgeLogging")
PARAMETERS = ("Stage", "RequestsPerAddress")


def edge_template(template: dict[str, Any]) -> dict[str, Any]:
    resources = {name: copy.deepcopy(template["Resources"][name]) for name in RESOURCES}
    for resource in resources.values():
        del resource["Condition"]
    # The stack's key is one of its own region.
    del resources["EdgeLogs"]["Properties"]["KmsKeyId"]
    resources["EdgeLogs"]["Metadata"] = {
        "checkov": {
            "skip": [{"id": "CKV_AWS_158", "comment": "No key of the stack's is here; lines hold no secrets"}]
        }
    }
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Quarry - firewall and function of the edge, for a stack in another region",
        "Parameters": {name: template["Parameters"][name] for name in PARAMETERS},
        "Mappings": {"Stages": template["Mappings"]["Stages"]},
        "Resources": resources,
        "Outputs": {
            "WebAclArn": {"Value": {"Fn::GetAtt": ["WebAcl", "Arn"]}},
            "ChallengeFunctionArn": {"Value": {"Ref": "ChallengeVersion"}},
        },
    }


def main() -> None:
    (target,) = sys.argv[1:]
    Path(target).write_text(json.dumps(edge_template(read_template(ROOT / "template.yaml")), indent=1), "utf-8")


if __name__ == "__main__":
    main()
