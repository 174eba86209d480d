"""template.yaml's functions: what each is told of, what it has of layers, addresses and clocks."""

from typing import Any

import pytest

from proxy.settings import Settings as FrontSettings
from quarry.data.settings import Settings
from quarry.embedding.queue import LEASE_S
from tests.contract.template import (
    FRONTS,
    FUNCTIONS,
    PROPERTIES,
    ROLES,
    TEMPLATE,
    references,
    statements,
    variables_of,
)

OF_LIBRARIES = {"OPENAI_BASE_URL", "PYDANTIC_DISABLE_PLUGINS"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_variable_is_a_setting_that_its_function_has(name: str) -> None:
    model: Any = FrontSettings if name in FRONTS else Settings
    known = {field.upper() for field in model.model_fields} | OF_LIBRARIES
    assert variables_of(name).keys() - known == set()


GLOBALS = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]


def test_functions_are_told_of_the_database_the_provider_and_the_release() -> None:
    assert GLOBALS.keys() == {
        *("STACK", "RELEASE", "DB_HOST", "DB_PORT", "DB_NAME", "DB_AUTH", "DB_SSLMODE", "DB_USER", "DB_PASSWORD"),
        *("EMBEDDING_MODEL", "EMBEDDING_DIMENSIONS", "OPENAI_BASE_URL", "OPENAI_SECRET_ID", "OPENAI_API_KEY"),
        *(
            "DEFAULT_TENANT",
            "LOG_LEVEL",
            "PYDANTIC_DISABLE_PLUGINS",
        ),
    }
    assert (GLOBALS["DB_AUTH"], GLOBALS["DB_USER"]) == ("iam", "quarry_read")


TOLD = {"TemplateBucket", "DocumentBucket", "ApprovalKey", "ApprovalTopic"}
SHARED = {"ReadRole"}
"""Its functions do not all need what it reaches."""


def reached(role: str) -> set[str]:
    """Buckets, topics, and secrets: what a function cannot find without being told where it is."""
    found = {name for each in statements(ROLES[role]) for name in references(each["Resource"])}
    return {name for name in found if name in TOLD or name.endswith("Secret")}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_told_of_what_its_role_reaches_and_reaches_what_it_is_told_of(name: str) -> None:
    role = FUNCTIONS[name]["Role"]["Fn::GetAtt"][0]
    told = {each for value in variables_of(name).values() for each in references(value)}
    told = {each for each in told if each in TOLD or each.endswith("Secret")}
    # The page hands on links that others signed for it.
    missing = reached(role) - told - ({"DocumentBucket"} if role == "ApprovalPageRole" else set())
    assert role in SHARED or missing == set()
    own = {each for key, value in variables_of(name).items() if key not in GLOBALS for each in references(value)}
    own = {each for each in own if each in TOLD or each.endswith("Secret")}
    assert own - reached(role) == set()


