"""Outputs as numbers: masked values are refused, wherever they stand (all else: `test_callable`, `test_kinds`)."""

from __future__ import annotations

import numpy as np
import pytest

from dpverify.adapters.encoding import Encoder
from dpverify.core.errors import InputError

MASKED = np.ma.masked_array([1.0, 2.0], mask=[False, True])
SEEN = np.ma.masked_array([1.0, 2.0])


@pytest.mark.parametrize("output", [MASKED, np.ma.masked, {"sum": np.ma.masked}, [1.0, np.ma.masked]])
def test_a_masked_value_in_an_output_is_one_clear_line(output):
    with pytest.raises(InputError, match="in which values are masked") as caught:
        Encoder("noisy").one(output, [0.0])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("output", [MASKED, [np.ma.masked, 1.0], [MASKED, MASKED], (SEEN, MASKED)])
def test_a_masked_value_in_a_batch_is_too(output):
    with pytest.raises(InputError, match="in which values are masked"):
        Encoder("noisy").batch(output, 2, [0.0])


def test_an_array_that_masks_nothing_is_an_array():
    assert Encoder("noisy").one(SEEN, [0.0]).tolist() == [1.0, 2.0]
    assert Encoder("noisy").batch(SEEN, 2, [0.0]).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("output", [None, {}, [], (), np.zeros(0), {"kept": {}}, [1.0, {}]])
def test_nothing_is_no_output(output):
    with pytest.raises(InputError, match="write anything else") as caught:
        Encoder("suppressed").one(output, [0.0])
    assert "\n" not in str(caught.value)
