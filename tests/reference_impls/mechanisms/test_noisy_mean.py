from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.core.plugins import registry
from dpverify.core.verdict import Status
from dpverify.runner.execute import execute
from dpverify.runner.plan import make_plan
from dpverify.sampling.streams import stream
from reference_impls.mechanisms.noisy_mean import EDGES, NoisyMean, sum_and_size

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)


def test_records_are_clamped_and_counted() -> None:
    np.testing.assert_array_equal(sum_and_size([-1.0, 0.5, 7.0], 0.0, 1.0), [1.5, 3.0])
    np.testing.assert_array_equal(sum_and_size([], 0.0, 1.0), [0.0, 0.0])


@pytest.mark.parametrize("bad", [{"low": 5.0, "high": 6.0}, {"low": 1.0, "high": 0.0}])
def test_ranges_far_from_zero_are_refused(bad: dict[str, float]) -> None:
    # Adding one record then moves the sum by more than the range, which the noise is scaled to.
    with pytest.raises(InputError):
        NoisyMean(**bad)


@pytest.mark.parametrize(
    ("low", "high", "records"), [(0.0, 1.0, [0.5, 1.0, 0.0, 1.0]), (-2.0, 3.0, [0.5, 7.0, 1.0, -9.0])]
)
def test_samples_match_a_plain_numpy_twin(
    low: float, high: float, records: list[float], same: Callable[..., bool]
) -> None:
    # False-alarm probability 1e-9 a check, one check a range, two ranges.
    epsilon, size, rng = 1.0, 100_000, np.random.default_rng(23)
    counts = np.maximum(4.0 + rng.laplace(scale=2 / epsilon, size=size), 1.0)
    plain = (2.5 + rng.laplace(scale=2 * (high - low) / epsilon, size=size)) / counts
    given = {"low": low, "high": high}
    assert same(NoisyMean(epsilon=epsilon, **given).sample(records, size, rng=stream(23)), plain)
    assert not same(NoisyMean(epsilon=2.0, **given).sample(records, size, rng=stream(23)), plain)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-2.0, 3.0)])
@pytest.mark.parametrize("dataset", [[], [1.0, 1.0, 0.0], [0.25]])
@pytest.mark.parametrize("multiplier", [1.0, 0.9])
def test_cells_follow_the_law(
    dataset: list[float], multiplier: float, low: float, high: float, fits: Callable[..., bool]
) -> None:
    # False-alarm probability 1e-9 a case, twelve cases.
    mechanism = NoisyMean(epsilon=1.0, noise_multiplier=multiplier, low=low, high=high)
    edges = 2.0 * (high - low) * multiplier * EDGES
    out = mechanism.sample(dataset, 400_000, rng=stream(24, "noisy-mean", len(dataset)))
    counts = np.bincount(np.searchsorted(edges, out), minlength=edges.size + 1)
    probabilities = np.exp(mechanism.output_law(dataset).cells.log_probabilities)
    assert fits(counts, probabilities)
    other = np.exp(mechanism.output_law([*dataset, high]).cells.log_probabilities)
    assert not fits(counts, other)


@given(others=st.lists(st.floats(0, 1), max_size=5), extra=st.floats(0, 1), epsilon=st.floats(0.1, 3))
def test_the_full_noise_is_never_proved_to_exceed_its_claim(others: list[float], extra: float, epsilon: float) -> None:
    mechanism = NoisyMean(epsilon=epsilon)
    pair = mechanism.output_law(others).against(mechanism.output_law([*others, extra]))
    for one in (pair, pair.swap()):
        proof = one.prove(PURE)
        assert proof is not None
        assert proof.lower <= epsilon * (1.0 + 1e-10)


def test_a_tenth_of_the_noise_shows_in_the_tail_and_not_in_the_middle() -> None:
    weak = NoisyMean(epsilon=1.0, noise_multiplier=0.9)
    pair = weak.output_law([1.0, 1.0]).against(weak.output_law([1.0, 1.0, 1.0]))
    proof = pair.prove(PURE)
    assert proof is not None
    assert proof.value == pytest.approx(1.0 / 0.9, rel=1e-12)
    # The cells where one run in a hundred or more falls stay below the claim: this is what sampling sees.
    cells = pair.cells
    common = cells.log_p > np.log(0.01)
    assert np.max(np.abs(cells.log_p - cells.log_q)[common]) < 1.0


@pytest.mark.parametrize(
    ("name", "status"), [("noisy-mean", Status.NOT_REFUTED), ("noisy-mean-noise-0.9", Status.REFUTED)]
)
def test_verdicts(name: str, status: Status) -> None:
    # By the exact law: a coarsening never certifies. What is sampled beside it has a false-alarm probability of 1e-9.
    row = execute(make_plan(registry(), [registry().entries.get(name)], confidence=1 - 1e-9, trials=20_000))[0]
    assert row.verdict.status == status
    first = row.verdict.evidence[0]
    assert (first.auditor, first.proved) == ("exact", status == Status.REFUTED)
    assert first.bound == pytest.approx(1.0 if status == Status.NOT_REFUTED else 1.0 / 0.9, rel=1e-6)
