"""ADADP: its limits, its cost, its sensitivity, what its transcript says, bad input."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.linear_model import LogisticRegression

from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.models.model import find_model
from reference_impls.optimizers.adadp import Adadp
from reference_impls.optimizers.adadp_non_private import adadp_non_private
from reference_impls.optimizers.dp_sgd import DpSgd

RNG = np.random.default_rng(0)
TABLE = Table(features=RNG.normal(size=(60, 3)), labels=RNG.choice([-1.0, 1.0], 60))


def test_without_noise_and_clipping_it_finds_scikit_learns_optimum() -> None:
    """q = 1: gradient descent with steps of its own finding, to about tol from the minimum of the unregularised sum."""
    algorithm = adadp_non_private(steps=2000, batch_size=60, initial_step=1e-3, tol=1e-5)
    expected = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=1000)
    expected.fit(TABLE.features, TABLE.labels)
    assert algorithm.train(TABLE, rng=stream(0, "limit")) == pytest.approx(expected.coef_[0], abs=1e-4)


def test_with_one_step_size_it_is_dp_sgd_along_every_other_batch() -> None:
    """alpha_min = alpha_max = 1: the iterates see G_1 alone, as printed; G_2 is drawn and only measures."""
    own = {"noise_multiplier": 1.5, "clip": 0.4}
    whole = Adadp(steps=5, rate=0.4, initial_step=0.3, alpha_min=1, alpha_max=1, **own).transcript(
        TABLE, rng=stream(0, "one")
    )
    w = np.zeros(3)
    for each in whole.perturbed[::2]:
        w = w - 0.3 * each.value
    assert whole.result == pytest.approx(w, rel=1e-12)
    first = DpSgd(steps=1, rate=0.4, step_size=0.3, divisor=1.0, **own).train(TABLE, rng=stream(0, "one"))
    assert whole.iterates[1] == pytest.approx(first, rel=1e-12)


def test_the_transcript_says_what_it_believes() -> None:
    whole = Adadp(steps=3, noise_multiplier=2.0, clip=0.5, batch_size=10).transcript(TABLE, rng=stream(0, "run"))
    assert whole.iterates.shape == (4, 3)
    assert np.array_equal(whole.iterates[-1], whole.result)
    assert [(each.name, each.law, each.scale, each.sensitivity, each.released) for each in whole.perturbed] == [
        ("gradient", "gaussian", 1.0, 0.5, True)
    ] * 6
    assert whole.step_sizes[0] == 0.1
    assert whole.step_sizes.shape == whole.public["error"].shape == (3,)


@settings(deadline=None, derandomize=True, max_examples=50)
@given(st.integers(0, 2**32), st.sampled_from(["poisson", "shuffled"]), st.sampled_from(["paper", "code"]))
def test_all_step_sizes_and_iterates_are_functions_of_the_noisy_sums(seed: int, sampling: str, text: str) -> None:
    """AD-POST: told again from G_1 and G_2 alone, without the records."""
    algorithm = Adadp(steps=5, batch_size=13, sampling=sampling, text=text, tol=0.4)
    whole = algorithm.transcript(TABLE, rng=stream(seed, "post"))
    sums = iter(whole.released("gradient"))
    w, eta = np.zeros(3), 0.1
    for step in range(5):
        g1, g2 = next(sums), next(sums)
        assert whole.step_sizes[step] == pytest.approx(eta, rel=1e-12)
        full, hat = w - eta * g1, w - eta / 2 * g1 - eta / 2 * g2
        err = np.linalg.norm((full - hat) / np.maximum(1.0, np.abs(full)))
        if text == "paper" or err <= 0.4:
            w = full if text == "paper" else hat
        eta *= min(max(0.4 / err if text == "paper" else math.sqrt(0.4 / err), 0.9), 1.1)
        assert whole.iterates[step + 1] == pytest.approx(w, rel=1e-9, abs=1e-12)


@given(st.integers(0, 59), st.integers(0, 2**32), st.floats(0.05, 2.0))
def test_removing_a_record_moves_each_sum_by_at_most_the_clip(index: int, seed: int, clip: float) -> None:
    """G_1 by the record's clipped gradient at the start when it is in; G_2 at the same half step by no more than C.

    G_2 is held at its own half step: the noise of G_1 makes up for what moved, as an adaptive composition has it.
    """
    order = np.concatenate([np.delete(np.arange(60), index), [index]])
    table = TABLE.take(order)
    whole = Adadp(steps=1, rate=0.5, clip=clip).transcript(table, rng=stream(seed, "pair"))
    again = Adadp(steps=1, rate=0.5, clip=clip).replay(table.without(59), whole)
    inside = [59 in draw.values for draw in whole.draws if draw.name == "batch"]
    moved = whole.perturbed[0].clean - again.perturbed[0].clean
    model = find_model("logistic")
    norm = min(clip, model.norms(np.zeros(3), table)[59])
    assert np.linalg.norm(moved) == pytest.approx(norm if inside[0] else 0.0, rel=1e-9, abs=1e-12)
    half = -0.05 * whole.perturbed[0].value
    batch = next(draw.values for draw in whole.draws[2:] if draw.name == "batch")
    there = model.gradient(half, table.without(59), batch[batch < 59], clip=clip)
    assert np.linalg.norm(whole.perturbed[1].clean - there) <= (clip if inside[1] else 0.0) + 1e-12


def test_an_iteration_costs_two_steps_of_dp_sgd() -> None:
    """AD-2MOMENTS, AD-HALF: half as many iterations for the same composition; the paper's own MNIST numbers."""
    one = Adadp(steps=50, batch_size=200).composition(60_000)
    assert one == DpSgd(steps=100, rate=200 / 60_000, noise_multiplier=2.0).composition(60_000)
    assert one.relation == "add-remove"
    fixed = Adadp(steps=5, rate=0.25)
    assert fixed.sound_composition(7) == fixed.composition(7) == fixed.composition(8)


