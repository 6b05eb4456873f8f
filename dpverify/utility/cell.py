"""A cell: one arm, trained once on the training part of one split, and looked at on both parts.

Random streams are named by experiment, data set, arm, place and repetition, so a cell is the same wherever and whenever
it is computed. The split and the public start depend on the repetition alone: all arms share them.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.datasets.table import Table
from dpverify.recording.tape import WatchingTape
from dpverify.sampling.streams import stream
from dpverify.utility.calibration import true_epsilon
from dpverify.utility.checks import OTHER_LABELS, relabelled
from dpverify.utility.experiment import Arm, Design, Effort
from dpverify.utility.split import part, split, units

Stage = Literal["run", "tune", "moved", "check"]
Values = dict[str, Any]

_turn = threading.Lock()
_loaded: dict[tuple[str, ...], Any] = {}
_KEPT = 4
"""Data sets that a process keeps, those used last: all together take gigabytes."""


_pricing = threading.Lock()
_priced_before: dict[str, PricedAlgorithm] = {}

OVERSPENT = 1e-6
"""Share of epsilon by which a certified price may be above the asked one, for rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A series of cells, one a repetition."""

    stage: Stage
    data: str
    arm: str
    x: float | None
    """None where the arm has the same numbers at every place, or all places in one run."""
    choice: int = -1
    """The trial of the tuning, the number of the moved value, or of the check; -1 for none."""

    @property
    def name(self) -> str:
        """The chunk series has this name."""
        at = "-" if self.x is None else f"{self.x:.6g}"
        return f"{self.stage} {self.data} {self.arm} {at} {self.choice}"


def prepared(design: Design, name: str) -> Any:
    """The whole data set as the design prepares it; the last few are kept.

    InputError as its loader does, when files are missing or damaged.
    """
    key = (name, *(getattr(each, "__qualname__", repr(each)) for each in design.prepare))
    with _turn:
        whole = _loaded.pop(key, None)
        if whole is None:
            whole = registry().datasets.get(name).load()
            for each in design.prepare:
                whole = each(whole)
        _loaded[key] = whole  # the last is the one used last
        while len(_loaded) > _KEPT:
            del _loaded[next(iter(_loaded))]
        return whole


def parts(design: Design, name: str, *, seed: int, repetition: int) -> tuple[Any, Any]:
    """(training part, test part) of a repetition; where there is a test set of its own, it is the test part."""
    whole = prepared(design, name)
    if name in design.tests:
        return whole, prepared(design, design.tests[name])
    return split(whole, design.test, seed=seed, name=f"{name}, {len(design.prepare)}", repetition=repetition)


def cell(design: Design, slot: Slot, repetition: int, *, effort: Effort, seed: int, given: Mapping[str, Any]) -> Values:
    """The cell's metrics, plain JSON values; with ``price``: [certified epsilon or None, accountant].

    An arm whose own account cannot certify the price whatever the noise (it has a floor) has no metrics there.

    `given`: settings on top of the arm's own: those that were chosen, or moved.
    """
    arm = design.arm(slot.arm)
    coins = stream(seed, "utility", design.name, *slot.name.split(" ", 1), repetition)
    if arm.computes:
        known = inspect.signature(arm.make).parameters
        common = {name: value for name, value in {**design.settings, **effort.settings}.items() if name in known}
        return dict(arm.make(x=slot.x, rng=coins, **{**common, **arm.settings, **given}))
    train, test = parts(design, slot.data, seed=seed, repetition=repetition)
    settings, epsilon = _settings(design, arm, slot, {**given, **_taken(arm, effort.settings)})
    if effort.rows:
        train, test = (
            part(each, min(effort.rows, units(each)), seed=seed, name=slot.data, repetition=repetition)
            for each in (train, test)
        )
    if design.axis == "rows" and slot.x is not None:
        train = part(train, int(slot.x), seed=seed, name=slot.data, repetition=repetition)
    for each in arm.prepare:
        train, test = each(train), each(test)
    rows = units(train)
    if slot.stage == "check" and slot.choice == OTHER_LABELS:
        train = relabelled(train)
    if design.train_as is not None:
        more = {"x": slot.x} if design.axis == "train_as" else {}
        train = design.train_as(train, rng=stream(seed, "utility", design.name, "train as", repetition), **more)
    try:
        found = priced(arm, settings, design, epsilon=epsilon, rows=rows)
    except InputError as problem:
        if arm.price != "then":
            raise
        return {"price": [None, f"{problem.what}; {problem.allowed}"]}  # below the floor of its account: no point
    algorithm = _started(found.algorithm, settings, repetition)
    begun = time.perf_counter()
    if design.axis == "trajectory":
        values = _trajectory(design, algorithm, train, test, coins)
    else:
        counts: Values = {}
        if "evaluations" in design.metrics:
            tape = WatchingTape(coins, lambda _number, _point, _published: None)
            result = algorithm.run(train, tape)
            counts["evaluations"] = max(tape.evaluations, 1)
        else:
            result = algorithm.sample(train, 1, rng=coins)[0]
        if "seconds" in design.metrics:
            counts["seconds"] = time.perf_counter() - begun
        values = {**_evaluated(design, algorithm, result, train, test), **counts}
    for metric, value in values.items():
        if not np.isfinite(np.asarray(value, dtype=np.float64)).all():
            values[metric] = [_finite(each) for each in value] if isinstance(value, list) else _finite(value)
    if slot.stage == "check":
        values["majority"] = test.majority if isinstance(test, Table) else 1.0
    return {**values, "price": [found.epsilon, found.accountant]}


WORST = 1e6
"""What a number counts that is not finite, or larger: an objective that overflows."""


def _finite(value: float) -> float:
    return float(min(max(value, -WORST), WORST)) if not math.isnan(value) else WORST


def _settings(design: Design, arm: Arm, slot: Slot, given: Mapping[str, Any]) -> tuple[dict[str, Any], float | None]:
    """The algorithm's settings and its price. Settings of the design go to algorithms with such a field."""
    taken = arm.takes() or {}
    common = _taken(arm, design.settings)
    settings = {**common, **arm.settings, **given}
    epsilon = arm.epsilon or design.epsilon
    if design.axis == "epsilon":
        epsilon = slot.x
    elif design.axis not in ("rows", "trajectory", "point", "train_as") and design.axis in taken and slot.x is not None:
        whole = isinstance(taken[design.axis], int) and not isinstance(taken[design.axis], bool)
        settings[design.axis] = int(slot.x) if whole else slot.x
    return settings, epsilon


