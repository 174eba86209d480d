"""env.json of `make sam-env`: SAM drops what a function does not declare, so each declares what it needs."""

from local.files import ROOT
from local.lambda_api.intrinsics import StackValues
from local.lambda_api.process import Overrides
from local.lambda_api.template import read_functions
from local.sam.environment import FROM_A_CONTAINER, environments

SPECS = read_functions(ROOT / "template.yaml", stack=StackValues(), built=False)
GIVEN = Overrides(
    shared={
        "DB_HOST": "127.0.0.1",
        "DB_PORT": "15432",
        "DB_AUTH": "password",
        "DB_PASSWORD": "secret",
        "DB_SSLMODE": "disable",
        "OPENAI_BASE_URL": "http://127.0.0.1:8080/v1",
        "OPENAI_API_KEY": "local",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9000",
    },
    single={"Ask": {"CHAT_MODEL": "local"}},
)


def test_every_function_with_a_database_is_told_how_to_reach_it_from_a_container() -> None:
    written = environments(SPECS, GIVEN, host=FROM_A_CONTAINER)
    connecting = {spec.logical_id for spec in SPECS.values() if "DB_PORT" in {*spec.variables, *spec.unresolved}}
    assert len(connecting) > 40
    for name in connecting:
        assert written[name]["DB_HOST"] == FROM_A_CONTAINER
        assert written[name]["OPENAI_BASE_URL"] == f"http://{FROM_A_CONTAINER}:8080/v1"
        assert written[name].keys() >= {"DB_PORT", "DB_AUTH", "DB_PASSWORD", "DB_SSLMODE", "OPENAI_API_KEY"}


def test_what_a_function_does_not_declare_is_not_written() -> None:
    written = environments(SPECS, GIVEN, host=FROM_A_CONTAINER)
    assert "AWS_ENDPOINT_URL_S3" not in written["SearchEquipment"]
    assert "DB_PASSWORD" not in written["Proxy"]
    assert (written["Ask"]["CHAT_MODEL"], "CHAT_MODEL" in written["Search"]) == ("local", False)
