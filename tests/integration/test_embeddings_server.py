"""The embeddings server as a process, asked by the official SDK."""

import asyncio
import base64
import json
import re
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import openai
import psutil
import pytest
from aiohttp.test_utils import TestClient, TestServer

from local.embeddings.model import EmbeddingModel, load
from local.embeddings.sample import key_of, known_vectors
from local.embeddings.server import EmbeddingsApi
from local.embeddings.weights import find_model

ROOT = Path(__file__).parents[2]
MODEL = "all-MiniLM-L6-v2"
LONG = "rotary screw air compressor with integrated refrigerated dryer, 460/3/60, 125 psig. " * 60


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def model(cache_dir: Path) -> EmbeddingModel:
    return load(cache_dir=cache_dir)


def start(cache_dir: Path, *, port: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "local.embeddings", f"--port={port}", f"--cache-dir={cache_dir}"]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True, encoding="utf-8")


def wait_until_listening(process: subprocess.Popen[str]) -> tuple[str, list[str]]:
    """The base URL, and the lines said on the way to it."""
    assert process.stderr is not None
    said: list[str] = []
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"listening on (http://\S+)", line):
            return found[1], said
    raise AssertionError(f"The server ended: {said}")


@pytest.fixture(scope="module")
def server(model: EmbeddingModel, cache_dir: Path) -> Iterator[subprocess.Popen[str]]:
    with start(cache_dir) as process:
        yield process
        process.terminate()


@pytest.fixture(scope="module")
def base_url(server: subprocess.Popen[str]) -> str:
    return wait_until_listening(server)[0]


@pytest.fixture(scope="module")
def client(base_url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=base_url, api_key="anything", max_retries=0)


def refusal(error: pytest.ExceptionInfo[openai.APIStatusError]) -> dict[str, object]:
    body = error.value.body
    assert isinstance(body, dict)
    assert set(body) == {"message", "type", "param", "code"}
    return body


def test_the_sdk_gets_the_models_vectors_in_order(client: openai.OpenAI, model: EmbeddingModel) -> None:
    texts = ["QMB30", LONG, "oilless scroll", "vacuum pump " * 90, "Q$ync 100"]
    response = client.embeddings.create(model=MODEL, input=texts)
    assert [item.index for item in response.data] == [0, 1, 2, 3, 4]
    assert np.abs(np.array([item.embedding for item in response.data]) - model.embed(texts)).max() < 1e-5
    assert response.model == MODEL
    pieces = sum(map(len, model.pieces(texts)))
    assert response.usage.prompt_tokens == response.usage.total_tokens == pieces


def test_one_text_and_its_dimensions_work(client: openai.OpenAI, model: EmbeddingModel) -> None:
    response = client.embeddings.create(model=MODEL, input="QMB30", dimensions=384)
    assert np.allclose(response.data[0].embedding, model.embed(["QMB30"])[0], atol=1e-6)
    assert response.usage.prompt_tokens == 3


def test_float_and_base64_carry_the_same_numbers(client: openai.OpenAI) -> None:
    def raw(encoding: str) -> object:
        body = {"model": MODEL, "input": "QMB30", "encoding_format": encoding}
        return json.loads(client.post("/embeddings", body=body, cast_to=str))["data"][0]["embedding"]

    packed, floats = raw("base64"), raw("float")
    assert isinstance(packed, str)
    assert list(struct.unpack("<384f", base64.b64decode(packed))) == floats


def test_an_unknown_model_is_not_found_and_the_known_ones_are_named(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as error:
        client.embeddings.create(model="text-embedding-3-small", input="QMB30")
    assert refusal(error)["code"] == "model_not_found"
    assert MODEL in str(refusal(error)["message"])


def test_a_text_whose_vector_is_known_is_answered_with_it_beside_others(model: EmbeddingModel) -> None:
    """The known vector is not the model's, so that it can be told from it."""
    known = np.eye(1, 384, dtype=np.float16)[0]
    api = EmbeddingsApi(model, known={key_of("oilless scroll"): known})

    async def answered(*texts: str) -> list[list[float]]:
        async with TestClient(TestServer(api.application())) as client:
            answer = await client.post("/v1/embeddings", json={"model": MODEL, "input": list(texts)})
            return [item["embedding"] for item in (await answer.json())["data"]]

    before, held, after = asyncio.run(answered("QMB30", "oilless scroll", "vacuum pump"))
    assert held == known.tolist() == asyncio.run(answered("oilless scroll"))[0]
    assert np.allclose([before, after], model.embed(["QMB30", "vacuum pump"]), atol=1e-6)


def test_vectors_of_another_models_weights_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert known_vectors(tmp_path) == {}
    assert len(known_vectors(find_model())) > 1_000


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"input": []}, "input"),
        ({"input": ""}, "input"),
        ({"input": ["pump", ""]}, "input"),
        ({"input": [[1, 2]]}, "input"),
        ({"input": ["pump", 7]}, "input"),
        ({"input": [True]}, "input"),
        ({"input": None}, "input"),
        ({"input": ["pump"] * 2049}, "input"),
        ({"dimensions": 256}, "dimensions"),
        ({"encoding_format": "hex"}, "encoding_format"),
        ({"instruction": "query: "}, "instruction"),
    ],
    ids=str,
)
def test_a_bad_argument_is_named(client: openai.OpenAI, change: dict[str, object], param: str) -> None:
    body = {"model": MODEL, "input": "pump", **change}
    with pytest.raises(openai.BadRequestError) as error:
        client.post("/embeddings", body=body, cast_to=object)
    assert refusal(error)["param"] == param
    assert refusal(error)["type"] == "invalid_request_error"


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"model": "x", "input": "\\ud800"}'])
def test_a_body_that_is_no_request_is_refused(client: openai.OpenAI, content: bytes) -> None:
    with pytest.raises(openai.BadRequestError) as error:
        client.post("/embeddings", content=content, cast_to=object)
    assert "body" in str(refusal(error)["message"])


