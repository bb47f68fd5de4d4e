"""Sentence encoders as they are published: each pooling, prefix, length, layer and family, against a
reference in numpy that always runs and against sentence-transformers on torch where it is installed."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tiny_bert
from onnxruntime import InferenceSession
from safetensors.numpy import load_file, save_file
from tiny_bert import Kind
from tokenizers import Tokenizer

from broadsheet.errors import EncoderError
from broadsheet.search.conversion.converting import Prefixes, convert, export
from broadsheet.search.encoders import Encoder, load

TEXTS = ["graph kernel", "tree walk survey . levy walk", "memory", "cell memory graph " * 9, "unheard words"]
PROMPTS = {"query": "query : ", "passage": "passage : "}
KINDS = {
    "mean": Kind(),
    "cls": Kind(pooling="cls", prompts={"query": "query : "}),
    "max": Kind(pooling="max"),
    "both prefixes, short": Kind(prompts=PROMPTS, max_length=9),
    "cls, both prefixes": Kind(pooling="cls", prompts={"query": "query : ", "document": "passage : "}),
    "any length": Kind(normalised=False),
    "linear layer": Kind(dense="identity"),
    "linear layer, tanh, any length": Kind(pooling="cls", dense="tanh", normalised=False),
    "roberta": Kind(family="roberta"),
    "distilbert": Kind(family="distilbert", pooling="cls"),
}


def _prefixes(kind: Kind) -> tuple[str, str]:
    passage = kind.prompts.get("document", kind.prompts.get("passage", ""))
    return kind.prompts.get("query", ""), passage


def _exact(folder: Path, encoder: Encoder, workdir: Path) -> Encoder:
    """The encoder as converted, on the graph in full precision."""
    export(folder, workdir / "full.onnx")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(encoder.description.max_length)
    return Encoder(encoder.description, InferenceSession(str(workdir / "full.onnx")), tokenizer)


@pytest.mark.parametrize("name", KINDS)
def test_an_encoder_gives_what_its_own_files_say(tmp_path, name) -> None:
    kind = KINDS[name]
    weights = tiny_bert.write(tmp_path / "weights", kind=kind)
    encoder = convert(tmp_path / "weights", tmp_path / "made", "made", TEXTS)
    exact = _exact(tmp_path / "weights", encoder, tmp_path)
    query, passage = _prefixes(kind)
    passages = np.stack([tiny_bert.expected(weights, passage + text, kind) for text in TEXTS])
    queries = np.stack([tiny_bert.expected(weights, query + text, kind) for text in TEXTS])
    assert exact.encode(TEXTS) == pytest.approx(passages, abs=1e-4)
    assert exact.encode_queries(TEXTS) == pytest.approx(queries, abs=1e-4)
    assert encoder.dimension == passages.shape[1]
    assert encoder.description.max_length == kind.max_length
    # Weights are int8 only where that keeps the directions; so small a width does not always allow it.
    assert (encoder.encode(TEXTS) * passages).sum(axis=1).mean() > 0.98


@pytest.mark.parametrize("name", KINDS)
def test_an_encoder_agrees_with_sentence_transformers(tmp_path, name, monkeypatch) -> None:
    """In full precision, on torch, reading the same folder."""
    if importlib.util.find_spec("sentence_transformers") is None:
        pytest.skip("the extra `reference` is not installed")
    from reference import told_by_torch

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    kind = KINDS[name]
    tiny_bert.write(tmp_path / "weights", kind=kind)
    exact = _exact(
        tmp_path / "weights", convert(tmp_path / "weights", tmp_path / "made", "made", TEXTS), tmp_path
    )
    query, passage = _prefixes(kind)
    wanted = told_by_torch(tmp_path / "weights", [passage + text for text in TEXTS])
    assert (exact.encode(TEXTS) * wanted).sum(axis=1).min() > 0.99999
    wanted = told_by_torch(tmp_path / "weights", [query + text for text in TEXTS])
    assert (exact.encode_queries(TEXTS) * wanted).sum(axis=1).min() > 0.99999


def test_prefixes_that_the_files_do_not_tell_can_be_given(tmp_path) -> None:
    weights = tiny_bert.write(tmp_path / "weights")
    given = Prefixes(query="query : ", passage="passage : ")
    encoder = convert(tmp_path / "weights", tmp_path / "made", "made", TEXTS, given)
    wanted = np.stack([tiny_bert.expected(weights, f"query : {text}") for text in TEXTS])
    assert (encoder.encode_queries(TEXTS) * wanted).sum(axis=1).min() > 0.95
    plain = convert(tmp_path / "weights", tmp_path / "plain", "plain", TEXTS)
    assert encoder.model != plain.model


def test_weights_in_several_files_of_any_float_are_read(tmp_path) -> None:
    """Two shards under the names of a model that they were saved in, one of them in half precision."""
    folder = tmp_path / "weights"
    weights = tiny_bert.write(folder, kind=Kind())
    (folder / "model.safetensors").unlink()
    old = (("LayerNorm.weight", "LayerNorm.gamma"), ("LayerNorm.bias", "LayerNorm.beta"))
    named = {f"bert.{name.replace(*old[0]).replace(*old[1])}": weight for name, weight in weights.items()}
    first = dict(list(named.items())[:9])
    second = {name: w.astype(np.float16) for name, w in list(named.items())[9:]}
    save_file(first, folder / "model-00001-of-00002.safetensors")
    save_file(second, folder / "model-00002-of-00002.safetensors")
    where = {name: "model-00001-of-00002.safetensors" for name in first}
    where |= {name: "model-00002-of-00002.safetensors" for name in second}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}))
    exact = _exact(folder, convert(folder, tmp_path / "made", "made", TEXTS), tmp_path)
    wanted = np.stack([tiny_bert.expected(weights, text) for text in TEXTS])
    assert (exact.encode(TEXTS) * wanted).sum(axis=1).min() > 0.9999


def test_a_vocabulary_stands_for_the_tokenizer_of_a_bert(tmp_path) -> None:
    folder = tmp_path / "weights"
    weights = tiny_bert.write(folder, kind=Kind())
    (folder / "tokenizer.json").unlink()
    (folder / "vocab.txt").write_text("\n".join(tiny_bert.WORDS))
    encoder = convert(folder, tmp_path / "made", "made", TEXTS)
    wanted = tiny_bert.expected(weights, "graph kernel")
    assert encoder.encode(["Gräph KERNEL"])[0] @ wanted > 0.95


def test_texts_are_brought_to_lower_case_where_the_files_say_so(tmp_path) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind())
    _alter(folder / "sentence_bert_config.json", do_lower_case=True)
    encoder = convert(folder, tmp_path / "made", "made", TEXTS)
    assert encoder.encode(["GRAPH"]) == pytest.approx(encoder.encode(["graph"]))


def _alter(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize(
    ("file", "changes", "named"),
    [
        ("config.json", {"model_type": "mpnet"}, "'mpnet'"),
        ("config.json", {"hidden_act": "relu"}, "'relu'"),
        ("config.json", {"position_embedding_type": "relative_key"}, "relative_key"),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}, "cls and mean"),
        ("1_Pooling/config.json", {"pooling_mode": "lasttoken"}, "lasttoken"),
        ("2_Dense/config.json", {"activation_function": "torch.nn.modules.activation.ReLU"}, "ReLU"),
        ("2_Dense/config.json", {"module_input_name": "token_embeddings"}, "before pooling"),
        ("config_sentence_transformers.json", {"similarity_fn_name": "dot"}, "by dot"),
    ],
)
def test_what_is_not_supported_is_refused_by_name(tmp_path, file, changes, named) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind(dense="tanh", normalised=False))
    _alter(folder / file, **changes)
    with pytest.raises(EncoderError, match=named):
        convert(folder, tmp_path / "made", "made", TEXTS)
    assert [path.name for path in tmp_path.iterdir()] == ["weights"]


def test_a_step_that_is_not_supported_is_refused_by_name(tmp_path) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind())
    steps = json.loads((folder / "modules.json").read_text())
    steps.append({"idx": 3, "path": "3_LSTM", "type": "sentence_transformers.models.LSTM"})
    (folder / "modules.json").write_text(json.dumps(steps))
    with pytest.raises(EncoderError, match="'LSTM'"):
        convert(folder, tmp_path / "made", "made", TEXTS)


@pytest.mark.parametrize("file", ["modules.json", "model.safetensors.index.json", "tokenizer.json"])
@pytest.mark.parametrize("content", ["{", '[{"type": "a.Transformer", "path": "../elsewhere"}]', "3"])
def test_files_that_say_nothing_sensible_or_lead_elsewhere_are_refused(tmp_path, file, content) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind())
    if file.startswith("model"):
        (folder / "model.safetensors").unlink()
        content = content.replace("[", '{"weight_map": {"a": "../elsewhere/model.safetensors"}}#').split("#")[
            0
        ]
    (folder / file).write_text(content)
    with pytest.raises(EncoderError):
        convert(folder, tmp_path / "made", "made", TEXTS)


def test_pickled_weights_are_not_opened(tmp_path) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind())
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(EncoderError) as caught:
        convert(folder, tmp_path / "made", "made", TEXTS)
    assert "safetensors only" in caught.value.next_step


def _as_ready(folder: Path, vector: bool) -> None:
    """Replace the weights by an ONNX file as exporters write it: 64-bit ids, segments, plain names."""
    import onnx
    from onnx import TensorProto, helper

    from broadsheet.search.conversion.graphs import Graph
    from broadsheet.search.conversion.onnx_files import OnnxFiles
    from broadsheet.search.conversion.transformers import read_shape, transformer

    graph = Graph()
    shape = read_shape(folder / "config.json")
    states = transformer(graph, load_file(folder / "model.safetensors"), shape)
    if vector:
        states = graph.plain("ReduceMean", (states,), "sentence", axes=[1], keepdims=0)
    OnnxFiles().save(graph, folder / "model.onnx")
    model = onnx.load(folder / "model.onnx")
    for node in model.graph.node:
        node.input[:] = [{"input_ids": "a", "attention_mask": "b"}.get(name, name) for name in node.input]
    casts = [
        helper.make_node("Cast", [long], [short], to=TensorProto.INT32)
        for long, short in (("input_ids", "a"), ("attention_mask", "b"))
    ]
    names = ("input_ids", "attention_mask", "token_type_ids")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "t"]) for name in names]
    outputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["n", "t"]),
        helper.make_tensor_value_info(states, TensorProto.FLOAT, ["n", "d"] if vector else ["n", "t", "d"]),
    ]
    made = helper.make_graph(
        [*casts, *model.graph.node], "g", inputs, outputs[1:], list(model.graph.initializer)
    )
    model.graph.CopyFrom(made)
    onnx.save(model, folder / "model.onnx")
    (folder / "model.safetensors").unlink()


@pytest.mark.parametrize("name", ["mean", "cls", "max", "both prefixes, short", "linear layer"])
def test_a_ready_onnx_file_gets_what_it_lacks(tmp_path, name) -> None:
    folder, kind = tmp_path / "weights", KINDS[name]
    weights = tiny_bert.write(folder, kind=kind)
    _as_ready(folder, vector=False)
    encoder = convert(folder, tmp_path / "made", "made", TEXTS)
    query, passage = _prefixes(kind)
    wanted = np.stack([tiny_bert.expected(weights, passage + text, kind) for text in TEXTS])
    assert encoder.encode(TEXTS) == pytest.approx(wanted, abs=1e-4)
    wanted = np.stack([tiny_bert.expected(weights, query + text, kind) for text in TEXTS])
    assert load(tmp_path / "made").encode_queries(TEXTS) == pytest.approx(wanted, abs=1e-4)


def test_a_ready_onnx_file_may_give_one_vector_a_text(tmp_path) -> None:
    folder = tmp_path / "weights"
    weights = tiny_bert.write(folder, kind=Kind())
    _as_ready(folder, vector=True)
    encoder = convert(folder, tmp_path / "made", "made", TEXTS)
    for text in TEXTS:
        assert encoder.encode([text])[0] == pytest.approx(tiny_bert.expected(weights, text), abs=1e-4)


def test_a_ready_file_must_be_told_how_much_it_reads(tmp_path) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder)
    _as_ready(folder, vector=False)
    with pytest.raises(EncoderError) as caught:
        convert(folder, tmp_path / "made", "made", TEXTS)
    assert "max_seq_length" in caught.value.next_step
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 20}')
    assert convert(folder, tmp_path / "made", "made", TEXTS).description.max_length == 20


@pytest.mark.parametrize("content", [b"no onnx", b""])
def test_a_file_that_is_no_graph_is_refused(tmp_path, content) -> None:
    folder = tmp_path / "weights"
    tiny_bert.write(folder, kind=Kind())
    (folder / "model.safetensors").unlink()
    (folder / "model.onnx").write_bytes(content)
    with pytest.raises(EncoderError):
        convert(folder, tmp_path / "made", "made", TEXTS)


def test_what_a_paper_is_encoded_by_shows_in_the_model(tmp_path) -> None:
    """Another length gives other vectors, so they are never mixed with the first ones."""
    tiny_bert.write(tmp_path / "weights", kind=Kind())
    long = convert(tmp_path / "weights", tmp_path / "long", "made", TEXTS)
    tiny_bert.write(tmp_path / "weights", kind=replace(Kind(), max_length=9))
    short = convert(tmp_path / "weights", tmp_path / "short", "made", TEXTS)
    again = convert(tmp_path / "weights", tmp_path / "again", "made", TEXTS)
    assert long.model != short.model == again.model
