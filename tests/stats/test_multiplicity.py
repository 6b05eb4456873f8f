"""Bonferroni, Holm and e-BH."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from dpverify.core.errors import InputError
from dpverify.stats.multiplicity import bonferroni_share, e_bh, holm

unit_lists = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=12)
e_lists = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=12)


def naive_holm(p_values, alpha):
    rejected = [False] * len(p_values)
    for step, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        if p_values[i] > alpha / (len(p_values) - step):
            break
        rejected[i] = True
    return rejected


def naive_e_bh(e_values, alpha):
    m = len(e_values)
    best = max((k for k in range(1, m + 1) if sum(e >= m / (alpha * k) for e in e_values) >= k), default=0)
    return [best > 0 and e >= m / (alpha * best) for e in e_values]


def test_shares_never_add_up_to_more_than_alpha():
    assert bonferroni_share(0.05, tests=1) == 0.05
    for tests in (2, 3, 7, 1000):
        assert bonferroni_share(0.05, tests=tests) * tests <= 0.05
        assert bonferroni_share(0.05, tests=tests) == pytest.approx(0.05 / tests, rel=1e-15)


def test_holm_by_hand():
    result = holm([0.01, 0.04, 0.03, 0.005], alpha=0.05)
    assert result.rejected.tolist() == [True, False, False, True]
    np.testing.assert_allclose(result.adjusted, [0.03, 0.06, 0.06, 0.02])


def test_holm_agrees_with_statsmodels():
    rng = np.random.default_rng(3)
    for size in (1, 2, 9, 40):
        p_values = rng.random(size) ** 4
        rejected, adjusted, _, _ = multipletests(p_values, alpha=0.1, method="holm")
        result = holm(p_values, alpha=0.1)
        assert result.rejected.tolist() == rejected.tolist()
        np.testing.assert_allclose(result.adjusted, adjusted, rtol=1e-14)


def test_e_bh_by_hand():
    """Four hypotheses, alpha 0.1: thresholds 40, 20, 13.3, 10 for one to four rejections."""
    assert e_bh([39.0, 19.0, 14.0, 9.0], alpha=0.1).tolist() == [True, True, True, False]
    assert e_bh([39.0, 19.0, 13.0, 9.0], alpha=0.1).tolist() == [False] * 4
    assert e_bh([1.0, 40.0, 2.0, 3.0], alpha=0.1).tolist() == [False, True, False, False]


def test_false_discoveries_of_two_point_e_values_by_enumeration():
    """E-values m/alpha with probability alpha/m, all hypotheses true: the chance of any rejection is at most alpha.

    With every e-value just as large under the threshold of Bonferroni without m, it would be caught.
    """
    m, alpha = 4, 0.2
    worst = {}
    for height in (m / alpha, 1.0 / alpha):  # the second is the sabotage: rejecting at 1/alpha whatever m
        none = 1.0
        for _ in range(m):
            none *= 1.0 - 1.0 / height
        rejected = bool(e_bh([height] + [0.0] * (m - 1), alpha=alpha)[0])
        worst[height] = (1.0 - none, rejected)
    any_rejection, rejected = worst[m / alpha]
    assert rejected
    assert any_rejection <= alpha
    any_large, rejected = worst[1.0 / alpha]
    assert any_large > alpha
    assert not rejected


@pytest.mark.parametrize("values", [[], [-0.1], [np.nan], [[0.1, 0.2]]])
def test_bad_input_is_told(values):
    with pytest.raises(InputError, match="allowed"):
        holm(values, alpha=0.05)
    with pytest.raises(InputError, match="allowed"):
        e_bh(values, alpha=0.05)


def test_bad_number_of_tests_is_told():
    with pytest.raises(InputError, match="tests"):
        bonferroni_share(0.05, tests=0)


@given(unit_lists, st.floats(0.001, 0.5))
def test_holm_agrees_with_its_naive_twin_and_beats_bonferroni(p_values, alpha):
    rejected = holm(p_values, alpha=alpha).rejected
    m = len(p_values)
    if all(
        abs(p * k - alpha) > 1e-12 for p in p_values for k in range(1, m + 1)
    ):  # there the two may round differently
        assert rejected.tolist() == naive_holm(p_values, alpha)
    assert np.all(rejected[np.asarray(p_values) <= bonferroni_share(alpha, tests=len(p_values))])


@given(e_lists, st.floats(0.001, 0.5))
def test_e_bh_agrees_with_its_naive_twin(e_values, alpha):
    threshold = [len(e_values) / (alpha * k) for k in range(1, len(e_values) + 1)]
    near = any(abs(e - t) < 1e-9 * t for e in e_values for t in threshold)
    if not near:  # at a threshold the two may round differently
        assert e_bh(e_values, alpha=alpha).tolist() == naive_e_bh(e_values, alpha)