FILES = {"TemplatesLayer": "TEMPLATES_DIR", "MigrationsLayer": "MIGRATIONS_DIR", "GoldenLayer": "GOLDEN_DIR"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_with_files_in_a_layer_is_told_where_they_are(name: str) -> None:
    layers = {each["Ref"] for each in FUNCTIONS[name].get("Layers", [])}
    assert {FILES[each] for each in layers & FILES.keys()} == variables_of(name).keys() & set(FILES.values())


def test_the_owner_alone_comes_with_a_password() -> None:
    by_secret = {name for name in FUNCTIONS if variables_of(name).get("DB_AUTH") == "secret"}
    assert by_secret == {name for name in FUNCTIONS if variables_of(name).get("DB_USER") == "quarry_owner"}
    assert (
        by_secret
        == {name for name in FUNCTIONS if "DB_SECRET_ID" in variables_of(name)}
        == {"Migrate", "MaintainSearch"}
    )


OF_THE_PREVIEW = {"FunctionName", "ReservedConcurrentExecutions", "Environment"}
OF_WHAT_IS_LIVE = {
    *("AutoPublishAlias", "AutoPublishCodeSha256", "VersionDeletionPolicy", "SnapStart", "DeploymentPreference"),
}


def test_the_preview_is_the_front_but_for_whom_it_asks_and_lets_in() -> None:
    front, preview = PROPERTIES["Proxy"], PROPERTIES["Preview"]
    assert front.keys() - preview.keys() == OF_WHAT_IS_LIVE
    assert {name for name in preview if preview[name] != front.get(name)} == OF_THE_PREVIEW
    ours, theirs = variables_of("Proxy"), variables_of("Preview")
    assert ours.keys() == theirs.keys()
    assert {name for name in ours if ours[name] != theirs[name]} == {"FUNCTION_QUALIFIER", "ORIGIN_KEY"}
    assert (ours["FUNCTION_QUALIFIER"], theirs["FUNCTION_QUALIFIER"]) == ("live", "$LATEST")
    assert ours["AUTH_MODE"] == {"Ref": "AuthMode"}
    assert "none" not in TEMPLATE["Parameters"]["AuthMode"]["AllowedValues"]


def test_the_front_is_told_all_that_a_stack_may_say_of_it() -> None:
    assert variables_of("Proxy").keys() == {
        *("STACK", "RELEASE", "FUNCTION_PREFIX", "FUNCTION_QUALIFIER", "ORIGIN_KEY", "TEMPLATE_BUCKET"),
        *("TEMPLATE_PREFIX", "DEFAULT_TENANT", "AUTH_MODE", "REFUSAL_HOLD_SECONDS", "SHARE_TENANT_RATES"),
        *("ALLOWED_HOSTS", "PUBLIC_URL", "OAUTH_ISSUER", "OAUTH_AUDIENCE", "OAUTH_CLIENT_IDS", "OAUTH_JWKS_URL"),
        *("OAUTH_TENANT_CLAIM", "OAUTH_SUBJECT_CLAIM", "OAUTH_SCOPE_CLAIM", "OAUTH_SCOPE_PREFIX"),
        "PYDANTIC_DISABLE_PLUGINS",
    }


def test_only_front_preview_and_page_have_an_address() -> None:
    addressed = {name: each["FunctionUrlConfig"] for name, each in FUNCTIONS.items() if "FunctionUrlConfig" in each}
    assert addressed.keys() == {*FRONTS, "ApprovalPage"}
    assert {each["AuthType"] for each in addressed.values()} == {"NONE"}


CLOCKS = {
    "ExpireApprovals": ("rate(1 minute)", None),
    "EmbedPending": ("rate(1 minute)", None),
    # Without a key it could only say that it checked nothing.
    "GoldenCanary": ("rate(15 minutes)", {"Fn::If": ["HasCanarySecret", "ENABLED", "DISABLED"]}),
    "VerifyAudit": ("rate(1 day)", None),
}


def test_each_function_that_has_a_clock_is_called_by_it() -> None:
    timed = {
        name: (event["Properties"]["Schedule"], event["Properties"].get("State"))
        for name in FUNCTIONS
        for event in PROPERTIES[name].get("Events", {}).values()
        if event["Type"] == "Schedule"
    }
    assert timed == CLOCKS


def test_a_file_is_taken_in_again_after_a_failure_and_an_examination_waits_for_its_next_time() -> None:
    tries = {name: each["EventInvokeConfig"] for name, each in FUNCTIONS.items() if "EventInvokeConfig" in each}
    assert tries == {"Ingest": {"MaximumRetryAttempts": 2}, "GoldenCanary": {"MaximumRetryAttempts": 0}}


def test_nothing_is_traced_that_nobody_asked_to_be() -> None:
    assert TEMPLATE["Parameters"]["Tracing"]["Default"] == "PassThrough"
    assert {str(each["Tracing"]) for each in FUNCTIONS.values()} == {str({"Ref": "Tracing"})}


def test_no_embedding_worker_outlives_the_lease_of_its_rows() -> None:
    assert PROPERTIES["EmbedPending"]["Timeout"] == LEASE_S
