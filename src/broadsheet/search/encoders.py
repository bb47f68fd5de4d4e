"""Encoders: a folder with an ONNX graph, a tokenizer and a description, run on onnxruntime.

The folder is what :mod:`broadsheet.search.conversion` writes: ``model.onnx`` (input ids and mask in,
one unit vector a text out), ``tokenizer.json`` and ``encoder.json``.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from broadsheet.errors import EncoderError
from broadsheet.papers import Paper

FORMAT = 1
MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
DESCRIPTION_FILE = "encoder.json"
BATCH = 16
THREADS = 2


@dataclass(frozen=True, slots=True)
class Description:
    """What ``encoder.json`` says. ``limit`` is the scale of int8 codes: the coordinate that becomes 127.

    ``files`` are the SHA-256 of the files beside it, ``source`` where the weights came from. The prefixes
    stand before every query and every passage (a paper's text) before it is cut at ``max_length`` tokens.
    ``precision`` is that of the graph's matrices.
    """

    name: str
    dimension: int
    max_length: int
    pooling: str
    limit: float
    files: dict[str, str]
    source: str
    query_prefix: str = ""
    passage_prefix: str = ""
    precision: str = "int8"
    format: int = FORMAT


class Encoder:
    """A loaded encoder; safe to use from several threads."""

    def __init__(self, description: Description, session: onnxruntime.InferenceSession, tokenizer: Tokenizer):
        self.description = description
        self._session = session
        self._tokenizer = tokenizer

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def dimension(self) -> int:
        return self.description.dimension

    @property
    def limit(self) -> float:
        return self.description.limit

    @property
    def model(self) -> str:
        """The hash of the graph: vectors of two graphs are never compared."""
        return self.description.files[MODEL_FILE]

    def encode(self, texts: Sequence[str], batch: int = BATCH) -> NDArray[np.float32]:
        """Unit vectors (n, d) of papers' texts, each cut at the encoder's maximum length."""
        return self._encode([self.description.passage_prefix + text for text in texts], batch)

    def encode_queries(self, texts: Sequence[str], batch: int = BATCH) -> NDArray[np.float32]:
        """Unit vectors (n, d) of queries: an encoder may have learned to tell them from papers' texts."""
        return self._encode([self.description.query_prefix + text for text in texts], batch)

    def _encode(self, texts: Sequence[str], batch: int) -> NDArray[np.float32]:
        """Texts of like length go together, since a batch costs as much as its longest text."""
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(tokens)), key=lambda i: len(tokens[i]))
        for begin in range(0, len(order), batch):
            rows = order[begin : begin + batch]
            vectors[rows] = self._run([tokens[row] for row in rows])
        return vectors

    def _run(self, tokens: list[list[int]]) -> NDArray[np.float32]:
        ids = np.zeros((len(tokens), max(map(len, tokens))), np.int32)
        mask = np.zeros_like(ids)
        for row, line in enumerate(tokens):
            ids[row, : len(line)] = line
            mask[row, : len(line)] = 1
        (vectors,) = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
        return np.asarray(vectors, np.float32)


def text_of(paper: Paper) -> str:
    """What is encoded of a paper."""
    return f"{paper.title}. {paper.abstract}"


def describe(folder: Path) -> Description:
    """What an encoder's folder says of itself; raises EncoderError where it says nothing sensible."""
    path = folder / DESCRIPTION_FILE
    try:
        description = Description(**json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise EncoderError(
            f"There is no encoder in {folder}.", "Run `broadsheet encoder add minilm`."
        ) from error
    except (ValueError, TypeError) as error:
        raise EncoderError(f"{path} cannot be read: {error}.", _add_again(folder)) from error
    if description.format != FORMAT:
        raise EncoderError(f"{path} is of format {description.format}, not {FORMAT}.", _add_again(folder))
    return description


def write_description(folder: Path, description: Description) -> None:
    content = json.dumps(asdict(description), indent=1)
    (folder / DESCRIPTION_FILE).write_text(content, encoding="utf-8")


def load(folder: Path) -> Encoder:
    """Load an encoder; its files must have the hashes that its description tells, else EncoderError."""
    description = describe(folder)
    for name, expected in description.files.items():
        if not (folder / name).is_file() or hash_of(folder / name) != expected:
            raise EncoderError(f"{folder / name} is missing or was changed.", _add_again(folder))
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.enable_truncation(description.max_length)
    return Encoder(description, session(folder / MODEL_FILE), tokenizer)


def session(path: Path) -> onnxruntime.InferenceSession:
    """A graph made ready to run."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    # Spinning threads would take the cores from whatever else the machine does between two batches.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def dimension_of(session: onnxruntime.InferenceSession) -> int:
    """How many numbers a vector of this graph has, as one text shows."""
    one = np.ones((1, 1), np.int32)
    (vectors,) = session.run(None, {"input_ids": one, "attention_mask": one})
    return int(vectors.shape[1])


def code_limit(vectors: NDArray[np.float32]) -> float:
    """The scale for int8 codes: the coordinate that 9,999 in 10,000 do not pass."""
    return float(np.quantile(np.abs(vectors), 0.9999))


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def installed(directory: Path) -> Iterable[Description]:
    """The encoders under a folder of encoders, by name."""
    for folder in sorted(directory.glob("*/" + DESCRIPTION_FILE)):
        yield describe(folder.parent)


def _add_again(folder: Path) -> str:
    return f"Remove {folder} and run `broadsheet encoder add {folder.name}`."
