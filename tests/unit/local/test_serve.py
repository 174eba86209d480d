"""The supervisor's smaller parts: logs, the environment, the last words."""

import io
import json
from pathlib import Path

import pytest

from local.environment import (
    CANARY_SECRET,
    DOCUMENT_LINKS,
    KNOWLEDGE_SECRET,
    assistant_environment,
    built_front_environment,
    canary_environment,
    child_base,
    functions_environment,
    proxy_environment,
)
from local.failure import LocalError
from local.files import ROOT, write_json
from local.serve.console import Console, Progress, farewell, fresh_log, tail
from local.serve.own_keys import key_for
from local.serve.programs import refuse_unusable, require_build
from local.settings import read_settings
from local.stack import Database, Stack, exclusive, running
from proxy.settings import Settings as FrontSettings


@pytest.fixture
def stack(tmp_path: Path) -> Stack:
    return Stack(
        mcp="http://127.0.0.1:8000/mcp",
        lambda_api="http://127.0.0.1:2",
        aws="http://127.0.0.1:3",
        embeddings="http://127.0.0.1:4/v1",
        approvals="http://127.0.0.1:7/approve",
        database=Database(host="127.0.0.1", port=5, name="quarry", user="postgres", password="p"),
        data_dir=tmp_path,
        pid=6,
    )


def test_the_log_of_the_run_before_is_kept(tmp_path: Path) -> None:
    for number in range(3):
        fresh_log(tmp_path, name="proxy").write_text(f"run {number}")
    kept = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert kept == {"proxy.log": "run 2", "proxy.log.1": "run 1"}


