"""The first step of ADP-SGD: its law beside SciPy and samples, proofs, what it says of the theorem, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.optimizers.adp_sgd import AdpSgd
from reference_impls.papers.adpsgd.lemmas.first_step import AdpSgdStep, _square_cells
from reference_impls.papers.adpsgd.lemmas.first_step_remarks import shown_spread

SMALL = {"epsilon": 1.0, "steps": 1}


def test_the_noise_and_the_step_are_the_trainings() -> None:
    values, counts, steps, scale = AdpSgdStep(epsilon=3.0, steps=90)._parts([1.0, 1.0, -0.5])
    training = AdpSgd(epsilon=3.0, steps=90)
    assert values.tolist() == [-0.5, 1.0]
    assert counts.tolist() == [1, 2]
    assert steps == pytest.approx([1 / math.sqrt(21)] * 2, rel=1e-15)
    assert scale == pytest.approx(training.alphas[0] * training.noise_scale(3), rel=1e-15)
    raw = AdpSgdStep(follows="gradient", beta=512.0, nu=0.1, **SMALL)
    assert raw._parts([0.0, 0.5])[2] == pytest.approx([1 / math.sqrt(20.1), 1 / math.sqrt(20 + 128)], rel=1e-15)
    whole = AdaGrad(beta=512.0, steps=1, sigma=0.0)
    assert whole.growth_of_square[1][0, 0] == 512.0


@pytest.mark.parametrize("follows", ["nothing", "gradient"])
@pytest.mark.parametrize("dimension", [1, 50])
def test_samples_follow_the_law(follows: str, dimension: int) -> None:
    """Pearson's chi-square over the cells, false alarm 1e-9 each."""
    step = AdpSgdStep(follows=follows, dimension=dimension, beta=4.0, b0_squared=2.0, **SMALL)
    data = np.array([1.0, -1.0, 0.0, 0.0])
    law = step.output_law(data).cells
    found = step.sample(data, 100_000, rng=stream(0, "cells"))[:, 0]
    expected = 100_000 * np.exp(law.log_probabilities)
    seen = np.histogram(found, [-np.inf, *edges_of(step, data), np.inf])[0]
    rare = expected < 20
    seen, expected = (np.append(each[~rare], each[rare].sum()) for each in (seen, expected))
    assert expected.sum() == pytest.approx(100_000, rel=1e-9)
    assert len(expected) > 5
    expected = np.maximum(expected, 1e-3)
    assert stats.chi2.sf(np.sum((seen - expected) ** 2 / expected), len(seen) - 1) > 1e-9


def edges_of(step: AdpSgdStep, data: np.ndarray) -> list[float]:
    """Where the cells end, by bisection on nothing but the law of one cell structure: recomputed from the text."""
    scale = step._parts(data)[3]
    ends = sorted({float(each) for each in step._steps(np.array([0.0, 1.0]))})
    spreads = np.linspace(-6, 6, 7)
    if step.dimension == 1:
        places = [end * (place + scale * k) for end in ends for place in np.linspace(-1, 1, 3) for k in spreads]
        edges = np.unique(places)
        return edges[np.append(True, np.diff(edges) > 1e-6 * scale * min(ends))].tolist()
    free = step.dimension - 1
    middle = np.maximum(free + math.sqrt(2 * free) * spreads, 0.01 * free)
    return sorted({(end * scale) ** 2 * each for end in ends for each in middle})


@pytest.mark.parametrize("free", [1, 7, 999])
def test_the_cells_of_squares_are_proved_to_be_chi_square_s(free: int) -> None:
    edges = 4.0 * (free + math.sqrt(2 * free) * np.array([0.5, 1.0, 2.0, 5.0]))
    law = _square_cells(free, 2.0, edges)
    exact = np.diff(np.concatenate([[0.0], stats.chi2.cdf(edges / 4.0, free), [1.0]]))
    assert np.exp(law.log_probabilities) == pytest.approx(exact, rel=1e-9)
    assert law.enclose is not None
    for ball, log in zip(law.enclose(), law.log_probabilities, strict=True):
        assert float(ball.rad()) < 1e-12 * float(ball.mid())
        assert abs(float(ball.log()) - log) <= law.error


def test_theorem_41_is_proved_wrong_at_the_experiments_numbers() -> None:
    ones = np.ones(50000)
    other = np.append(ones[1:], -1.0)
    for epsilon in (12.8, 0.8):
        step = AdpSgdStep(epsilon=epsilon)
        pair = step.output_law(other).against(step.output_law(ones))
        proof = pair.prove(Measure(kind="delta", argument=epsilon, claimed=1e-5))
        assert proof is not None
        assert proof.proved
        assert 1.99e-5 < proof.lower < 2e-5  # the chance to be drawn, all of it
    batch = AdpSgdStep(batch_size=256)
    assert batch.output_law(other).against(batch.output_law(ones)).delta(12.8).upper < 1e-8


def test_a_raw_step_size_breaks_the_claim_in_many_dimensions_and_a_noisy_one_does_not() -> None:
    def cost(**settings: object) -> float:
        step = AdpSgdStep(**SMALL, **settings)  # type: ignore[arg-type]
        pair = step.output_law([0.0, 0.0]).against(step.output_law([0.0, 1.0]))
        return max(each.delta(1.0).lower for each in (pair, pair.swap()))

    assert cost(follows="gradient") < 1e-5
    assert cost(follows="gradient", dimension=1000) > 1e-2
    assert cost(follows="gradient", beta=512.0) > 1e-3
    assert cost() < 1e-5
    assert cost(beta=512.0) < 1e-5
    assert cost(dimension=1000) == 0.0


@pytest.mark.parametrize("data", [[2.0, 0.0], [[1.0]], [math.nan, 0.0], []])
def test_bad_data_are_refused(data: list[object]) -> None:
    with pytest.raises(InputError):
        AdpSgdStep(steps=1).output_law(data)


def test_batches_of_unlike_records_are_refused() -> None:
    with pytest.raises(InputError, match="alike but for one"):
        AdpSgdStep(batch_size=2, **SMALL).output_law([1.0, 1.0, 0.0, 0.0])
    whole = AdpSgdStep(batch_size=3, **SMALL)
    assert whole._parts([1.0, 1.0, -1.0])[0] == pytest.approx([1 / 3])


@pytest.mark.parametrize(
    "wrong", [{"follows": "noise"}, {"dimension": 0}, {"alpha": "zero"}, {"epsilon": 0.0}, {"beta": 0.1}]
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match=next(iter(wrong))):
        AdpSgdStep(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("dimension", "beta", "holds"), [(1000, 1.0, True), (10_000, 1.0, True), (1, 512.0, True), (1, 1.0, False)]
)
def test_the_remarks_show_how_well_a_spread_is_seen(dimension: int, beta: float, holds: bool) -> None:
    assert shown_spread(dimension, beta).holds is holds
