from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.measure import Measure
from dpverify.laws.balls import working_precision
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.gaussian_cells import gaussian_cells, mixed_gaussian_cells
from dpverify.laws.mixture import MixtureLaw

EDGES = np.array([-30.0, -6.0, -3.0, -1.0, -0.25, 0.0, 0.25, 1.0, 3.0, 6.0, 30.0])


def test_cells_are_differences_of_the_distribution_function() -> None:
    table = gaussian_cells(0.5, 2.0, EDGES[1:-1]).cells
    steps = np.concatenate([[0.0], stats.norm.cdf(EDGES[1:-1], 0.5, 2.0), [1.0]])
    np.testing.assert_allclose(np.exp(table.log_probabilities), np.diff(steps), rtol=1e-12)


@given(location=st.floats(-5, 5), spread=st.floats(0.2, 20))
def test_floats_lie_within_their_error_of_the_balls(location: float, spread: float) -> None:
    table = gaussian_cells(location, spread, EDGES).cells
    assume(table.error < 1.0)
    assert table.enclose is not None
    with working_precision():
        logs = np.array([float(ball.log().mid()) for ball in table.enclose()])
    assert np.abs(logs - table.log_probabilities).max() <= table.error


@pytest.mark.parametrize("gap", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize(("location", "spread"), [(0.3, 1.0), (-2.0, 0.7), (4.1, 15.0), (1.0, 3.0)])
def test_edges_a_hair_apart_widen_the_error_by_as_much_as_is_lost(location: float, spread: float, gap: float) -> None:
    for place in (-5.3, -0.7, 1.0, 2.9):
        table = gaussian_cells(location, spread, np.array([place, place + gap])).cells
        assert table.enclose is not None
        with working_precision():
            differences = [
                abs(float((ball.log() - float(log)).mid()))
                for ball, log in zip(table.enclose(), table.log_probabilities, strict=True)
            ]
        assert max(differences) <= table.error


def test_never_above_the_densities_and_near_them_for_fine_cells() -> None:
    # Equal spreads, where the whole law has closed forms.
    whole = GaussianLaw(locations=np.array([0.0]), scales=np.array(1.0)).against(
        GaussianLaw(locations=np.array([1.0]), scales=np.array(1.0))
    )
    exact = whole.delta(0.5).value
    found = []
    for count in (3, 9, 65):
        edges = np.linspace(-4.0, 5.0, count)
        pair = gaussian_cells(0.0, 1.0, edges).against(gaussian_cells(1.0, 1.0, edges))
        proof = pair.prove(Measure(kind="delta", argument=0.5, claimed=0.0))
        assert proof is not None
        assert proof.lower <= exact
        found.append(proof.lower)
    assert found == sorted(found)
    assert found[-1] == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("bad", [(math.nan, 1.0, EDGES), (0.0, 0.0, EDGES), (0.0, 1.0, EDGES[::-1]), (0.0, 1.0, [])])
def test_bad_input_is_refused(bad: tuple[float, float, np.ndarray]) -> None:
    with pytest.raises(InputError):
        gaussian_cells(*bad)


def test_cells_that_doubles_cannot_tell_are_refused() -> None:
    with pytest.raises(InputError, match="further apart"):
        gaussian_cells(0.0, 1e20, np.array([0.0, 1.0]))


@pytest.mark.parametrize("counts", [[7], [1, 3], [5, 1, 1, 90]])
def test_a_mixture_is_that_of_the_parts(counts: list[int]) -> None:
    locations = np.array([0.3, -1.0, 2.0, 0.0])[: len(counts)]
    spreads = np.array([1.0, 0.5, 1.0, 2.0])[: len(counts)]
    parts = tuple(gaussian_cells(*each, EDGES).cells for each in zip(locations.tolist(), spreads.tolist(), strict=True))
    weights = tuple(count / sum(counts) for count in counts)
    twin = MixtureLaw(laws=parts, weights=weights).flat()
    found = mixed_gaussian_cells(locations, spreads, np.array(counts), EDGES).cells
    assert isinstance(twin, DiscreteLaw)
    np.testing.assert_allclose(found.log_probabilities, twin.log_probabilities, rtol=1e-14)
    assert found.error == pytest.approx(twin.error, rel=1e-12)
    assert found.enclose is not None
    with working_precision():
        logs = np.array([float(ball.log().mid()) for ball in found.enclose()])
    assert np.abs(logs - found.log_probabilities).max() <= found.error


@pytest.mark.parametrize("counts", [np.array([1, 0]), np.array([1]), np.array([0.5, 0.5])])
def test_weights_that_are_no_counts_are_refused(counts: np.ndarray) -> None:
    with pytest.raises(InputError, match="counts"):
        mixed_gaussian_cells(np.zeros(2), np.ones(2), counts, EDGES)
