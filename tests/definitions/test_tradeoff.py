import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.definitions.tradeoff import Tradeoff


def neyman_pearson(p: np.ndarray, q: np.ndarray) -> Tradeoff:
    """The exact curve of a pair of finite laws: outcomes by likelihood ratio, largest first."""
    order = np.argsort(-p / q)
    alphas = np.concatenate([[0.0], np.cumsum(q[order])])
    betas = np.concatenate([[1.0], 1 - np.cumsum(p[order])])
    alphas[-1], betas[-1] = 1.0, 0.0
    return Tradeoff(alphas=tuple(alphas), betas=tuple(np.maximum(betas, 0)))


ASYMMETRIC = Tradeoff(alphas=(0, 0.1, 0.4, 0.9, 1), betas=(0.95, 0.6, 0.2, 0, 0))


def test_forward_and_reverse_by_hand() -> None:
    assert np.allclose(ASYMMETRIC.tradeoff([0, 0.05, 0.4, 0.65, 0.95]), [0.95, 0.775, 0.2, 0.1, 0])
    assert np.allclose(ASYMMETRIC.tradeoff([0, 0.1, 0.2, 0.6, 0.95, 1], reverse=True), [0.9, 0.65, 0.4, 0.1, 0, 0])
    assert float(ASYMMETRIC.delta(0.0)) == pytest.approx(0.4)
    assert float(ASYMMETRIC.delta(math.inf)) == pytest.approx(0.05)
    assert float(ASYMMETRIC.delta(math.inf, reverse=True)) == pytest.approx(0.1)


laws = st.integers(2, 6).flatmap(
    lambda size: st.tuples(*[st.lists(st.floats(0.05, 1), min_size=size, max_size=size) for _ in range(2)])
)


@given(laws=laws, epsilon=st.floats(-3, 3))
def test_profile_of_finite_laws_is_the_sum_of_excesses(laws: tuple[list[float], list[float]], epsilon: float) -> None:
    p, q = (np.array(weights) / np.sum(weights) for weights in laws)
    curve = neyman_pearson(p, q)
    forward = np.sum(np.maximum(p - np.exp(epsilon) * q, 0))
    backward = np.sum(np.maximum(q - np.exp(epsilon) * p, 0))
    assert float(curve.delta(epsilon)) == pytest.approx(forward, abs=1e-12)
    assert float(curve.delta(epsilon, reverse=True)) == pytest.approx(backward, abs=1e-12)
    swapped = neyman_pearson(q, p)
    alphas = np.linspace(0, 1, 23)
    assert np.allclose(curve.tradeoff(alphas, reverse=True), swapped.tradeoff(alphas), atol=1e-12)


def test_measures_are_the_edges_and_the_weaker_direction() -> None:
    found = {round(math.exp(item.argument), 9): item.claimed for item in ASYMMETRIC.measures()}
    # Slopes 3.5, 4/3 and 0.4, the last one as 2.5 of the way back.
    assert sorted(found) == [1.333333333, 2.5, 3.5]
    assert found[3.5] == pytest.approx(max(0.05, 0.1))
    assert found[2.5] == pytest.approx(max(1 - 0.6 - 0.25, 1 - 0.4 - 2.5 * 0.2))


def test_a_curve_that_promises_nothing_has_a_measure_nobody_exceeds() -> None:
    (measure,) = Tradeoff(alphas=(0, 1), betas=(0, 0)).measures()
    assert measure.claimed == 1


@pytest.mark.parametrize(
    ("alphas", "betas", "message"),
    [
        ((0, 0.5, 1), (0.9, 0.45, 0.0), None),
        ((0, 0.5, 1), (1, 0.9, 0), "beta <= 1 - alpha"),
        ((0, 0.4, 0.6, 1), (0.8, 0.4, 0.35, 0), "convex"),
        ((0, 0.5, 0.5, 1), (1, 0.5, 0.4, 0), "strictly increasing"),
        ((0, 0.5, 1), (0.4, 0.5, 0), "do not increase"),
        ((0.1, 1), (0.9, 0), "from 0 to 1"),
        ((0, 0.9), (1, 0), "from 0 to 1"),
        ((0, 1), (1, 0.1), "beta <= 1 - alpha"),
        ((0, 1), (1,), "as many"),
        ((0,), (1,), "at least two"),
        ((0, math.nan, 1), (1, 0.5, 0), r"alphas\[1\] = nan"),
        ((0, 1), (1.5, 0), r"betas\[0\] = 1.5"),
        (0.5, 0.5, "a tuple"),
    ],
)
def test_what_is_no_curve_is_refused(alphas: tuple[float, ...], betas: tuple[float, ...], message: str | None) -> None:
    if message is None:
        Tradeoff(alphas=alphas, betas=betas)
        return
    with pytest.raises(InputError, match=message):
        Tradeoff(alphas=alphas, betas=betas)


def test_collinear_vertices_survive_rounding() -> None:
    alphas = tuple(np.linspace(0, 1, 98))
    curve = Tradeoff(alphas=alphas, betas=tuple(1 - alpha for alpha in alphas))
    assert float(curve.delta(0.0)) == pytest.approx(0, abs=1e-15)
