"""What the local commands take from the environment."""

import socket
from pathlib import Path

import pytest

from local.failure import LocalError
from local.settings import read_settings


def test_the_default_is_the_local_model_on_port_8000() -> None:
    settings = read_settings({})
    assert (settings.port, settings.model, settings.dimensions) == (8000, "all-MiniLM-L6-v2", 384)
    assert settings.data_dir == Path.cwd() / ".quarry"


@pytest.mark.parametrize("key", ["OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"])
def test_a_provider_key_selects_the_remote_model(key: str) -> None:
    settings = read_settings({key: "k"})
    assert (settings.model, settings.dimensions) == ("text-embedding-3-small", 1536)


def test_the_remote_model_and_its_dimensions_can_be_chosen() -> None:
    settings = read_settings({"OPENAI_API_KEY": "k", "EMBEDDING_MODEL": "m", "EMBEDDING_DIMENSIONS": "256"})
    assert (settings.model, settings.dimensions) == ("m", 256)


def test_an_empty_variable_counts_as_unset() -> None:
    assert read_settings({"PORT": "", "OPENAI_API_KEY": "", "ARTIFACTS": ""}) == read_settings({})


def test_switches_are_turned_on_with_1() -> None:
    settings = read_settings({"ARTIFACTS": "1", "REEMBED": "1"})
    assert settings.artifacts
    assert settings.reembed
    assert not read_settings({"ARTIFACTS": "0"}).artifacts


@pytest.mark.parametrize("port", ["eight", "70000", "-1"])
def test_an_unusable_value_is_refused_by_the_name_of_its_variable(port: str) -> None:
    with pytest.raises(LocalError, match=r"PORT: "):
        read_settings({"PORT": port})


@pytest.mark.parametrize(
    ("given", "known"),
    [
        ({}, "127.0.0.1"),
        ({"ALLOWED_HOSTS": "quotes.example.lan"}, "127.0.0.1"),
        ({"HOST": "0.0.0.0", "ALLOWED_HOSTS": "127.0.0.1, quotes.example.lan"}, "quotes.example.lan"),  # noqa: S104
        ({"HOST": "0.0.0.0", "ALLOWED_HOSTS": "*"}, socket.gethostname()),  # noqa: S104
        ({"HOST": "192.168.7.4"}, "192.168.7.4"),
    ],
)
def test_links_name_this_machine_as_others_call_it(given: dict[str, str], known: str) -> None:
    assert read_settings(given).known_as == known
