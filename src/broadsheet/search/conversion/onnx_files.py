"""Reading weights and ready ONNX files, writing ONNX files: what needs the extra ``convert``."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broadsheet.errors import EncoderError
from broadsheet.search.conversion.graphs import Graph
from broadsheet.search.conversion.sentence_files import inside

_FUSED = "com.microsoft"
_IR_VERSION = 9
# The word table is quantised too (Gather, EmbedLayerNormalization): as quick and as near, a third the size.
_QUANTISED = ("MatMul", "Attention", "Gather", "EmbedLayerNormalization")
_FLOATS = {"F32": "<f4", "F16": "<f2"}
_SHARDS = ".index.json"
# Stands before every name of a ready graph, so that ours do not meet them.
PREFIX = "given/"


class OnnxFiles:
    """onnx, safetensors and onnxruntime's quantiser: wanted once, when an encoder is added."""

    def __init__(self) -> None:
        try:
            # The extra `convert`: whoever has an encoder already, or wants none, does without it.
            import onnx  # noqa: PLC0415
            import onnx.compose  # noqa: PLC0415
            import safetensors  # noqa: PLC0415
            from google.protobuf.message import DecodeError  # noqa: PLC0415
            from onnxruntime import quantization  # noqa: PLC0415
        except ImportError as error:
            raise EncoderError(
                f"Converting weights needs {error.name}, which is not installed.",
                "Install the extra: pip install 'broadsheet[convert]'.",
            ) from error
        self._onnx: Any = onnx
        self._quantization: Any = quantization
        self._safetensors: Any = safetensors
        self._decode_error: Any = DecodeError

    def read_weights(self, path: Path) -> dict[str, NDArray[np.float32]]:
        """The float weights of one file, or of all the shards that its index beside it names."""
        weights: dict[str, NDArray[np.float32]] = {}
        for shard in weight_files(path):
            try:
                found = self._safetensors.deserialize(shard.read_bytes())
            except (OSError, self._safetensors.SafetensorError) as error:
                raise EncoderError(f"{shard} cannot be read: {error}.") from error
            weights |= {name: _floats(told) for name, told in found if told["dtype"] in (*_FLOATS, "BF16")}
        return weights

    def save(self, graph: Graph, path: Path) -> None:
        """Write a graph from token ids and mask to ``vector``."""
        helper, types = self._onnx.helper, self._onnx.TensorProto
        made = helper.make_graph(
            self._nodes(graph),
            "encoder",
            [self._input(name) for name in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("vector", types.FLOAT, ["texts", "width"])],
            self._constants(graph),
        )
        opsets = [helper.make_opsetid("", graph.opset), helper.make_opsetid(_FUSED, 1)]
        self._onnx.save(helper.make_model(made, opset_imports=opsets, ir_version=_IR_VERSION), path)

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

    def note(self, path: Path, settings: Mapping[str, str]) -> None:
        """Write settings into a graph's file, so that its hash stands for them too."""
        model = self._onnx.load(path)
        self._onnx.helper.set_model_props(model, dict(settings))
        self._onnx.save(model, path)

    def read_ready(self, path: Path) -> Any:
        """A ready graph as onnx holds it; raises EncoderError where it cannot be read."""
        try:
            return self._onnx.load(path)
        except (OSError, ValueError, self._decode_error, self._onnx.checker.ValidationError) as error:
            raise EncoderError(f"{path} cannot be read as ONNX: {error}.") from error

    def save_ready(self, ready: Any, graph: Graph, path: Path) -> None:
        """Write a ready graph with the steps of ``graph`` after it; its names begin with ``given/``."""
        helper, types = self._onnx.helper, self._onnx.TensorProto
        model = self._onnx.compose.add_prefix(ready, PREFIX)
        held = {constant.name for constant in model.graph.initializer}
        fed = [told for told in model.graph.input if told.name not in held]
        before = [node for told in fed for node in self._fed(told.name, told.type.tensor_type.elem_type)]
        nodes = [*before, *model.graph.node, *self._nodes(graph)]
        model.graph.initializer.extend(self._constants(graph))
        made = helper.make_graph(
            nodes,
            "encoder",
            [self._input(name) for name in ("input_ids", "attention_mask")],
            [helper.make_tensor_value_info("vector", types.FLOAT, ["texts", "width"])],
            model.graph.initializer,
        )
        model.graph.CopyFrom(made)
        self._onnx.save(model, path)

    def _fed(self, name: str, kind: int) -> list[Any]:
        """The steps that give a ready graph one of its inputs, in the integers that it wants."""
        ours = name.removeprefix(PREFIX)
        node = self._onnx.helper.make_node
        if ours != "token_type_ids":
            return [node("Cast", [ours], [name], to=kind)]
        cast = node("Cast", ["input_ids"], ["segments"], to=kind)
        return [cast, node("Sub", ["segments", "segments"], [name])]

    def _nodes(self, graph: Graph) -> list[Any]:
        return [
            self._onnx.helper.make_node(
                step.operator,
                step.inputs,
                step.outputs,
                domain=_FUSED if step.fused else "",
                **step.attributes,
            )
            for step in graph.steps
        ]

    def _constants(self, graph: Graph) -> list[Any]:
        return [self._onnx.numpy_helper.from_array(v, name) for name, v in graph.constants.items()]

    def _input(self, name: str) -> Any:
        return self._onnx.helper.make_tensor_value_info(
            name, self._onnx.TensorProto.INT32, ["texts", "tokens"]
        )


def weight_files(path: Path) -> list[Path]:
    """The file of weights, or the shards that the index beside it names; raises EncoderError."""
    index = path.with_name(path.name + _SHARDS)
    if path.is_file() or not index.is_file():
        return [path]
    try:
        named = json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()
        return [path.parent / inside(str(name)) for name in sorted(set(named))]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise EncoderError(f"{index} cannot be read: {error!r}.") from error


def _floats(told: Mapping[str, Any]) -> NDArray[np.float32]:
    """A tensor of any kind of float as float32; a bfloat16 is the upper half of one."""
    if told["dtype"] == "BF16":
        halves = np.frombuffer(told["data"], "<u2").astype(np.uint32)
        return (halves << 16).view(np.float32).reshape(told["shape"])
    return np.frombuffer(told["data"], _FLOATS[told["dtype"]]).astype(np.float32).reshape(told["shape"])
