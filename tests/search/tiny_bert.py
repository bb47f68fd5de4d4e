"""Small sentence encoders of random weights in the form that real ones are published in, and what they
should give, worked out one matrix at a time."""

import json
from dataclasses import dataclass, field
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
    "query",
    "passage",
    ":",
]
WIDTH, LAYERS, HEADS, WIDE, POSITIONS, NARROW = 32, 2, 2, 64, 24, 12
EPSILON = {"bert": 1e-12, "roberta": 1e-5, "distilbert": 1e-12}
# RoBERTa counts positions from one after the padding's number, which is 0 here.
OFFSET = {"bert": 0, "roberta": 1, "distilbert": 0}
_ACTIVATIONS = {
    "tanh": "torch.nn.modules.activation.Tanh",
    "identity": "torch.nn.modules.linear.Identity",
}


@dataclass(frozen=True)
class Kind:
    """What kind of encoder is published. ``dense`` is the activation of a linear layer, "" for none."""

    family: str = "bert"
    pooling: str = "mean"
    dense: str = ""
    normalised: bool = True
    prompts: dict[str, str] = field(default_factory=dict)
    max_length: int = POSITIONS


def write(folder: Path, seed: int = 0, kind: Kind | None = None) -> dict[str, np.ndarray]:
    """Write an encoder's folder; its weights under BERT's names. Without a kind only the three files
    that a plain transformer needs."""
    folder.mkdir(parents=True, exist_ok=True)
    told = kind or Kind()
    weights = _weights(np.random.default_rng(seed), told)
    (folder / "config.json").write_text(json.dumps(_config(told)))
    save_file(as_published(weights, told), folder / "model.safetensors")
    _tokenizer().save(str(folder / "tokenizer.json"))
    if kind:
        _write_sentence_files(folder, kind, weights)
    return weights


def as_published(weights: dict[str, np.ndarray], kind: Kind) -> dict[str, np.ndarray]:
    """The transformer's own weights under the names that its family has for them."""
    named = {name: weight for name, weight in weights.items() if not name.startswith("linear.")}
    if kind.family != "distilbert":
        return named
    pairs = [
        ("encoder.layer.", "transformer.layer."),
        ("attention.self.query", "attention.q_lin"),
        ("attention.self.key", "attention.k_lin"),
        ("attention.self.value", "attention.v_lin"),
        ("attention.output.dense", "attention.out_lin"),
        ("attention.output.LayerNorm", "sa_layer_norm"),
        ("intermediate.dense", "ffn.lin1"),
        ("output.dense", "ffn.lin2"),
        ("output.LayerNorm", "output_layer_norm"),
    ]
    renamed = {}
    for name, weight in named.items():
        for ours, theirs in pairs:
            name = name.replace(ours, theirs)
        renamed[name] = weight
    return renamed


def _config(kind: Kind) -> dict[str, object]:
    if kind.family == "distilbert":
        sizes = {"dim": WIDTH, "n_layers": LAYERS, "n_heads": HEADS, "hidden_dim": WIDE, "activation": "gelu"}
        special = {"max_position_embeddings": POSITIONS, "vocab_size": len(WORDS), "pad_token_id": 0}
        return {"model_type": "distilbert", "architectures": ["DistilBertModel"], **sizes, **special}
    roberta = kind.family == "roberta"
    return {
        "model_type": kind.family,
        "architectures": ["RobertaModel" if roberta else "BertModel"],
        "hidden_act": "gelu",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "hidden_size": WIDTH,
        "intermediate_size": WIDE,
        "max_position_embeddings": POSITIONS + OFFSET[kind.family],
        "type_vocab_size": 1 if roberta else 2,
        "vocab_size": len(WORDS),
        "pad_token_id": 0,
        "layer_norm_eps": EPSILON[kind.family],
    }


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return tokenizer


def _write_sentence_files(folder: Path, kind: Kind, weights: dict[str, np.ndarray]) -> None:
    steps = ["Transformer", "Pooling", *(["Dense"] if kind.dense else [])]
    steps += ["Normalize"] if kind.normalised else []
    paths = [f"{number}_{name}" if number else "" for number, name in enumerate(steps)]
    modules = [
        {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"}
        for i, (name, path) in enumerate(zip(steps, paths, strict=True))
    ]
    _put(folder / "modules.json", modules)
    names = {"cls": "cls_token", "mean": "mean_tokens", "max": "max_tokens"}
    modes = {f"pooling_mode_{name}": mode == kind.pooling for mode, name in names.items()}
    _put(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": WIDTH} | modes)
    if kind.dense:
        shape = {"in_features": WIDTH, "out_features": NARROW, "bias": True}
        _put(folder / "2_Dense" / "config.json", shape | {"activation_function": _ACTIVATIONS[kind.dense]})
        dense = {name: weight for name, weight in weights.items() if name.startswith("linear.")}
        save_file(dense, folder / "2_Dense" / "model.safetensors")
    _put(folder / "config_sentence_transformers.json", {"prompts": kind.prompts, "default_prompt_name": None})
    _put(folder / "sentence_bert_config.json", {"max_seq_length": kind.max_length, "do_lower_case": False})
    inputs = {"model_input_names": ["input_ids", "attention_mask"]}
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    _put(folder / "tokenizer_config.json", {"tokenizer_class": "PreTrainedTokenizerFast"} | inputs | special)


def _put(path: Path, content: object) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content))


