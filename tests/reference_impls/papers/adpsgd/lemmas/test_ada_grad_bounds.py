"""AP-PROP52: the range beside the algorithm's own b, the gain, what falls and what stands."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import flint
import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.optimizers.ada_grad import AdaGrad
from reference_impls.papers.adpsgd.lemmas.ada_grad_bounds import (
    PrintedGain,
    SquaredRange,
    shown_boosted,
    shown_gain,
    shown_range,
)


def test_the_range_is_about_the_algorithms_own_b() -> None:
    """Squared loss far from its optimum: every clipped gradient is of length 2.5."""
    table = Table(features=np.ones((3, 1)), labels=np.full(3, 1e3))
    training = AdaGrad(model="squared", clip=2.5, steps=4, sigma=0.1, beta=512.0)
    run = training.transcript(table, rng=stream(0, "range"))
    found = [each.clean[0] for each in run.perturbed if each.name == "squared-b"]
    for steps, square in enumerate(found, start=1):
        subject = SquaredRange(steps=float(steps), beta=512.0)
        assert square == pytest.approx(subject.truth().value, rel=1e-12)
        assert square > subject.printed().value
        assert square <= replace(subject, upper="boosted").printed().upper * (1 + 1e-12)


def test_the_printed_gain_is_a_quarter_of_the_logarithm() -> None:
    subject = PrintedGain(b0_squared=2.0, nu=0.5, steps=100.0)
    assert subject.printed().value / subject.truth().value == pytest.approx(math.log(26.0) / 4, rel=1e-14)
    edge = math.expm1(4.0) * 2.0 / 0.5
    assert math.isinf(PrintedGain(b0_squared=2.0, nu=0.5, steps=math.floor(edge), mended=True).printed().value)
    above = PrintedGain(b0_squared=2.0, nu=0.5, steps=math.ceil(edge), mended=True)
    assert above.printed().value >= above.truth().value


@dataclass(frozen=True, slots=True, kw_only=True)
class LessRange(SquaredRange):
    def printed_ball(self) -> flint.arb | None:
        found = SquaredRange.printed_ball(self)
        return None if found is None else found * flint.arb(9) / 10


@dataclass(frozen=True, slots=True, kw_only=True)
class LessGain(PrintedGain):
    def printed_ball(self) -> flint.arb | None:
        found = PrintedGain.printed_ball(self)
        return None if found is None else found * flint.arb(9) / 10


@pytest.mark.parametrize(("row", "own"), [("tighter", 600.0), ("range", 1.1), ("range-squared", 20.0)])
def test_the_prints_fall_at_the_papers_numbers(examined, row: str, own: float) -> None:
    evidence = examined(f"AP-PROP52.{row}")
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert evidence.statistics["own"]["ratio"] > own


@pytest.mark.parametrize(("row", "less"), [("tighter", LessGain), ("range", LessRange)])
def test_the_repairs_stand_and_nine_tenths_of_them_fall(examined, row: str, less: type) -> None:
    assert judge(examined(f"AP-PROP52-R.{row}", effort=0.5)) is Status.NOT_REFUTED
    assert judge(examined(f"AP-PROP52-R.{row}", less, effort=0.5)) is Status.REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown_gain().holds
    assert shown_range().holds
    assert shown_boosted().holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="upper"):
        SquaredRange(upper="none")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="length"):
        SquaredRange(length=1.5)
