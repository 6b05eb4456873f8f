"""Small designs on the bundled table, and computing arms, for the tests of experiments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from dpverify.core.fields import Checked
from dpverify.datasets.shaped import unit_rows
from dpverify.utility.experiment import Arm, Design, Effort, Tuning
from reference_impls.models.evaluation import classified
from reference_impls.optimizers.majority import Majority
from reference_impls.optimizers.non_private import NonPrivate


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted(Checked):
    """Noise of 1 / epsilon on non-private weights; `shift` is worth tuning; tells its price as it is told to."""

    model: str = "logistic"
    noise: float = 1.0
    shift: float = 0.0
    l2: float = 0.01
    claims: float = 1.0

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        weights = NonPrivate(l2=self.l2, tolerance=1e-4).train(dataset, rng=rng)
        return np.stack([weights + self.shift + self.noise * rng.normal(size=weights.size) for _ in range(size)])

    def calibrated(self, *, epsilon: float, delta: float, relation: str, rows: int, accounted: str = "now") -> Any:
        algorithm = Fitted(shift=self.shift, l2=self.l2, noise=1.0 / epsilon, claims=self.claims)
        return SimpleNamespace(algorithm=algorithm, epsilon=epsilon * self.claims, accountant="a friend")


def computed(*, x: float, rng: np.random.Generator, slope: float, bend: float = 0.0) -> dict[str, float]:
    """A line, and noise in its last digits."""
    return {"accuracy": slope * x + bend + 1e-3 * rng.normal(), "objective": 1.0 - x}


FITTED = Arm(label="Fitted", make=Fitted)
FLOOR, CEILING = (
    Arm(label="Majority", make=Majority, price="none"),
    Arm(label="NonPrivate", make=NonPrivate, price="none"),
)


def design(*arms: Arm, **more: Any) -> Design:
    """Logistic regression on the bundled table at two prices."""
    given = {
        "name": "small",
        "data": ("breast-cancer",),
        "xs": (0.5, 50.0),
        "arms": (*(arms or (FITTED,)), FLOOR, CEILING),
        "evaluate": classified,
        "prepare": (unit_rows,),
        "metrics": ("accuracy", "objective"),
        "floor": "Majority",
        "ceiling": "NonPrivate",
        "quick": Effort(repetitions=3),
        "full": Effort(repetitions=5),
        **more,
    }
    return Design(**given)


def plain(value: Any) -> str:
    """As text, to be compared to the bit."""
    return json.dumps(value, sort_keys=True)


TUNED = Tuning(rule="oracle", metric="accuracy", trials=2)
