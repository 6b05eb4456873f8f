"""The Delta recursion: closed forms, the texts' own words as naive twins, where it is monotone, where it is not."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from reference_impls.optimizers.rsgd_sensitivity import (
    contraction,
    fixed_step_printed,
    sensitivities,
    step_sizes,
)

KNOWN = {"lipschitz": 1.0, "smoothness": 0.26, "strong_convexity": 0.01}
STEPS = st.floats(0.01, 20.0)
"""Up to 2.6 times 2 / L."""


def rho_of(step: float) -> float:
    return max(abs(1 - step * 0.01), abs(1 - step * 0.26))


def test_step_sizes_are_those_of_the_texts() -> None:
    assert step_sizes("epoch", 6.0, 4, interval=2) == (6.0, 3.0, 2.0, 1.5)
    assert step_sizes("restart", 6.0, 5, interval=2) == (6.0, 3.0, 6.0, 3.0, 6.0)
    assert step_sizes("restart", 6.0, 3) == (6.0, 3.0, 2.0)
    assert step_sizes("fixed", 6.0, 3, interval=2) == (6.0, 6.0, 6.0)
    with pytest.raises(InputError, match="monthly"):
        step_sizes("monthly", 1.0, 2)


def test_contraction_is_below_1_exactly_up_to_2_over_l() -> None:
    assert contraction(2 / (0.26 + 0.01), smoothness=0.26, strong_convexity=0.01) == pytest.approx(0.25 / 0.27)
    assert contraction(2 / 0.26 * 0.999, smoothness=0.26, strong_convexity=0.01) < 1
    assert contraction(2 / 0.26 * 1.001, smoothness=0.26, strong_convexity=0.01) > 1


@given(STEPS, st.integers(1, 6), st.integers(1, 5), st.integers(1, 9))
def test_a_fixed_step_sums_a_geometric_series(step: float, batches: int, epochs: int, size: int) -> None:
    """rho^(m - j) 2 eta R / |B| (1 + rho^m + .. + rho^((T - 1) m)), the line before Theorem 3.1's limit."""
    found = sensitivities((step,) * epochs, (size,) * batches, **KNOWN)
    rho = rho_of(step)
    series = sum(rho ** (batches * k) for k in range(epochs))
    expected = [rho ** (batches - j) * 2 * step / size * series for j in range(1, batches + 1)]
    assert found == pytest.approx(expected, rel=1e-12)


@given(STEPS, st.integers(1, 6), st.integers(1, 60))
def test_proposition_2_bounds_any_number_of_epochs_up_to_2_over_l(step: float, batches: int, epochs: int) -> None:
    rho = rho_of(step)
    found = sensitivities((step,) * epochs, (5,) * batches, **KNOWN).max()
    printed = fixed_step_printed(step, 5, batches, lipschitz=1.0, rho=rho)
    if rho <= 1:
        assert found <= printed * (1 + 1e-12)
    else:
        assert printed < 0 < found


def test_proposition_2_is_the_limit_and_its_particular_case() -> None:
    step = 2 / 0.27
    limit = fixed_step_printed(step, 5, 3, lipschitz=1.0, rho=rho_of(step))
    assert sensitivities((step,) * 500, (5,) * 3, **KNOWN)[-1] == pytest.approx(limit, rel=1e-12)
    assert fixed_step_printed(step, 50, 1, lipschitz=1.0, rho=rho_of(step)) == pytest.approx(2 / (50 * 0.01))
    assert fixed_step_printed(0.1, 5, 3, lipschitz=1.0, rho=1.0) == np.inf


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6), st.fractions(min_value=1, max_value=10**6))
def test_the_new_constant_is_below_that_of_zhang_et_al(mu: Fraction, ratio: Fraction) -> None:
    """RS-TIGHTER: 2 R / (n mu) < 5 R (L + mu) / (n mu L) for all L >= mu > 0; the gain is 2.5 (1 + mu / L) or more."""
    smoothness = mu * ratio
    gain = (5 * (smoothness + mu) / (mu * smoothness)) / (2 / mu)
    assert gain == Fraction(5, 2) * (1 + 1 / ratio) > Fraction(5, 2)


