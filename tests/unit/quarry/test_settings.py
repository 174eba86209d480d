"""The functions' environment, validated."""

import pytest

from quarry.data.settings import Settings


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DB_PORT", "postgres"),
        ("DB_PORT", "70000"),
        ("DB_AUTH", "kerberos"),
        ("EMBEDDING_DIMENSIONS", "3072"),
        ("EMBEDDING_TIMEOUT_S", "0"),
        ("LOG_LEVEL", "LOUD"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_variable(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=rf"have to change: {variable}: "):
        Settings.from_environment({variable: value})


def test_every_wrong_variable_is_named_at_once() -> None:
    with pytest.raises(ValueError, match=r"DB_PORT: .*; EMBEDDING_DIMENSIONS: "):
        Settings.from_environment({"DB_PORT": "x", "EMBEDDING_DIMENSIONS": "0"})


def test_an_empty_variable_counts_as_unset() -> None:
    assert Settings.from_environment({"DB_PORT": "", "OPENAI_SECRET_ID": ""}) == Settings.from_environment({})


def test_secrets_do_not_show_when_the_settings_are_printed() -> None:
    settings = Settings.from_environment({"DB_PASSWORD": "hunter2", "OPENAI_API_KEY": "sk-1"})
    assert "hunter2" not in repr(settings)
    assert "sk-1" not in str(settings)


def test_a_refused_value_is_not_repeated_in_the_message() -> None:
    with pytest.raises(ValueError, match="DB_AUTH") as refusal:
        Settings.from_environment({"DB_AUTH": "hunter2"})
    assert "hunter2" not in str(refusal.value)
