"""Making an encoder of what was published: a graph of onnxruntime's operators, no torch.

Weights of the BERT family (safetensors) become a graph with fused operators, quantised to int8 per
output channel (a single scale for each matrix ruins small models), unless that turns the vectors too far.
A ready ONNX file stays as precise as it is. Either way the graph takes token ids and a mask and gives
one vector of unit length a text.
"""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from broadsheet.errors import EncoderError
from broadsheet.search import encoders
from broadsheet.search.conversion.graphs import Graph
from broadsheet.search.conversion.onnx_files import PREFIX, OnnxFiles, weight_files
from broadsheet.search.conversion.pooling import Dense, finished, pooled
from broadsheet.search.conversion.sentence_files import (
    DenseFolder,
    SentenceFiles,
    read_sentence_files,
    read_tokenizer,
)
from broadsheet.search.conversion.transformers import Shape, read_shape, transformer
from broadsheet.search.encoders import (
    MODEL_FILE,
    TOKENIZER_FILE,
    Description,
    Encoder,
    hash_of,
    text_of,
    write_description,
)
from broadsheet.sources.sample import read_sample
from broadsheet.sources.weights import WEIGHTS_FILE

# The sample is read for its texts; when it was seen plays no part.
_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)
# Of int8 and exact vectors of the same texts, on average: all-MiniLM-L6 keeps 0.994, the three layers of
# paraphrase-MiniLM-L3 0.963, and those stay exact (docs/decisions/0012-encoder.md).
_LEAST_COSINE = 0.98
_READY_PLACES = ("model.onnx", "onnx/model.onnx")
_READY_STATES = ("last_hidden_state", "token_embeddings")
_READY_VECTOR = "sentence_embedding"
_LEAST_OPSET = 13
_READY_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What to put before texts instead of what the encoder's own files say; None leaves it to them."""

    query: str | None = None
    passage: str | None = None


