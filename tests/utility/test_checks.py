"""Planted defects are caught: an arm that reads the test part, one without noise, one that costs more than it says."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpverify.core.chunks import one_by_one
from dpverify.datasets.breast_cancer import load_breast_cancer
from dpverify.datasets.table import Table
from dpverify.utility.checks import relabelled
from dpverify.utility.experiment import Arm
from dpverify.utility.measured import Run
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
        return SimpleNamespace(algorithm=self, epsilon=0.1, accountant="nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noiseless(Fitted):
    """Has no noise, whatever its price."""

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        weights = NonPrivate(l2=self.l2, tolerance=1e-4).train(dataset, rng=rng)
        return np.stack([weights] * size)

    def calibrated(self, **_: Any) -> Any:
        return SimpleNamespace(algorithm=self, epsilon=0.1, accountant="nobody")


def faults(*arms: Arm) -> list[str]:
    return Run(design=design(*arms), profile="quick", seed=0, chunks=one_by_one).faults()


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
