"""AP-REDUCE: twins of Algorithm 1, twins that are wrong, formulas as printed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import flint
import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.verdict import Status, judge
from reference_impls.papers.adpsgd.lemmas.special_cases import PrintedStep, Twin, _iterates, shown


@pytest.mark.parametrize("case", ["dp-sgd", "sgd", "adaptive"])
def test_runs_move_and_their_twins_move_with_them(case: str) -> None:
    one, other = _iterates(Twin(case=case, steps=12.0))
    assert one.shape == other.shape == (13, 3)
    assert np.unique(one, axis=0).shape == (13, 3)
    assert np.abs(one - other).max() <= Twin(case=case, steps=12.0).printed().value


def test_sgd_has_no_noise() -> None:
    one, _ = _iterates(Twin(case="sgd", columns=2.0))
    table = Twin(case="sgd", columns=2.0).table()
    first = np.sqrt(21.0) * one[1]
    gradients = -table.labels[:, None] * table.features / 2
    gradients /= np.maximum(1.0, np.linalg.norm(gradients, axis=1))[:, None]
    assert np.abs(first + gradients).max(axis=1).min() < 1e-15


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherStep(Twin):
    """A mutant: Algorithm 1 with a step that is a rounding larger."""

    def algorithm(self):
        return replace(Twin.algorithm(self), eta=math.nextafter(self.eta, 2 * self.eta) * (1 + 1e-9))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledNoise(Twin):
    """A mutant: alpha follows b."""

    def algorithm(self):
        return replace(Twin.algorithm(self), alpha="sqrt-b")


@pytest.mark.parametrize("row", ["alpha-one", "decaying", "adaptive", "sgd"])
def test_the_reductions_stand(examined, row: str) -> None:
    assert judge(examined(f"AP-REDUCE.{row}")) is Status.NOT_REFUTED


@pytest.mark.parametrize("row", ["alpha-one", "decaying", "sgd"])
def test_another_step_is_seen(examined, row: str) -> None:
    evidence = examined(f"AP-REDUCE.{row}", OtherStep)
    assert judge(evidence) is Status.REFUTED
    assert math.isinf(evidence.bound)


def test_another_alpha_is_no_dp_sgd(examined) -> None:
    assert judge(examined("AP-REDUCE.decaying", ScaledNoise)) is Status.REFUTED
    assert judge(examined("AP-REDUCE.sgd", ScaledNoise)) is Status.REFUTED


def test_printed_formulas_by_hand() -> None:
    found = PrintedStep(t=16.0, a=20.0, c=1.0, eta=3.0)
    assert found.printed().value == 0.5
    assert found.truth().value == pytest.approx(18.0, rel=1e-15)
    assert PrintedStep(where="equation-3", t=16.0, eta=3.0).truth().value == 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Less(PrintedStep):
    def printed_ball(self) -> flint.arb | None:
        found = PrintedStep.printed_ball(self)
        return None if found is None else found * flint.arb(9) / 10


@pytest.mark.parametrize("row", ["phi-1", "equation-3"])
def test_the_prints_fall_and_their_repairs_stand(examined, row: str) -> None:
    evidence = examined(f"AP-REDUCE-PRINT.{row}")
    assert judge(evidence) is Status.REFUTED
    assert evidence.proved
    assert judge(examined(f"AP-REDUCE-PRINT-R.{row}")) is Status.NOT_REFUTED
    assert judge(examined(f"AP-REDUCE-PRINT-R.{row}", Less)) is Status.REFUTED


def test_what_the_remarks_show_holds() -> None:
    assert shown("phi-1").holds
    assert shown("equation-3").holds


def test_bad_input() -> None:
    with pytest.raises(InputError, match="case"):
        Twin(case="adam")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="where"):
        PrintedStep(where="(3)")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="rows"):
        Twin(rows=0.0)
