"""AD-SHUFFLE: the law against runs of the published batches, Poisson in its place, mutants of the repair."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from dpverify.accounting.accountants.moments import MomentsAccountant
from dpverify.accounting.accountants.pld import PldAccountant
from dpverify.core.composition import Composition
from dpverify.core.evidence import Enclosed
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, FLIPPED, canary_table
from dpverify.laws.balls import working_precision
from dpverify.sampling.streams import stream
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled
from reference_impls.papers.accounting.lemmas.level_sums import Group, LevelSum, best
from reference_impls.papers.adadp.lemmas.accounted_epsilon import SIGMAS, Accounted
from reference_impls.papers.adadp.lemmas.replaced_record import (
    ReplacedEpsilon,
    ReplacedMoments,
    ReplacedSound,
    replaced_levels,
)
from reference_impls.papers.adadp.lemmas.shuffled_batches import (
    ShuffledEpsilon,
    ShuffledMoments,
    ShuffledSound,
    epoch_sums,
    least_standing,
    shuffled_levels,
)

RUNS = 20_000
LIMIT = 6.5  # standard errors, two-sided: 1e-10


def levels_of(levels, numbers):
    """How many levels each number has."""
    above = np.array(levels.above)[:, None] < numbers.ravel()
    below = np.array(levels.below)[:, None] > numbers.ravel()
    return (above | below).sum(axis=0).reshape(numbers.shape)


def histogram_fits(sums, law, low):
    """Each pooled cell within LIMIT standard errors."""
    edges = [0, *np.searchsorted(np.cumsum(law), [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98]), law.size]
    for first, last in itertools.pairwise(edges):
        chance = law[first:last].sum()
        seen = np.mean((sums - low >= first) & (sums - low < last))
        assert abs(seen - chance) <= LIMIT * math.sqrt(chance * (1 - chance) / len(sums)) + 1e-9, (first, last)


@pytest.mark.parametrize(("kind", "side"), [(DIRAC, 0), (BLANK, 1)])
def test_the_law_is_that_of_runs_on_the_worst_records(kind, side):
    """Real epochs of shuffled batches, read from their noisy sums, with 11 records at -C and this one."""
    sigma, size, records, epochs = 1.5, 3, 12, 2
    algorithm = DpSgdShuffled(
        model="squared", steps=epochs * records // size, noise_multiplier=sigma, batch_size=size, step_size=1e-3
    )
    table = canary_table([*[FLIPPED] * (records - 1), kind], high=1e9, name="worst")
    numbers = algorithm.traces(table, RUNS, rng=stream(0, "shuffled", kind))[:, :, 0]
    numbers = size - numbers  # a Dirac record's gradient is -C, the others' +C
    one = epoch_sums(sigma, records // size, epochs)[0]
    sums = levels_of(one.levels, numbers).sum(axis=1)
    histogram_fits(sums, one.laws[side], one.window[0])
    with pytest.raises(AssertionError):
        histogram_fits(sums, one.laws[1 - side], one.window[0])


def test_replaced_records_in_poisson_batches_have_the_law_that_is_taken():
    q, sigma, steps = 0.25, 1.5, 6
    algorithm = DpSgd(model="squared", steps=steps, noise_multiplier=sigma, rate=q, step_size=1e-3)
    levels = replaced_levels(q, sigma, 3 * sigma, 24)
    sides = [(Group(count=steps, parts=((1 - q, 0.0), (q, mean))),) for mean in (1.0, -1.0)]
    one = LevelSum(levels=levels, p=sides[0], q=sides[1], sigma=sigma)
    for kind, law in ((DIRAC, one.laws[0]), (FLIPPED, one.laws[1])):
        table = canary_table([BLANK, BLANK, kind], high=1e9, name="worst")
        numbers = -algorithm.traces(table, RUNS, rng=stream(0, "replaced", kind))[:, :, 0]
        histogram_fits(levels_of(levels, numbers).sum(axis=1), law, one.window[0])


@pytest.mark.parametrize("sigma", [1.0, 2.0, 4.0])
def test_what_is_accounted_is_the_moments_accountants_epsilon_and_its_ball_too(sigma):
    one = Accounted(sigma=sigma)
    assert one.steps == 30_000
    expected = MomentsAccountant().compose(Composition.repeat(one.step, one.steps)).epsilon(one.delta).upper
    assert one.accounted() == expected
    with working_precision():
        assert float(one.accounted_ball().mid()) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_poisson_batches_in_the_place_of_shuffled_ones_stand(sigma):
    """The accountant's own pair through the same levels: below its exact epsilon, and near it."""
    one = Accounted(sigma=sigma)
    q = one.rate
    p, absent = ((Group(count=one.steps, parts=parts),) for parts in (((1 - q, 0.0), (q, 1.0)), ((1.0, 0.0),)))
    sums = [
        LevelSum(levels=replaced_levels(q, sigma, top * sigma + 1, 48), p=p, q=absent, sigma=sigma) for top in (2.5, 4)
    ]
    shown, _, _ = best(sums, one.delta)
    exact = PldAccountant().compose(Composition.repeat(one.step, one.steps)).epsilon(one.delta)
    assert 0.93 * exact.lower < shown <= exact.upper <= one.accounted()


