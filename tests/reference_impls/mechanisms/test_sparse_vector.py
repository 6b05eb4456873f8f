from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.sparse_vector import AnswerVector, Recipe, SparseVector

QUERIES = np.array([0.5, -1.0, 2.0, 0.0, 1.0])
TRIALS = 200_000
RECIPES = {
    "plain": Recipe(threshold_scale=1.0, query_scale=2.0, cutoff=2),
    "redrawn": Recipe(threshold_scale=1.0, query_scale=2.0, cutoff=3, redraw_scale=3.0),
    "noiseless": Recipe(threshold_scale=1.0, query_scale=0.0, cutoff=None),
    "no cutoff": Recipe(threshold_scale=1.0, query_scale=2.0, cutoff=None),
    "compared": Recipe(threshold_scale=1.0, query_scale=2.0, cutoff=2, release="compared"),
    "fresh": Recipe(threshold_scale=1.0, query_scale=2.0, cutoff=2, release="fresh", fresh_scale=0.5),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cooked(AnswerVector):
    dish: Recipe

    def recipe(self) -> Recipe:
        return self.dish


def cooked(name: str) -> Cooked:
    return Cooked(dish=RECIPES[name], threshold=0.25)


def twin(recipe: Recipe, queries: np.ndarray, threshold: float, size: int) -> np.ndarray:
    """The technique column by column, all trials at once, in plain numpy: answers, then values."""
    rng = np.random.default_rng(12)
    rho = rng.laplace(scale=recipe.threshold_scale, size=size)
    found = np.zeros(size, dtype=int)
    answers, values = np.zeros((size, queries.size)), np.zeros((size, queries.size))
    cutoff = queries.size if recipe.cutoff is None else recipe.cutoff
    for i, query in enumerate(queries):
        noise = rng.laplace(scale=recipe.query_scale, size=size) if recipe.query_scale else np.zeros(size)
        running = found < cutoff
        above = running & (query + noise >= threshold + rho)
        answers[:, i] = np.where(running, above, 2.0)
        if recipe.release == "compared":
            values[above, i] = (query + noise)[above]
        if recipe.release == "fresh":
            values[above, i] = query + rng.laplace(scale=recipe.fresh_scale, size=size)[above]
        if recipe.redraw_scale:
            rho = np.where(above, rng.laplace(scale=recipe.redraw_scale, size=size), rho)
        found += above
    return answers if recipe.release == "nothing" else np.hstack([answers, values])


def codes(answers: np.ndarray) -> np.ndarray:
    return ((answers == 1) @ (1 << np.arange(answers.shape[1]))).astype(int)


@pytest.mark.parametrize("name", RECIPES)
def test_outputs_have_the_stated_form(name: str) -> None:
    m = QUERIES.size
    out = cooked(name).sample(QUERIES, 2_000, rng=stream(12, name))
    answers, values = out[:, :m], out[:, m:]
    assert set(np.unique(answers)) <= {0.0, 1.0, 2.0}
    cutoff = RECIPES[name].cutoff
    before = np.cumsum(answers == 1, axis=1) - (answers == 1)
    np.testing.assert_array_equal(answers == 2, before >= (m if cutoff is None else cutoff))
    if RECIPES[name].release == "nothing":
        assert values.shape == (2_000, 0)
    else:
        np.testing.assert_array_equal(values != 0, answers == 1)


@pytest.mark.parametrize("name", RECIPES)
def test_counts_tell_all_answers(name: str) -> None:
    mechanism = cooked(name)
    answers = mechanism.sample(QUERIES, 5_000, rng=stream(12, name))[:, : QUERIES.size]
    counts = mechanism.counts(QUERIES, 5_000, rng=stream(12, name))
    np.testing.assert_array_equal(counts, np.bincount(codes(answers), minlength=32))
    assert len(np.unique(answers, axis=0)) == np.count_nonzero(counts)


def test_writing_into_wider_rows_changes_nothing_else() -> None:
    out = np.full((10, 9), -7.0)
    cooked("plain").write(out, 2, QUERIES, rng=stream(12))
    np.testing.assert_array_equal(out[:, [0, 1, 7, 8]], -7.0)
    np.testing.assert_array_equal(out[:, 2:7], cooked("plain").sample(QUERIES, 10, rng=stream(12)))


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="at most 12"):
        cooked("plain").counts(np.zeros(13), 1, rng=stream(0))
    for bad in ({"threshold": np.inf}, {"cutoff": 0}):
        with pytest.raises(InputError):
            Cooked(dish=RECIPES["plain"], **bad)
    assert not hasattr(SparseVector, "counts")


@pytest.mark.parametrize("name", RECIPES)
def test_answers_match_a_plain_numpy_twin(name: str, alike: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a recipe.
    counts = cooked(name).counts(QUERIES, TRIALS, rng=stream(12, name, "counts"))
    plain = twin(RECIPES[name], QUERIES, 0.25, TRIALS)[:, : QUERIES.size]
    assert alike(counts, np.bincount(codes(plain), minlength=32))


@pytest.mark.parametrize("name", ["compared", "fresh"])
def test_values_match_a_plain_numpy_twin(name: str, same: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a column, ten columns.
    out = cooked(name).sample(QUERIES, TRIALS, rng=stream(12, name, "values"))
    plain = twin(RECIPES[name], QUERIES, 0.25, TRIALS)
    for i in range(QUERIES.size):
        column = QUERIES.size + i
        assert same(out[out[:, i] == 1, column], plain[plain[:, i] == 1, column])


def test_a_wrong_variant_is_told_apart(alike: Callable[..., bool]) -> None:
    counts = cooked("plain").counts(QUERIES, TRIALS, rng=stream(12, "wrong"))
    for name in ("redrawn", "noiseless", "no cutoff"):
        plain = twin(RECIPES[name], QUERIES, 0.25, TRIALS)
        assert not alike(counts, np.bincount(codes(plain), minlength=32))
