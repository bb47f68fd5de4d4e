"""The real encoder: its size, and that it knows what sentences mean."""

import numpy as np
import pytest

from broadsheet.search.encoders import load

pytestmark = pytest.mark.weights


def test_minilm_puts_like_sentences_nearer_than_unlike_ones(minilm) -> None:
    encoder = load(minilm)
    one, same, other = encoder.encode(
        ["How old are you?", "What is your age?", "Stars form in cold clouds of molecular gas."]
    )
    assert (encoder.dimension, encoder.description.max_length) == (384, 256)
    assert one @ same > 0.7 > 0.3 > one @ other


def test_minilm_agrees_with_what_its_authors_publish(minilm) -> None:
    """The card of all-MiniLM-L6-v2 gives these three sentences; full precision gives 0.6660 and 0.1046."""
    vectors = load(minilm).encode(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    assert vectors[0] @ vectors[1] == pytest.approx(0.666, abs=0.03)
    assert vectors[0] @ vectors[2] == pytest.approx(0.1046, abs=0.03)


def test_minilm_keeps_within_a_code_what_it_gives(minilm) -> None:
    encoder = load(minilm)
    assert 0.15 < encoder.limit < 0.3
    assert np.abs(encoder.encode(["A survey of diffusion models."])).max() < 2 * encoder.limit
