from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import stats

from dpverify.sampling.streams import stream
from reference_impls.mechanisms.numerical_svt import NumericalSvt


def test_scales_are_those_of_the_paper() -> None:
    recipe = NumericalSvt(epsilon=0.1, cutoff=2).recipe()
    assert (recipe.threshold_scale, recipe.query_scale, recipe.fresh_scale) == (30.0, 120.0, 60.0)
    assert (recipe.cutoff, recipe.release) == (2, "fresh")


def test_values_know_nothing_of_the_comparison(follows: Callable[..., bool]) -> None:
    # Fresh noise: the released value is Laplace around the query, whatever the answer before it cost. False alarm 1e-9.
    out = NumericalSvt(epsilon=1.0, threshold=3.0, cutoff=1).sample([0.0, 0.5], 200_000, rng=stream(15))
    released = out[out[:, 1] == 1, 3]
    assert released.size > 20_000
    assert follows(released, stats.laplace(0.5, 3.0).cdf)
    assert np.all(out[out[:, 1] == 2, 3] == 0)
