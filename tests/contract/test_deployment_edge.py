"""template.yaml's edge: what CloudFront and its firewall let through, and that nobody gets past them."""

from typing import Any

import pytest

from approval_page import page
from local.edge import edge_template
from local.files import ROOT
from local.lambda_api.intrinsics import StackValues, read_template
from local.lambda_api.template import read_functions
from proxy import aws_lambda
from tests.contract.template import PROPERTIES, of_type, references

TEMPLATE = read_template(ROOT / "template.yaml")
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
DISTRIBUTION: dict[str, Any] = RESOURCES["Distribution"]["Properties"]["DistributionConfig"]
ORIGINS = {origin["Id"]: origin for origin in DISTRIBUTION["Origins"]}
BEHAVIOURS = [DISTRIBUTION["DefaultCacheBehavior"], *DISTRIBUTION["CacheBehaviors"]]
KEY = {"Fn::Sub": "{{resolve:secretsmanager:${OriginKey}:SecretString}}"}
BEHIND = {"front": "Proxy", "page": "ApprovalPage"}


def variables(function: str) -> dict[str, Any]:
    found: dict[str, Any] = RESOURCES[function]["Properties"]["Environment"]["Variables"]
    return found


@pytest.mark.parametrize(("origin", "function"), BEHIND.items())
def test_cloudfront_shows_each_origin_the_key_that_it_asks_for(origin: str, function: str) -> None:
    assert ORIGINS[origin]["OriginCustomHeaders"] == [{"HeaderName": aws_lambda.KEY_HEADER, "HeaderValue": KEY}]
    assert variables(function)["ORIGIN_KEY"] == {"Fn::If": ["HasDomain", KEY, ""]}
    address = ORIGINS[origin]["DomainName"]["Fn::Select"][1]["Fn::Split"][1]
    assert address == {"Fn::GetAtt": [f"{function}Url", "FunctionUrl"]}


def test_front_and_page_know_the_key_by_one_name_and_the_viewer_by_what_cloudfront_writes() -> None:
    assert page.KEY_HEADER == aws_lambda.KEY_HEADER
    assert f'headers["{aws_lambda.VIEWER_HEADER}"]' in RESOURCES["ViewerAddress"]["Properties"]["FunctionCode"]
    for behaviour in BEHAVIOURS:
        (function,) = behaviour["FunctionAssociations"]
        assert function["FunctionARN"] == {"Fn::GetAtt": ["ViewerAddress", "FunctionARN"]}


def test_approvers_links_lead_to_the_page_and_everything_else_to_the_front() -> None:
    assert {each.get("PathPattern"): each["TargetOriginId"] for each in BEHAVIOURS} == {
        None: "front",
        "/approve/*": "page",
    }
    links = [
        variables(name)["APPROVAL_URL"]["Fn::If"][2]
        for name in ("ApprovalRequest", "ExpireApprovals", "ApprovalPage")
    ]
    assert all(link["Fn::If"][:2] == ["HasDomain", {"Fn::Sub": "https://${DomainName}/approve"}] for link in links)


def test_the_domain_is_served_to_whoever_comes_by_either_internet_and_by_a_safe_connection() -> None:
    assert (DISTRIBUTION["Enabled"], DISTRIBUTION["IPV6Enabled"]) == (True, True)
    assert DISTRIBUTION["Aliases"] == [{"Ref": "DomainName"}]
    certificate = DISTRIBUTION["ViewerCertificate"]
    assert (certificate["MinimumProtocolVersion"], certificate["SslSupportMethod"]) == ("TLSv1.2_2021", "sni-only")
    assert [each["ViewerProtocolPolicy"] for each in BEHAVIOURS] == ["https-only", "redirect-to-https"]
    for origin in ORIGINS.values():
        reached = origin["CustomOriginConfig"]
        assert (reached["OriginProtocolPolicy"], reached["OriginSSLProtocols"]) == ("https-only", ["TLSv1.2"])
    records = {
        PROPERTIES[name]["Type"]: PROPERTIES[name]["AliasTarget"] for name in of_type("AWS::Route53::RecordSet")
    }
    target = {"DNSName": {"Fn::GetAtt": ["Distribution", "DomainName"]}, "HostedZoneId": "Z2FDTNDATAQYW2"}
    assert records == {"A": target, "AAAA": target}


def test_nothing_is_kept_of_answers_and_cloudfront_waits_as_long_as_ask_may_take() -> None:
    assert {each["CachePolicyId"] for each in BEHAVIOURS} == {"4135ea2d-6df8-44a3-9df3-4b5a84be39ad"}
    longest = int(variables("Ask")["ASK_SECONDS"])
    assert longest < ORIGINS["front"]["CustomOriginConfig"]["OriginReadTimeout"] <= 120


