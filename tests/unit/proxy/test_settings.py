"""Settings fail closed and say which variable to change."""

import pytest

from proxy.catalog import Catalog
from proxy.manifest import load_manifest
from proxy.settings import Settings, SettingsError
from tests.unit.proxy.manifests import FIXTURE


def test_an_empty_environment_serves_everything_on_loopback() -> None:
    settings = Settings.from_environment({})
    assert (settings.host, settings.port, settings.toolsets, settings.read_only) == ("127.0.0.1", 8000, None, False)


def test_the_variable_for_all_of_aws_counts_where_a_service_has_none_of_its_own() -> None:
    settings = Settings.from_environment({"AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://s3"})
    assert (settings.aws_endpoint_url_lambda, settings.aws_endpoint_url_s3) == ("http://all", "http://s3")


@pytest.mark.parametrize("host", ["::", "192.168.1.5", "example.com", "127.0.0.1.evil.example"])
def test_an_address_others_can_reach_is_refused_without_authentication(host: str) -> None:
    with pytest.raises(SettingsError, match=f"HOST={host}"):
        Settings.from_environment({"HOST": host})


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_loopback_addresses_are_accepted(host: str) -> None:
    assert Settings.from_environment({"HOST": host}).host == host


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("READ_ONLY", "ture"),
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("AUTH_MODE", "password"),
        ("MAX_CONCURRENT_CALLS", "0"),
        ("ALLOWED_HOSTS", "a,,b"),
        ("TOOLSETS", "a,"),
        ("REQUEST_STATE_KEYS", "short"),
    ],
)
def test_a_malformed_value_is_refused_by_name_and_not_repeated(name: str, value: str) -> None:
    with pytest.raises(SettingsError) as refused:
        Settings.from_environment({name: value})
    assert str(refused.value).startswith(name)
    assert value not in str(refused.value)


def test_lists_are_split_and_all_means_no_limit() -> None:
    assert Settings.from_environment({"TOOLSETS": "a, b"}).toolsets == ("a", "b")
    assert Settings.from_environment({"TOOLSETS": "all"}).toolsets is None


def test_an_unknown_toolset_in_the_settings_names_the_known_ones() -> None:
    with pytest.raises(SettingsError, match="ordres; known: parts, orders"):
        Catalog(load_manifest(FIXTURE), enabled=["parts", "ordres"])


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"AUTH_MODE": "oauth", "OAUTH_AUDIENCE": "https://a.example/mcp"}, "OAUTH_ISSUER"),
        ({"AUTH_MODE": "oauth", "OAUTH_ISSUER": "https://i.example"}, "OAUTH_AUDIENCE"),
        ({"OAUTH_ISSUER": "http://i.example"}, "OAUTH_ISSUER"),
        ({"OAUTH_JWKS_URL": "ftp://i.example/keys"}, "OAUTH_JWKS_URL"),
        ({"PUBLIC_URL": "https://a.example/mcp"}, "PUBLIC_URL"),
        ({"PUBLIC_URL": "a.example"}, "PUBLIC_URL"),
        ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS"),
    ],
)
def test_authentication_that_would_not_hold_is_refused(given: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=named):
        Settings.from_environment(given)


def test_with_authentication_any_address_may_be_bound() -> None:
    settings = Settings.from_environment({"HOST": "0.0.0.0", "AUTH_MODE": "api_key", "ALLOWED_HOSTS": "*"})  # noqa: S104
    assert (settings.takes_keys, settings.takes_tokens) == (True, False)


def test_the_audience_is_the_public_endpoint_unless_given() -> None:
    oauth = {"AUTH_MODE": "oauth", "OAUTH_ISSUER": "https://i.example", "PUBLIC_URL": "https://a.example/"}
    assert Settings.from_environment(oauth).audiences == {"https://a.example/mcp"}
    assert Settings.from_environment(oauth | {"OAUTH_AUDIENCE": "api://q, x/"}).audiences == {"api://q", "x"}
