"""Encoders: made of weights without torch, true to the model, refused when their files changed."""

import json
from dataclasses import replace

import numpy as np
import pytest
import tiny_bert
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

from broadsheet.errors import EncoderError
from broadsheet.search.conversion.converting import convert, export
from broadsheet.search.encoders import Encoder, describe, installed, load

TEXTS = ["graph kernel", "tree walk survey . levy walk", "memory", "cell memory graph " * 4, "unheard words"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    weights = tiny_bert.write(folder)
    encoder = convert(folder, tmp_path_factory.mktemp("encoders") / "tiny", "tiny", TEXTS)
    return folder, weights, encoder


def test_the_graph_computes_the_model(tiny, tmp_path) -> None:
    """In full precision: the vectors worked out one matrix at a time, whatever stands in the batch."""
    folder, weights, encoder = tiny
    export(folder, tmp_path / "full.onnx")
    exact = Encoder(
        encoder.description,
        InferenceSession(str(tmp_path / "full.onnx")),
        Tokenizer.from_file(str(folder / "tokenizer.json")),
    )
    wanted = np.stack([tiny_bert.expected(weights, text) for text in TEXTS])
    assert exact.encode(TEXTS) == pytest.approx(wanted, abs=1e-4)
    assert exact.encode(TEXTS[:1]) == pytest.approx(wanted[:1], abs=1e-4)


def test_quantising_keeps_the_direction(tiny) -> None:
    _, weights, encoder = tiny
    wanted = np.stack([tiny_bert.expected(weights, text) for text in TEXTS])
    vectors = encoder.encode(TEXTS)
    assert (vectors * wanted).sum(axis=1).min() > 0.95
    assert np.linalg.norm(vectors, axis=1).tolist() == pytest.approx([1] * len(TEXTS), abs=1e-5)


def test_a_prefix_stands_before_queries_and_another_before_passages(tiny) -> None:
    _, _, encoder = tiny
    described = replace(encoder.description, query_prefix="levy walk ", passage_prefix="survey ")
    prefixed = Encoder(described, encoder._session, encoder._tokenizer)
    assert prefixed.encode_queries(["graph"]) == pytest.approx(encoder.encode(["levy walk graph"]))
    assert prefixed.encode(["graph"]) == pytest.approx(encoder.encode(["survey graph"]))


def test_long_and_empty_texts_are_encoded(tiny) -> None:
    _, _, encoder = tiny
    assert encoder.encode(["walk " * 500, ""]).shape == (2, tiny_bert.WIDTH)
    assert encoder.encode([]).shape == (0, tiny_bert.WIDTH)


def test_the_description_names_what_was_measured(tiny) -> None:
    _, _, encoder = tiny
    vectors = np.abs(encoder.encode(TEXTS))
    assert encoder.description.max_length == tiny_bert.POSITIONS
    assert vectors.max() * 0.9 < encoder.limit <= vectors.max() + 1e-6


def test_a_changed_file_is_refused(tiny, tmp_path) -> None:
    """Case B79."""
    folder, _, _ = tiny
    target = tmp_path / "tiny"
    convert(folder, target, "tiny", TEXTS)
    content = bytearray((target / "model.onnx").read_bytes())
    content[-1] ^= 1
    (target / "model.onnx").write_bytes(content)
    with pytest.raises(EncoderError, match=r"model\.onnx"):
        load(target)


@pytest.mark.parametrize("content", ["{", "{}", '{"format": 1}', "[]"])
def test_a_description_of_another_form_is_refused(tmp_path, content) -> None:
    (tmp_path / "encoder.json").write_text(content)
    with pytest.raises(EncoderError):
        describe(tmp_path)


def test_a_folder_without_an_encoder_says_how_to_add_one(tmp_path) -> None:
    with pytest.raises(EncoderError) as caught:
        load(tmp_path / "minilm")
    assert "encoder add" in caught.value.next_step


def test_installed_encoders_are_listed_by_name(tiny, tmp_path) -> None:
    folder, _, _ = tiny
    for name in ("b", "a"):
        convert(folder, tmp_path / name, name, TEXTS)
    assert [description.name for description in installed(tmp_path)] == ["a", "b"]


def test_weights_that_are_no_bert_leave_nothing_behind(tiny, tmp_path) -> None:
    folder, _, _ = tiny
    other = tmp_path / "other"
    tiny_bert.write(other)
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps(config | {"num_hidden_layers": 3}))
    with pytest.raises(EncoderError, match="BERT"):
        convert(other, tmp_path / "made", "made", TEXTS)
    (other / "config.json").write_text(json.dumps(config | {"model_type": "gpt2"}))
    with pytest.raises(EncoderError, match="gpt2"):
        convert(other, tmp_path / "made", "made", TEXTS)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other"]
