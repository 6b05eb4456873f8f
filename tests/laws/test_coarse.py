from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from auditors.privacy.exact.auditor import ExactAuditor
from dpverify.core.claim import Claim, SearchSpace, Source
from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.core.registry import Registry
from dpverify.core.subjects import Dataset, Law, LawPair
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.datasets.neighbors import value
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.balls import working_precision
from dpverify.laws.coarse import CoarseLaw, gaussian_cells, mixed_gaussian_cells
from dpverify.laws.density import GaussianLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan

MEASURES = (
    Measure(kind="epsilon", argument=0.0, claimed=1.0),
    Measure(kind="epsilon", argument=0.01, claimed=1.0),
    Measure(kind="delta", argument=0.2, claimed=0.1),
    Measure(kind="renyi", argument=2.0, claimed=1.0),
)
FINE_P = [Fraction(5, 10), Fraction(2, 10), Fraction(1, 10), Fraction(2, 10)]
FINE_Q = [Fraction(2, 10), Fraction(3, 10), Fraction(3, 10), Fraction(2, 10)]


def coarse(*cells: Fraction) -> CoarseLaw:
    return CoarseLaw(cells=DiscreteLaw.from_fractions(cells))


def test_numbers_and_proofs_are_those_of_the_cells() -> None:
    p, q = coarse(*FINE_P), coarse(*FINE_Q)
    pair, cells = p.against(q), p.cells.against(q.cells)
    assert isinstance(p, Law)
    assert isinstance(pair, LawPair)
    assert pair.epsilon(0.0).value == pytest.approx(np.log(2.5))
    assert pair.swap().epsilon(0.0).value == pytest.approx(np.log(3.0))
    assert pair.delta(0.0).value == pytest.approx(0.3)
    assert pair.renyi(2.0) == cells.renyi(2.0)
    for measure in MEASURES:
        assert pair.prove(measure) == cells.prove(measure) is not None


@pytest.mark.parametrize("measure", MEASURES)
def test_nothing_is_enclosed_from_above(measure: Measure) -> None:
    # What certificates are made from: the cells' own upper end would certify claims that the outputs break.
    pair = coarse(*FINE_P).against(coarse(*FINE_Q))
    assert pair.enclosure(measure) is None
    assert pair.swap().enclosure(measure) is None


def test_no_curve_is_drawn_and_no_other_law_is_met() -> None:
    pair = coarse(*FINE_P).against(coarse(*FINE_Q))
    with pytest.raises(UnsupportedError):
        pair.tradeoff([0.5])
    for other in (coarse(Fraction(1)), DiscreteLaw.from_fractions(FINE_P)):
        with pytest.raises(UnsupportedError):
            coarse(*FINE_P).against(other)


@given(
    weights=st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=3, max_size=8), cut=st.integers(1, 7)
)
def test_joining_cells_never_raises_a_measure(weights: list[tuple[int, int]], cut: int) -> None:
    totals = [sum(each) for each in zip(*weights, strict=True)]
    p, q = ([Fraction(each[side], totals[side]) for each in weights] for side in (0, 1))
    at = min(cut, len(weights) - 1)
    joined = [[*each[: at - 1], each[at - 1] + each[at], *each[at + 1 :]] for each in (p, q)]
    fine, less = coarse(*p).against(coarse(*q)), coarse(*joined[0]).against(coarse(*joined[1]))
    for measure in MEASURES:
        above, below = fine.prove(measure), less.prove(measure)
        assert above is not None
        assert below is not None
        assert below.lower <= above.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCoarsely:
    """One of two values, whose parity alone goes into the law."""

    whole: bool = False

    def output_law(self, dataset: Dataset) -> Law:
        """All that is known, or (`whole`) all that there is to know."""
        cells = DiscreteLaw.from_fractions(FINE_P if int(np.asarray(dataset).item()) % 2 else FINE_Q)
        return cells if self.whole else CoarseLaw(cells=cells)


@pytest.mark.parametrize(
    ("whole", "epsilon", "status"),
    [
        (True, 2.0, Status.CERTIFIED),
        (False, 2.0, Status.NOT_REFUTED),
        (True, 0.5, Status.REFUTED),
        (False, 0.5, Status.REFUTED),
    ],
)
def test_a_coarsening_refutes_and_never_certifies(whole: bool, epsilon: float, status: Status) -> None:
    registry = Registry()
    value.register(registry)
    registry.auditors.add("exact", ExactAuditor())
    registry.mechanisms.add("seen-coarsely", SeenCoarsely)
    claim = Claim(
        id="seen-coarsely",
        guarantee=PureDP(epsilon=epsilon),
        relation="value",
        subject="seen-coarsely",
        parameters={"whole": whole},
        space=SearchSpace(size=2, low=0.0, high=1.0),
        source=Source(paper="test", locus=""),
    )
    row = execute(make_plan(registry, [SuiteEntry(claim=claim)]))[0]
    assert row.verdict.status == status


def test_cells_of_other_edges_are_another_partition() -> None:
    # Compared cell by cell, the very same law would differ from itself.
    whole, shifted = (gaussian_cells(0.0, 1.0, np.array(edges)) for edges in ([-1.0, 1.0], [-1.0, 1.5]))
    assert whole.against(gaussian_cells(0.5, 1.0, np.array([-1.0, 1.0]))).delta(0.0).value > 0.1
    with pytest.raises(UnsupportedError, match="different partitions"):
        whole.against(shifted)


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
