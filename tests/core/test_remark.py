"""A remark says all it must."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.remark import Remark, Shown

TEXT = {"claim": "X-1.a", "breaks": "line 3", "means": "noise is too small", "instead": "double it"}


def _shown() -> Shown:
    return Shown(numbers=(("claimed", 1.0), ("true", 2.0)), holds=True)


def test_a_remark_is_registered_under_its_claim() -> None:
    registry = Registry()
    remark = Remark(shown=_shown, **TEXT)
    registry.remarks.add(remark.claim, remark)
    assert registry.remarks.get("X-1.a").shown().holds


@pytest.mark.parametrize("name", sorted(TEXT))
def test_an_empty_text_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=name):
        Remark(shown=_shown, **(TEXT | {name: " "}))
