"""Reference arms: registered algorithms with public settings, their noise calibrated to the trainer's price.

Settings stand in ``references.toml``. The noise is the least that a sound accountant certifies for (epsilon, delta),
the relation and the public number of training records (`dpverify.utility`).
"""

from __future__ import annotations

import dataclasses
import json
import re
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


_FORM = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:\((.*)\))?", re.DOTALL)
_SETTING = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.+?)\s*", re.DOTALL)

ALLOWED = "a name, or a name with settings such as 'dp-sgd(steps=500, batch=256)'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One reference arm."""

    name: str
    """Of a registered algorithm, with settings of one's own or without (`dpverify.frontier.references`)."""
    classes: int
    """Of the labels."""
    delta: float
    relation: str
    _known: dict[tuple[float, int], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def chosen(self) -> bool:
        """Tell whether somebody has chosen settings for it; otherwise they are the algorithm's own."""
        algorithm, own = parsed_reference(self.name)
        return bool(own) or algorithm in _defaults()

    def settings(self, rows: int) -> dict[str, Any]:
        """The public settings for so many records.

        InputError for a setting that the algorithm has not.
        """
        algorithm, own = parsed_reference(self.name)
        kind: Any = registry().mechanisms.get(algorithm)
        fields = {each.name for each in dataclasses.fields(kind)}
        known = fields | ({"batch"} if {"rate", "batch_size"} & fields else set())
        if unknown := sorted(set(own) - known):
            raise InputError(f"{unknown[0]} of the reference {algorithm}", allowed=", ".join(sorted(known)))
        given = _defaults().get(algorithm, {}) | own
        if "batch" in given and {"rate", "batch_size"} & set(own):
            del given["batch"]
        batch = given.pop("batch", None)
        if batch is not None and "rate" in fields:
            given["rate"] = min(1.0, batch / rows)
        elif batch is not None:
            given["batch_size"] = min(int(batch), rows)
        if "model" in fields and "model" not in own:
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
            algorithm, own = parsed_reference(self.name)
            made = registry().mechanisms.get(algorithm)(**self.settings(rows))
            if not hasattr(made, "calibrated"):
                raise InputError(f"the reference {algorithm!r}, which trains no model", allowed=", ".join(_defaults()))
            found = made.calibrated(epsilon=epsilon, delta=self.delta, relation=self.relation, rows=rows)
            for name, value in own.items():
                if name != "batch" and getattr(found.algorithm, name) != getattr(made, name):
                    raise InputError(
                        f"{name} = {value} of the reference {algorithm}",
                        allowed="settings that the price does not decide: the noise follows from epsilon and delta",
                    )
            self._known[key] = found
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


def references_of(text: str) -> tuple[str, ...]:
    """The references that a command line names, apart at commas outside of parentheses."""
    return tuple(_split(text))


def parsed_reference(text: str) -> tuple[str, dict[str, Any]]:
    """The algorithm's name, and its settings: numbers, true, false, texts.

    InputError for a text of another form, and a setting that is given twice.
    """
    found = _FORM.fullmatch(text.strip())
    if found is None:
        raise InputError(f"the reference {text!r}", allowed=ALLOWED)
    settings: dict[str, Any] = {}
    for each in _split(found[2] or ""):
        one = _SETTING.fullmatch(each)
        if one is None or one[1] in settings:
            raise InputError(f"{each!r} in the reference {text!r}", allowed="settings such as steps=500, each once")
        settings[one[1]] = _value(one[2])
    return found[1], settings


def _value(text: str) -> Any:
    try:
        found = json.loads(text)
    except ValueError:
        return text.strip("'")
    return found if isinstance(found, bool | int | float | str) else text


def _split(text: str) -> list[str]:
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [each.strip() for each in parts if each.strip()]
