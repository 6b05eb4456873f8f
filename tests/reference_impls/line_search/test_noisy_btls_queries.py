"""NoisyBTLS on arbitrary queries."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.sampling.streams import stream
from reference_impls.line_search.noisy_btls_queries import NoisyBtlsQueries


def test_the_data_set_is_the_query() -> None:
    mechanism = NoisyBtlsQueries(max_it=3)
    assert mechanism.query([1, 2.0, -3]).tolist() == [1.0, 2.0, -3.0]
    assert mechanism.sample(np.zeros(3), 7, rng=stream(0, "x")).shape == (7,)
    assert mechanism.counts(np.zeros(3), 7, rng=stream(0, "x")).sum() == 7
    assert mechanism.output_law(np.zeros(3)).size == 3


@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros((3, 1)), np.array([0.0, np.nan, 0.0]), 1.0])
def test_other_data_sets_are_refused(wrong: object) -> None:
    with pytest.raises(InputError, match="3 finite numbers"):
        NoisyBtlsQueries(max_it=3).query(wrong)


def test_the_law_of_the_lemma_is_met_with_near_equality() -> None:
    """Reading (c) is sharp: pinned high, read low, the exact epsilon comes within a millionth of the budget."""
    mechanism = NoisyBtlsQueries(budget=1.0, max_it=10)
    before = np.append(np.full(9, 60.0), -60.0)
    pair = mechanism.output_law(before).against(mechanism.output_law(before + np.append(np.ones(9), -1.0)))
    assert pair.epsilon(0.0).value == pytest.approx(1.0, abs=1e-6)
