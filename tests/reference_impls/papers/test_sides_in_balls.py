"""Sides that are balls: their floats, their quotient, silence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import pytest

from dpverify.core.errors import AuditError
from reference_impls.papers.sides_in_balls import SidesInBalls


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy(SidesInBalls):
    silent: bool = False

    def printed_ball(self) -> flint.arb | None:
        return None if self.silent else flint.arb(2).sqrt()

    def true_ball(self) -> flint.arb:
        return flint.arb(3)


def test_floats_hold_the_balls_and_the_quotient_is_proved() -> None:
    toy = Toy()
    assert toy.printed().lower <= math.sqrt(2) <= toy.printed().upper
    assert toy.truth().value == 3.0
    proof = toy.proved_ratio()
    assert proof is not None
    assert proof.proved
    assert proof.lower <= 3 / math.sqrt(2) <= proof.upper
    assert proof.error < 1e-14


def test_a_silent_side_is_infinite_and_proves_nothing() -> None:
    assert math.isinf(Toy(silent=True).printed().value)
    assert Toy(silent=True).proved_ratio() is None


def test_a_side_that_no_ball_holds_is_an_error_and_no_number() -> None:
    class Divided(Toy):
        def true_ball(self) -> flint.arb:
            return 1 / flint.arb(0, 1)

    with pytest.raises(AuditError, match="no ball could hold"):
        Divided().truth()
