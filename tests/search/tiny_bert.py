"""A BERT of a few random weights in the form that weights are published in, and what it should give."""

import json
from math import erf
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers, processors

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "graph",
    "kernel",
    "tree",
    "cell",
    "memory",
    "levy",
    "walk",
    "survey",
    ".",
]
WIDTH, LAYERS, HEADS, WIDE, POSITIONS = 32, 2, 2, 64, 24


def write(folder: Path, seed: int = 0) -> dict[str, np.ndarray]:
    """Write config.json, model.safetensors and tokenizer.json; the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    config = {
        "model_type": "bert",
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": WIDTH,
        "max_position_embeddings": POSITIONS,
        "layer_norm_eps": 1e-12,
    }
    (folder / "config.json").write_text(json.dumps(config))
    weights = _weights(np.random.default_rng(seed))
    save_file(weights, folder / "model.safetensors")
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    return weights


def _weights(rng) -> dict[str, np.ndarray]:
    def matrix(rows: int, columns: int) -> np.ndarray:
        return rng.normal(0, 0.3, (rows, columns)).astype(np.float32)

    def norm(name: str) -> dict[str, np.ndarray]:
        gain = rng.normal(1, 0.1, WIDTH).astype(np.float32)
        return {f"{name}.weight": gain, f"{name}.bias": rng.normal(0, 0.1, WIDTH).astype(np.float32)}

    def dense(name: str, inputs: int, outputs: int) -> dict[str, np.ndarray]:
        bias = rng.normal(0, 0.1, outputs).astype(np.float32)
        return {f"{name}.weight": matrix(outputs, inputs), f"{name}.bias": bias}

    weights = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, WIDTH),
        "embeddings.token_type_embeddings.weight": matrix(2, WIDTH),
        **norm("embeddings.LayerNorm"),
    }
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            weights |= dense(f"{prefix}.attention.self.{part}", WIDTH, WIDTH)
        weights |= dense(f"{prefix}.attention.output.dense", WIDTH, WIDTH)
        weights |= norm(f"{prefix}.attention.output.LayerNorm")
        weights |= dense(f"{prefix}.intermediate.dense", WIDTH, WIDE)
        weights |= dense(f"{prefix}.output.dense", WIDE, WIDTH)
        weights |= norm(f"{prefix}.output.LayerNorm")
    return weights


def expected(weights: dict[str, np.ndarray], text: str) -> np.ndarray:
    """The unit vector of a text, worked out in full precision, one matrix at a time."""
    ids = [2, *(WORDS.index(word) if word in WORDS else 1 for word in text.split())][: POSITIONS - 1] + [3]
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = _norm(weights, "embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0])
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}"
        q, k, v = (_heads(_dense(weights, f"{p}.attention.self.{n}", x)) for n in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS)
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (shares / shares.sum(axis=-1, keepdims=True)) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(len(ids), WIDTH)
        x = _norm(
            weights,
            f"{p}.attention.output.LayerNorm",
            x + _dense(weights, f"{p}.attention.output.dense", mixed),
        )
        wide = _dense(weights, f"{p}.intermediate.dense", x)
        active = wide * 0.5 * (1 + np.vectorize(erf)(wide / np.sqrt(2)))
        x = _norm(weights, f"{p}.output.LayerNorm", x + _dense(weights, f"{p}.output.dense", active))
    mean = x.mean(axis=0)
    return mean / np.linalg.norm(mean)


def _dense(weights, name: str, x: np.ndarray) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _norm(weights, name: str, x: np.ndarray) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _heads(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), HEADS, WIDTH // HEADS).transpose(1, 0, 2)
