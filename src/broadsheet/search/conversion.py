"""Making an encoder of BERT weights: an ONNX graph with fused operators, quantised to int8, no torch.

The graph takes token ids and a mask and gives one vector of unit length a text (the mean of its
tokens' last states). onnxruntime's own operators (com.microsoft) do embedding, attention,
normalisation and activation in one step each, which is what makes int8 quick on a CPU. Weights are
quantised per output channel: a single scale for each matrix ruins this model.
"""

import json
import logging
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import EncoderError
from broadsheet.search.encoders import (
    MODEL_FILE,
    TOKENIZER_FILE,
    Description,
    Encoder,
    code_limit,
    hash_of,
    load,
    text_of,
    write_description,
)
from broadsheet.sources.sample import read_sample
from broadsheet.sources.weights import WEIGHTS_FILE

_FUSED = "com.microsoft"
_OPSETS = {"": 17, _FUSED: 1}
_IR_VERSION = 9
_MAX_LENGTH = 256
# The sample is read for its texts; when it was seen plays no part.
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
# The word table is quantised too (Gather, EmbedLayerNormalization): as quick and as near, a third the size.
_QUANTISED = ("MatMul", "Attention", "Gather", "EmbedLayerNormalization")

Weights = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True, slots=True)
class Shape:
    """What the graph needs to know of a BERT, from its ``config.json``."""

    layers: int
    heads: int
    width: int
    positions: int
    epsilon: float