def test_a_rate_that_follows_the_table_is_no_bound_and_claims_none() -> None:
    """One batch of |B| = 1, sigma = 2; 20 records of gradient 1, and one more of gradient -1: densities on a grid.

    The distance of the two laws of the sum, about 0.0167, is delta at epsilon = 0; either table's claim is below 0.01.
    """
    algorithm = Adadp(steps=1, batch_size=1)
    x = np.linspace(-16.0, 24.0, 40_001)

    def density(counts: np.ndarray, masses: np.ndarray) -> np.ndarray:
        return sum(m * stats.norm.pdf(x, k, 2.0) for k, m in zip(counts, masses, strict=True))

    k, q0, q1 = np.arange(21), algorithm.sampling_rate(20), algorithm.sampling_rate(21)
    others = stats.binom.pmf(k, 20, q1)
    law0 = density(k, stats.binom.pmf(k, 20, q0))
    law1 = (1 - q1) * density(k, others) + q1 * density(k - 1, others)
    truth = 0.5 * float(np.abs(law0 - law1).sum()) * (x[1] - x[0])
    assert truth == pytest.approx(0.01667, abs=1e-4)
    for rows in (20, 21):
        (part,) = algorithm.composition(rows).parts
        assert max(pair.delta(0.0).upper for pair in part.step.laws()) < 0.01  # type: ignore[attr-defined]
        with pytest.raises(InputError, match="rate"):
            algorithm.sound_composition(rows)


def test_shuffled_batches_are_accounted_as_poisson_and_bounded_by_epochs() -> None:
    """Fourteen batches of 4 of 14 records are three and a half epochs."""
    algorithm = Adadp(steps=7, batch_size=4, sampling="shuffled")
    assert algorithm.composition(14) == Adadp(steps=7, batch_size=4).composition(14)
    assert (algorithm.sound_composition(14).size, algorithm.sound_composition(14).parts[0].step.text()) == (
        4,
        "gaussian(sigma=2, sensitivity=2)",
    )


