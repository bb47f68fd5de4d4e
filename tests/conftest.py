"""What several test folders share: where the evaluation data lies, if it is here at all."""

import os
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
