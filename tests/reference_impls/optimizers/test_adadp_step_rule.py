"""The step-size rule: its error, its bounds, what it does at the edges, and its order against the gradient flow."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from dpverify.core.errors import InputError
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp_step_rule import StepRule, adapted, local_error

NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=6))
def test_the_errors_are_those_of_equations_3_and_6(pairs: list[tuple[float, float]]) -> None:
    full, halves = np.array(pairs).T.copy()
    plain = np.linalg.norm(halves - full)
    relative = np.linalg.norm(np.abs(halves - full) / np.maximum(1.0, np.abs(full)))
    assert local_error(full, halves, False) == pytest.approx(plain, rel=1e-12)
    assert local_error(full, halves, True) == pytest.approx(relative, rel=1e-12)
    assert local_error(full, full, True) == 0.0


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.booleans())
def test_the_next_step_size_is_held_within_the_bounds(step: float, error: float, tol: float, root: bool) -> None:
    ratio = math.sqrt(tol / error) if root else tol / error
    wanted = min(max(ratio, 0.9), 1.1) * step
    assert adapted(step, error, tol, 0.9, 1.1, root) == pytest.approx(wanted, rel=1e-14)


@pytest.mark.parametrize("root", [False, True])
def test_the_edges_that_the_print_leaves_open(root: bool) -> None:
    assert adapted(2.0, 0.0, 1.0, 0.5, 3.0, root) == 6.0
    assert adapted(2.0, math.inf, 1.0, 0.5, 3.0, root) == 1.0
    assert adapted(2.0, math.nan, 1.0, 0.5, 3.0, root) == 1.0


@pytest.mark.parametrize(("tol", "taken"), [(1.0, True), (0.99, False)])
def test_a_step_is_discarded_when_its_error_is_above_tol(tol: float, taken: bool) -> None:
    """g = |x|^2: from 1 by eta = 1 the full step ends at -1, two half steps at 0; at err = tol it is taken."""
    tape = Tape.recording(stream(0))
    rule = StepRule(tol=tol, error="plain", discard=True)
    weights, step = rule.advanced(np.ones(1), 1.0, lambda at: 2.0 * at, tape)
    whole = tape.transcript(weights)
    assert weights.tolist() == ([-1.0] if taken else [1.0])
    assert whole.public["error"].tolist() == [1.0]
    assert whole.public["answer"].tolist() == [float(taken)]
    assert step == (1.0 if taken else 0.99)
    assert StepRule(tol=tol, error="plain").advanced(np.ones(1), 1.0, lambda at: 2.0 * at, tape)[0] == [-1.0]
    assert StepRule(tol=tol, error="plain", halves=True).advanced(np.ones(1), 1.0, lambda at: 2 * at, tape)[0] == [0.0]


def test_a_step_to_no_number_is_discarded() -> None:
    tape = Tape.recording(stream(0), keep=False)
    weights, step = StepRule(discard=True).advanced(np.ones(1), 1.0, lambda at: at * math.nan, tape)
    assert (weights.tolist(), step) == ([1.0], 0.9)


def test_twice_the_difference_estimates_the_local_error_to_third_order() -> None:
    """AD-EXTRAP, against the flow of log(e^(a.t) + e^(b.t) + 1) + |t|^2 / 2, integrated to 1e-13: 8 times less for half
    the step; the difference itself (3) misses half of the error."""
    a, b = np.array([1.0, 2.0]), np.array([-1.5, 0.5])

    def gradient(t: np.ndarray) -> np.ndarray:
        terms = np.exp([a @ t, b @ t, 0.0])
        return (terms[0] * a + terms[1] * b) / terms.sum() + t

    start, missed, ratio = np.array([0.8, -0.6]), [], []
    for eta in 0.1 * 0.5 ** np.arange(5):
        flow = solve_ivp(lambda _, t: -gradient(t), (0.0, eta), start, rtol=1e-13, atol=1e-15, method="DOP853").y[:, -1]
        full = start - eta * gradient(start)
        half = start - eta / 2 * gradient(start)
        difference = half - eta / 2 * gradient(half) - full
        missed.append(np.linalg.norm(flow - full - 2 * difference))
        ratio.append(local_error(full, full + difference, False) / np.linalg.norm(flow - full))
    orders = np.log2(np.array(missed[:-1]) / missed[1:])
    assert orders == pytest.approx(3.0, abs=0.15)
    assert abs(orders[-1] - 3.0) < abs(orders[0] - 3.0)
    assert ratio[-1] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        {"tol": 0.0},
        {"tol": math.inf},
        {"factor": 0.0},
        {"alpha_min": 0.0},
        {"alpha_min": 1.01},
        {"alpha_max": 0.99},
        {"alpha_max": math.inf},
        {"alpha_max": math.nan},
        {"error": "absolute"},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        StepRule(**wrong)  # type: ignore[arg-type]