def convert(
    folder: Path,
    target: Path,
    name: str,
    texts: Sequence[str] | None = None,
    prefixes: Prefixes = Prefixes(),
) -> Encoder:
    """Make the encoder ``name`` in ``target`` of the files in ``folder``: weights or a ready ONNX file,
    the tokenizer, and what sentence-transformers writes beside them.

    ``texts`` set the scale of int8 codes and show whether int8 weights will do; without them the packaged
    sample does. The folder is written aside and renamed, so it is whole or not there. Raises EncoderError
    where the extra ``convert`` is not installed or the files ask for what is not supported.
    """
    files = read_sentence_files(folder)
    aside = target.with_name(f".{target.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    try:
        _make(files, aside, name, texts if texts is not None else _sample(), prefixes)
        os.replace(aside, target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return encoders.load(target)


def export(folder: Path, path: Path) -> None:
    """Write the graph of the weights in ``folder`` in full precision; raises as :func:`convert` does."""
    files = read_sentence_files(folder)
    _export(OnnxFiles(), files, read_shape(files.transformer / "config.json"), path)


def _sample() -> list[str]:
    return [text_of(arrival.paper) for arrival in read_sample(_ANY_TIME)]


def _make(files: SentenceFiles, aside: Path, name: str, texts: Sequence[str], prefixes: Prefixes) -> None:
    """Write graph, tokenizer and description: int8 where that keeps the vectors' directions."""
    tools = OnnxFiles()
    weights = files.transformer / WEIGHTS_FILE
    shape = None
    if all(path.is_file() for path in weight_files(weights)):
        shape = read_shape(files.transformer / "config.json")
        source = weight_files(weights)
        _export(tools, files, shape, aside / MODEL_FILE)
    else:
        source = [_ready_in(files.transformer)]
        _complete(tools, files, source[0], aside / MODEL_FILE)
    tokenizer = read_tokenizer(files, wordpiece=shape is None or shape.family in ("bert", "distilbert"))
    tokenizer.save(str(aside / TOKENIZER_FILE))
    draft = Description(
        name=name,
        dimension=0,
        max_length=_length(files, shape, tokenizer),
        pooling=files.pooling,
        limit=1.0,
        files={},
        source=", ".join(f"{path.name} {hash_of(path)}" for path in source),
        query_prefix=files.query_prefix if prefixes.query is None else prefixes.query,
        passage_prefix=files.passage_prefix if prefixes.passage is None else prefixes.passage,
        precision="float32",
    )
    exact = _describe(tools, aside, draft, texts)
    if shape is not None:
        _quantise(tools, aside, draft, texts, exact)


def _quantise(
    tools: OnnxFiles, aside: Path, draft: Description, texts: Sequence[str], exact: NDArray[np.float32]
) -> None:
    """Put the int8 graph in the place of the exact one, unless it turns the vectors too far."""
    full = aside / "full.onnx"
    os.replace(aside / MODEL_FILE, full)
    tools.quantise(full, aside / MODEL_FILE)
    vectors = _describe(tools, aside, replace(draft, precision="int8"), texts)
    if np.einsum("nd,nd->n", vectors, exact).mean() < _LEAST_COSINE:
        os.replace(full, aside / MODEL_FILE)
        _describe(tools, aside, draft, texts)
    full.unlink(missing_ok=True)


def _describe(
    tools: OnnxFiles, folder: Path, draft: Description, texts: Sequence[str]
) -> NDArray[np.float32]:
    """Write the description, with dimension and the scale of codes as the encoder itself gives them; the
    vectors (n, d) of the texts.

    The graph's hash says which vectors may be compared, so all that shapes a paper's vector is noted in
    the graph's file.
    """
    tokenizer = hash_of(folder / TOKENIZER_FILE)
    shaping = {"max_length": str(draft.max_length), "passage_prefix": draft.passage_prefix}
    tools.note(folder / MODEL_FILE, shaping | {"tokenizer": tokenizer})
    described = replace(
        draft,
        files={MODEL_FILE: hash_of(folder / MODEL_FILE), TOKENIZER_FILE: tokenizer},
        dimension=encoders.dimension_of(encoders.session(folder / MODEL_FILE)),
    )
    write_description(folder, described)
    vectors = encoders.load(folder).encode(texts)
    write_description(folder, replace(described, limit=encoders.code_limit(vectors)))
    return vectors


def _length(files: SentenceFiles, shape: Shape | None, tokenizer: Tokenizer) -> int:
    """How many tokens are read of a text: what the files say, never more than there are positions."""
    told = files.max_length
    if shape is not None:
        return min(told or shape.positions, shape.positions)
    if told is None and tokenizer.truncation:
        told = int(tokenizer.truncation["max_length"])
    if told is None:
        raise EncoderError(
            f"No file in {files.transformer} says how many tokens the encoder reads.",
            'Put a sentence_bert_config.json with {"max_seq_length": …} there.',
        )
    return told


def _export(tools: OnnxFiles, files: SentenceFiles, shape: Shape, path: Path) -> None:
    graph = Graph()
    states = transformer(graph, tools.read_weights(files.transformer / WEIGHTS_FILE), shape)
    finished(graph, pooled(graph, states, files.pooling), _layers(tools, files))
    tools.save(graph, path)


def _layers(tools: OnnxFiles, files: SentenceFiles) -> list[Dense | None]:
    return [None if layer is None else _dense(tools, layer) for layer in files.layers]


def _dense(tools: OnnxFiles, layer: DenseFolder) -> Dense:
    weights = tools.read_weights(layer.folder / WEIGHTS_FILE)
    if "linear.weight" not in weights:
        raise EncoderError(f"{layer.folder / WEIGHTS_FILE} has no linear.weight.")
    return Dense(weights["linear.weight"], weights.get("linear.bias"), layer.tanh)


def _ready_in(folder: Path) -> Path:
    """The ready ONNX file of a folder: where exports put it, or the only one there is."""
    for place in _READY_PLACES:
        if (folder / place).is_file():
            return folder / place
    found = sorted(folder.glob("*.onnx"))
    if len(found) == 1:
        return found[0]
    told = f"{len(found)} ONNX files" if found else f"neither {WEIGHTS_FILE} nor an ONNX file"
    raise EncoderError(
        f"{folder} has {told}.",
        "Weights are read from safetensors only (a .bin file may run any program), or give one ONNX file.",
    )


def _complete(tools: OnnxFiles, files: SentenceFiles, source: Path, path: Path) -> None:
    """A ready graph with pooling and unit length added where it stops at the tokens' states."""
    ready = tools.read_ready(source)
    graph = Graph(
        opset=max((s.version for s in ready.opset_import if s.domain in ("", "ai.onnx")), default=0)
    )
    held = {constant.name for constant in ready.graph.initializer}
    fed = {told.name for told in ready.graph.input} - held
    if not {"input_ids", "attention_mask"} <= fed <= _READY_INPUTS or graph.opset < _LEAST_OPSET:
        raise EncoderError(
            f"{source} takes {', '.join(sorted(fed))} with operators of version {graph.opset}.",
            f"An encoder takes input_ids, attention_mask and perhaps token_type_ids; version {_LEAST_OPSET}.",
        )
    name, tokens = _output_of(source, ready)
    if tokens:
        finished(graph, pooled(graph, PREFIX + name, files.pooling), _layers(tools, files))
    else:
        finished(graph, PREFIX + name, ())
    tools.save_ready(ready, graph, path)


def _output_of(source: Path, ready: Any) -> tuple[str, bool]:
    """The output to go on from, and whether it is the tokens' states or already one vector a text.

    An export may give ids and mask back too, so the rank and kind of numbers decide.
    """
    ranks = {
        told.name: len(told.type.tensor_type.shape.dim)
        for told in ready.graph.output
        if told.type.tensor_type.elem_type == 1
    }
    for name in sorted(ranks, key=lambda name: name not in _READY_STATES):
        if ranks[name] == 3:
            return name, True
    for name in sorted(ranks, key=lambda name: name != _READY_VECTOR):
        if ranks[name] == 2:
            return name, False
    raise EncoderError(f"{source} gives neither the tokens' states nor a vector a text.")