def test_the_firewall_bounds_an_address_and_blocks_nothing_for_what_a_customer_wrote() -> None:
    rules = {rule["Name"]: rule for rule in RESOURCES["WebAcl"]["Properties"]["Rules"]}
    assert rules["rate"]["Statement"]["RateBasedStatement"]["Limit"] == {"Ref": "RequestsPerAddress"}
    counted = rules["common"]["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    bodies = {"SizeRestrictions_BODY", "CrossSiteScripting_BODY", "GenericLFI_BODY", "GenericRFI_BODY"}
    assert bodies < {each["Name"] for each in counted if each["ActionToUse"] == {"Count": {}}}
    known = rules["bad-inputs"]["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    assert {each["Name"] for each in known} >= {"JavaDeserializationRCE_BODY", "Log4JRCE_BODY"}
    assert DISTRIBUTION["WebACLId"]["Fn::If"][0] == "MakesWebAcl"


def test_the_firewall_is_cloudfronts_and_lets_in_whom_no_rule_stops() -> None:
    firewall = PROPERTIES["WebAcl"]
    assert (firewall["Scope"], firewall["DefaultAction"]) == ("CLOUDFRONT", {"Allow": {}})
    assert [rule["Priority"] for rule in firewall["Rules"]] == [0, 1, 2, 3]
    own, *managed = firewall["Rules"]
    assert own["Action"] == {"Block": {"CustomResponse": {"ResponseCode": 429}}}
    # AWS's rules do what they say but for those that only count.
    assert all(rule["OverrideAction"] == {"None": {}} for rule in managed)


def test_the_firewall_and_each_of_its_rules_are_seen_in_a_metric_of_their_own() -> None:
    firewall = PROPERTIES["WebAcl"]
    seen = [each["VisibilityConfig"] for each in (firewall, *firewall["Rules"])]
    assert all(each["SampledRequestsEnabled"] and each["CloudWatchMetricsEnabled"] for each in seen)
    assert len({str(each["MetricName"]) for each in seen}) == len(seen)


@pytest.mark.parametrize("domain", ["", "mcp.example.com"])
def test_whoever_is_sent_to_the_front_is_sent_through_the_domain_where_there_is_one(domain: str) -> None:
    functions = read_functions(
        ROOT / "template.yaml", stack=StackValues(parameters={"DomainName": domain}), built=False
    )
    by_name = {spec.logical_id: spec.variables for spec in functions.values()}
    given = [
        by_name["Proxy"].get("PUBLIC_URL"),
        by_name["GoldenCanary"].get("CANARY_MCP_URL"),
        by_name["Ask"].get("KNOWLEDGE_MCP_URL"),
    ]
    if domain:
        assert given == [f"https://{domain}", f"https://{domain}/mcp", f"https://{domain}/mcp/knowledge"]
    else:
        assert not any(url and "mcp.example.com" in url for url in given)


def test_without_a_domain_there_is_no_edge() -> None:
    conditions = {name: resource.get("Condition") for name, resource in RESOURCES.items()}
    edge = {
        name
        for name, condition in conditions.items()
        if condition in {"HasDomain", "MakesWebAcl", "MakesChallenge", "HasDomainRecords"}
    }
    assert edge == {
        "ViewerAddress",
        "ChallengeRole",
        "ChallengeFunction",
        "ChallengeVersion",
        "Distribution",
        "WebAcl",
        "EdgeLogs",
        "EdgeLogging",
        "DomainRecord",
        "DomainRecordV6",
    }


def test_nobody_but_the_canary_gets_into_the_preview() -> None:
    assert variables("Preview")["ORIGIN_KEY"] == KEY
    assert variables("GoldenCanary")["CANARY_ORIGIN_KEY"] == KEY
    assert "Condition" not in RESOURCES["OriginKey"]


def test_a_release_is_judged_past_a_domain_whose_records_may_come_after_it() -> None:
    assert variables("GoldenCanary")["CANARY_LIVE_MCP_URL"] == {"Fn::Sub": "${ProxyUrl.FunctionUrl}mcp"}


def test_what_a_stranger_wants_traced_is_not_and_its_challenge_gets_its_name_back() -> None:
    assert (
        'delete event.request.headers["x-amzn-trace-id"]' in RESOURCES["ViewerAddress"]["Properties"]["FunctionCode"]
    )
    made, otherwise = DISTRIBUTION["DefaultCacheBehavior"]["LambdaFunctionAssociations"]["Fn::If"][1:]
    assert made == [{"EventType": "origin-response", "LambdaFunctionARN": {"Ref": "ChallengeVersion"}}]
    assert otherwise["Fn::If"][1][0]["LambdaFunctionARN"] == {"Ref": "ChallengeFunctionArn"}


def test_the_firewall_logs_what_it_stops_without_keys_and_links() -> None:
    logging = RESOURCES["EdgeLogging"]["Properties"]
    hidden = {str(each.get("SingleHeader", each)) for each in logging["RedactedFields"]}
    assert hidden >= {
        str({"UriPath": {}}),
        *(str({"Name": name}) for name in ("authorization", "x-api-key", "cookie")),
    }
    assert logging["LoggingFilter"]["DefaultBehavior"] == "DROP"
    group = RESOURCES["EdgeLogs"]["Properties"]
    assert group["LogGroupName"]["Fn::Sub"].startswith("aws-waf-logs-")
    assert group["KmsKeyId"] == {"Fn::GetAtt": ["Key", "Arn"]}


def test_what_a_stack_elsewhere_needs_of_us_east_1_is_a_template_of_its_own() -> None:
    """It stands by itself, and names what the stack takes as parameters."""
    template = edge_template(TEMPLATE)
    known = {*template["Resources"], *template["Parameters"]}
    assert {name for name in references(template["Resources"]) if not name.startswith("AWS::")} <= known
    assert "Condition" not in {key for resource in template["Resources"].values() for key in resource}
    assert template["Outputs"].keys() <= TEMPLATE["Parameters"].keys()


def test_what_the_edge_logs_is_without_secrets_and_what_was_asked() -> None:
    [logging] = [PROPERTIES[name] for name in of_type("AWS::WAFv2::LoggingConfiguration")]
    redacted = {
        str(next(iter(field.get("SingleHeader", {}).values()), next(iter(field))))
        for field in logging["RedactedFields"]
    }
    assert redacted == {"UriPath", "QueryString", "authorization", "x-api-key", "cookie"}