def test_an_epoch_has_each_record_in_one_batch_and_iterations_straddle_epochs() -> None:
    whole = Adadp(steps=3, batch_size=25, sampling="shuffled").transcript(TABLE, rng=stream(0, "epochs"))
    orders = [draw.values for draw in whole.draws if draw.name == "batch"]
    assert [order.size for order in orders] == [60, 60]  # batches of 25, 25, 10: the second G_2 is of a new order
    at = whole.iterates[1] - 0.5 * whole.step_sizes[1] * whole.perturbed[2].value
    clean = find_model("logistic").gradient(at, TABLE, orders[1][:25], clip=1.0)
    assert whole.perturbed[3].clean == pytest.approx(clean, rel=1e-12)


@pytest.mark.parametrize("error", ["relative", "plain"])
@pytest.mark.parametrize("divisor", [8.0, 10.0])
def test_a_factor_of_the_sums_only_scales_the_step_size(divisor: float, error: str) -> None:
    """AD-SCALE: mean gradients (over a fixed |B|) with |B| times eta_0 go through the same points."""
    own: dict[str, Any] = {"steps": 6, "batch_size": 10, "error": error, "tol": 0.5}
    sums = Adadp(**own).transcript(TABLE, rng=stream(0, "scale"))
    means = Adadp(**own, divisor=divisor, initial_step=0.1 * divisor).transcript(TABLE, rng=stream(0, "scale"))
    assert means.iterates == pytest.approx(sums.iterates, rel=1e-10, abs=1e-13)
    assert means.step_sizes == pytest.approx(divisor * sums.step_sizes, rel=1e-10)
    unscaled = Adadp(**own, divisor=divisor).transcript(TABLE, rng=stream(0, "scale"))
    assert unscaled.iterates != pytest.approx(sums.iterates, rel=1e-3)  # with the same eta_0 it is another run


def test_an_empty_batch_is_noise_alone() -> None:
    whole = Adadp(steps=20, rate=1e-3).transcript(TABLE, rng=stream(0, "empty"))
    sizes = [draw.values.size for draw in whole.draws if draw.name == "batch"]
    assert 0 in sizes
    for size, each in zip(sizes, whole.perturbed, strict=True):
        assert size or not each.clean.any()
        assert each.noise.all()


def test_a_network_is_trained_too() -> None:
    """From its public random start, by the loop: at zeros no hidden unit would move."""
    classes = Table(features=TABLE.features, labels=(TABLE.labels + 1) / 2)
    own: dict[str, Any] = {"model": "mlp:3-4-2", "steps": 40, "tol": 0.3, "batch_size": 20}
    whole = adadp_non_private(**own).transcript(classes, rng=stream(0, "network"))
    model = find_model("mlp:3-4-2")
    losses = [model.losses(w, classes).mean() for w in (whole.iterates[0], whole.result)]
    assert losses[1] < losses[0]
    assert adadp_non_private(**own).sample(classes, 1, rng=stream(0, "network"))[0] == pytest.approx(whole.result)


def test_without_privacy_it_has_no_noise_and_no_clipping() -> None:
    algorithm = adadp_non_private(tol=0.2)
    assert (algorithm.noise_scale, algorithm.clip, algorithm.tol, algorithm.discard) == (0.0, math.inf, 0.2, True)
    whole = algorithm.transcript(TABLE, rng=stream(0, "open"))
    assert not any(each.noise.any() for each in whole.perturbed)
    assert set(whole.public["answer"].tolist()) == {0.0, 1.0}


@pytest.mark.parametrize(
    "wrong",
    [
        {"steps": 0},
        {"batch_size": 0},
        {"rate": 0.0},
        {"rate": 1.5},
        {"rate": 0.5, "sampling": "shuffled"},
        {"sampling": "fixed"},
        {"text": "thesis"},
        {"noise_multiplier": -1.0},
        {"clip": 0.0},
        {"clip": math.inf},
        {"initial_step": 0.0},
        {"divisor": 0.0},
        {"tol": 0.0},
        {"alpha_min": 1.5},
        {"alpha_max": 0.5},
        {"error": "none"},
        {"model": "no-such"},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError, match="no-such" if "model" in wrong else next(iter(wrong))):
        Adadp(**wrong)  # type: ignore[arg-type]
