"""Reference arms: registered algorithms with public settings, their noise calibrated to the trainer's price.

Settings stand in ``references.toml``. The noise is the least that a sound accountant certifies for (epsilon, delta),
the relation and the public number of training records (`dpverify.utility`).
"""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.table import Table
from dpverify.frontier.trained import Trained, read_trained

CEILING = "non-private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One arm.

    Attributes
    ----------
    name : str
        Of a registered algorithm.
    classes : int
        Of the labels.
    delta : float
    relation : str
    """

    name: str
    classes: int
    delta: float
    relation: str
    _known: dict[tuple[float, int], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def chosen(self) -> bool:
        """Whether somebody has chosen settings for it; otherwise they are the algorithm's own."""
        return self.name in _defaults()

    def settings(self, rows: int) -> dict[str, Any]:
        """The public settings for so many records."""
        kind: Any = registry().mechanisms.get(self.name)
        fields = {each.name for each in dataclasses.fields(kind)}
        given = dict(_defaults().get(self.name, {}))
        batch = given.pop("batch", None)
        if batch is not None and "rate" in fields:
            given["rate"] = min(1.0, batch / rows)
        elif batch is not None:
            given["batch_size"] = min(int(batch), rows)
        if "model" in fields:
            given["model"] = "logistic" if self.classes == 2 else f"softmax:{self.classes}"
        return given

    def at(self, epsilon: float, rows: int) -> Any:
        """The calibrated algorithm (`Calibrated`) for so many records.

        Raises
        ------
        InputError
            Where no accountant certifies this price (it says the least that one does), and for an algorithm that has
            nothing to calibrate.
        """
        key = (epsilon, rows)
        if key not in self._known:
            made = registry().mechanisms.get(self.name)(**self.settings(rows))
            if not hasattr(made, "calibrated"):
                raise InputError(f"the reference {self.name!r}, which trains no model", allowed=", ".join(_defaults()))
            self._known[key] = made.calibrated(epsilon=epsilon, delta=self.delta, relation=self.relation, rows=rows)
        return self._known[key]

    def train(self, table: Table, *, epsilon: float, rng: np.random.Generator) -> Trained:
        """One training at this price."""
        return self._read(self.at(epsilon, table.rows).algorithm.sample(table, 1, rng=rng)[0], table)

    def _read(self, result: Any, table: Table) -> Trained:
        if np.size(result) == 1 < table.columns:  # a label for all records
            weights = np.zeros(table.columns)
            return Trained(name=self.name, classes=2, weights=weights, intercept=float(np.ravel(result)[0]))
        return read_trained(result, table, name=self.name, classes=self.classes)


def without_privacy(table: Table, classes: int) -> Trained:
    """The minimiser of the mean logistic (or softmax) loss with an L2 penalty of 1e-4: for comparison, no bound."""
    model = "logistic" if classes == 2 else f"softmax:{classes}"
    made = registry().mechanisms.get(CEILING)(model=model, l2=1e-4, tolerance=1e-4, iterations=300)
    return read_trained(made.train(table, rng=np.random.default_rng(0)), table, name=CEILING, classes=classes)


@cache
def _defaults() -> dict[str, dict[str, Any]]:
    text = files("dpverify.frontier").joinpath("references.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
