"""A result is neither true nor false, and `check` raises what a test must not pass."""

from __future__ import annotations

import numpy as np
import pytest

import dpverify as dpv
from dpverify.core.errors import AuditError, ClaimRefuted, InputError


def noisy_sum(data, size, rng):
    return sum(data) + rng.laplace(size=size)


def audited(d0, **how):
    return dpv.audit(noisy_sum, d0, [1, 2], claim="PureDP(epsilon=1)", trials=20_000, **how)


def test_a_refuted_claim_fails_the_test_that_checks_it():
    result = audited([1, 2, 3])
    with pytest.raises(ClaimRefuted, match=r"of noisy_sum is refuted: epsilon >= .* where 1 is claimed"):
        result.check()
    with pytest.raises(AssertionError):
        result.check()
    assert ClaimRefuted.exit_status == 1


@pytest.mark.parametrize("d0", [[1, 2, 3], [1, 2, 1]])
def test_no_result_is_true_or_false(d0):
    result = audited(d0)
    with pytest.raises(InputError, match=r"result\.verdict.*result\.check\(\)"):
        assert result
    with pytest.raises(InputError):
        not result  # noqa: B018 - it must raise


def test_a_claim_that_is_not_refuted_gives_the_result_back():
    result = audited([1, 2, 1])
    assert result.check() is result


def test_what_decided_nothing_is_no_pass():
    def slow(data, rng):
        return float(np.sort(rng.normal(size=10_000))[0])

    result = dpv.audit(slow, [1, 2], [1], claim="PureDP(epsilon=1)", trials=2_000_000, max_seconds=0.5)
    with pytest.raises(AuditError, match="inconclusive"):
        result.check()


def test_scores_too():
    rng = np.random.default_rng(0)
    result = dpv.audit_scores(rng.normal(5, 1, 500), rng.normal(0, 1, 500), claim="PureDP(epsilon=1)")
    with pytest.raises(ClaimRefuted):
        result.check()
    with pytest.raises(InputError):
        bool(result)
