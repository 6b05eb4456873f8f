"""BR-GRAD, BR-LISTNET, BR-LISTMLE: derivatives in balls are central differences; what is wrong falls."""

from __future__ import annotations

from dataclasses import dataclass, replace

import flint
import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.laws.balls import working_precision
from dpverify.sampling.streams import stream
from reference_impls.papers.diss.lemmas.ranking.slopes_in_balls import (
    ListwiseSlopes,
    MlpSlopes,
    PrefixSlopes,
    Scored,
    Slopes,
)
from reference_impls.ranking.objectives.objective import find_objective
from reference_impls.ranking.scorers.mlp import MlpScorer
from reference_impls.ranking.top_k_probabilities import top_k
from tests.reference_impls.rows import evidence, status

NAMES = ("first", "second", "third", "fourth")
STEP = 1e-5


def true(subject: Slopes) -> list[float]:
    with working_precision():
        return [float(ball) for ball in subject.compared()[1]]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_prefix_slopes(k: int) -> None:
    at = PrefixSlopes(first=0.4, second=-1.2, third=2.0, fourth=0.1, k=k)
    columns = []
    for unit in np.eye(4):
        ends = [top_k(at.scores + side * STEP * unit, k)[1] for side in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * STEP))
    assert true(at) == pytest.approx(np.column_stack(columns).ravel().tolist(), abs=1e-9)


@pytest.mark.parametrize("objective", ["listnet", "listmle"])
@pytest.mark.parametrize("k", [1, 2])
def test_listwise_slopes(objective: str, k: int) -> None:
    at = ListwiseSlopes(objective=objective, first=0.4, second=-1.2, third=2.0, fourth=0.1, k=k, y_1=3.0, y_4=0.5)
    labels = np.array([3.0, 2.0, 1.0, 0.5])
    loss = find_objective(objective).loss
    ends = [
        (loss(at.scores + STEP * unit, labels, k) - loss(at.scores - STEP * unit, labels, k)) / (2 * STEP)
        for unit in np.eye(4)
    ]
    assert true(at) == pytest.approx(ends, abs=1e-9)
    assert true(replace(at, what="loss")) == pytest.approx([loss(at.scores, labels, k)], rel=1e-12)


@pytest.mark.parametrize("activation", ["relu", "tanh", "logistic"])
def test_mlp_slopes(activation: str) -> None:
    at = MlpSlopes(activation=activation, seed=4.0)
    scorer = MlpScorer(width=2, activation=activation)
    with working_precision():
        assert len(at.compared()[1]) == scorer.dimension(2) == 8
    rng = stream(4, "an mlp")
    weights, features = rng.standard_normal(8), rng.uniform(-1.0, 1.0, 2)
    ends = [
        (
            scorer.scores(weights + STEP * unit, features[None])[0]
            - scorer.scores(weights - STEP * unit, features[None])[0]
        )
        / (2 * STEP)
        for unit in np.eye(8)
    ]
    assert true(at) == pytest.approx(ends, abs=1e-8)


def test_a_ratio_is_proved_and_is_the_float_one() -> None:
    for at in (PrefixSlopes(k=2.0), ListwiseSlopes(), MlpSlopes(activation="tanh")):
        proof = at.proved_ratio()
        assert proof is not None
        assert proof.proved
        assert proof.value == pytest.approx(at.truth().value / at.printed().value, rel=1e-6, abs=1e-12)


class Missing(Slopes):
    """Base of mutants: the computed numbers with a tenth less of the first."""

    def compared(self) -> tuple[list[float], list[flint.arb], float]:
        computed, right, room = super().compared()  # type: ignore[safe-super]  # a mixin
        return [0.9 * computed[0], *computed[1:]], right, room


@dataclass(frozen=True, kw_only=True)
class WrongPrefix(Missing, PrefixSlopes):
    """dp_k/df with a factor 0.9 in one place."""


@dataclass(frozen=True, kw_only=True)
class WrongListwise(Missing, ListwiseSlopes):
    """A loss or a slope with a factor 0.9 in one place."""


@dataclass(frozen=True, kw_only=True)
class WrongMlp(Missing, MlpSlopes):
    """One weight's slope times 0.9."""


STANDING: dict[str, type[Slopes]] = {
    "BR-GRAD.a": WrongPrefix,
    "BR-GRAD.b-relu": WrongMlp,
    "BR-GRAD-R.b-relu": WrongMlp,
    "BR-GRAD-R.b-tanh": WrongMlp,
    "BR-GRAD-R.b-logistic": WrongMlp,
    "BR-LISTNET.loss": WrongListwise,
    "BR-LISTNET.gradient": WrongListwise,
    "BR-LISTMLE.loss": WrongListwise,
    "BR-LISTMLE.gradient": WrongListwise,
}


@pytest.mark.parametrize("id", STANDING)
def test_what_is_right_stands_and_a_tenth_less_falls(id: str) -> None:
    assert status(id, "lemma") is Status.NOT_REFUTED
    assert status(id, "lemma", subject=STANDING[id]) is Status.REFUTED


@pytest.mark.parametrize("activation", ["tanh", "logistic"])
def test_the_printed_backward_phase_falls(activation: str) -> None:
    found = evidence(f"BR-GRAD.b-{activation}", "lemma")
    assert found.excess > 0
    assert found.statistics["own"]["truth"] > 0.01
    assert registry().remarks.get(f"BR-GRAD.b-{activation}").shown().holds


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        (PrefixSlopes, {"k": 4.0}),
        (Scored, {"first": 30.0}),
        (ListwiseSlopes, {"objective": "bayesrank"}),
        (ListwiseSlopes, {"what": "x"}),
        (MlpSlopes, {"activation": "x"}),
        (MlpSlopes, {"scale": 0.0}),
    ],
)
def test_bad_numbers(kind: type, bad: dict[str, object]) -> None:
    with pytest.raises((InputError, TypeError)):
        kind(**bad)