def _taken(arm: Arm, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the common settings that the arm takes."""
    taken = arm.takes()
    return {name: value for name, value in settings.items() if taken is None or name in taken}


def _started(algorithm: Any, settings: Mapping[str, Any], repetition: int) -> Any:
    """Begin at the repetition's public start, where it has one that no setting fixes."""
    fields = {each.name for each in dataclasses.fields(algorithm)}
    if "start_seed" not in fields or "start_seed" in settings:
        return algorithm
    return dataclasses.replace(algorithm, start_seed=repetition)


def _evaluated(design: Design, algorithm: Any, result: Any, train: Any, test: Any) -> Mapping[str, Any]:
    if design.evaluate is None:
        raise InputError(f"{design.called()} without a way to evaluate", allowed="evaluate = 'package.module.function'")
    return design.evaluate(algorithm, result, train, test)


def _trajectory(design: Design, algorithm: Any, train: Any, test: Any, coins: np.random.Generator) -> Values:
    """Metrics as lists, one number for each place: an iterate's number. A run that ends earlier stays where it is.

    What is published (a step size) is the last value by then; before the first, that one.
    """
    places, found, latest = {int(x) for x in design.xs}, dict[int, Values](), Values()

    def seen(number: int, point: Any, published: Mapping[str, Any]) -> None:
        latest.update({name: float(np.asarray(value).ravel()[0]) for name, value in published.items()})
        if number in places:
            found[number] = {**latest, **_evaluated(design, algorithm, point, train, test)}

    result = algorithm.run(train, WatchingTape(coins, seen))
    last = {**latest, **_evaluated(design, algorithm, result, train, test)}
    rows = [found.get(int(x), last) for x in design.xs]
    measured = {metric: [row.get(metric) for row in rows] for metric in design.metrics}
    return {metric: _backwards(values) for metric, values in measured.items() if values[-1] is not None}


def _backwards(values: list[float | None]) -> list[float]:
    """Put what comes first where the beginning is missing; the last is there."""
    found: list[float] = []
    for value in reversed(values):
        found.append(float(found[-1] if value is None else value))
    return found[::-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedAlgorithm:
    """An algorithm, what it costs, and who says so."""

    algorithm: Any
    epsilon: float | None = None
    """A certified upper bound at the design's delta and relation; None where there is none to certify."""
    accountant: str = ""


def priced(
    arm: Arm, settings: Mapping[str, Any], design: Design, *, epsilon: float | None, rows: int
) -> PricedAlgorithm:
    """The arm's algorithm for so many records at this price.

    What the calibration gives is priced once more, by the algorithm's own composition under the design's relation: an
    arm without noise, or one that was calibrated under another relation, is refused.

    Raises
    ------
    InputError
        For settings that the algorithm does not take, for a price that no accountant can certify (with the least that
        it can), and for an arm that costs more than it is asked to.
    """
    key = repr((arm.make, design.name, arm.label, sorted(settings.items(), key=repr), epsilon, rows))
    key += repr((design.delta, design.relation, arm.price))
    with _pricing:
        if key in _priced_before:
            return _priced_before[key]
    found = _priced(arm, settings, design, epsilon, rows)
    with _pricing:
        _priced_before[key] = found
    return found


def _priced(arm: Arm, settings: Mapping[str, Any], design: Design, epsilon: float | None, rows: int) -> PricedAlgorithm:
    taken = arm.takes()
    unknown = [name for name in settings if taken is not None and name not in taken]
    if unknown and taken is not None:
        raise InputError(f"{design.called()}: setting {unknown[0]!r} of {arm.label}", allowed=", ".join(taken))
    algorithm = arm.make(**settings)
    if arm.price == "none":
        return PricedAlgorithm(algorithm=algorithm)
    under: dict[str, Any] = {"delta": design.delta, "relation": design.relation, "rows": rows}
    if arm.price == "own":
        bracket = true_epsilon(algorithm, **under)
        return PricedAlgorithm(
            algorithm=algorithm,
            epsilon=bracket.upper if math.isfinite(bracket.upper) else None,
            accountant=bracket.note,
        )
    if epsilon is None or not hasattr(algorithm, "calibrated"):
        raise InputError(
            f"{design.called()}: {arm.label}, whose noise cannot be calibrated", allowed="an algorithm that can be"
        )
    found = algorithm.calibrated(epsilon=epsilon, accounted="then" if arm.price == "then" else "now", **under)
    if arm.price == "then":
        return PricedAlgorithm(algorithm=found.algorithm, epsilon=found.epsilon, accountant=found.accountant)
    upper = max(found.epsilon, true_epsilon(found.algorithm, **under).upper)
    if not upper <= epsilon * (1 + OVERSPENT):
        raise InputError(
            f"{design.called()}: {arm.label} costs epsilon = {upper:.6g} under {design.relation!r}",
            allowed=f"at most {epsilon:g}, the price of this comparison",
        )
    return PricedAlgorithm(algorithm=found.algorithm, epsilon=upper, accountant=found.accountant)
