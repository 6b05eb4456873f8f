"""Hyper-parameters: what is taken, what is refused, and that the message has the name and the value."""

from __future__ import annotations

import math
import re
from types import SimpleNamespace

import numpy as np
import pytest

from dpverify.core.errors import InputError
from reference_impls.training.settings import (
    need_between,
    need_clip,
    need_count,
    need_non_negative,
    need_positive,
    need_share,
)

CASES = {
    need_positive: ([1e-300, 2, 1e300], [0.0, -1.0, math.inf, math.nan]),
    need_non_negative: ([0.0, 0, 1e300], [-1e-300, math.inf, math.nan]),
    need_clip: ([1e-300, math.inf], [0.0, -1.0, math.nan]),
    need_share: ([1e-300, 1.0, 1], [0.0, 1.0000001, -0.1, math.nan]),
    need_count: ([1, 10**9, np.int64(3), np.uint8(1)], [0, -1, 1.0, True, "3", math.nan, np.float64(2.0), None]),
}
NUMBERS = (need_positive, need_non_negative, need_clip, need_share)


@pytest.mark.parametrize(("need", "value"), [(need, value) for need, (good, _) in CASES.items() for value in good])
def test_taken(need, value) -> None:
    need(SimpleNamespace(eta=value), "eta")


@pytest.mark.parametrize(("need", "value"), [(need, value) for need, (_, bad) in CASES.items() for value in bad])
def test_refused(need, value) -> None:
    with pytest.raises(InputError, match=re.escape(f"SimpleNamespace: eta = {value!r}")):
        need(SimpleNamespace(other=1, eta=value), "other", "eta")


@pytest.mark.parametrize("need", NUMBERS)
@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(1.0), np.int64(1)], ids=repr)
def test_numpys_numbers_are_taken(need, value) -> None:
    need(SimpleNamespace(eta=value), "eta")


@pytest.mark.parametrize("need", NUMBERS)
@pytest.mark.parametrize("value", ["a", None, True, 1j, [1.0]], ids=repr)
def test_what_is_no_number_is_refused(need, value) -> None:
    with pytest.raises(InputError, match=re.escape(f"SimpleNamespace: eta = {value!r}")):
        need(SimpleNamespace(eta=value), "eta")


def test_between_two_numbers() -> None:
    for value in (0.5, np.float32(0.5)):
        need_between(SimpleNamespace(eta=value), 0.0, 1.0, "eta")
    for value in (0.0, 1.0, math.nan, "a", None):
        with pytest.raises(InputError, match=re.escape(f"eta = {value!r}; allowed: a number, 0 < eta < 1")):
            need_between(SimpleNamespace(eta=value), 0.0, 1.0, "eta")