def convert(folder: Path, target: Path, name: str, texts: Sequence[str] | None = None) -> Encoder:
    """Make the encoder ``name`` in ``target`` of weights, configuration and tokenizer in ``folder``.

    ``texts`` set the scale of int8 codes; without them the packaged sample does. The folder is written
    aside and renamed, so it is whole or not there. Raises EncoderError where the extra ``convert`` is
    not installed or the files are not those of a BERT with GELU.
    """
    shape = _shape(folder / "config.json")
    aside = target.with_name(f".{target.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        full = aside / "full.onnx"
        export(folder, full)
        _Tools().quantise(full, aside / MODEL_FILE)
        full.unlink()
        shutil.copyfile(folder / TOKENIZER_FILE, aside / TOKENIZER_FILE)
        source = f"{WEIGHTS_FILE} {hash_of(folder / WEIGHTS_FILE)}"
        _describe(aside, Description(name, shape.width, _length(shape), "mean", 1.0, {}, source), texts)
        os.replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return load(target)


def export(folder: Path, path: Path) -> None:
    """Write the graph of the BERT in ``folder`` in full precision; raises as :func:`convert` does."""
    tools = _Tools()
    shape = _shape(folder / "config.json")
    tools.save(_bert(tools.read_weights(folder / WEIGHTS_FILE), shape), shape, path)


def _describe(folder: Path, draft: Description, texts: Sequence[str] | None) -> None:
    """Write the description, with the scale of codes as measured by the encoder itself."""
    files = {name: hash_of(folder / name) for name in (MODEL_FILE, TOKENIZER_FILE)}
    described = replace(draft, files=files)
    write_description(folder, described)
    measured = texts if texts is not None else [text_of(arrival.paper) for arrival in read_sample(_ANY_TIME)]
    write_description(folder, replace(described, limit=code_limit(load(folder).encode(measured))))


def _length(shape: Shape) -> int:
    return min(_MAX_LENGTH, shape.positions)


def _shape(path: Path) -> Shape:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["model_type"] != "bert" or found["hidden_act"] != "gelu":
            raise ValueError(f"a {found['model_type']} with {found['hidden_act']} is not supported")
        return Shape(
            int(found["num_hidden_layers"]),
            int(found["num_attention_heads"]),
            int(found["hidden_size"]),
            int(found["max_position_embeddings"]),
            float(found["layer_norm_eps"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EncoderError(f"{path} is no configuration of a BERT: {error}.") from error


@dataclass(frozen=True, slots=True)
class Step:
    """One operator of the graph: inputs and outputs by name, "" for an input left out."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fused: bool
    attributes: dict[str, float]


@dataclass(slots=True)
class Graph:
    """A graph under construction: constants by name, and steps in the order in which they run."""

    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants[name] = np.ascontiguousarray(value)
        return name

    def fused(self, operator: str, inputs: Sequence[str], output: str, **attributes: float) -> str:
        self.steps.append(Step(operator, tuple(inputs), (output,), True, attributes))
        return output

    def plain(self, operator: str, inputs: Sequence[str], output: str, **attributes: float) -> str:
        self.steps.append(Step(operator, tuple(inputs), (output,), False, attributes))
        return output


def _bert(weights: Weights, shape: Shape) -> Graph:
    graph = Graph()
    try:
        states = _embedded(graph, weights, shape)
        for number in range(shape.layers):
            states = _layer(graph, _of_layer(weights, number), shape, f"layer{number}", states)
    except KeyError as error:
        raise EncoderError(f"The weights have no {error}: they are not those of a BERT.") from error
    _pooled(graph, states)
    return graph


def _of_layer(weights: Weights, number: int) -> Weights:
    prefix = f"encoder.layer.{number}."
    return {name.removeprefix(prefix): w for name, w in weights.items() if name.startswith(prefix)}


def _embedded(graph: Graph, weights: Weights, shape: Shape) -> str:
    """Word and position vectors, summed and normalised. All tokens are of segment 0, so its vector is
    part of each position's."""
    positions = weights["embeddings.position_embeddings.weight"]
    segment = weights["embeddings.token_type_embeddings.weight"][0]
    inputs = (
        "input_ids",
        "",
        graph.constant("words", weights["embeddings.word_embeddings.weight"]),
        graph.constant("positions", positions + segment),
        "",
        graph.constant("embedded.gain", weights["embeddings.LayerNorm.weight"]),
        graph.constant("embedded.shift", weights["embeddings.LayerNorm.bias"]),
        "attention_mask",
    )
    step = Step("EmbedLayerNormalization", inputs, ("embedded", "lengths"), True, {"epsilon": shape.epsilon})
    graph.steps.append(step)
    return "embedded"


def _layer(graph: Graph, weights: Weights, shape: Shape, name: str, states: str) -> str:
    """One transformer layer: attention, then the feed-forward part, each added to its input."""
    attended = _attention(graph, weights, shape, name, states)
    mixed = graph.plain(
        "MatMul",
        (attended, _transposed(graph, weights, f"{name}.mix", "attention.output.dense.weight")),
        f"{name}.mixed",
    )
    settled = _added(graph, weights, shape, (mixed, states), ("attention.output", f"{name}.settled"))
    widened = graph.plain(
        "MatMul",
        (settled, _transposed(graph, weights, f"{name}.widen", "intermediate.dense.weight")),
        f"{name}.widened",
    )
    bias = graph.constant(f"{name}.widen.bias", weights["intermediate.dense.bias"])
    active = graph.fused("BiasGelu", (widened, bias), f"{name}.active")
    narrowed = graph.plain(
        "MatMul",
        (active, _transposed(graph, weights, f"{name}.narrow", "output.dense.weight")),
        f"{name}.narrowed",
    )
    return _added(graph, weights, shape, (narrowed, settled), ("output", f"{name}.out"))


def _attention(graph: Graph, weights: Weights, shape: Shape, name: str, states: str) -> str:
    """Query, key and value side by side in one matrix, as the fused operator wants them."""
    parts = [f"attention.self.{part}" for part in ("query", "key", "value")]
    matrix = np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1)
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    inputs = (
        states,
        graph.constant(f"{name}.attention", matrix),
        graph.constant(f"{name}.attention.bias", bias),
        "lengths",
    )
    return graph.fused("Attention", inputs, f"{name}.attended", num_heads=shape.heads)


def _transposed(graph: Graph, weights: Weights, name: str, weight: str) -> str:
    return graph.constant(name, weights[weight].T)


def _added(
    graph: Graph, weights: Weights, shape: Shape, addends: tuple[str, str], part: tuple[str, str]
) -> str:
    """A part's output with its bias added to the part's input, normalised."""
    weight, output = part
    inputs = (
        *addends,
        graph.constant(f"{output}.gain", weights[f"{weight}.LayerNorm.weight"]),
        graph.constant(f"{output}.shift", weights[f"{weight}.LayerNorm.bias"]),
        graph.constant(f"{output}.bias", weights[f"{weight}.dense.bias"]),
    )
    return graph.fused("SkipLayerNormalization", inputs, output, epsilon=shape.epsilon)


def _pooled(graph: Graph, states: str) -> None:
    """The mean over the tokens that the mask lets through, at unit length."""
    tokens = graph.constant("tokens.axis", np.array([1], np.int64))
    last = graph.constant("last.axis", np.array([2], np.int64))
    mask = graph.plain("Cast", ("attention_mask",), "mask", to=1)
    column = graph.plain("Unsqueeze", (mask, last), "mask.column")
    masked = graph.plain("Mul", (states, column), "masked")
    total = graph.plain("ReduceSum", (masked, tokens), "total", keepdims=0)
    count = graph.plain("ReduceSum", (mask, tokens), "count", keepdims=1)
    mean = graph.plain("Div", (total, count), "mean")
    graph.plain("LpNormalization", (mean,), "vector", axis=1, p=2)


class _Tools:
    """onnx, safetensors and onnxruntime's quantiser: wanted once, when an encoder is added."""

    def __init__(self) -> None:
        try:
            # The extra `convert`: whoever has an encoder already, or wants none, does without it.
            import onnx  # noqa: PLC0415
            import safetensors.numpy  # noqa: PLC0415
            from onnxruntime import quantization  # noqa: PLC0415
        except ImportError as error:
            raise EncoderError(
                f"Converting weights needs {error.name}, which is not installed.",
                "Install the extra: pip install 'broadsheet[convert]'.",
            ) from error
        self._onnx: Any = onnx
        self._quantization: Any = quantization
        self._safetensors = safetensors

    def read_weights(self, path: Path) -> Weights:
        try:
            loaded: Weights = self._safetensors.numpy.load_file(path)
        except (OSError, self._safetensors.SafetensorError) as error:
            raise EncoderError(f"{path} cannot be read: {error}.") from error
        return loaded

    def save(self, graph: Graph, shape: Shape, path: Path) -> None:
        self._onnx.save(self._model(graph, shape), path)

    def quantise(self, full: Path, path: Path) -> None:
        # The quantiser warns that a graph should be optimised before; this one is fused from the start.
        logging.disable(logging.WARNING)
        try:
            self._quantization.quantize_dynamic(
                full,
                path,
                weight_type=self._quantization.QuantType.QInt8,
                per_channel=True,
                op_types_to_quantize=list(_QUANTISED),
                # The quantiser cannot infer types through the fused operators.
                extra_options={"DefaultTensorType": self._onnx.TensorProto.FLOAT, "MatMulConstBOnly": True},
            )
        finally:
            logging.disable(logging.NOTSET)

    def _model(self, graph: Graph, shape: Shape) -> Any:
        helper, types = self._onnx.helper, self._onnx.TensorProto
        nodes = [
            helper.make_node(
                step.operator,
                step.inputs,
                step.outputs,
                domain=_FUSED if step.fused else "",
                **step.attributes,
            )
            for step in graph.steps
        ]
        inputs = [
            helper.make_tensor_value_info(name, types.INT32, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info("vector", types.FLOAT, ["texts", shape.width])
        constants = [self._onnx.numpy_helper.from_array(v, name) for name, v in graph.constants.items()]
        made = helper.make_graph(nodes, "bert", inputs, [output], constants)
        opsets = [helper.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
        return helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION)
