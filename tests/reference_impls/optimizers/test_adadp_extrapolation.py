"""Algorithm 1 on gradient descent: where it ends, what its tol means, what it discards."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.adadp_extrapolation import AdadpExtrapolation
from reference_impls.optimizers.non_private import NonPrivate

RNG = np.random.default_rng(5)
TABLE = Table(features=RNG.normal(size=(40, 3)), labels=RNG.choice([-1.0, 1.0], 40))


@pytest.mark.parametrize("tol", [1e-3, 1e-4, 1e-5])
def test_it_ends_within_tol_of_the_optimum_of_l_bfgs(tol: float) -> None:
    whole = AdadpExtrapolation(steps=2000, l2=0.1, tol=tol).transcript(TABLE, rng=stream(0))
    expected = NonPrivate(l2=0.1).train(TABLE, rng=stream(0))
    assert np.linalg.norm(whole.result - expected) < 2 * tol
    assert not whole.draws


def test_without_the_discard_it_leaves_the_optimum_again() -> None:
    whole = AdadpExtrapolation(steps=2000, l2=0.1, tol=1e-3, discard=False).transcript(TABLE, rng=stream(0))
    away = np.linalg.norm(whole.iterates - NonPrivate(l2=0.1).train(TABLE, rng=stream(0)), axis=1)
    assert away.min() < 0.01
    assert away[away.argmin() :].max() > 1.0


def test_a_wild_step_size_is_discarded_until_it_is_small() -> None:
    """Nothing moves at first; every discarded step shrinks eta by 0.9; a taken one has err <= tol."""
    algorithm = AdadpExtrapolation(steps=60, initial_step=100.0)
    whole = algorithm.transcript(TABLE, rng=stream(0))
    taken = whole.public["answer"] == 1.0
    assert not taken[0]
    assert taken.any()
    for step, kept in enumerate(taken):
        assert kept == (whole.public["error"][step] <= 0.1)
        assert kept or np.array_equal(whole.iterates[step + 1], whole.iterates[step])
        factor = min(max(0.1 / whole.public["error"][step], 0.9), 1.1)
        assert step == 59 or whole.step_sizes[step + 1] == pytest.approx(factor * whole.step_sizes[step])
    free = AdadpExtrapolation(steps=60, initial_step=100.0, discard=False).transcript(TABLE, rng=stream(0))
    assert "answer" not in free.public
    assert np.linalg.norm(free.iterates[1]) > 1


def test_the_factor_2_is_half_the_tol() -> None:
    """Equation (3) as printed at tol is the estimate of the local error at 2 tol: the same run to the last bit."""
    printed = AdadpExtrapolation(steps=30, tol=1e-4).transcript(TABLE, rng=stream(0))
    doubled = AdadpExtrapolation(steps=30, tol=2e-4, factor=2.0).transcript(TABLE, rng=stream(0))
    assert np.array_equal(printed.iterates, doubled.iterates)
    other = AdadpExtrapolation(steps=30, tol=1e-4, factor=2.0).transcript(TABLE, rng=stream(0))
    assert not np.array_equal(printed.iterates, other.iterates)


@pytest.mark.parametrize(
    "wrong", [{"steps": 0}, {"initial_step": 0.0}, {"l2": -1.0}, {"tol": 0.0}, {"factor": 0.0}, {"error": "none"}]
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        AdadpExtrapolation(**wrong)  # type: ignore[arg-type]
