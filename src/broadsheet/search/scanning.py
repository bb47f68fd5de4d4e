"""Products of one query code with all codes, and the best of many scores."""

import numpy as np
from numpy.typing import NDArray

try:
    from simsimd import cdist
except ImportError:
    HAS_SIMSIMD = False
else:
    HAS_SIMSIMD = True

_THREADS = 2
_BLOCK_ROWS = 65_536
_SAMPLE_STEP = 64
_SAMPLED_FROM = 200_000


def dots(code: NDArray[np.int8], codes: NDArray[np.int8], out: NDArray[np.float32]) -> None:
    """Write the product of ``code`` (d,) with each row of ``codes`` (n, d) into ``out`` (n,).

    ``out`` is given since making it anew for each query costs more than the products.
    """
    if HAS_SIMSIMD and len(codes):
        cdist(code[None], codes, "dot", out=out[None], out_dtype="float32", threads=_THREADS)
    else:
        dots_by_numpy(code, codes, out)


def dots_by_numpy(code: NDArray[np.int8], codes: NDArray[np.int8], out: NDArray[np.float32]) -> None:
    """The same where simsimd has no wheel: five times slower, block by block."""
    query = code.astype(np.float32)
    for begin in range(0, len(codes), _BLOCK_ROWS):
        end = begin + _BLOCK_ROWS
        out[begin:end] = codes[begin:end].astype(np.float32) @ query


def best(scores: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """The rows of the ``count`` highest scores, in no order; rows at minus infinity are never taken."""
    if len(scores) > _SAMPLED_FROM:
        sample = scores[::_SAMPLE_STEP]
        # Three times as many as needed are let through on average, so that too few is rare.
        place = min(len(sample) - 1, 3 * count // _SAMPLE_STEP + 8)
        cut = np.partition(sample, len(sample) - 1 - place)[len(sample) - 1 - place]
        rows = np.flatnonzero(scores >= cut)
        if len(rows) >= count:
            return _best_of(scores, rows, count)
    return _best_of(scores, np.arange(len(scores)), count)


def _best_of(scores: NDArray[np.float32], rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    if len(rows) > count:
        rows = rows[np.argpartition(-scores[rows], count - 1)[:count]] if count else rows[:0]
    return rows[scores[rows] > -np.inf]
