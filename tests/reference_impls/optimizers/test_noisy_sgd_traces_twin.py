"""The traces kernel draws the loop's numbers and shows the loop's sums: bit for bit, for each sampling."""

import numpy as np
import pytest

from dpverify.core.subjects import capabilities
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import state_from, stream
from reference_impls.known_broken.dp_sgd_faults import DpSgdFault
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.dp_sgd_fixed_size import DpSgdFixedSize
from reference_impls.optimizers.dp_sgd_shuffled import DpSgdShuffled
from reference_impls.optimizers.noisy_sgd_traces import from_iterates

SHARED = {"model": "squared", "steps": 7, "noise_multiplier": 1.3, "clip": 0.7, "step_size": 0.05, "l2": 0.01}
SUBJECTS = [
    DpSgd(rate=0.4, **SHARED),
    DpSgd(rate=1.0, divisor=3.0, **SHARED),
    DpSgdFixedSize(batch_size=3, **SHARED),
    DpSgdShuffled(batch_size=3, **SHARED),
]
subjects = pytest.mark.parametrize("subject", SUBJECTS, ids=lambda one: f"{type(one).__name__}-{one.divisor}")


def table():
    rng = np.random.default_rng(5)
    return Table(features=rng.normal(size=(8, 2)), labels=rng.normal(size=8), name="small")


@subjects
def test_the_kernel_shows_the_loops_noisy_sums(subject):
    shown = subject.traces(table(), 4, rng=stream(1, "traces"))
    assert shown.shape == (4, 7, 2)
    assert "traces" in capabilities(subject)
    state = state_from(stream(1, "traces"))
    for trial in range(4):
        tape = Tape(state)
        transcript = tape.transcript(subject.run(table(), tape))
        state = tape.state
        assert np.array_equal(shown[trial] * 1.0, np.stack(transcript.released("gradient")) / subject.clip)


@subjects
def test_an_observer_of_the_iterates_reads_the_same(subject):
    transcript = subject.transcript(table(), rng=stream(2, "iterates"))
    divisor = subject.expected(8) if subject.divisor is None else subject.divisor
    public = {"step_size": subject.step_size, "l2": subject.l2, "clip": subject.clip}
    read = from_iterates(transcript.iterates, **public, divisor=divisor)
    assert np.allclose(read, np.stack(transcript.released("gradient")) / subject.clip, rtol=1e-9, atol=1e-9)


@subjects
def test_the_last_iterate_is_the_sampling_kernels(subject):
    """One stream, two kernels: the sums lead to the very weights that `sample` returns."""
    shown = subject.traces(table(), 3, rng=stream(3, "both"))
    weights = np.zeros((3, 2))
    divisor = subject.expected(8) if subject.divisor is None else subject.divisor
    for step in range(7):
        weights -= subject.step_size * (shown[:, step] * subject.clip / divisor + subject.l2 * weights)
    assert np.allclose(weights, subject.sample(table(), 3, rng=stream(3, "both")), rtol=1e-12, atol=1e-12)


def test_another_loop_is_read_from_its_iterates():
    """The kernel does not stand in for a loop that was changed: the sums are divided by what the batch turned out."""
    shared = {**SHARED, "rate": 0.4, "divisor": 1.0}
    right = DpSgd(**shared).traces(table(), 3, rng=stream(4, "loop"))
    wrong = DpSgdFault(fault="realised-size", **shared).traces(table(), 3, rng=stream(4, "loop"))
    assert wrong.shape == right.shape
    assert not np.allclose(wrong, right)
    ratio = right[:, 0, 0] / wrong[:, 0, 0]  # later gradients differ with the weights
    assert np.allclose(ratio, np.maximum(np.rint(ratio), 1.0))


def test_a_shifted_draw_would_be_seen():
    """Sabotage: another stream fails the comparison."""
    shown = SUBJECTS[0].traces(table(), 1, rng=stream(1, "traces"))
    other = SUBJECTS[0].transcript(table(), rng=stream(1, "other"))
    assert not np.array_equal(shown[0], np.stack(other.released("gradient")) / 0.7)
