"""Noisy numbers keep their account through arithmetic, and nothing gets at the bare number unnoticed."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.recording.traced_number import Traced

UNITS = (0.3, -1.7)


class Told:
    """Remembers who took a bare number."""

    def __init__(self) -> None:
        self.how: list[str] = []

    def bare(self, number: Traced, how: str) -> float:
        self.how.append(how)
        return number.value

    def rough(self, number: Traced, apply: Callable[[float], Any], how: str) -> Any:
        self.how.append(how)
        return apply(number.value)


def number(told: Told, unit: int = 0, *, clean: float = 2.0, factor: float = 0.5) -> Traced:
    return Traced(clean + factor * UNITS[unit], clean, ((unit, factor),), told)


def recomputed(traced: Traced) -> float:
    return traced.clean + sum(factor * UNITS[unit] for unit, factor in traced.parts)


OPERATIONS = st.lists(
    st.tuples(st.sampled_from(["+", "r+", "-", "r-", "*", "/", "neg", "other"]), st.floats(0.1, 8.0)), max_size=8
)


@given(OPERATIONS)
def test_the_account_is_the_value(operations) -> None:
    """Whatever is added, taken away or scaled, the clean part and the units give the value; and no coin is told."""
    told = Told()
    value = number(told)
    plain = value.value
    for what, by in operations:
        if what == "other":
            second = number(told, 1, clean=by)
            value, plain = value + second, plain + second.value
        else:
            apply = {
                "+": lambda x, by=by: x + by,
                "r+": lambda x, by=by: by + x,
                "-": lambda x, by=by: x - by,
                "r-": lambda x, by=by: by - x,
                "*": lambda x, by=by: x * by,
                "/": lambda x, by=by: x / by,
                "neg": lambda x: -x,
            }[what]
            value, plain = apply(value), apply(plain)
    assert isinstance(value, Traced)
    assert value.value == plain  # the bits of the same program without the account
    assert recomputed(value) == pytest.approx(plain, rel=1e-12, abs=1e-9)
    assert not told.how


def test_arrays_keep_it_too() -> None:
    told = Told()
    noisy = np.array([number(told, 0), number(told, 1)], dtype=object)
    for made in (
        np.arange(2.0) + noisy,
        noisy * np.array([2.0, 3.0]),
        np.float64(2.0) * noisy,
        noisy.reshape(2, 1),
        noisy[::-1],
        np.concatenate([noisy, noisy]),
        np.eye(2) @ noisy,
        np.stack([noisy, noisy]),
    ):
        assert all(isinstance(each, Traced) for each in made.ravel())
    for total in (noisy.sum(), noisy.mean(), np.ones(2) @ noisy, np.float64(1.0) + number(told)):
        assert isinstance(total, Traced)
    assert [unit for unit, _ in noisy.sum().parts] == [0, 1]
    assert copy.deepcopy(noisy)[0] is noisy[0]
    assert not told.how


def test_noise_that_cancels_is_gone() -> None:
    told = Told()
    first, second = number(told, clean=2.0), number(told, clean=7.0)
    assert second - first == 5.0
    assert not isinstance(second - first, Traced)
    assert first * 0.0 == 0.0
    assert not told.how


@pytest.mark.parametrize(
    "take",
    [
        float,
        int,
        bool,
        round,
        abs,
        hash,
        repr,
        str,
        pickle.dumps,
        math.exp,
        math.floor,
        np.float64,
        lambda x: f"{x:.3f}",
        lambda x: x < 1,
        lambda x: x >= np.float64(1),
        lambda x: x == 0,
        lambda x: x * x,
        lambda x: x / x,
        lambda x: 1 / x,
        lambda x: x**2,
        lambda x: x // 1,
        lambda x: x % 1,
        lambda x: max([x, 1.0]),
        lambda x: sorted([x, x]),
        lambda x: np.array([x], dtype=np.float64),
        lambda x: np.array([x, x]).astype(float),
        lambda x: np.exp(np.array([x])),
        lambda x: np.argmax(np.array([x, x])),
        lambda x: np.maximum(np.array([x]), 0.0),
        lambda x: np.clip(np.array([x]), 0.0, 1.0),
        lambda x: np.array([x]) > 0,
        lambda x: np.round(np.array([x])),
        lambda x: np.linalg.norm(np.array([x])),
        lambda x: np.sqrt(np.array([abs(x) + x])),
    ],
)
def test_no_way_to_the_bare_number_goes_unnoticed(take) -> None:
    told = Told()
    take(number(told))
    assert told.how
