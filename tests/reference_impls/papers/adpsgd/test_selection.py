"""The best of some equal means: its expectation by order statistics of the normal law."""

from __future__ import annotations

import numpy as np
import pytest

from reference_impls.papers.adpsgd.selection import best_of

EXPECTED = {1: 0.0, 6: 1.26721, 36: 2.11812}  # of the largest of so many standard normals


@pytest.mark.parametrize("tries", EXPECTED)
def test_the_mean_of_the_largest(tries):
    rng = np.random.default_rng(0)
    found = [best_of(x=0.5, rng=rng, tries=tries)["accuracy"] for _ in range(3000)]
    deviation = 0.5 / np.sqrt(5)
    assert np.mean(found) == pytest.approx(EXPECTED[tries] * deviation, abs=6.5 * deviation / np.sqrt(3000))
