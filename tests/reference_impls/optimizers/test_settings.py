"""Hyper-parameters: what is taken, what is refused, and that the message has the name and the value."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from dpverify.core.errors import InputError
from reference_impls.optimizers.settings import need_clip, need_count, need_non_negative, need_positive, need_share

CASES = {
    need_positive: ([1e-300, 2, 1e300], [0.0, -1.0, math.inf, math.nan]),
    need_non_negative: ([0.0, 0, 1e300], [-1e-300, math.inf, math.nan]),
    need_clip: ([1e-300, math.inf], [0.0, -1.0, math.nan]),
    need_share: ([1e-300, 1.0, 1], [0.0, 1.0000001, -0.1, math.nan]),
    need_count: ([1, 10**9], [0, -1, 1.0, True, "3", math.nan]),
}


@pytest.mark.parametrize(("need", "value"), [(need, value) for need, (good, _) in CASES.items() for value in good])
def test_taken(need, value) -> None:
    need(SimpleNamespace(eta=value), "eta")


@pytest.mark.parametrize(("need", "value"), [(need, value) for need, (_, bad) in CASES.items() for value in bad])
def test_refused(need, value) -> None:
    with pytest.raises(InputError, match=rf"SimpleNamespace: eta = {value!r}"):
        need(SimpleNamespace(other=1, eta=value), "other", "eta")
