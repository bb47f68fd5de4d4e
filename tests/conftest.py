"""What several test folders share: where the evaluation data lies, if it is here at all."""

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def evaluation_data() -> Path:
    """The folder of real papers, readers and payloads that lies beside the project, or skip."""
    folder = Path(os.environ.get("BROADSHEET_EVALUATION_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no evaluation data at {folder}")
    return folder


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder of the real encoder, obtained and converted once into a cache beside the project."""
    from broadsheet.search.conversion.converting import convert
    from broadsheet.sources.weights import obtain

    cache = ROOT / ".cache" / "encoders"
    target = cache / "minilm"
    if not target.is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        given = os.environ.get("BROADSHEET_WEIGHTS")
        with tempfile.TemporaryDirectory(dir=cache) as work:
            convert(obtain("minilm", Path(given) if given else None, Path(work)), target, "minilm")
    return target
