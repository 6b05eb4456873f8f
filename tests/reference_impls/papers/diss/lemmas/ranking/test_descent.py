"""BR-DESCENT: the risk by the objective's own loss, its slope along the update, and both signs."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.laws.balls import working_precision
from reference_impls.papers.diss.lemmas.ranking.descent import FLOAT_ERROR, Descent, OneUpdate, WholeTraining, regret
from reference_impls.ranking.objectives.objective import find_objective
from tests.reference_impls.rows import evidence, status


@pytest.mark.parametrize("k", [1, 2])
def test_the_risk_is_the_mean_of_the_objectives_losses(k: int) -> None:
    sessions, before, after = OneUpdate(k=k, scale=2.0, seed=7.0).ends()
    for weights in (before, after):
        losses = [
            find_objective("bayesrank").loss(sessions.documents_of(j) @ weights, sessions.labels_of(j), k)
            for j in range(sessions.count)
        ]
        assert regret(sessions, weights, k, exact=False) == pytest.approx(1.0 + np.mean(losses), rel=1e-12)
        with working_precision():
            assert float(regret(sessions, weights, k, exact=True)) == pytest.approx(1.0 + np.mean(losses), rel=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_doubles_keep_their_error_where_one_score_outgrows_the_others(seed: int) -> None:
    """What is left after a large score is summed anew: a difference would keep no digit of it."""
    sessions, _, after = OneUpdate(sign="turned", k=2, scale=4.0, seed=seed).ends()
    for weights in (after, 20.0 * after):
        with working_precision():
            exact = float(regret(sessions, weights, 2, exact=True).mid())
        assert abs(regret(sessions, weights, 2, exact=False) - exact) <= FLOAT_ERROR


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("seed", range(5))
def test_the_directional_derivative_is_the_squared_length_of_g(k: int, seed: int) -> None:
    """d R / d eta at 0 is |G|^2 / m as printed, and minus that with the sign turned."""
    step = 1e-6
    for sign, direction in (("printed", 1.0), ("turned", -1.0)):
        at = OneUpdate(sign=sign, k=k, seed=seed, scale=1.0, step_size=step)
        sessions, before, after = at.ends()
        length = np.linalg.norm((after - before) / step)
        rise = (at.truth().value - at.printed().value) / step
        assert rise == pytest.approx(direction * length**2 / sessions.count, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("key", ["step-k1", "step-k2", "training"])
def test_verdicts(key: str) -> None:
    assert status(f"BR-DESCENT.{key}", "lemma") is Status.REFUTED
    assert status(f"BR-DESCENT-R.{key}", "lemma") is Status.NOT_REFUTED
    assert registry().remarks.get(f"BR-DESCENT.{key}").shown().holds


def test_the_wrong_sign_falls_at_the_papers_own_step() -> None:
    own = evidence("BR-DESCENT.step-k1", "lemma").statistics["own"]
    assert own["parameters"]["step_size"] == 0.1
    assert own["ratio"] > 1.001


def test_training_ends_apart() -> None:
    """Without noise: most of the attainable gain is lost as printed, and won with the sign turned."""
    printed, turned = (WholeTraining(sign=sign) for sign in ("printed", "turned"))
    assert printed.truth().value > 1.2 * printed.printed().value
    assert turned.truth().value < 0.5 * turned.printed().value


@pytest.mark.parametrize("bad", [{"sign": "x"}, {"k": 3.0}])
def test_bad_numbers(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        OneUpdate(**bad)  # type: ignore[arg-type]  # wrong on purpose


def test_the_base_alone_is_nothing() -> None:
    with pytest.raises(TypeError, match="ends"):
        Descent()  # type: ignore[abstract]  # wrong on purpose
