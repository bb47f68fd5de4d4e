"""``encoder`` and ``index`` with small encoders of the tests' own: obtained, used offline, killed."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from datetime import date, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from tests.search import tiny_bert
from three_papers import NOW, Run

from broadsheet.search.manifests import MANIFEST, folder_of
from broadsheet.search.vectors import Vectors

SOURCE = Path(__file__).resolve().parents[2] / "src"
SHA = "0" * 40
CALL = f"import sys; sys.path.insert(0, {str(SOURCE)!r}); from broadsheet.cli.main import main; main()"
OFFLINE = "import socket; socket.socket.connect = socket.getaddrinfo = None\n"


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """The folder of a small published encoder with prefixes."""
    kind = tiny_bert.Kind(pooling="cls", prompts={"query": "query : ", "passage": "passage : "})
    tiny_bert.write(tmp_path / "weights", kind=kind)
    return tmp_path / "weights"


def made_papers(file: Path, count: int) -> Path:
    """So many papers, ten a day, as JSON lines."""
    words = np.random.default_rng(3).choice(tiny_bert.WORDS[4:13], (count, 12))
    with file.open("w", encoding="utf-8") as lines:
        for number, chosen in enumerate(words.tolist()):
            day = (date(2025, 1, 1) + timedelta(days=number // 10)).isoformat()
            title = f"{' '.join(chosen[:10])} {number}"
            told = {"id": f"2501.{number:05d}", "title": title, "abstract": " ".join(chosen[10:])}
            dated = {"published": day, "announced": day, "categories": ["cs.LG"], "authors": ["Ada Ost"]}
            lines.write(json.dumps(told | dated) + "\n")
    return file


def called(*arguments: str, before: str = "", **environ: str) -> subprocess.CompletedProcess[str]:
    """``broadsheet`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", before + CALL, *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environ,
        check=False,
        timeout=120,
    )


class Hub(BaseHTTPRequestHandler):
    """A hub that has one repository, owner/tiny, with the files of ``folder``."""

    folder: Path

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].partition(f"/owner/tiny/resolve/{SHA}/")[2]
        if self.path.startswith("/api/models/owner/tiny/tree/"):
            self._answer(200, json.dumps([self._told(p) for p in self._files()]).encode())
        elif self.path.startswith("/api/models/owner/tiny"):
            files = [{"rfilename": str(path.relative_to(self.folder))} for path in self._files()]
            told = {"id": "owner/tiny", "sha": SHA, "siblings": files}
            self._answer(200, json.dumps(told).encode())
        elif name and (self.folder / name).is_file():
            self._answer(200, (self.folder / name).read_bytes())
        else:
            self._answer(404, b"{}")

    do_HEAD = do_GET

    def _files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file())

    def _told(self, path: Path) -> dict[str, object]:
        name, size = str(path.relative_to(self.folder)), path.stat().st_size
        return {"type": "file", "path": name, "size": size, "oid": SHA}

    def _answer(self, code: int, content: bytes) -> None:
        self.send_response(code)
        told = {"ETag": f'"{len(content)}"', "X-Repo-Commit": SHA, "Content-Length": str(len(content))}
        for name, value in told.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


@pytest.fixture
def hub(weights: Path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Served", (Hub,), {"folder": weights}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_an_encoder_comes_from_a_hub_once_and_needs_no_network_then(run: Run, tmp_path, hub) -> None:
    run("add", str(made_papers(tmp_path / "papers.jsonl", 30)))
    hf = {"HF_ENDPOINT": hub, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "0"}
    added = called("encoder", "add", "tiny", "--hub", "owner/tiny", "--json", **hf)
    assert json.loads(added.stdout)["encoders"] == [
        {"name": "tiny", "dimension": tiny_bert.WIDTH, "in_use": True, "vectors": 0}
    ]
    indexed = called("index", "--json", before=OFFLINE)
    assert json.loads(indexed.stdout)["vectors"] == 30
    found = json.loads(called("search", "graph kernel", "--json", before=OFFLINE).stdout)
    assert found["vectors"] == {"done": 30, "pending": 0}
    assert {"words", "meaning"} <= {r["feature"] for r in found["results"][0]["reasons"]}


@pytest.mark.parametrize("reached", [True, False])
def test_a_repository_that_cannot_be_had_is_named(run: Run, tmp_path, hub, reached) -> None:
    hf = {
        "HF_ENDPOINT": hub if reached else "http://127.0.0.1:9",
        "HF_HOME": str(tmp_path / "hf"),
        "HF_HUB_OFFLINE": "0",
    }
    added = called("encoder", "add", "tiny", "--hub", "owner/other", "--json", **hf)
    assert added.returncode == 1
    assert "owner/other" in json.loads(added.stdout)["error"]["message"]


def test_an_encoder_comes_from_a_folder_with_its_prefixes(run: Run, tmp_path, weights) -> None:
    assert run("encoder", "add", "tiny", "--from", str(weights), "--json").code == 0
    told = json.loads((tmp_path / "home" / "encoders" / "tiny" / "encoder.json").read_text())
    assert (told["pooling"], told["query_prefix"], told["passage_prefix"]) == (
        "cls",
        "query : ",
        "passage : ",
    )
    assert run("encoder", "add", "other", "--from", str(weights), "--query-prefix", "walk ").code == 0
    told = json.loads((tmp_path / "home" / "encoders" / "other" / "encoder.json").read_text())
    assert (told["query_prefix"], told["passage_prefix"]) == ("walk ", "passage : ")


@pytest.mark.parametrize(
    "arguments", [("minilm", "--hub", "owner/tiny"), ("tiny", "--hub", "owner/tiny", "--from", ".")]
)
def test_two_origins_for_one_encoder_are_wrong_usage(run: Run, arguments) -> None:
    assert run("encoder", "add", *arguments).code == 2


def test_an_index_run_that_is_killed_goes_on_where_it_was(run: Run, tmp_path, weights) -> None:
    """With signal 9 while vectors are made: what is there are the newest papers, and the next runs do
    the rest and nothing twice."""
    run("add", str(made_papers(tmp_path / "papers.jsonl", 2000)))
    run("encoder", "add", "tiny", "--from", str(weights))
    place = tmp_path / "home" / "index"
    done = 0
    for _ in range(2):
        _kill_an_index_run(folder_of(place, "tiny") / MANIFEST)
        vectors = run("search", "graph", "--json").document["vectors"]
        assert vectors["done"] + vectors["pending"] == 2000
        assert vectors["done"] >= done
        done = vectors["done"]
        held = Vectors.open(place, "tiny").held()
        assert held.tolist() == list(range(2001 - done, 2001))
    assert done
    finished = run("index", "--json").document
    assert (finished["vectors"], finished["pending"]) == (2000, 0)
    assert run("search", "graph", "--json").document["notices"] == []


def _kill_an_index_run(manifest: Path) -> None:
    before = manifest.read_bytes() if manifest.exists() else b""
    with subprocess.Popen([sys.executable, "-c", CALL, "index"], stderr=subprocess.DEVNULL) as running:
        until = time.monotonic() + 30
        while time.monotonic() < until and running.poll() is None:
            if manifest.exists() and manifest.read_bytes() != before and b"segment" in manifest.read_bytes():
                break
            time.sleep(0.002)
        os.kill(running.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def home_of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2,500 papers with vectors of ``one``, and ``two`` beside it, which adds a linear layer."""
    folder = tmp_path_factory.mktemp("two")
    home = {"BROADSHEET_HOME": str(folder / "home"), "BROADSHEET_NOW": NOW}
    tiny_bert.write(folder / "one", seed=1, kind=tiny_bert.Kind())
    tiny_bert.write(folder / "two", seed=1, kind=tiny_bert.Kind(dense="identity"))
    called("add", str(made_papers(folder / "papers.jsonl", 2500)), **home)
    called("encoder", "add", "one", "--from", str(folder / "one"), **home)
    assert json.loads(called("index", "--json", **home).stdout)["pending"] == 0
    called("encoder", "add", "two", "--from", str(folder / "two"), **home)
    return folder / "home"


@pytest.fixture
def two_encoders(run: Run, tmp_path: Path, home_of_two: Path) -> Run:
    shutil.copytree(home_of_two, tmp_path / "home")
    return run


def test_old_vectors_serve_until_the_new_encoder_has_made_its_own(two_encoders: Run) -> None:
    """Used, half done, done, undone: each step says how far it is, and nothing is lost."""
    run = two_encoders
    changed = run("encoder", "use", "two", "--anyway", "--json").document
    assert changed["map"] is None
    alone = run("search", "graph walk", "--json").document
    assert alone["vectors"] == {"done": 0, "pending": 2500}
    assert run("encoder", "use", "one", "--json").document["map"] is None
    before = run("search", "graph walk", "--json").document
    assert (before["vectors"], before["notices"]) == ({"done": 2500, "pending": 0}, [])

    changed = run("encoder", "use", "two", "--json")
    assert changed.code == 0, changed.err
    measured = changed.document["map"]
    assert (measured["old"], measured["pairs"], measured["kept_aside"]) == ("one", 2000, 400)
    assert min(measured["found_by_old"], measured["found_by_map"]) >= 0.9 * measured["found_by_new"]
    between = run("search", "graph walk", "--limit", "1000", "--json").document
    assert between["vectors"] == {"done": 2000, "pending": 500}
    assert between["notices"] == ["500 of 2500 papers are still compared by their vectors of one."]
    oldest = [r for r in between["results"] if r["announced"] < "2025-02-20"]
    assert any("meaning" in {reason["feature"] for reason in r["reasons"]} for r in oldest)
    assert run("similar", "2501.00003", "--json").document["results"] != []
    assert run("encoder", "remove", "one").code == 2
    run("save", "2501.00003", "2501.02400")
    page = run("today", "--day", "2025-01-21", "--json").document
    assert (page["basis"], len(page["results"])) == ("taste", 10)
    assert [text for text in page["notices"] if "vector" in text] == []

    assert run("index", "--json").document["pending"] == 0
    after = run("search", "graph walk", "--json").document
    assert (after["vectors"], after["notices"]) == ({"done": 2500, "pending": 0}, [])
    assert run("encoder", "use", "one").code == 0
    assert run("search", "graph walk", "--json").document["results"] == before["results"]
    run("encoder", "use", "two")
    listed = run("encoder", "remove", "one", "--json").document["encoders"]
    assert [(told["name"], told["vectors"], told["in_use"]) for told in listed] == [("two", 2500, True)]


def test_a_search_on_old_and_new_vectors_needs_their_map(two_encoders: Run, tmp_path) -> None:
    """Without it the old ones are not compared at all; a map of other vectors is refused."""
    run = two_encoders
    run("encoder", "use", "two")
    place = tmp_path / "home" / "index" / "maps" / "two.npz"
    kept = place.read_bytes()
    place.unlink()
    told = run("search", "graph walk", "--json").document["notices"]
    assert told == ["500 papers have no vector yet and are found by words alone."]
    place.write_bytes(kept)
    with np.load(place) as held:
        header, matrix = json.loads(str(held["header"])), held["matrix"]
    header["ends"]["old_model"] = "other"
    np.savez(place, header=np.array(json.dumps(header)), matrix=matrix)
    refused = run("search", "graph walk", "--json")
    assert refused.code == 1
    assert "encoder use two" in refused.document["error"]["next_step"]
    assert run("encoder", "use", "two").code == 0
    assert run("search", "graph walk", "--json").code == 0


def test_an_encoder_that_old_vectors_cannot_stand_beside_is_not_taken(two_encoders: Run, tmp_path) -> None:
    """Other random weights: what the one has learned says nothing to the other."""
    run = two_encoders
    tiny_bert.write(tmp_path / "three", seed=2, kind=tiny_bert.Kind())
    run("encoder", "add", "three", "--from", str(tmp_path / "three"))
    refused = run("encoder", "use", "three", "--json")
    assert refused.code == 1
    assert "titles of 400 papers kept aside" in refused.document["error"]["message"]
    assert "--anyway" in refused.document["error"]["next_step"]
    listed = run("encoder", "list", "--json").document["encoders"]
    assert [told["name"] for told in listed if told["in_use"]] == ["one"]
    assert run("search", "graph", "--json").document["notices"] == []
