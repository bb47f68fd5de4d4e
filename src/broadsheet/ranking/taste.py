"""What a reader likes, learned by two linear models: one on words, one on vectors.

Answers are +1 for a paper that the reader keeps, -1 for one that was dismissed and 0 for a paper of
the background, of which nothing is known. The settings, and what they reach, are in docs/ranking.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

SVM_C = 0.01
KNOWN_WEIGHT = 5.0
BACKGROUND_WEIGHT = 0.5
RIDGE = 5.0
_NEWTON_STEPS = 40
_CG_STEPS = 60
_CLOSE = 1e-3

Floats = NDArray[np.float64]
Answers = NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Taste:
    """A linear model: ``weights`` (features,) and an intercept."""

    weights: Floats
    intercept: float

    def scores(self, rows: csr_array | Floats | NDArray[np.float32]) -> Floats:
        """Decision values (n,) of rows (n, features)."""
        return np.asarray(rows @ self.weights, dtype=np.float64) + self.intercept


def learn_words(rows: csr_array, answers: Answers) -> Taste:
    """A linear support vector machine on word rows (n, words), both classes of one total weight.

    A dismissed paper counts as ten of the background. Where nothing is kept, the background stands
    against the dismissed. The intercept is one more weight, on a constant 1, and held small like
    the others, as in LIBLINEAR (Fan et al. 2008).
    """
    any_kept = bool((answers > 0).any())
    above = answers > 0 if any_kept else answers >= 0
    costs = SVM_C * len(answers) / (2 * np.where(above, above.sum(), max(1, (~above).sum())))
    if any_kept:
        costs[answers < 0] *= KNOWN_WEIGHT / BACKGROUND_WEIGHT
    return _squared_hinge(rows, np.where(above, 1.0, -1.0), costs)


def _squared_hinge(rows: csr_array, signs: Floats, costs: Floats) -> Taste:
    """Minimises |w|²/2 + b²/2 + Σ cost·max(0, 1 - sign·(row·w + b))² by Newton steps.

    The finite Newton method of Keerthi and DeCoste (2005): between hinges the loss is quadratic, so
    a step solves one linear system over the papers inside the margin.
    """
    transposed = rows.T.tocsr()
    weights = np.zeros(rows.shape[1] + 1)
    margins = np.zeros(len(signs))
    first = 0.0
    for _ in range(_NEWTON_STEPS):
        inside = np.where(signs * margins < 1, 2 * costs, 0.0)
        gradient = weights + _back(transposed, inside * (margins - signs))
        size = _inner(gradient, gradient) ** 0.5
        first = max(first, size)
        if size <= _CLOSE * first:
            break
        step = _newton_step(rows, transposed, inside, gradient)
        along = _forth(rows, step)
        length = _step_length(weights, margins, step, along, (signs, costs))
        weights = weights + length * step
        margins = margins + length * along
    return Taste(weights[:-1], float(weights[-1]))


def _forth(rows: csr_array, weights: Floats) -> Floats:
    return np.asarray(rows @ weights[:-1] + weights[-1])


def _back(transposed: csr_array, values: Floats) -> Floats:
    return np.append(transposed @ values, values.sum())


def _inner(left: Floats, right: Floats) -> float:
    """Without BLAS, whose threads cost more than the sum where the cores are busy."""
    return float((left * right).sum())


def _newton_step(rows: csr_array, transposed: csr_array, inside: Floats, gradient: Floats) -> Floats:
    """Solves (1 + rowsᵀ·inside·rows) step = -gradient by conjugate gradients, to a tenth.

    Written out because importing ``scipy.sparse.linalg`` costs more than all the steps of a fit.
    """
    step = np.zeros_like(gradient)
    residual = -gradient
    direction = residual
    squared = _inner(residual, residual)
    target = 0.01 * squared
    for _ in range(_CG_STEPS):
        curved = direction + _back(transposed, inside * _forth(rows, direction))
        length = squared / _inner(direction, curved)
        step = step + length * direction
        residual = residual - length * curved
        before, squared = squared, _inner(residual, residual)
        if squared <= target:
            break
        direction = residual + squared / before * direction
    return step


def _step_length(
    weights: Floats, margins: Floats, step: Floats, along: Floats, loss: tuple[Floats, Floats]
) -> float:
    """The first of 1, 1/2, 1/4, … that lowers what is minimised."""
    signs, costs = loss

    def objective(length: float) -> float:
        moved = weights + length * step
        missing = np.maximum(0.0, 1 - signs * (margins + length * along))
        return _inner(moved, moved) / 2 + _inner(costs, missing**2)

    start = objective(0.0)
    length = 1.0
    while objective(length) > start and length > 1e-6:
        length /= 2
    return length


def learn_meaning(rows: NDArray[np.float32], answers: Answers) -> Taste:
    """Ridge regression with a free intercept on centred unit vectors (n, dimension).

    Targets are the answers themselves; known papers weigh 5, background 0.5, the penalty is 5.
    """
    importance = np.where(answers == 0, BACKGROUND_WEIGHT, KNOWN_WEIGHT).astype(np.float32)
    share = importance / importance.sum()
    middle = share @ rows
    target = float(share @ answers)
    roots = np.sqrt(importance)
    # A matrix times its own transpose: numpy then computes one half of the product only.
    weighed = (rows - middle) * roots[:, None]
    gram = (weighed.T @ weighed).astype(np.float64)
    gram[np.diag_indices_from(gram)] += RIDGE
    weights = np.linalg.solve(gram, (weighed.T @ (roots * (answers - np.float32(target)))).astype(np.float64))
    return Taste(weights, target - float(middle @ weights))


def centred(vectors: NDArray[np.float32], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors (n, d) less the library's mean vector (d,), of unit length again."""
    moved = vectors - middle
    lengths = np.sqrt(np.einsum("ij,ij->i", moved, moved))
    return np.asarray(moved / np.where(lengths > 0, lengths, 1)[:, None], np.float32)


def standardised(values: Floats) -> Floats:
    """Values as z-scores within their list; all zero where they do not differ."""
    spread = float(values.std()) if len(values) else 0.0
    if spread <= 1e-12 * max(1.0, float(np.abs(values).max(initial=0.0))):
        return np.zeros_like(values)
    return np.asarray((values - values.mean()) / spread)