def _weights(rng, kind: Kind) -> dict[str, np.ndarray]:
    def matrix(rows: int, columns: int) -> np.ndarray:
        return rng.normal(0, 0.3, (rows, columns)).astype(np.float32)

    def norm(name: str) -> dict[str, np.ndarray]:
        gain = rng.normal(1, 0.1, WIDTH).astype(np.float32)
        return {f"{name}.weight": gain, f"{name}.bias": rng.normal(0, 0.1, WIDTH).astype(np.float32)}

    def dense(name: str, inputs: int, outputs: int) -> dict[str, np.ndarray]:
        bias = rng.normal(0, 0.1, outputs).astype(np.float32)
        return {f"{name}.weight": matrix(outputs, inputs), f"{name}.bias": bias}

    segments = {"bert": 2, "roberta": 1, "distilbert": 0}[kind.family]
    weights = {
        "embeddings.word_embeddings.weight": matrix(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": matrix(POSITIONS + OFFSET[kind.family], WIDTH),
        **norm("embeddings.LayerNorm"),
    }
    if segments:
        weights["embeddings.token_type_embeddings.weight"] = matrix(segments, WIDTH)
    for layer in range(LAYERS):
        prefix = f"encoder.layer.{layer}"
        for part in ("query", "key", "value"):
            weights |= dense(f"{prefix}.attention.self.{part}", WIDTH, WIDTH)
        weights |= dense(f"{prefix}.attention.output.dense", WIDTH, WIDTH)
        weights |= norm(f"{prefix}.attention.output.LayerNorm")
        weights |= dense(f"{prefix}.intermediate.dense", WIDTH, WIDE)
        weights |= dense(f"{prefix}.output.dense", WIDE, WIDTH)
        weights |= norm(f"{prefix}.output.LayerNorm")
    return weights | (dense("linear", WIDTH, NARROW) if kind.dense else {})


def expected(weights: dict[str, np.ndarray], text: str, kind: Kind | None = None) -> np.ndarray:
    """The unit vector of a text, in full precision."""
    kind = kind or Kind()
    ids = [2, *(WORDS.index(word) if word in WORDS else 1 for word in text.split())]
    states = _states(weights, [*ids[: kind.max_length - 1], 3], kind)
    vector = {"cls": states[0], "mean": states.mean(axis=0), "max": states.max(axis=0)}[kind.pooling]
    if kind.dense:
        vector = _dense(weights, "linear", vector)
        vector = np.tanh(vector) if kind.dense == "tanh" else vector
    return vector / np.linalg.norm(vector)


def _states(weights: dict[str, np.ndarray], ids: list[int], kind: Kind) -> np.ndarray:
    epsilon = EPSILON[kind.family]
    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][OFFSET[kind.family] :][: len(ids)]
    if kind.family != "distilbert":
        x = x + weights["embeddings.token_type_embeddings.weight"][0]
    x = _norm(weights, "embeddings.LayerNorm", x, epsilon)
    for layer in range(LAYERS):
        p = f"encoder.layer.{layer}"
        q, k, v = (_heads(_dense(weights, f"{p}.attention.self.{n}", x)) for n in ("query", "key", "value"))
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH / HEADS)
        shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (shares / shares.sum(axis=-1, keepdims=True)) @ v
        mixed = mixed.transpose(1, 0, 2).reshape(len(ids), WIDTH)
        attended = x + _dense(weights, f"{p}.attention.output.dense", mixed)
        x = _norm(weights, f"{p}.attention.output.LayerNorm", attended, epsilon)
        wide = _dense(weights, f"{p}.intermediate.dense", x)
        active = wide * 0.5 * (1 + np.vectorize(erf)(wide / np.sqrt(2)))
        x = _norm(weights, f"{p}.output.LayerNorm", x + _dense(weights, f"{p}.output.dense", active), epsilon)
    return x


def _dense(weights, name: str, x: np.ndarray) -> np.ndarray:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _norm(weights, name: str, x: np.ndarray, epsilon: float) -> np.ndarray:
    centred = x - x.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _heads(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), HEADS, WIDTH // HEADS).transpose(1, 0, 2)
