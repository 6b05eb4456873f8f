"""Each fault is the one that its name says, seen in a transcript, and no other line moved."""

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.canaries import BLANK, DIRAC, canary_table
from dpverify.sampling.streams import stream
from reference_impls.known_broken.dp_sgd_faults import FAULTS, DpSgdFault
from reference_impls.optimizers.dp_sgd import DpSgd

SHARED = {
    "model": "squared",
    "steps": 8,
    "rate": 0.5,
    "noise_multiplier": 2.0,
    "clip": 1.0,
    "divisor": 2.0,
    "step_size": 1e-3,
}
TABLE = canary_table([BLANK, BLANK, BLANK, DIRAC], high=1e9, name="three blank and a canary")


def both(fault):
    rng = (stream(0, "faults") for _ in range(2))
    right = DpSgd(**SHARED).transcript(TABLE, rng=next(rng))
    return right, DpSgdFault(fault=fault, **SHARED).transcript(TABLE, rng=next(rng))


def column(transcript, name):
    return np.array([float(np.ravel(getattr(each, name))[0]) for each in transcript.perturbed])


@pytest.mark.parametrize("fault", FAULTS)
def test_the_draws_are_the_sound_algorithms(fault):
    right, wrong = both(fault)
    for mine, theirs in zip(wrong.draws, right.draws, strict=True):
        assert np.array_equal(mine.values, theirs.values)


def test_noise_of_mean_is_too_small_by_the_divisor():
    right, wrong = both("noise-of-mean")
    assert np.allclose(column(wrong, "noise"), column(right, "noise") / 2)
    assert np.array_equal(column(wrong, "clean"), column(right, "clean"))


def test_noise_per_epoch_leaves_every_other_step_bare():
    right, wrong = both("noise-per-epoch")
    assert np.array_equal(column(wrong, "noise")[::2], column(right, "noise")[::2])
    assert not column(wrong, "noise")[1::2].any()


def test_unclipped_last_lets_the_canary_through_and_clip_mean_lets_it_fill_the_mean():
    right, wrong = both("unclipped-last")
    present = column(right, "clean") != 0
    assert present.any()
    assert np.all(np.abs(column(wrong, "clean")[present]) > 1e8)
    _, wrong = both("clip-mean")
    assert np.allclose(np.abs(column(wrong, "clean")[present]), 2.0)
    assert not column(wrong, "clean")[~present].any()


def test_realised_size_divides_by_the_batch():
    right, wrong = both("realised-size")
    sizes = np.array([max(draw.values.size, 1) for draw in right.draws if draw.name == "batch"])
    steps = np.diff(wrong.iterates[:, 0])
    assert np.allclose(steps, -1e-3 * (column(wrong, "clean") + column(wrong, "noise")) / sizes, rtol=1e-6)


def test_an_unknown_fault_is_refused_and_samples_are_the_loops():
    with pytest.raises(InputError, match="fault"):
        DpSgdFault(fault="none", **SHARED)
    subject = DpSgdFault(fault="noise-of-mean", **SHARED)
    assert subject.sample(TABLE, 2, rng=stream(1, "sample"))[0] == subject.train(TABLE, rng=stream(1, "sample"))
