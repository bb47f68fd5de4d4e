"""What a sentence encoder's own files say of it, in the layout of sentence-transformers.

``modules.json`` names the steps from text to vector; a folder without it is a plain transformer, whose
states are averaged. A step that is not supported is refused by name: a vector that is nearly right
would go unnoticed.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer, Lowercase, Normalizer, Sequence
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

from broadsheet.errors import EncoderError
from broadsheet.search.conversion.pooling import Pooling
from broadsheet.search.encoders import TOKENIZER_FILE

_POOLING_KEYS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
_PASSAGE_NAMES = ("document", "passage", "corpus")
_ACTIVATIONS = {
    "torch.nn.modules.linear.Identity": False,
    "torch.nn.modules.activation.Tanh": True,
}
# Tokenizers without a limit of their own give a number beyond any text.
_NO_LIMIT = 1_000_000
_SENTENCE_FILE = "sentence_bert_config.json"
_SETTINGS_FILE = "config_sentence_transformers.json"

_Content = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class DenseFolder:
    """A linear layer after pooling: where its weights lie, and whether tanh follows."""

    folder: Path
    tanh: bool


@dataclass(frozen=True, slots=True)
class SentenceFiles:
    """What is made of a transformer's states. ``layers`` come after pooling (None: unit length there);
    ``max_length`` is in tokens, None where no file tells it; the prefixes stand before a text."""

    transformer: Path
    pooling: Pooling
    layers: tuple[DenseFolder | None, ...]
    max_length: int | None
    query_prefix: str
    passage_prefix: str
    lower_case: bool


def read_sentence_files(folder: Path) -> SentenceFiles:
    """Raises EncoderError, naming it, for a step or a way of pooling that is not supported."""
    steps = _steps(folder)
    transformer = folder / steps[0][1]
    pooling = _content(folder / steps[1][1] / "config.json")
    layers = tuple(_layer(folder, kind, path) for kind, path in steps[2:])
    settings = _content(folder / _SETTINGS_FILE)
    query, passage = _prefixes(folder, settings)
    if pooling.get("include_prompt", True) is False and (query or passage):
        raise EncoderError(f"{folder}: pooling that leaves the prefix out is not supported.")
    similarity = settings.get("similarity_fn_name") or "cosine"
    if similarity != "cosine" and layers[-1:] != (None,):
        raise EncoderError(
            f"{folder} compares vectors of any length by {similarity}, which is not supported.",
            "Broadsheet compares by cosine: take an encoder that does, or whose vectors are of unit length.",
        )
    sentence = _content(transformer / _SENTENCE_FILE)
    return SentenceFiles(
        transformer,
        _pooling(folder, pooling),
        layers,
        _max_length(transformer, sentence),
        query,
        passage,
        sentence.get("do_lower_case") is True,
    )


def read_tokenizer(files: SentenceFiles, wordpiece: bool) -> Tokenizer:
    """The tokenizer, from ``tokenizer.json`` or, with ``wordpiece``, else from BERT's ``vocab.txt``."""
    whole, words = files.transformer / TOKENIZER_FILE, files.transformer / "vocab.txt"
    if whole.is_file():
        # The tokenizers' own error has no type of its own; what is no JSON is refused as such before.
        _content(whole)
        tokenizer = Tokenizer.from_file(str(whole))
    elif wordpiece and words.is_file():
        tokenizer = _wordpiece(words, _content(files.transformer / "tokenizer_config.json"))
    else:
        raise EncoderError(f"{whole} is missing.", "Put the encoder's tokenizer beside its weights.")
    if files.lower_case:
        given: list[Normalizer] = [tokenizer.normalizer] if tokenizer.normalizer else []
        tokenizer.normalizer = Sequence([Lowercase(), *given])
    return tokenizer


