"""The Bayesian posterior of epsilon: golden values, a plain simulation, symmetries, and no crash at the corners."""

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.stats.posterior import EpsilonPosterior


@pytest.mark.parametrize(
    ("tp", "tn", "fp", "fn", "delta", "wanted"),
    [
        (487, 1, 512, 0, 1e-5, (0.1439, 6.4156)),
        (100, 100, 0, 0, 0.0, (4.8964, 12.1961)),  # the published code raises here (responsible-ai-toolbox-privacy #7)
        (450, 480, 20, 50, 0.0, (2.7675, 3.4884)),
    ],
)
def test_golden_values(tp, tn, fp, fn, delta, wanted):
    found = EpsilonPosterior(tp=tp, fn=fn, fp=fp, tn=tn, delta=delta).interval(level=0.9)
    assert found == pytest.approx(wanted, abs=6e-5)


@pytest.mark.parametrize("counts", [(487, 0, 512, 1), (100, 0, 0, 100), (450, 50, 20, 480), (3, 1, 2, 2), (0, 7, 1, 9)])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_the_distribution_is_that_of_simulated_rates(counts, delta):
    """False alarm below 1e-9 a comparison: six standard errors of a share of 10^6 draws."""
    tp, fn, fp, tn = counts
    rng = np.random.default_rng(20230)
    x, y = rng.beta(0.5 + fn, 0.5 + tp, 10**6), rng.beta(0.5 + fp, 0.5 + tn, 10**6)
    room = 1 - delta
    pairs = [(room - y, x), (room - x, y), (room - (1 - y), 1 - x), (room - (1 - x), 1 - y)]
    with np.errstate(divide="ignore"):
        epsilon = np.max([np.log(np.maximum(top, 1e-300)) - np.log(bottom) for top, bottom in pairs], axis=0)
    posterior = EpsilonPosterior(tp=tp, fn=fn, fp=fp, tn=tn, delta=delta)
    for at in (0.0, 0.2, 1.0, 3.0, 6.0, 12.0):
        share = float(np.mean(epsilon <= at))
        assert posterior.distribution(at) == pytest.approx(share, abs=6 * np.sqrt(0.25 / 10**6))


def test_swapping_the_sides_changes_nothing():
    one = EpsilonPosterior(tp=80, fn=20, fp=5, tn=95)
    other = EpsilonPosterior(tp=5, fn=95, fp=80, tn=20)
    turned = EpsilonPosterior(tp=20, fn=80, fp=95, tn=5)
    for at in (0.5, 2.0, 4.0):
        assert one.distribution(at) == pytest.approx(other.distribution(at), abs=1e-6)
        assert one.distribution(at) == pytest.approx(turned.distribution(at), abs=1e-6)


def test_no_cap_at_ten():
    """`max_eps=10` is the published search's default; a perfect attack of a million goes beyond it."""
    low, high = EpsilonPosterior(tp=10**6, fn=0, fp=0, tn=10**6).interval(level=0.9)
    assert 10 < low < high < 60


def test_bad_input_is_one_line():
    for words in ({"tp": 0, "fn": 0}, {"tp": -1}, {"tp": 0.5}, {"delta": 1.0}):
        with pytest.raises(InputError) as caught:
            EpsilonPosterior(**{"tp": 5, "fn": 5, "fp": 5, "tn": 5, **words})
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="level"):
        EpsilonPosterior(tp=5, fn=5, fp=5, tn=5).quantile(1.0)
