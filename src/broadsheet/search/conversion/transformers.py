"""Transformers of the BERT family as graphs of onnxruntime's fused operators.

BERT itself, RoBERTa and its kin (the same layers, positions counted from the padding's number on), and
DistilBERT (the same layers under other names, without segments). Embedding, attention, normalisation
and activation are one step each (com.microsoft), which is what makes int8 quick on a CPU.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import EncoderError
from broadsheet.search.conversion.graphs import Graph, Step

Weights = Mapping[str, NDArray[np.float32]]

_WORDS = "embeddings.word_embeddings.weight"
# onnxruntime's operators that add the bias too; the second is the usual approximation by tanh.
_ACTIVATIONS = {
    "gelu": "BiasGelu",
    "gelu_new": "FastGelu",
    "gelu_fast": "FastGelu",
    "gelu_pytorch_tanh": "FastGelu",
}
# These count positions from one after the padding's number.
_OFFSET = ("roberta", "xlm-roberta", "camembert")
FAMILY = ("bert", "distilbert", *_OFFSET)
_DISTILBERT_SETTINGS = {
    "num_hidden_layers": "n_layers",
    "num_attention_heads": "n_heads",
    "hidden_size": "dim",
}
# What holds where a file does not tell it; DistilBERT's never does.
_USUAL_EPSILON = 1e-12
_USUAL_PADDING = 1
_DISTILBERT_NAMES = (
    ("transformer.layer.", "encoder.layer."),
    ("attention.q_lin.", "attention.self.query."),
    ("attention.k_lin.", "attention.self.key."),
    ("attention.v_lin.", "attention.self.value."),
    ("attention.out_lin.", "attention.output.dense."),
    ("sa_layer_norm.", "attention.output.LayerNorm."),
    ("ffn.lin1.", "intermediate.dense."),
    ("ffn.lin2.", "output.dense."),
    ("output_layer_norm.", "output.LayerNorm."),
)
# How the first published BERTs named a normalisation's gain and shift.
_OLD_NORMS = (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias"))


@dataclass(frozen=True, slots=True)
class Shape:
    """What the graph needs to know of a transformer, from its ``config.json``.

    ``positions`` is how many tokens it can tell apart, ``offset`` where its first position stands in
    the table.
    """

    family: str
    layers: int
    heads: int
    width: int
    positions: int
    offset: int
    epsilon: float
    activation: str


def read_shape(path: Path) -> Shape:
    """Raises EncoderError, naming the architecture, for a transformer that is not supported."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        family = str(found["model_type"])
        _refuse_others(path, found, family)
        if family == "distilbert":
            found = found | {ours: found[theirs] for ours, theirs in _DISTILBERT_SETTINGS.items()}
            found["hidden_act"] = found.get("activation", "gelu")
        offset = int(found.get("pad_token_id", _USUAL_PADDING)) + 1 if family in _OFFSET else 0
        return Shape(
            family,
            int(found["num_hidden_layers"]),
            int(found["num_attention_heads"]),
            int(found["hidden_size"]),
            int(found["max_position_embeddings"]) - offset,
            offset,
            float(found.get("layer_norm_eps", _USUAL_EPSILON)),
            _ACTIVATIONS[str(found.get("hidden_act", "gelu"))],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EncoderError(f"{path} is no configuration of a BERT: {error}.") from error


def _refuse_others(path: Path, found: Mapping[str, object], family: str) -> None:
    if family not in FAMILY:
        raise EncoderError(
            f"{path} describes a transformer of the kind {family!r}, which is not supported.",
            f"Supported are {', '.join(FAMILY)}, and any other one as an ONNX file.",
        )
    activation = found.get("activation" if family == "distilbert" else "hidden_act", "gelu")
    if activation not in _ACTIVATIONS:
        raise EncoderError(f"{path}: a {family} with the activation {activation!r} is not supported.")
    positions = found.get("position_embedding_type", "absolute")
    if positions != "absolute" or found.get("sinusoidal_pos_embds"):
        raise EncoderError(f"{path}: a {family} with positions of the kind {positions!r} is not supported.")


def transformer(graph: Graph, weights: Weights, shape: Shape) -> str:
    """Add the transformer to a graph; the name of its last states, of shape (texts, tokens, width).

    Raises EncoderError where a weight is missing.
    """
    weights = _named_as_bert(weights, shape)
    try:
        states = _embedded(graph, weights, shape)
        for number in range(shape.layers):
            states = _layer(graph, _of_layer(weights, number), shape, f"layer{number}", states)
    except KeyError as error:
        raise EncoderError(f"The weights have no {error}: they are not those of a BERT.") from error
    return states


def _named_as_bert(weights: Weights, shape: Shape) -> Weights:
    """The weights under BERT's own names, whatever model they were saved as a part of."""
    prefix = next((name.removesuffix(_WORDS) for name in weights if name.endswith(_WORDS)), "")
    renaming = _OLD_NORMS + (_DISTILBERT_NAMES if shape.family == "distilbert" else ())
    named = {}
    for name, weight in weights.items():
        ours = name.removeprefix(prefix)
        for theirs, bert in renaming:
            ours = re.sub(rf"(^|(?<=\.)){re.escape(theirs)}", bert, ours)
        named[ours] = weight
    return named


def _of_layer(weights: Weights, number: int) -> Weights:
    prefix = f"encoder.layer.{number}."
    return {name.removeprefix(prefix): w for name, w in weights.items() if name.startswith(prefix)}


def _embedded(graph: Graph, weights: Weights, shape: Shape) -> str:
    """Word and position vectors, summed and normalised. All tokens are of segment 0, so its vector is
    part of each position's."""
    positions = weights["embeddings.position_embeddings.weight"][shape.offset :]
    if shape.family != "distilbert":
        positions = positions + weights["embeddings.token_type_embeddings.weight"][0]
    inputs = (
        "input_ids",
        "",
        graph.constant("words", weights[_WORDS]),
        graph.constant("positions", positions),
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
    active = graph.fused(shape.activation, (widened, bias), f"{name}.active")
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