def _wordpiece(words: Path, settings: _Content) -> Tokenizer:
    accents = settings.get("strip_accents")
    tokenizer = Tokenizer(WordPiece.from_file(str(words), unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(
        lowercase=settings.get("do_lower_case", True) is True,
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True) is True,
        strip_accents=accents if isinstance(accents, bool) else None,
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    begin, end = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    if begin is None or end is None:
        raise EncoderError(f"{words} has no [CLS] and [SEP]: it is no vocabulary of a BERT.")
    tokenizer.post_processor = BertProcessing(("[SEP]", end), ("[CLS]", begin))
    return tokenizer


def inside(name: str) -> str:
    """A file's name in an encoder's folder; raises ValueError for one that leads out of it."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise ValueError(f"{name} leads out of the folder")
    return name


def _content(path: Path) -> _Content:
    """A file of settings; empty where there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise EncoderError(f"{path} cannot be read: {error}.") from error
    if not isinstance(found, dict):
        raise EncoderError(f"{path} is no list of settings.")
    return found


def _steps(folder: Path) -> list[tuple[str, str]]:
    """Each step's kind and folder; the first two are the transformer and the pooling."""
    path = folder / "modules.json"
    if not path.is_file():
        return [("Transformer", ""), ("Pooling", "1_Pooling")]
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        steps = [(str(step["type"]).rsplit(".", 1)[-1], inside(str(step["path"]))) for step in found]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EncoderError(f"{path} cannot be read: {error!r}.") from error
    kinds = [kind for kind, _ in steps]
    for kind in kinds:
        if kind not in ("Transformer", "Pooling", "Dense", "Normalize"):
            raise EncoderError(f"{path} has a step of the kind {kind!r}, which is not supported.")
    if kinds[:2] != ["Transformer", "Pooling"] or kinds.count("Transformer") + kinds.count("Pooling") != 2:
        raise EncoderError(f"{path} has the steps {', '.join(kinds)}: not a transformer and one pooling.")
    return steps


def _pooling(folder: Path, told: _Content) -> Pooling:
    modes = told.get("pooling_mode")
    if modes is None:
        wanted = [name for name, on in told.items() if name.startswith("pooling_mode_") and on is True]
        modes = [_POOLING_KEYS.get(name, name.removeprefix("pooling_mode_")) for name in wanted] or "mean"
    modes = modes if isinstance(modes, list) else [modes]
    for mode in get_args(Pooling):
        if modes == [mode]:
            supported: Pooling = mode
            return supported
    raise EncoderError(f"{folder}: pooling by {' and '.join(map(str, modes))} is not supported.")


def _layer(folder: Path, kind: str, path: str) -> DenseFolder | None:
    if kind == "Normalize":
        return None
    told = _content(folder / path / "config.json")
    activation = str(told.get("activation_function", "torch.nn.modules.activation.Tanh"))
    if activation not in _ACTIVATIONS:
        raise EncoderError(f"{folder / path}: the activation {activation} is not supported.")
    if told.get("module_input_name", "sentence_embedding") != "sentence_embedding":
        raise EncoderError(f"{folder / path}: a linear layer before pooling is not supported.")
    return DenseFolder(folder / path, _ACTIVATIONS[activation])


def _prefixes(folder: Path, settings: _Content) -> tuple[str, str]:
    prompts = settings.get("prompts") or {}
    if not isinstance(prompts, dict):
        raise EncoderError(f"{folder / _SETTINGS_FILE}: the prompts are no settings by name.")
    usual = prompts.get(settings.get("default_prompt_name")) or ""
    passage = next((prompts[name] for name in _PASSAGE_NAMES if prompts.get(name) is not None), usual)
    query = prompts.get("query")
    return str(usual if query is None else query), str(passage)


def _max_length(transformer: Path, sentence: _Content) -> int | None:
    """The encoder's own limit; where only a tokenizer's file tells one, that."""
    for told in (
        sentence.get("max_seq_length"),
        _content(transformer / "tokenizer_config.json").get("model_max_length"),
    ):
        if isinstance(told, int | float) and 0 < told < _NO_LIMIT:
            return int(told)
    return None
