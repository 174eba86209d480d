"""template.yaml's network: groups, subnets, ways to the internet, addresses."""

import ipaddress
from itertools import combinations

import pytest

from local.lambda_api.intrinsics import Resolver, StackValues
from tests.contract.template import (
    PROPERTIES,
    RESOURCES,
    STAGES,
    TEMPLATE,
    chosen,
    of_type,
)

GROUPS = of_type("AWS::EC2::SecurityGroup")


def test_nothing_comes_in_but_between_groups_and_nothing_goes_out_but_to_https_and_the_database() -> None:
    for name in GROUPS:
        for rule in PROPERTIES[name].get("SecurityGroupIngress", []):
            assert "SourceSecurityGroupId" in rule
            assert (rule["FromPort"], rule["ToPort"]) == (443, 443)
        assert ("SecurityGroupIngress" in PROPERTIES[name]) is (name == "NatInstanceSecurityGroup"), (
            "its own resource"
        )
        (out,) = PROPERTIES[name]["SecurityGroupEgress"]
        if name == "DatabaseSecurityGroup":
            assert (out["CidrIp"], out["IpProtocol"]) == ("127.0.0.1/32", "-1"), "nowhere"
        else:
            assert (out["IpProtocol"], out["FromPort"], out["ToPort"]) == ("tcp", 443, 443)
    functions, database = ({"Fn::GetAtt": [f"{name}SecurityGroup", "GroupId"]} for name in ("Function", "Database"))
    port = {"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432}
    out, into = PROPERTIES["FunctionToDatabase"], PROPERTIES["DatabaseFromFunction"]
    assert {name: out.get(name) for name in port} == {name: into.get(name) for name in port} == port
    assert (out["GroupId"], out["DestinationSecurityGroupId"]) == (functions, database)
    assert (into["GroupId"], into["SourceSecurityGroupId"]) == (database, functions)
    assert TEMPLATE["Globals"]["Function"]["VpcConfig"]["SecurityGroupIds"] == [functions]


def test_subnets_lie_apart_in_their_network_and_each_has_its_routes() -> None:
    blocks = [PROPERTIES[name]["CidrBlock"] for name in of_type("AWS::EC2::Subnet")]
    assert len(blocks) == 4
    network = ipaddress.IPv4Network(PROPERTIES["Vpc"]["CidrBlock"])
    assert (network.is_private, network.prefixlen) == (True, 16)
    assert f"ip saddr {network} masquerade" in PROPERTIES["NatInstance"]["UserData"]["Fn::Base64"]
    networks = [ipaddress.IPv4Network(block) for block in blocks]
    assert all(each.subnet_of(network) for each in networks)
    assert not [pair for pair in combinations(networks, 2) if pair[0].overlaps(pair[1])]
    routed = {PROPERTIES[name]["SubnetId"]["Ref"] for name in of_type("AWS::EC2::SubnetRouteTableAssociation")}
    assert routed == of_type("AWS::EC2::Subnet").keys()
    private = {"Ref": "PrivateSubnetA"}, {"Ref": "PrivateSubnetB"}
    inside = TEMPLATE["Globals"]["Function"]["VpcConfig"]["SubnetIds"], PROPERTIES["DatabaseSubnets"]["SubnetIds"]
    assert [each["Fn::If"][1] for each in inside] == [[*private], [*private]]
    assert {each["Properties"]["DestinationCidrBlock"] for each in of_type("AWS::EC2::Route").values()} == {
        "0.0.0.0/0"
    }


def test_the_zones_of_the_vpc_can_be_named() -> None:
    subnets = {name: each["Properties"]["AvailabilityZone"] for name, each in of_type("AWS::EC2::Subnet").items()}
    zones = {
        letter: {"Fn::If": ["HasZones", {"Ref": f"Zone{letter}"}, {"Fn::Select": [place, {"Fn::GetAZs": ""}]}]}
        for place, letter in enumerate("AB")
    }
    assert subnets == {f"{kind}Subnet{letter}": zones[letter] for kind in ("Public", "Private") for letter in "AB"}


@pytest.mark.parametrize("stage", STAGES)
def test_there_are_as_many_ways_to_the_internet_as_zones_that_the_database_stands_in(stage: str) -> None:
    resolver = Resolver(TEMPLATE, StackValues(parameters={"Stage": stage}))
    kinds = ("AWS::EC2::NatGateway", "AWS::EC2::EIP", "AWS::EC2::Instance")
    gateways, addresses, instances = (
        sum(resolver.condition(each["Condition"]) for each in of_type(kind).values()) for kind in kinds
    )
    assert gateways == addresses
    assert gateways + instances == (2 if STAGES[stage]["MultiAz"] else 1)


FIVE_ADDRESSES = 5
"""Elastic IPs that an account may have in a region at first."""


def test_one_account_has_the_addresses_that_all_three_stages_take() -> None:
    assert sum(2 if stage["MultiAz"] else 1 for stage in STAGES.values()) < FIVE_ADDRESSES


def test_in_dev_an_instance_stands_in_for_the_gateway_and_every_way_out_has_one_of_both() -> None:
    for stage in STAGES:
        resolver = Resolver(TEMPLATE, StackValues(parameters={"Stage": stage}))
        assert resolver.condition(RESOURCES["NatInstance"]["Condition"]) is (stage == "dev")
        assert resolver.condition(RESOURCES["NatA"]["Condition"]) is (stage != "dev")
        for route in ("EgressRouteA", "EgressRouteB"):
            ways = {
                name: chosen(RESOURCES[route]["Properties"][name], resolver)
                for name in ("NatGatewayId", "InstanceId")
            }
            way, none = ("InstanceId", "NatGatewayId") if stage == "dev" else ("NatGatewayId", "InstanceId")
            assert ways[none] == {"Ref": "AWS::NoValue"}
            made = RESOURCES[ways[way]["Ref"]]["Condition"]
            assert resolver.condition(made), (stage, route)
    assert RESOURCES["NatInstance"]["Properties"]["SourceDestCheck"] is False
