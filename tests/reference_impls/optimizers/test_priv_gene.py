"""PrivGene: a twin on the same draws, the range that its scale rests on, its law, its limit, bad input."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.definitions.pure_dp import PureDP
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.priv_gene import PrivGene, _around, largest_distance

RNG = np.random.default_rng(8)
TABLE = Table(features=RNG.normal(size=(30, 3)), labels=RNG.choice([-1.0, 1.0], 30)).normalised()


def total_loss(w: np.ndarray) -> float:
    return float(np.log1p(np.exp(-TABLE.labels * (TABLE.features @ w))).sum())


def test_it_is_its_twin() -> None:
    whole = PrivGene(epsilon=6.0, rounds=5).transcript(TABLE, rng=stream(0, "gene"))
    parent, size = np.zeros(3), 0.5
    for draw, point in zip(whole.draws, whole.iterates, strict=True):
        candidates = [parent + sign * size * axis for axis in np.eye(3) for sign in (1, -1)]
        scores = [-total_loss(w) * (6.0 / 5) / (4 * size * 1.0) for w in candidates]
        parent, size = candidates[int(np.argmax(scores + draw.values))], 0.95 * size
        assert point == pytest.approx(parent, rel=1e-12)
    assert whole.result == pytest.approx(parent, rel=1e-12)
    assert whole.budgets == pytest.approx([6.0 / 5] * 5)
    sizes = 0.5 * 0.95 ** np.arange(5)
    assert whole.public["range"] == pytest.approx(4 * sizes, rel=1e-12)
    assert whole.public["gumbel-scale"] == pytest.approx(4 * sizes / (6.0 / 5), rel=1e-12)
    assert [each.released for each in whole.perturbed] == [False] * 5  # fitness stays hidden


def test_children_are_crossed_and_moved_in_one_coordinate() -> None:
    algorithm = PrivGene(epsilon=6.0, rounds=2, parents=2)
    whole = algorithm.transcript(TABLE, rng=stream(0, "cross"))
    first, second = whole.iterates[:2]
    by_name = {
        name: [int(d.values[0]) for d in whole.draws if d.name == name] for name in ("cut", "coordinate", "sign")
    }
    chosen = [int(d.values[0]) for d in whole.draws if d.name == "parent"]
    children = []
    for k in range(6):
        one, two = ((first, second)[chosen[2 * k + i]] for i in range(2))
        child = np.array([one[j] if j < by_name["cut"][k] else two[j] for j in range(3)])
        child[by_name["coordinate"][k]] += (-1) ** by_name["sign"][k] * 0.475
        children.append(child)
    assert min(np.abs(child - whole.result).max() for child in children) == 0.0
    assert whole.budgets == pytest.approx([4.0, 2.0])
    fitness = [each.clean for each in whole.perturbed]
    assert fitness[1] == pytest.approx([-total_loss(child) for child in children], rel=1e-12)
    reach = max(np.linalg.norm(a - b) for a in children for b in children)
    assert whole.public["range"] == pytest.approx([2.0, 2 * reach], rel=1e-12)
    assert whole.public["gumbel-scale"] == pytest.approx([2.0 / 2.0, 2 * reach / 2.0], rel=1e-12)


def test_one_selection_is_the_exponential_mechanism() -> None:
    """Pearson's chi-square, false alarm 1e-9."""
    algorithm = PrivGene(epsilon=1.0, rounds=1)
    out = algorithm.sample(TABLE, 3000, rng=stream(0, "law"))
    candidates = [sign * 0.5 * axis for axis in np.eye(3) for sign in (1, -1)]
    weights = np.exp([-total_loss(w) / 2.0 for w in candidates])
    expected = 3000 * weights / weights.sum()
    seen = [int((out == w).all(axis=1).sum()) for w in candidates]
    assert sum(seen) == 3000
    assert stats.chi2.sf(np.sum((seen - expected) ** 2 / expected), 5) > 1e-9


@given(st.integers(0, 29), st.integers(0, 2**32), st.sampled_from(["logistic", "hinge", "huber-svm"]))
def test_no_replaced_record_moves_a_difference_further(index: int, seed: int, name: str) -> None:
    rng = np.random.default_rng(seed)
    row = rng.normal(size=3)
    other = TABLE.replaced(index, row / np.linalg.norm(row) * (1 - 1e-12), float(rng.choice([-1.0, 1.0])))
    candidates, model = rng.normal(size=(5, 3)), find_model(name)
    moved = [model.losses(w, TABLE).sum() - model.losses(w, other).sum() for w in candidates]
    assert max(moved) - min(moved) <= PrivGene(model=name).range_of(candidates) * (1 + 1e-12)