def test_the_tail_of_a_log_is_its_last_lines(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("".join(f"line {number}\n" for number in range(100)))
    assert tail(log).splitlines()[-1] == "  | line 99"
    assert "line 84\n" not in tail(log)


def test_children_do_not_see_the_callers_aws_account_or_http_proxy(tmp_path: Path) -> None:
    given = {"AWS_PROFILE": "work", "AWS_SESSION_TOKEN": "t", "NO_PROXY": "intranet", "HOME": "/h"}
    environment = child_base(given, data_dir=tmp_path)
    assert "AWS_PROFILE" not in environment
    assert "AWS_SESSION_TOKEN" not in environment
    assert environment["NO_PROXY"] == "127.0.0.1,localhost,intranet"
    assert (environment["AWS_ACCESS_KEY_ID"], environment["HOME"]) == ("local", "/h")


def test_functions_use_the_local_embeddings_unless_a_key_is_set(stack: Stack) -> None:
    local = functions_environment(stack, read_settings({}), {"OPENAI_BASE_URL": "https://elsewhere.example.com"})
    assert local["OPENAI_BASE_URL"] == "http://127.0.0.1:4/v1"
    given = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": "", "EMBEDDING_TIMEOUT_S": "2", "DOCUMENT_URL_SECONDS": "90"}
    remote = functions_environment(stack.model_copy(update={"embeddings": None}), read_settings(given), given)
    assert "OPENAI_BASE_URL" not in remote
    assert (remote["OPENAI_API_KEY"], remote["EMBEDDING_DIMENSIONS"]) == ("k", "1536")
    assert (remote["EMBEDDING_TIMEOUT_S"], remote["DOCUMENT_URL_SECONDS"]) == ("2", "90")


def test_the_database_user_is_left_to_the_template(stack: Stack) -> None:
    assert "DB_USER" not in functions_environment(stack, read_settings({}), {})


def test_where_keys_are_asked_for_the_canary_and_ask_have_theirs_by_secret(stack: Stack) -> None:
    closed, open_ = read_settings({"AUTH_MODE": "oauth+api_key"}), read_settings({})
    assert canary_environment(stack, closed)["CANARY_SECRET_ID"] == CANARY_SECRET
    assert assistant_environment(stack, closed, {})["KNOWLEDGE_MCP_SECRET_ID"] == KNOWLEDGE_SECRET
    assert "CANARY_SECRET_ID" not in canary_environment(stack, open_)
    assert "KNOWLEDGE_MCP_SECRET_ID" not in assistant_environment(stack, open_, {})
    # Another server must not see the key of this one.
    elsewhere = {"KNOWLEDGE_MCP_URL": "https://kb.example.com/mcp"}
    assert "KNOWLEDGE_MCP_SECRET_ID" not in assistant_environment(stack, closed, elsewhere)


def test_the_built_front_gets_the_callers_settings_for_it_and_nothing_else(stack: Stack) -> None:
    settings = read_settings({"AUTH_MODE": "api_key", "ARTIFACTS": "1"})
    given = {"RATE_BURST": "7", "OAUTH_ISSUER": "", "HOME": "/root", "PORT": "1"}
    assert built_front_environment(stack, settings, given) == {
        "PUBLIC_URL": "http://127.0.0.1:8000",
        "AUTH_MODE": "api_key",
        "RATE_BURST": "7",
    }


@pytest.mark.parametrize(
    ("given", "built"),
    [
        ({"ARTIFACTS": "1"}, False),
        ({"AUTH_MODE": "api_key"}, False),
        ({"ARTIFACTS": "1", "AUTH_MODE": "oauth"}, True),
    ],
)
def test_the_built_front_stands_only_where_it_would_let_nobody_in_unasked(given: dict[str, str], built: bool) -> None:
    assert read_settings(given).runs_built_front is built


def test_only_the_stack_itself_is_entered_by_its_own_key(stack: Stack) -> None:
    write_json(stack.data_dir / "own-keys.json", {"canary": "qk_own", "other": "qk_o", "ask": "qk_a"})
    stack.write()
    settings = read_settings({"DATA_DIR": str(stack.data_dir)})
    assert key_for(stack.mcp, settings) is None, "nothing runs"
    with exclusive(stack.data_dir):
        assert key_for(stack.mcp, settings) == "qk_own"
        assert key_for("https://elsewhere.example.com/mcp", settings) is None
        given = settings.model_copy(update={"key": "qk_mine"})
        assert key_for("https://elsewhere.example.com/mcp", given) == "qk_mine"


def test_artifacts_without_a_build_ask_for_one(tmp_path: Path) -> None:
    with pytest.raises(LocalError, match="run `make build` first"):
        require_build(tmp_path)
    template = tmp_path / ".aws-sam" / "build" / "template.yaml"
    template.parent.mkdir(parents=True)
    template.touch()
    assert require_build(tmp_path) == template.parent


def test_the_proxy_is_pointed_at_the_local_lambda_api(stack: Stack) -> None:
    environment = proxy_environment(stack, host="127.0.0.1", port=8000)
    assert environment["AWS_ENDPOINT_URL_LAMBDA"] == "http://127.0.0.1:2"
    assert (environment["HOST"], environment["PORT"]) == ("127.0.0.1", "8000")


def test_a_stack_file_without_a_running_supervisor_does_not_count(stack: Stack) -> None:
    stack.write()
    assert running(stack.data_dir) is None


def test_the_stack_file_has_the_documented_shape_and_only_its_owner_reads_it(stack: Stack) -> None:
    stack.write()
    file = stack.data_dir / "stack.json"
    assert file.stat().st_mode & 0o777 == 0o600
    written = json.loads(file.read_text())
    assert written["lambda"] == "http://127.0.0.1:2"
    assert set(written["database"]) == {"host", "port", "name", "user", "password"}
    assert Stack.model_validate(written) == stack


def test_client_configuration_in_the_last_words_is_json_to_paste(tmp_path: Path) -> None:
    said = farewell(endpoint="http://127.0.0.1:8000/mcp", tools=6, seconds=3.21, data_dir=tmp_path)
    assert "Quarry is ready at http://127.0.0.1:8000/mcp with 6 tools, after 3.2 s." in said
    assert "claude mcp add --transport http quarry http://127.0.0.1:8000/mcp" in said
    pasted = [json.loads(line) for line in said.splitlines() if line.strip().startswith("{")]
    pasted += [json.loads(line[line.index("{") :]) for line in said.splitlines() if "Most clients" in line]
    assert {tuple(block) for block in pasted} == {("servers",), ("mcpServers",)}
    assert len(pasted) == 3


def test_the_last_words_show_where_a_key_goes(tmp_path: Path) -> None:
    said = farewell(endpoint="http://x/mcp", tools=6, seconds=1, data_dir=tmp_path, takes_keys=True)
    assert "make keys DO=" in said
    assert said.count("Bearer qk_…") == 3


def test_reports_that_follow_each_other_closely_are_dropped() -> None:
    out = io.StringIO()
    progress = Progress(Console(out), number=7, total=8, name="corpus")
    progress.begin("loading")
    for row in range(100):
        progress.report(f"{row} rows")
    progress.end("loaded")
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["[7/8] corpus: loading …", "[7/8] corpus: 0 rows"]
    assert lines[2].startswith("[7/8] corpus: loaded in ")
    assert len(lines) == 3


def test_only_ask_gets_the_chat_models_key_and_this_stacks_knowledge(stack: Stack) -> None:
    given = {"CHAT_API_KEY": "k", "CHAT_BASE_URL": "http://chat/v1", "ASK_TOKEN_BUDGET": "5000", "AZURE_OTHER": "o"}
    settings = read_settings(given)
    assert assistant_environment(stack, settings, given) == {
        "CHAT_API_KEY": "k",
        "CHAT_BASE_URL": "http://chat/v1",
        "ASK_TOKEN_BUDGET": "5000",
        "KNOWLEDGE_MCP_URL": f"{stack.mcp}/knowledge",
    }
    assert "CHAT_API_KEY" not in functions_environment(stack, settings, given)


def test_what_the_functions_would_refuse_is_refused_before_anything_starts() -> None:
    refuse_unusable({"EMBEDDING_DIMENSIONS": "2000"})
    with pytest.raises(LocalError, match="OAUTH_ISSUER"):
        refuse_unusable({"AUTH_MODE": "oauth"}, of=FrontSettings)
    with pytest.raises(LocalError, match="EMBEDDING_DIMENSIONS: "):
        refuse_unusable({"EMBEDDING_DIMENSIONS": "3000"})


def test_every_function_that_links_to_documents_links_to_the_stacks_own_origin() -> None:
    sources = [path for path in (ROOT / "functions").rglob("*.py") if "s3.link(" in path.read_text("utf-8")]
    named = {path.stem if path.parent.name == "cpq" else path.parent.name for path in sources}
    assert named == {"approval_page", "draft_get", "quote_pdf"}
    assert {"".join(map(str.title, name.split("_"))) for name in named} == set(DOCUMENT_LINKS)
