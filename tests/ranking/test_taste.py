"""What every learner must do, and that these two are what they say they are."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC

from broadsheet.ranking.taste import centred, learn_meaning, learn_words, standardised


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


class LearnerContract:
    """A board of two kinds of paper: even rows share some features, odd rows share others."""

    def learn(self, rows, answers):
        raise NotImplementedError

    def rows(self, count, seed=0):
        rng = np.random.default_rng(seed)
        rows = rng.random((count, 20)) * 0.3
        rows[::2, :10] += 1
        rows[1::2, 10:] += 1
        return unit(rows)

    def scores(self, answers, seed=0):
        rows = self.rows(len(answers), seed)
        return self.learn(rows, np.array(answers, np.int8)).scores(self.rows(20, seed + 1))

    @pytest.mark.parametrize("likes", [1, 2, 20])
    def test_kept_papers_raise_their_kind(self, likes):
        scores = self.scores([1 if i % 2 == 0 and i < 2 * likes else 0 for i in range(60)])
        assert scores[::2].min() > scores[1::2].max()

    def test_dismissed_papers_alone_push_their_kind_down(self):
        scores = self.scores([-1, 0, -1, 0, -1, 0] + [0] * 40)
        assert scores[::2].max() < scores[1::2].min()

    def test_a_dismissed_paper_weighs_more_than_one_of_the_background(self):
        answers = [1, 0] * 10 + [0] * 20
        dismissed = [1, -1] * 10 + [0] * 20
        gap = self.scores(dismissed)
        plain = self.scores(answers)
        assert gap[::2].mean() - gap[1::2].mean() > plain[::2].mean() - plain[1::2].mean()

    @pytest.mark.parametrize("answers", [[1], [-1], [1, 1, 1], [-1, -1], [1, -1]])
    def test_it_learns_without_any_background(self, answers):
        assert np.isfinite(self.scores(answers)).all()

    def test_the_same_lesson_gives_the_same_taste(self):
        answers = [1, 0, 0, -1] * 10
        assert self.scores(answers).tolist() == self.scores(answers).tolist()


class TestWords(LearnerContract):
    def learn(self, rows, answers):
        return learn_words(csr_array(rows), answers)


class TestMeaning(LearnerContract):
    def learn(self, rows, answers):
        return learn_meaning(centred(rows.astype(np.float32), rows.mean(axis=0).astype(np.float32)), answers)

    def scores(self, answers, seed=0):
        rows, later = self.rows(len(answers), seed), self.rows(20, seed + 1)
        middle = np.concatenate([rows, later]).mean(axis=0).astype(np.float32)
        taste = learn_meaning(centred(rows.astype(np.float32), middle), np.array(answers, np.int8))
        return taste.scores(centred(later.astype(np.float32), middle))


@pytest.mark.parametrize("likes", [1, 30])
def test_the_word_learner_is_the_squared_hinge_machine_of_liblinear(likes):
    """Decision values agree with LinearSVC(C=0.01, balanced) to a hundredth of their spread."""
    rng = np.random.default_rng(3)
    rows = unit(rng.random((400, 300)) * (rng.random((400, 300)) < 0.1) + 1e-9)
    answers = np.zeros(400, np.int8)
    answers[:likes] = 1
    ours = learn_words(csr_array(rows), answers).scores(rows)
    theirs = LinearSVC(C=0.01, class_weight="balanced", tol=1e-8, max_iter=100_000)
    expected = theirs.fit(rows, answers).decision_function(rows)
    assert np.abs(ours - expected).max() < 0.01 * expected.std()


def test_the_meaning_learner_is_weighted_ridge_with_a_free_intercept():
    rng = np.random.default_rng(4)
    rows = unit(rng.normal(size=(300, 16))).astype(np.float32)
    answers = np.array([1] * 10 + [-1] * 5 + [0] * 285, np.int8)
    taste = learn_meaning(rows, answers)
    theirs = Ridge(alpha=5.0).fit(rows, answers, sample_weight=np.where(answers == 0, 0.5, 5.0))
    assert taste.weights == pytest.approx(theirs.coef_, abs=1e-5)
    assert taste.intercept == pytest.approx(theirs.intercept_, abs=1e-5)


def test_centred_vectors_are_of_unit_length_and_the_mean_itself_stays_zero():
    vectors = np.array([[1, 0], [0, 1], [0.5, 0.5]], np.float32)
    moved = centred(vectors, np.array([0.5, 0.5], np.float32))
    half = 0.5**0.5
    assert moved == pytest.approx(np.array([[half, -half], [-half, half], [0, 0]]), abs=1e-6)


def test_standard_scores_are_hand_worked_and_zero_where_nothing_differs():
    assert standardised(np.array([1.0, 3.0])).tolist() == [-1, 1]
    assert standardised(np.array([0.1 + 0.2, 0.3, 0.3])).tolist() == [0, 0, 0]
    assert standardised(np.array([])).tolist() == []