@pytest.mark.parametrize("sigma", SIGMAS)
def test_shuffled_epochs_have_more_than_poissons_moments_at_every_multiplier_of_the_paper(sigma):
    one = ShuffledMoments(sigma=sigma)
    s = sigma**2
    first = math.exp(4 / s) - 2 * math.exp(2 / s) + math.exp(1 / s), math.exp(1 / s) - 1
    # To first order in 1 / T; levels lose some per cent of it.
    assert 0.93 * first[0] / first[1] < one.truth().value / one.printed().value < 1.02 * first[0] / first[1]
    proof = one.proved_ratio()
    assert proof.proved
    assert proof.lower > 1.05
    assert proof.value == pytest.approx(one.truth().value / one.printed().value, rel=1e-5)


def test_at_the_papers_own_numbers_the_runs_epsilon_is_exceeded_with_a_proof():
    one = ShuffledEpsilon()
    proof = one.proved_ratio()
    assert proof.lower > 1.2
    assert proof.value == pytest.approx(one.truth().value / one.printed().value, rel=1e-6)
    quiet = ShuffledEpsilon(sigma=4.0)
    assert quiet.proved_ratio().upper < 1  # the accountant's slack hides it there
    assert 2.0 < least_standing(200, 100) < 4.0


def test_one_epoch_with_little_noise_agrees_with_the_largest_of_all_batches():
    """Chua et al.'s event, some number above a cut, in closed form: 1 - F0^(T-1) F2 against 1 - F0^(T-1) F1."""
    sigma, batches, delta = 0.5, 300, 1e-5
    cuts = np.linspace(0, 6, 2000)
    stays = stats.norm.logcdf(cuts / sigma) * (batches - 1)
    p, q = (-np.expm1(stays + stats.norm.logcdf((cuts - mean) / sigma)) for mean in (2.0, 1.0))
    good = (p > delta) & (q > 1e-11)
    largest = float(np.log((p[good] - delta) / q[good]).max())
    shown, _, _ = best(epoch_sums(sigma, batches, 1), delta)
    assert shown > 0.93 * largest


@dataclass(frozen=True, kw_only=True)
class TooLittle(ShuffledSound):
    """A mutant of the repair: an epoch for 0.9 of a Gaussian's sensitivity."""

    def printed(self) -> Enclosed:
        sound = ShuffledSound(sigma=self.sigma / 0.9, epochs=self.epochs, delta=self.delta, moves=self.moves)
        return ShuffledSound.printed(sound)


@pytest.mark.parametrize("moves", [1.0, 2.0])
def test_the_repair_holds_and_does_not_with_a_tenth_less(moves):
    """Few large batches and little noise, where it is nearly attained; seen through an event that moves the same."""
    setting = {"sigma": 0.4 * moves, "batch_size": 15_000.0, "epochs": 1.0, "delta": 0.05, "moves": moves}
    sound, mutant = ShuffledSound(**setting), TooLittle(**setting)
    assert sound.truth().lower <= sound.printed().value
    assert sound.proved_ratio().value == pytest.approx(sound.truth().value / sound.printed().value, rel=1e-5)
    if moves == 1.0:
        assert mutant.truth().lower > mutant.printed().upper


def test_replacing_costs_more_than_removing_and_the_repair_covers_it():
    one, sound = ReplacedEpsilon(), ReplacedSound()
    assert one.proved_ratio().lower > 1.5
    assert one.truth().upper < sound.printed().value < 2.5 * one.printed().value
    composed = MomentsAccountant().compose(Composition.repeat(sound.step, sound.steps))
    half = sound.printed().value / 2
    # The delta' that belongs to epsilon' by the accountant satisfies (1 + e^epsilon') delta' <= delta.
    assert (1 + math.exp(half)) * composed.delta(half).upper <= sound.delta * (1 + 1e-6)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_a_replaced_batch_has_four_times_the_moment_to_first_order(sigma):
    one, s = ReplacedMoments(sigma=sigma), sigma**2
    expected = 4 * math.sinh(1 / s) / math.expm1(1 / s)
    assert one.proved_ratio().value == pytest.approx(expected, rel=0.01)
    assert one.proved_ratio().lower > 2


def test_levels_that_doubles_cannot_hold_are_left_out():
    assert shuffled_levels(0.05, 1.0) is None
    assert replaced_levels(0.1, 0.01, 1.0, 8) is None
    assert ShuffledEpsilon(sigma=0.05).truth().value == 0.0
