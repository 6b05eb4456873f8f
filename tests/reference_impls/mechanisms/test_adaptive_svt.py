from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.evidence import Measure
from dpverify.sampling.streams import stream
from reference_impls.known_broken.adaptive_svt_leak import AdaptiveSvtLeak
from reference_impls.mechanisms.adaptive_svt import AdaptiveSvt

KINDS = {False: AdaptiveSvt, True: AdaptiveSvtLeak}
"""By whether the far branch releases the noisy query."""
QUERIES = np.array([0.0, 12.0, -1.0])
TRIALS = 200_000


def twin(epsilon: float, cutoff: int, size: int, *, leak: bool) -> np.ndarray:
    """Ding, Wang, Zhang, Kifer's Algorithm 2 column by column, in plain numpy, with the budget in epsilons."""
    rng = np.random.default_rng(16)
    each = epsilon / 2 / cutoff
    threshold = rng.laplace(scale=2 / epsilon, size=size)
    spent = np.full(size, epsilon / 2)
    out = np.zeros((size, 2 * QUERIES.size))
    sigma = 2 * math.sqrt(2) * 4 / each
    for i, query in enumerate(QUERIES):
        running = spent <= epsilon - each + 1e-9
        far = query + rng.laplace(scale=4 / each, size=size)
        near = query + rng.laplace(scale=2 / each, size=size)
        top = running & (far - threshold >= sigma)
        middle = running & ~top & (near >= threshold)
        out[:, i] = np.select([~running, top, middle], [2.0, 3.0, 1.0], 0.0)
        out[:, 3 + i] = np.select([top, middle], [far if leak else far - threshold, near - threshold], 0.0)
        spent += np.where(top, each / 2, np.where(middle, each, 0.0))
    return out


@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("cutoff", [1, 2])
def test_outputs_match_a_plain_numpy_twin(
    cutoff: int, leak: bool, alike: Callable[..., bool], same: Callable[..., bool]
) -> None:
    # False-alarm probability 1e-9 a check: one for the answers and at most six for the values, four cases.
    mechanism = KINDS[leak](epsilon=4.0, cutoff=cutoff)
    out = mechanism.sample(QUERIES, TRIALS, rng=stream(16, cutoff, int(leak)))
    plain = twin(4.0, cutoff, TRIALS, leak=leak)
    weights = np.array([1, 4, 16])
    assert alike(
        np.bincount((out[:, :3] @ weights).astype(int), minlength=64),
        np.bincount((plain[:, :3] @ weights).astype(int), minlength=64),
    )
    for i in range(3):
        for answer in (1.0, 3.0):
            mine, theirs = out[out[:, i] == answer, 3 + i], plain[plain[:, i] == answer, 3 + i]
            if min(mine.size, theirs.size) > 1_000:
                assert same(mine, theirs)


def test_the_leak_is_the_noisy_threshold(same: Callable[..., bool]) -> None:
    draws = [KINDS[leak](epsilon=4.0).sample(QUERIES, 50_000, rng=stream(16, "same")) for leak in (False, True)]
    far = draws[0][:, :3] == 3
    np.testing.assert_array_equal(draws[0][:, :3], draws[1][:, :3])
    threshold = (draws[1] - draws[0])[:, 3:]
    assert np.all(threshold[~far] == 0)
    # Lap(0.5): a difference rounds to 0 for noise below 4e-15 only, and the mean's standard error is 0.005: false alarm
    # below 1e-9.
    assert np.all(threshold[far] != 0)
    assert abs(float(threshold[far].mean())) < 1.0


def test_the_budget_ends_the_run() -> None:
    out = AdaptiveSvt(epsilon=1.0, cutoff=1).sample(np.full(4, 1e9), 10, rng=stream(16))
    np.testing.assert_array_equal(out[:, :4], [[3, 2, 2, 2]] * 10)  # half of it is left: not enough for an "above"
    out = AdaptiveSvt(epsilon=1.0, cutoff=2).sample(np.full(5, 1e9), 10, rng=stream(16))
    np.testing.assert_array_equal(out[:, :5], [[3, 3, 3, 2, 2]] * 10)
    with pytest.raises(InputError):
        AdaptiveSvt(cutoff=0)


@pytest.mark.parametrize(("multiplier", "low", "high"), [(1.0, 2.99, 3.0), (0.9, 3.32, 3.0 / 0.9)])
def test_ten_queries_nearly_meet_the_claim_and_a_deficit_is_proved(multiplier: float, low: float, high: float) -> None:
    mechanism = AdaptiveSvt(epsilon=3.0, threshold=-20.5, margin=1.0, noise_multiplier=multiplier)
    d0, d1 = np.full(10, -15.0), np.full(10, -16.0)
    d0[9], d1[9] = -25.0, -24.0
    laws = mechanism.output_law(d0), mechanism.output_law(d1)
    found = [p.against(q).prove(Measure(kind="epsilon", argument=0.0, claimed=3.0)) for p, q in (laws, laws[::-1])]
    assert all(each is not None and each.proved and each.upper < high for each in found)
    assert max(each.lower for each in found if each is not None) > low


@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize("cutoff", [1, 2])
def test_first_hits_follow_the_law(cutoff: int, leak: bool, hits_fit: Callable[..., bool]) -> None:
    # False-alarm probability 1e-9 a case, four cases.
    branches = {3.0: 0, 1.0: 1}
    mechanism, opposite = (
        KINDS[kind](epsilon=4.0, threshold=-0.5, cutoff=cutoff, margin=0.5) for kind in (leak, not leak)
    )
    law = mechanism.output_law(QUERIES)
    out = mechanism.sample(QUERIES, TRIALS, rng=stream(16, "law", cutoff, int(leak)))
    assert hits_fit(law, out, -0.5, branches)
    other = opposite.sample(QUERIES, TRIALS, rng=stream(16, "other", cutoff, int(leak)))
    assert not hits_fit(law, other, -0.5, branches)
