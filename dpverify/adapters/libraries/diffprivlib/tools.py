"""Every function of ``diffprivlib.tools`` that takes an epsilon."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.adapters.libraries.diffprivlib.seeded import Once, seeded
from dpverify.adapters.libraries.offered import NotExamined, Offered, Offers, both_readings, by_default, in_short

EPSILON = 1.0

VALUES: dict[str, Any] = {
    "bounds": (0.0, 1.0),
    "range": (0.0, 1.0),
    "bins": 3,
    "quant": 0.5,
    "percent": 50.0,
}
"""By parameter name: what is public, so that the library need not look it up in the data."""

DATA = ("array", "sample", "array_x", "array_y")
"""Parameters that take the data."""

FAULTS = 6.0
"""How many times the epsilon a twin has."""

BASES = ([0.0] * 5, [0.0, 0.0, 0.5, 1.0, 1.0])
EXTREMES = (1.0, 0.0)
BASES_2D = ([[0.0, 0.0]] * 5, [[0.0, 1.0], [0.0, 0.0], [0.5, 0.5], [1.0, 1.0], [1.0, 0.0]])
EXTREMES_2D = ([1.0, 1.0], [0.0, 0.0])


def tools(*, quick: bool) -> Offers:
    """All public functions of the module with a parameter `epsilon`."""
    import diffprivlib.tools as module

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for name, function in sorted(vars(module).items()):
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        parameters = inspect.signature(function).parameters
        if "epsilon" not in parameters:
            continue
        names.append(name)
        found = _of(name, function, parameters)
        if isinstance(found, str):
            missing.append(NotExamined(constructor=name, reason=found))
        else:
            claims += found
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


def _of(name: str, function: Any, parameters: Mapping[str, inspect.Parameter]) -> list[Offered] | str:
    taken = [key for key in parameters if key in DATA]
    needed = [key for key, each in parameters.items() if each.default is each.empty and key not in DATA]
    unknown = [key for key in needed if key not in VALUES and key != "unused_args"]
    if not taken or unknown:
        return f"no values are known for its parameter {(unknown or ['that holds the data'])[0]}"
    wide = len(taken) == 2 or name.endswith("dd")
    words = {key: VALUES[key] for key in parameters if key in VALUES}
    if wide and "range" in words:
        words["range"] = [VALUES["range"]] * 2
    once = _once(function, taken, words, EPSILON)
    bases, extremes = (BASES_2D, EXTREMES_2D) if wide else (BASES, EXTREMES)
    try:
        once(list(bases[0]), np.random.RandomState(0))
    except Exception as problem:  # noqa: BLE001 - said in the table
        return in_short(problem)
    return both_readings(
        name,
        once,
        bases,
        extremes,
        epsilon=EPSILON,
        words=words,
        builds=seeded,
        single=by_default,
        twin=lambda: _once(function, taken, words, FAULTS * EPSILON),
        fault=f"{FAULTS:g} times the epsilon that is claimed",
    )


def _once(function: Any, taken: list[str], words: Mapping[str, Any], epsilon: float) -> Once:
    """One release, with an accountant of its own: the default one keeps a list of all calls."""
    from diffprivlib.accountant import BudgetAccountant

    def once(data: Any, state: Any) -> Any:
        rows = np.asarray(data, dtype=float)
        given = dict(zip(taken, rows.T, strict=True)) if len(taken) == 2 else {taken[0]: rows}
        released = function(**given, **words, epsilon=epsilon, random_state=state, accountant=BudgetAccountant())
        return _numbers(released)

    return once


def _numbers(released: Any) -> Any:
    """What was released, as one row: a histogram comes with its edges."""
    if isinstance(released, tuple):
        return np.concatenate([np.ravel(np.asarray(each, dtype=float)) for each in released])
    found = np.asarray(released, dtype=float)
    return float(found) if found.ndim == 0 else np.ravel(found)
