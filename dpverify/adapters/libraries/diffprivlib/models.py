"""Every estimator of ``diffprivlib.models`` that takes an epsilon: what it learns, by the attributes it ends with.

A tree is read by what it predicts at fixed points. Attributes that hold records or their number (labels of the training
set, sample counts) are not read: the claim is about what the model learns.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from dpverify.adapters.libraries.diffprivlib.seeded import Once, seeded
from dpverify.adapters.libraries.offered import NotExamined, Offered, Offers, both_readings, by_default, in_short

EPSILON = 1.0

VALUES: dict[str, Any] = {
    "bounds": ([0.0, 0.0], [1.0, 1.0]),
    "bounds_X": ([0.0, 0.0], [1.0, 1.0]),
    "bounds_y": (0.0, 1.0),
    "data_norm": 1.5,
    "classes": [0, 1],
    "n_clusters": 2,
    "n_components": 1,
    "centered": True,
    "n_estimators": 1,
    "max_depth": 1,
}
"""By parameter name: what is public, so that the library need not look it up in the data."""

LEARNT = (
    "coef_",
    "intercept_",
    "theta_",
    "var_",
    "class_prior_",
    "cluster_centers_",
    "mean_",
    "components_",
    "explained_variance_",
    "scale_",
)
"""Attributes that are read, in scikit-learn's names."""

PROBES = np.array([[0.1, 0.1], [0.1, 0.9], [0.9, 0.1], [0.9, 0.9]])
"""Points at which models without these attributes are read."""

FAULT = 32.0
"""How many times the epsilon a twin has."""

BASES = (
    [[0.0, 0.0, 0]] * 4 + [[1.0, 1.0, 1]] * 4,
    [[0.0, 0.0, 0]] * 2 + [[0.0, 0.0, 1]] * 2 + [[0.1, 0.1, 0]] * 2 + [[0.1, 0.1, 1]] * 2,
    [[0.0, 0.0, 0], [1.0, 1.0, 0]] + [[1.0, 1.0, 1]] * 3,  # one record alone decides what is predicted around it
)
EXTREMES = ([1.0, 1.0, 0], [0.0, 0.0, 1], [1.0, 0.0, 1])


def models(*, quick: bool) -> Offers:
    """All estimators of the module with a parameter `epsilon`."""
    import diffprivlib.models as module

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for name, kind in sorted(vars(module).items()):
        if name.startswith("_") or not inspect.isclass(kind) or not hasattr(kind, "fit"):
            continue
        parameters = inspect.signature(kind).parameters
        if "epsilon" not in parameters:
            continue
        names.append(name)
        words = {key: VALUES[key] for key in parameters if key in VALUES}
        once = _once(kind, words, EPSILON)
        try:
            once([list(each) for each in BASES[0]], np.random.RandomState(0))
        except Exception as problem:  # noqa: BLE001 - said in the table
            missing.append(NotExamined(constructor=name, reason=in_short(problem)))
            continue
        claims += both_readings(
            name,
            once,
            BASES,
            EXTREMES,
            epsilon=EPSILON,
            words=words,
            builds=seeded,
            single=by_default,
            twin=_twin(kind, words),
            fault=f"{FAULT:g} times the epsilon that is claimed",
        )
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


def _twin(kind: Any, words: Mapping[str, Any]) -> Any:
    return lambda: _once(kind, words, FAULT * EPSILON)


def _once(kind: Any, words: Mapping[str, Any], epsilon: float) -> Once:
    """One fit, with an accountant of its own."""
    from diffprivlib.accountant import BudgetAccountant

    def once(data: Any, state: Any) -> Any:
        rows = np.asarray(data, dtype=float)
        features, labels = rows[:, :2], rows[:, 2].astype(int)
        model = kind(epsilon=epsilon, random_state=state, accountant=BudgetAccountant(), **words)
        model.fit(features, labels)
        return _learnt(model)

    return once


def _learnt(model: Any) -> Any:
    found = [getattr(model, name, None) for name in LEARNT]
    numbers = [np.ravel(np.asarray(each, dtype=float)) for each in found if each is not None]
    if not numbers:
        numbers = [np.ravel(np.asarray(model.predict(PROBES), dtype=float))]
    return np.concatenate(numbers)