@given(st.lists(STEPS, min_size=1, max_size=5), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_each_place_on_its_own(steps: list[float], sizes: list[int]) -> None:
    """Section 4.2 in its own words: Delta <- rho^(m - j) (rho^j Delta + 2 eta R / |B|), an epoch at a time."""
    m = len(sizes)
    expected = []
    for j, size in enumerate(sizes, start=1):
        delta = 0.0
        for step in steps:
            delta = rho_of(step) ** (m - j) * (rho_of(step) ** j * delta + 2 * step / size)
        expected.append(delta)
    assert sensitivities(steps, sizes, **KNOWN) == pytest.approx(expected, rel=1e-11)


@given(st.lists(STEPS, min_size=1, max_size=7), st.integers(1, 4), st.integers(1, 4), st.sampled_from(["rsgd", "diss"]))
def test_averages_are_over_the_iterates_of_either_text(
    steps: list[float], batches: int, interval: int, text: str
) -> None:
    """Both texts' index arithmetic, literally, on an array of Delta by t: the same iterates are averaged."""
    delta = {0: np.zeros(batches)}
    t = 0
    for s, step in enumerate(steps, start=1):
        for j in range(batches):
            t += 1
            delta[t] = rho_of(step) * delta[t - 1]
            delta[t][j] += 2 * step / 3
        if s % interval == 0 and text == "rsgd":  # lines 13 to 15
            delta[t] = sum(delta[t - k] for k in range(batches * interval)) / (batches * interval)
            delta[t + 1] = delta[t]  # set by no line; the next step starts from the average
            t += 1
        elif s % interval == 0:  # lines 14, 15
            t += 1
            delta[t] = sum(delta[t - k] for k in range(1, batches * interval + 1)) / (batches * interval)
    found = sensitivities(steps, (3,) * batches, **KNOWN, interval=interval)
    assert found == pytest.approx(delta[t], rel=1e-12)


@given(st.lists(st.floats(0.01, 2 / 0.26), min_size=1, max_size=5), st.integers(1, 6))
def test_the_last_place_is_the_worst_where_nothing_expands(steps: list[float], batches: int) -> None:
    """RS-LAST, for any steps up to 2 / L."""
    found = sensitivities(steps, (4,) * batches, **KNOWN)
    assert found[-1] >= found.max() * (1 - 1e-12)


def test_the_first_place_is_the_worst_where_steps_expand() -> None:
    """eta_0 = 16 > 2 / L: rho = 3.16 in the first epoch, 1.08 in the second, below 1 after that."""
    found = sensitivities(step_sizes("epoch", 16.0, 3), (4,) * 5, **KNOWN)
    assert found[0] > 10 * found[-1]
    assert found.tolist() == sorted(found, reverse=True)


def test_averaging_lowers_delta_right_after_it_and_not_for_good() -> None:
    """RS-AVG-LESS at eta_0 = 0.5: less noise right after an averaging, more a few epochs later, after larger steps."""
    plain, averaged = (
        {
            epochs: sensitivities(
                step_sizes(schedule, 0.5, epochs, interval=10), (4000,) * 10, interval=interval, **KNOWN
            ).max()
            for epochs in (10, 13)
        }
        for schedule, interval in (("epoch", None), ("restart", 10))
    )
    assert averaged[10] < plain[10]
    assert averaged[13] > plain[13]


def test_no_bound_is_inf_and_never_no_number() -> None:
    for unbounded in ("lipschitz", "smoothness"):
        known = {**KNOWN, unbounded: np.inf}
        assert sensitivities((1.0, 0.5), (2, 2), **known).tolist() == [np.inf, np.inf]
    assert sensitivities((1e200,) * 9, (2, 2), **KNOWN).tolist() == [np.inf, np.inf]
