"""The graph against plain numpy, its cache, and what the model makes of text."""

from pathlib import Path

import numpy as np
import pytest

from local.embeddings.model import EmbeddingModel, Encoder, load
from local.embeddings.weights import compiled_graph, find_model, read_weights
from tests.unit.local.embedding_reference import reference_embedding

TEXTS = [
    "QMB30",
    "Q$ync 100 rotary screw, 100 HP, 460/3/60, oil-flooded",
    "oilless scroll compressor for a food-grade plant; naïve café Übergröße 真空 " * 6,
]


@pytest.fixture(scope="module")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def model(cache_dir: Path) -> EmbeddingModel:
    return load(cache_dir=cache_dir)


def test_the_graph_agrees_with_plain_numpy_on_a_padded_batch(model: EmbeddingModel) -> None:
    weights = read_weights(find_model())
    tokens = model.pieces(TEXTS)
    expected = [reference_embedding(weights, [101, *ids, 102], heads=12) for ids in tokens]
    assert len({len(ids) for ids in tokens}) == len(TEXTS)
    assert np.abs(model.encoder(tokens) - np.array(expected)).max() < 1e-4


def test_every_vector_has_unit_length(model: EmbeddingModel) -> None:
    vectors = model.embed([*TEXTS, "   ", "vacuum pump " * 700])
    assert vectors.dtype == np.float32
    assert vectors.shape == (5, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_texts_give_no_rows(model: EmbeddingModel) -> None:
    assert model.embed([]).shape == (0, 384)


def test_meaning_decides_nearness(model: EmbeddingModel) -> None:
    query, near, far = model.embed(
        ["oil-free air compressor", "oilless scroll compressor package", "invoice terms net 30 days"]
    )
    assert query @ near > query @ far + 0.3


def test_the_tokenizers_own_cut_and_padding_are_off(model: EmbeddingModel) -> None:
    assert [len(ids) for ids in model.pieces(["pump", "pump " * 400])] == [1, 400]


def test_text_beyond_the_models_reach_changes_the_vector(model: EmbeddingModel) -> None:
    start = "rotary screw compressor with dryer " * 60
    plain, with_end = model.embed([start, start + "vacuum pump for a hospital " * 40])
    assert plain @ with_end < 0.99


def test_a_second_load_uses_the_cached_graph(tmp_path: Path) -> None:
    folder, said = find_model(), list[str]()
    paths = {compiled_graph(folder, cache_dir=tmp_path, progress=said.append) for _ in range(2)}
    assert len(paths) == 1
    assert len(said) == 1
    assert said[0].startswith("built graph in ")
    assert [file.name for file in tmp_path.iterdir()] == [path.name for path in paths]


def test_other_weights_get_a_graph_of_their_own(tmp_path: Path) -> None:
    original, folder = find_model(), tmp_path / "model"
    folder.mkdir()
    for file in original.glob("*.json"):
        (folder / file.name).write_bytes(file.read_bytes())
    weights = bytearray((original / "model.safetensors").read_bytes())
    weights[-1] ^= 1
    (folder / "model.safetensors").write_bytes(weights)
    graphs = [
        compiled_graph(place, cache_dir=tmp_path / "cache", progress=lambda _: None) for place in (original, folder)
    ]
    assert graphs[0] != graphs[1]
    assert Encoder(graphs[1], threads=1).dimensions == 384