def test_the_range_is_that_of_public_code_and_attained_in_the_limit() -> None:
    candidates = np.array([[0.3, 0.0], [-0.3, 0.0], [0.0, 0.3], [0.0, -0.3]])
    assert PrivGene(model="hinge").range_of(candidates) == pytest.approx(4 * 0.3)
    far = 0.3 * np.array([[1.0, 0.0], [-1.0, 0.0]])
    losses = find_model("hinge").losses
    one, two = (Table(features=np.array([[1.0, 0.0]]), labels=np.array([label])) for label in (1.0, -1.0))
    moved = [losses(w, one)[0] - losses(w, two)[0] for w in far]
    assert max(moved) - min(moved) == pytest.approx(PrivGene(model="hinge").range_of(far))


@given(st.integers(1, 600), st.integers(1, 5), st.integers(0, 2**32), st.floats(-1e6, 1e6))
def test_the_largest_distance_is_that_of_all_pairs(number: int, dimension: int, seed: int, far: float) -> None:
    """Over all chunks, and wherever the points lie together."""
    points = far + np.random.default_rng(seed).normal(size=(number, dimension))
    distances = np.sqrt(np.square(points[:, None] - points[None]).sum(axis=2))
    assert distances.max() * (1 - 1e-15) <= largest_distance(points) <= distances.max() * (1 + 1e-14 * (dimension + 4))


def test_the_largest_distance_is_never_below_the_exact_one() -> None:
    """In fractions, over a hundred sets of seven points."""
    for seed in range(100):
        points = np.random.default_rng(seed).normal(size=(7, 4))
        exact = [[Fraction(each) for each in point] for point in points.tolist()]
        square = max(sum((a - b) ** 2 for a, b in zip(p, q, strict=True)) for p in exact for q in exact)
        assert Fraction(largest_distance(points)) ** 2 >= square


def test_one_parents_candidates_are_as_far_apart_as_it_takes_them_to_be() -> None:
    candidates = _around(np.array([0.3, -2.0, 0.0]), 0.25)
    assert PrivGene().range_of(candidates) == pytest.approx(4 * 0.25, rel=1e-13)
    assert {tuple(each) for each in np.round(candidates - [0.3, -2.0, 0.0], 12)} == {
        tuple(sign * 0.25 * axis) for sign in (1, -1) for axis in np.eye(3)
    }


def test_a_generation_that_no_memory_holds_is_refused_before_it_is_made() -> None:
    wide = Table(features=np.zeros((3, 784)), labels=np.arange(3.0))
    with pytest.raises(InputError, match="15680 candidates of 7840"):
        PrivGene(model="softmax:10", rounds=1).train(wide, rng=stream(0, "wide"))


def test_with_a_vast_budget_it_descends() -> None:
    algorithm = PrivGene(epsilon=1e9, rounds=150)
    weights = algorithm.train(TABLE, rng=stream(0, "limit"))
    assert np.linalg.norm(find_model("logistic").gradient(weights, TABLE)) < 0.05
    assert algorithm.guarantee() == PureDP(epsilon=1e9)
    assert PrivGene().rounds_for(48842) == 61
    assert PrivGene().rounds_for(10) == 1


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"rounds": 0}, "rounds"),
        ({"parents": 0}, "parents"),
        ({"scale": 0.0}, "scale"),
        ({"shrink": 1.5}, "shrink"),
        ({"norm": math.inf}, "norm"),
        ({"epsilon": -1.0}, "epsilon"),
        ({"model": "squared"}, "bounded gradients"),
        ({"model": "no-such"}, "no-such"),
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object], named: str) -> None:
    with pytest.raises(InputError, match=named):
        PrivGene(**wrong)  # type: ignore[arg-type]


def test_long_rows_and_too_many_parents_are_refused() -> None:
    with pytest.raises(InputError, match="record 3 has L2 norm"):
        PrivGene().train(TABLE.replaced(3, np.ones(3), 1.0), rng=stream(0, "bad"))
    with pytest.raises(InputError, match="7 of 6 candidates"):
        PrivGene(parents=7).train(TABLE, rng=stream(0, "bad"))