def test_a_path_or_method_that_does_not_exist_is_refused_in_the_same_shape(client: openai.OpenAI) -> None:
    with pytest.raises(openai.NotFoundError) as error:
        client.completions.create(model=MODEL, prompt="hello")
    assert "/v1/completions" in str(refusal(error)["message"])


def test_health_says_what_is_served(client: openai.OpenAI, base_url: str) -> None:
    health = client.get(base_url.removesuffix("/v1") + "/healthz", cast_to=str)
    assert json.loads(health) == {"ready": True, "model": MODEL, "dimensions": 384}


def test_more_than_a_megabyte_fits_in_one_request(client: openai.OpenAI, model: EmbeddingModel) -> None:
    # Spaces weigh bytes and no word pieces.
    text = "QMB30" + " " * 2_000_000
    response = client.embeddings.create(model=MODEL, input=text)
    assert np.allclose(response.data[0].embedding, model.embed(["QMB30"])[0], atol=1e-6)


def test_short_queries_do_not_wait_for_a_large_batch(client: openai.OpenAI) -> None:
    with ThreadPoolExecutor() as pool:
        batch = pool.submit(client.embeddings.create, model=MODEL, input=[f"{n} {LONG[:900]}" for n in range(60)])
        time.sleep(0.3)
        waits: list[float] = []
        while not batch.done() and len(waits) < 10:
            before = time.monotonic()
            client.embeddings.create(model=MODEL, input="100HP oilless compressor")
            waits.append(time.monotonic() - before)
        assert not batch.done(), "the batch was over before ten queries were through"
        assert sorted(waits)[5] < 0.5
        assert len(batch.result().data) == 60


def test_batches_are_done_one_after_the_other(client: openai.OpenAI) -> None:
    def ended(name: str) -> float:
        client.embeddings.create(model=MODEL, input=[f"{name} {n} {LONG[:900]}" for n in range(20)])
        return time.monotonic() - began

    began = time.monotonic()
    with ThreadPoolExecutor() as pool:
        first, second, third = sorted(pool.map(ended, ("one", "other", "last")))
    assert first < 0.6 * third
    assert second < 0.9 * third


def test_fifty_concurrent_queries_each_get_their_own_vector(client: openai.OpenAI, model: EmbeddingModel) -> None:
    texts = [f"air compressor model {number}" for number in range(50)]
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda text: client.embeddings.create(model=MODEL, input=text), texts))
    rows = np.array([answer.data[0].embedding for answer in answers])
    assert np.abs(rows - model.embed(texts)).max() < 1e-5


def test_an_abandoned_batch_leaves_the_queue(client: openai.OpenAI, server: subprocess.Popen[str]) -> None:
    impatient = client.with_options(timeout=1.5)
    with pytest.raises(openai.APITimeoutError):
        impatient.embeddings.create(model=MODEL, input=[f"{n} {LONG}" for n in range(400)])
    time.sleep(0.5)
    busy = psutil.Process(server.pid).cpu_times().user
    time.sleep(1)
    assert psutil.Process(server.pid).cpu_times().user - busy < 0.2


def test_a_taken_port_is_named_at_once(cache_dir: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        process = start(cache_dir, port=port)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert f"Cannot listen on 127.0.0.1:{port}: Address already in use." in said
    assert "Traceback" not in said


def test_the_first_start_builds_the_graph_and_a_term_signal_ends_the_server(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        _, said = wait_until_listening(process)
        process.terminate()
        assert process.wait(60) == 0
    assert re.match(r"embeddings: loading all-MiniLM-L6-v2 …", said[0])
    assert re.match(r"embeddings: built graph in \d\.\d s", said[1])
    assert re.match(r"embeddings: loaded all-MiniLM-L6-v2 in \d\.\d s; listening on", said[2])
