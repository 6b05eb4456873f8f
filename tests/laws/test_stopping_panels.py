"""What a panel leaves out because it lies far below the outcomes' masses."""

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.laws import stopping
from dpverify.laws.gauss_kronrod import PAIR_21
from dpverify.laws.stopping import StoppingLaw
from dpverify.laws.stopping_grid import located, starting_grid
from dpverify.laws.stopping_panels import normal_panel

Float = NDArray[np.float64]
LEVELS = np.array([5.0, -30.0, 14.0, -2.0, 40.0, 0.5])
COUNTS = np.array([3, 200, 1, 700, 2, 40])


def panel(low: float, high: float, shape: float, masses: Float) -> Float:
    found = np.empty((3, COUNTS.sum() + 1))
    least = np.minimum.accumulate(masses[::-1])[::-1].copy()
    normal_panel(low, high, shape, LEVELS, COUNTS, PAIR_21, masses, least, found)
    return found


@pytest.mark.parametrize("shape", [0.7, 3.0])
@pytest.mark.parametrize("place", [-40.0, -9.0, -1.0, 3.0, 17.0, 44.0])
def test_what_is_left_out_changes_no_digit(shape: float, place: float) -> None:
    """Against the same panel with masses so low that nothing is: what is kept is the same to rounding, what is not lies
    below e^-50 of the outcome."""
    grid = starting_grid(True, shape, LEVELS, int(COUNTS.sum()))
    _, _, masses = located(True, shape, LEVELS, COUNTS, grid)
    whole = panel(place, place + 0.5, shape, np.full(masses.size, -np.inf))
    found = panel(place, place + 0.5, shape, masses)
    kept = found[1] > 0.0
    share = whole[0] + np.log(np.maximum(whole[1], 1e-300)) - masses
    assert np.all(share[~kept] < -50.0)
    both = found[0] + np.log(np.where(kept, found[1], 1.0)), whole[0] + np.log(np.where(kept, whole[1], 1.0))
    np.testing.assert_allclose(both[0][kept], both[1][kept], rtol=1e-13, atol=1e-12)
    assert np.count_nonzero(kept) < kept.size  # so that the above is about something


def test_the_law_is_the_same_in_any_order_of_looking() -> None:
    """Laws are remembered by their numbers: another law between two equal ones, and units, change nothing."""
    levels = np.repeat(LEVELS, COUNTS)
    one = StoppingLaw(noise="gaussian", threshold_scale=0.7, query_scale=1.0, levels=levels).log_probabilities()
    other = StoppingLaw(noise="gaussian", threshold_scale=0.7, query_scale=1.0, levels=levels[::-1])
    again = StoppingLaw(noise="gaussian", threshold_scale=1.4, query_scale=2.0, levels=2.0 * levels)
    assert again.log_probabilities() is one  # remembered
    stopping._integrated.cache_clear()
    again = StoppingLaw(noise="gaussian", threshold_scale=1.4, query_scale=2.0, levels=2.0 * levels)
    assert again.log_probabilities() is not one
    laplace = StoppingLaw(noise="laplace", threshold_scale=0.7, query_scale=1.0, levels=levels)
    assert not np.array_equal(other.log_probabilities(), one)
    assert not np.array_equal(laplace.log_probabilities(), one)
    np.testing.assert_array_equal(again.log_probabilities(), one)


def test_no_outcome_is_lost_where_the_logs_are_rough() -> None:
    """At levels of 1e9 spreads the logs are about 1e17, and sixty nats are less than their rounding."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        levels, scale = rng.normal(size=4) * 9e8, 10.0 ** rng.uniform(-3.5, 0.0)
        p, q = (
            StoppingLaw(noise="gaussian", threshold_scale=scale, query_scale=1.0, levels=levels + moved)
            for moved in (1.0, 0.0)
        )
        found = p.against(q).epsilon(0.0)
        assert np.isfinite(found.value)
        assert np.isfinite(p.log_errors()).all()
