"""Graphs under construction: constants and steps, as plain values, before they are written as ONNX."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The version of ONNX's operators that our graphs are made of; a ready one brings its own.
OPSET = 17

Attribute = float | list[int]


@dataclass(frozen=True, slots=True)
class Step:
    """One operator of the graph: inputs and outputs by name, "" for an input left out."""

    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    fused: bool
    attributes: dict[str, Attribute]


@dataclass(slots=True)
class Graph:
    """A graph under construction: constants by name, and steps in the order in which they run."""

    opset: int = OPSET
    constants: dict[str, NDArray[Any]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants[name] = np.ascontiguousarray(value)
        return name

    def fused(self, operator: str, inputs: Sequence[str], output: str, **attributes: Attribute) -> str:
        self.steps.append(Step(operator, tuple(inputs), (output,), True, dict(attributes)))
        return output

    def plain(self, operator: str, inputs: Sequence[str], output: str, **attributes: Attribute) -> str:
        self.steps.append(Step(operator, tuple(inputs), (output,), False, dict(attributes)))
        return output
