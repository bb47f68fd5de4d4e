"""What sentence-transformers on torch makes of a folder: the extra `reference`, for developers only."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np


def told_by_torch(folder: Path, texts: Sequence[str]) -> np.ndarray:
    """Unit vectors in full precision, from the folder's own files and nothing else."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
