"""Canaries in a real training: their law in closed form, and one-run audits of a right and a broken training."""

import math

import numpy as np
import pytest
from scipy import stats

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.subjects import HasCanaries
from dpverify.core.verdict import Status
from dpverify.sampling.streams import stream
from reference_impls.optimizers.canary_training import CanaryTraining


def test_scores_are_gaussian_with_the_claimed_shift():
    """Along its axis a canary moves the weight by T C eta / divisor, the noise has sqrt(T) sigma of that; 1e-9 each."""
    subject = CanaryTraining()
    assert isinstance(subject, HasCanaries)
    scores, included = subject.canary_run(rng=stream(0, "canaries"))
    unit = subject.step_size / subject.divisor * math.sqrt(subject.steps) * subject.noise_multiplier
    shift = math.sqrt(subject.steps) / subject.noise_multiplier
    assert shift == 0.5
    noise = scores / unit - shift * included
    assert stats.kstest(noise, stats.norm.cdf).pvalue > 1e-9
    assert 1e-9 < stats.chi2.cdf(float(noise @ noise), noise.size) < 1 - 1e-9
    assert stats.binomtest(int(included.sum()), included.size).pvalue > 1e-9


def test_the_right_training_is_not_refuted_and_the_broken_one_is():
    """False alarm of the first 1e-9; the second has no chance to miss: its noise is a two-hundredth."""
    right, broken = CanaryTraining(), CanaryTraining(noise=1 / 200)
    for name, subject, confidence, verdict in (
        ("right", right, 1 - 1e-9, Status.NOT_REFUTED),
        ("broken", broken, 0.999, Status.REFUTED),
    ):
        found = dpv.audit_one_run(
            *subject.canary_run(rng=stream(1, name)), claim="GDP(mu=0.5)", guesses=200, confidence=confidence
        )
        assert found.verdict is verdict
        assert found.measure == "mu"
    assert found.bound > 1.0


def test_sampled_batches_are_quieter():
    """At rate 1/4 a canary takes part in a quarter of the steps on average."""
    scores, included = CanaryTraining(rate=0.25, steps=16).canary_run(rng=stream(2, "sampled"))
    moved = np.mean(scores[included == 1]) - np.mean(scores[included == 0])
    assert moved == pytest.approx(16 / 4 / 200, abs=6 * 2 * math.sqrt(16) * 4.1 / 200 / math.sqrt(500))


def test_bad_settings():
    with pytest.raises(InputError):
        CanaryTraining(canaries=0)
    with pytest.raises(InputError):
        CanaryTraining(divisor=0.0)
