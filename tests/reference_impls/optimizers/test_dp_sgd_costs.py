"""What DP-SGD in its samplings, and DP-Adam, say that they cost; and that what they believe is what moves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.accounting.steps.gaussian import GaussianStep
from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.accounting.steps.printed_samples import WithoutReplacementStep
from dpverify.core.composition import Composition
from dpverify.core.errors import InputError
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_adam import DpAdam
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.dp_sgd_fixed_size import DpSgdFixedSize
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled
from reference_impls.optimizers.noisy_sgd import NoisySgd

RNG = np.random.default_rng(4)
TABLE = Table(features=3.0 * RNG.normal(size=(14, 3)), labels=RNG.choice([-1.0, 1.0], 14))


@pytest.mark.parametrize("kind", [DpSgd, DpAdam])
def test_poisson_samples(kind: type[DpSgd] | type[DpAdam]) -> None:
    algorithm = kind(steps=7, rate=0.3, noise_multiplier=1.5)
    assert algorithm.composition(14) == Composition.repeat(PoissonGaussianStep(q=0.3, sigma=1.5), 7)
    assert algorithm.composition(14).relation == algorithm.relation == "add-remove"


def test_samples_of_a_fixed_size() -> None:
    algorithm = DpSgdFixedSize(steps=7, batch_size=4, noise_multiplier=1.5)
    step = WithoutReplacementStep(q=4 / 14, step=GaussianStep(sigma=1.5, sensitivity=2.0))
    assert algorithm.composition(14) == Composition.repeat(step, 7)
    assert algorithm.composition(14).relation == algorithm.relation == "replace"


@pytest.mark.parametrize(("batch_size", "epochs"), [(4, 2), (7, 4), (14, 7), (20, 7), (1, 1)])
def test_shuffled_batches_as_accounted_and_soundly(batch_size: int, epochs: int) -> None:
    """Seven steps: 4 of 14 make four batches an epoch, so they reach into the second."""
    algorithm = DpSgdShuffled(steps=7, batch_size=batch_size, noise_multiplier=1.5)
    q = min(batch_size / 14, 1.0)
    assert algorithm.composition(14) == Composition.repeat(PoissonGaussianStep(q=q, sigma=1.5), 7)
    assert algorithm.sound_composition(14) == Composition.repeat(GaussianStep(sigma=1.5, sensitivity=2.0), epochs)


@pytest.mark.parametrize("rows", [0, -1, 2.5, True])
@pytest.mark.parametrize("kind", [DpSgd, DpAdam, DpSgdFixedSize, DpSgdShuffled])
def test_no_cost_for_no_records(kind: type[DpSgd], rows: int) -> None:
    with pytest.raises(InputError, match=f"{rows!r} records"):
        kind(steps=2).composition(rows)


@given(
    st.sampled_from([DpSgdFixedSize(steps=2, batch_size=5, clip=0.3), DpSgdShuffled(steps=2, batch_size=5, clip=0.3)]),
    st.integers(0, 13),
    st.integers(0, 2**32),
)
def test_a_replaced_record_moves_the_first_sum_by_at_most_twice_the_clip(
    algorithm: NoisySgd, place: int, seed: int
) -> None:
    whole = algorithm.transcript(TABLE, rng=stream(seed, "pair"))
    other = TABLE.replaced(place, -TABLE.features[place], float(TABLE.labels[place]))
    moved = np.linalg.norm(whole.perturbed[0].clean - algorithm.replay(other, whole).perturbed[0].clean)
    inside = place in whole.draws[0].values[:5]
    assert moved <= 0.6 * (1 + 1e-12)
    assert (moved > 0.59) == inside  # both gradients are longer than C and point opposite ways: it is reached


def test_the_transcript_believes_it() -> None:
    believed = {
        kind: {each.sensitivity for each in kind(steps=2, clip=0.3).transcript(TABLE, rng=stream(0)).perturbed}
        for kind in (DpSgd, DpAdam, DpSgdFixedSize)
    }
    assert believed == {DpSgd: {0.3}, DpAdam: {0.3}, DpSgdFixedSize: {0.6}}
