"""From a text's token states to its one vector: pooling, further layers, unit length."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from broadsheet.search.conversion.graphs import Graph

Pooling = Literal["cls", "mean", "max"]

_AXES_AS_INPUT = 18
_FAR = 1e9


@dataclass(frozen=True, slots=True)
class Dense:
    """A linear layer after pooling: ``weight`` (outputs, inputs), its bias, and perhaps tanh."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32] | None
    tanh: bool


def pooled(graph: Graph, states: str, pooling: Pooling) -> str:
    """One vector a text of states (texts, tokens, width); what the mask leaves out does not count."""
    if pooling == "cls":
        return _first(graph, states)
    mask = graph.plain("Cast", ("attention_mask",), "mask", to=1)
    column = graph.plain("Unsqueeze", (mask, _axis(graph, "last.axis", 2)), "mask.column")
    return _largest(graph, states, column) if pooling == "max" else _mean(graph, states, mask, column)


def finished(graph: Graph, vector: str, layers: Sequence[Dense | None]) -> None:
    """Further layers (None: unit length there), and in the end unit length, as ``vector``."""
    for number, layer in enumerate(layers):
        vector = _dense(graph, vector, layer, number) if layer else _unit(graph, vector, f"unit{number}")
    _unit(graph, vector, "vector")


def _unit(graph: Graph, vector: str, output: str) -> str:
    return graph.plain("LpNormalization", (vector,), output, axis=1, p=2)


def _dense(graph: Graph, vector: str, layer: Dense, number: int) -> str:
    name = f"dense{number}"
    vector = graph.plain("MatMul", (vector, graph.constant(f"{name}.weight", layer.weight.T)), f"{name}.out")
    if layer.bias is not None:
        vector = graph.plain("Add", (vector, graph.constant(f"{name}.bias", layer.bias)), f"{name}.with.bias")
    return graph.plain("Tanh", (vector,), f"{name}.active") if layer.tanh else vector


def _axis(graph: Graph, name: str, axis: int) -> str:
    return graph.constant(name, np.array([axis], np.int64))


def _first(graph: Graph, states: str) -> str:
    begin = graph.constant("first.begin", np.array([0], np.int64))
    end = graph.constant("first.end", np.array([1], np.int64))
    tokens = _axis(graph, "tokens.axis", 1)
    first = graph.plain("Slice", (states, begin, end, tokens), "first")
    return graph.plain("Squeeze", (first, tokens), "pooled")


def _mean(graph: Graph, states: str, mask: str, column: str) -> str:
    tokens = _axis(graph, "tokens.axis", 1)
    masked = graph.plain("Mul", (states, column), "masked")
    total = graph.plain("ReduceSum", (masked, tokens), "total", keepdims=0)
    count = graph.plain("ReduceSum", (mask, tokens), "count", keepdims=1)
    return graph.plain("Div", (total, count), "pooled")


def _largest(graph: Graph, states: str, column: str) -> str:
    """What is masked is put far below everything: states lie within a few tens of zero."""
    one = graph.constant("one", np.array(1, np.float32))
    far = graph.constant("far", np.array(_FAR, np.float32))
    hidden = graph.plain("Sub", (column, one), "hidden")
    below = graph.plain("Mul", (hidden, far), "below")
    shown = graph.plain("Add", (states, below), "shown")
    if graph.opset >= _AXES_AS_INPUT:
        return graph.plain("ReduceMax", (shown, _axis(graph, "tokens.axis", 1)), "pooled", keepdims=0)
    return graph.plain("ReduceMax", (shown,), "pooled", keepdims=0, axes=[1])
