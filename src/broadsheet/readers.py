"""Readers: who reads, what they follow, what they did, and the lists made for them."""

from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from broadsheet.papers import RankedPaper

InteractionKind = Literal["shown", "opened", "saved", "liked", "dismissed", "undone"]
FollowingKind = Literal["category", "author", "word"]
Basis = Literal["taste", "date_and_signals"]


@dataclass(frozen=True, slots=True)
class Reader:
    """A person who reads. ``timezone`` is an IANA name, ``deliver_at`` a local time or None."""

    id: int
    name: str
    email: str | None = None
    timezone: str = "UTC"
    list_length: int = 10
    deliver_at: time | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """What a reader wants (``wanted``) or never wants to see."""

    reader_id: int
    kind: FollowingKind
    value: str
    wanted: bool


@dataclass(frozen=True, slots=True)
class Topic:
    """A standing interest: a query and seed papers."""

    id: int
    reader_id: int
    name: str
    query: str
    seeds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interaction:
    """One thing that a reader did, or that was shown; only ever appended.

    ``number`` orders all interactions of a library and is 0 until it is recorded. ``chance`` is the
    probability with which the paper stood in the list; ``undoes`` is the number of an earlier one.
    """

    reader_id: int
    paper_id: str
    kind: InteractionKind
    at: datetime
    surface: str
    digest_id: int | None = None
    rank: int | None = None
    chance: float | None = None
    undoes: int | None = None
    number: int = 0


@dataclass(frozen=True, slots=True)
class ReaderModel:
    """What was learned of a reader: weights over named features with their uncertainty.

    ``mean`` has shape (len(features),), ``precision`` (len(features), len(features)) or a factor of
    it; ``trained_through`` is the number of the last interaction that was used.
    """

    reader_id: int
    features: tuple[str, ...]
    mean: NDArray[np.float64]
    precision: NDArray[np.float64]
    trained_through: int
    fitted_at: datetime
    encoder: str | None


@dataclass(frozen=True, slots=True)
class Offered:
    """A ranked paper as it stands in a digest: its chance of standing there, and why it does."""

    ranked: RankedPaper
    chance: float
    exploring: bool


@dataclass(frozen=True, slots=True)
class Digest:
    """One reader's list for one local day, kept as it was offered.

    ``trained_through`` is the number of the last interaction that the ranking knew, None where it
    went by date and signals; ``index_version`` names the state of the index that was read.
    """

    id: int
    reader_id: int
    day: date
    papers: tuple[Offered, ...]
    seed: int
    basis: Basis
    trained_through: int | None
    index_version: str
    made_at: datetime
