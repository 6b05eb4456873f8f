from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import UnsupportedError
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.sparse_vector_variants import Svt1, Svt2

QUERIES = np.array([0.0, 2.0, -1.0, 1.0])


def test_scales_are_those_of_the_paper() -> None:
    recipe = Svt2(epsilon=0.1, cutoff=3).recipe()
    assert (recipe.threshold_scale, recipe.redraw_scale, recipe.query_scale, recipe.cutoff) == (60.0, 60.0, 120.0, 3)


def test_it_is_algorithm_1_at_cutoff_one_only(alike: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9.
    for cutoff, equal in ((1, True), (2, False)):
        one = Svt1(epsilon=2.0, cutoff=cutoff).counts(QUERIES, 300_000, rng=stream(14, 1, cutoff))
        two = Svt2(epsilon=2.0, cutoff=cutoff).counts(QUERIES, 300_000, rng=stream(14, 2, cutoff))
        assert alike(one, two) == equal


def test_its_law_is_that_of_algorithm_1_at_cutoff_one() -> None:
    one, two = (kind(epsilon=0.3, threshold=1.0).output_law(QUERIES) for kind in (Svt1, Svt2))
    np.testing.assert_array_equal(one.log_probabilities(), two.log_probabilities())
    with pytest.raises(UnsupportedError, match="cutoff 1"):
        Svt2(cutoff=2).output_law(QUERIES)
