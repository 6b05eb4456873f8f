"""Planted defects are caught: an arm that reads the test part, one without noise, one that costs more than it says."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpverify.core.auditing import one_by_one
from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.datasets.table import Table
from dpverify.utility.checks import relabelled
from dpverify.utility.experiment import Arm
from dpverify.utility.measured import DesignRun
from reference_impls.optimizers.dp_sgd import DpSgd
from reference_impls.optimizers.non_private import NonPrivate
from tests.utility.designs import FITTED, Fitted, design


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadsEverything(Fitted):
    """Trains on the whole data set, whatever it is given."""

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        whole = load_breast_cancer().normalised()
        weights = NonPrivate(l2=self.l2, tolerance=1e-4).train(whole, rng=rng)
        return np.stack([weights + 0.01 * rng.normal(size=weights.size) for _ in range(size)])

    def calibrated(self, **_: Any) -> Any:
        return SimpleNamespace(algorithm=replace(self, noise=100.0), epsilon=0.1, accountant="nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noiseless(Fitted):
    """Has no noise, whatever its price."""

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        weights = NonPrivate(l2=self.l2, tolerance=1e-4).train(dataset, rng=rng)
        return np.stack([weights] * size)

    def calibrated(self, **_: Any) -> Any:
        return SimpleNamespace(algorithm=replace(self, noise=100.0), epsilon=0.1, accountant="nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere(Checked):
    """DP-SGD that is calibrated under another relation than it is asked for, or whose noise is then left out."""

    model: str = "logistic"
    left_out: bool = False

    def calibrated(self, *, relation: str, **asked: Any) -> Any:
        found = DpSgd(rate=0.2, steps=20).calibrated(relation="add-remove", **asked)
        if self.left_out:
            return replace(found, algorithm=replace(found.algorithm, noise_multiplier=0.0))
        return found


def faults(*arms: Arm) -> list[str]:
    return DesignRun(design=design(*arms), profile="quick", seed=0, chunks=one_by_one).faults()


def test_an_honest_arm_has_no_fault():
    assert faults(FITTED) == []


@pytest.mark.parametrize(("kind", "said"), [(ReadsEverything, "has seen the test part"), (Noiseless, "noise is off")])
def test_a_planted_defect_is_caught(kind, said):
    (line,) = faults(FITTED, Arm(label="Planted", make=kind))
    assert line.startswith("Planted: ")
    assert said in line


def test_relabelled():
    table = Table(features=np.zeros((4, 1)), labels=np.array([0.0, 2.0, 5.0, 5.0]))
    assert relabelled(table).labels.tolist() == [2.0, 5.0, 0.0, 0.0]
    assert relabelled("sessions") == "sessions"


@pytest.mark.parametrize(("left_out", "said"), [(False, "costs epsilon = "), (True, "costs epsilon = inf|privacy")])
def test_an_arm_under_another_relation_or_without_noise_is_refused(left_out, said):
    arm = Arm(label="Planted", make=Elsewhere, settings={"left_out": left_out})
    with pytest.raises(InputError, match=said):
        faults(arm)
    usual = design(arm, relation="add-remove")
    if not left_out:
        assert DesignRun(design=usual, profile="quick", seed=0, chunks=one_by_one).faults() == []
