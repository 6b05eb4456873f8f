"""Every registered training algorithm is calibrated from the safe side, or says why it has nothing to calibrate."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.utility.calibration import Calibrated, calibrated, family_of, floor, found_family, true_epsilon
from dpverify.utility.calibration_family import Family, NoPrivacy
from reference_impls.training.trainer import Training

ROWS = 1_000
DELTA, EPSILON = 1e-5, 0.5
FEW = {"steps": 4, "epochs": 2, "rounds": 3}
SETTINGS: dict[str, dict[str, Any]] = {
    "admm-obj-p": {"descent_steps": None},
    "adp-sgd": {"alpha": "one", "batch_size": 100},
    "adp-sgd-ada-grad-repaired": {"alpha": "one", "batch_size": 100},
}
"""What makes some algorithms private, or quick to price."""
UNCERTIFIED = {"adp-sgd-ada-grad", "dp-blsgd", "dp-blsgd-ac", "dp-blsgd-network", "privbr"}
"""Those whose published form nobody certifies: each names the repaired one."""


NOT_PRIVATE = {"adam", "adadp-non-private", "bayesrank", "listmle", "listnet"}
"""Settings without noise of classes that have some."""
TWICE = {
    "dp-bayesrank-repaired",
    "dp-listmle",
    "dp-listmle-repaired",
    "dp-listnet",
    "dp-listnet-repaired",
    "out-pert-rsgd",
}
"""Names of classes that are tried under another name."""


@cache
def algorithms() -> dict[str, Training]:
    found = {}
    for name, build in registry().mechanisms.items():
        try:
            algorithm = build()
        except TypeError:  # no defaults: no training
            continue
        if isinstance(algorithm, Training):
            given = {field.name for field in fields(algorithm)}  # type: ignore[arg-type]  # all are
            changes = {key: value for key, value in FEW.items() if key in given and getattr(algorithm, key)}
            found[name] = replace(algorithm, **changes, **SETTINGS.get(name, {}))  # type: ignore[type-var]
    return found


def private() -> list[tuple[str, str]]:
    """One of each class that has a family, with each relation that it is certified under."""
    pairs = []
    for name, algorithm in classes().items():
        family = found_family(type(algorithm))
        if isinstance(family, Family) and name not in UNCERTIFIED:
            pairs += [(name, relation) for relation in family.relations]
    return [pair for pair in pairs if pair != ("ss-admm", "add-remove")]  # by its schedule


def classes() -> dict[str, Training]:
    """Every class under one name, at settings with noise."""
    return {name: algorithm for name, algorithm in algorithms().items() if name not in NOT_PRIVATE | TWICE}


@cache
def at(name: str, relation: str, epsilon: float) -> Calibrated[Any]:
    return calibrated(algorithms()[name], epsilon=epsilon, delta=DELTA, relation=relation, rows=ROWS)


@pytest.mark.parametrize("name", algorithms())
def test_every_class_says_how_it_is_calibrated_or_why_not(name: str) -> None:
    found = found_family(type(algorithms()[name]))
    assert isinstance(found, Family | NoPrivacy), "register a family, or NoPrivacy with a reason"
    if isinstance(found, NoPrivacy):
        assert not algorithms()[name].relation, "it claims something"
        with pytest.raises(InputError, match=found.reason[:20]):
            family_of(algorithms()[name])


@pytest.mark.parametrize(("name", "relation"), private())
def test_the_least_noise_is_found_from_the_safe_side(name: str, relation: str) -> None:
    """Within one percent; half the noise, or twice the budget, costs more."""
    found = at(name, relation, EPSILON)
    assert 0.99 * EPSILON <= found.epsilon <= EPSILON
    assert type(found.algorithm) is type(algorithms()[name])
    assert (found.delta, found.relation, found.rows) == (DELTA, relation, ROWS)
    assert found.noise[1] == getattr(found.algorithm, found.noise[0])
    assert found.accountant in found.text()
    assert "\n" not in found.text()
    family = family_of(found.algorithm)
    louder = family.with_knob(found.algorithm, found.noise[1] * (2.0 if family.budget else 0.5))
    assert true_epsilon(louder, delta=DELTA, relation=relation, rows=ROWS).upper > 1.2 * EPSILON


@pytest.mark.parametrize(("name", "relation"), private())
def test_a_calibrated_algorithm_is_priced_as_it_was_calibrated(name: str, relation: str) -> None:
    """By itself, with nothing known of the budget that was asked for."""
    found = at(name, relation, EPSILON)
    bracket = true_epsilon(found.algorithm, delta=DELTA, relation=relation, rows=ROWS)
    assert bracket.lower <= bracket.upper <= found.epsilon * (1 + 1e-6)
    assert bracket.upper >= 0.985 * EPSILON


@pytest.mark.parametrize("name", sorted(UNCERTIFIED))
def test_what_nobody_certifies_names_what_is_certified(name: str) -> None:
    algorithm = algorithms()[name]
    with pytest.raises(InputError, match="no sound accountant certifies it") as problem:
        calibrated(algorithm, epsilon=1.0, delta=DELTA, relation="replace", rows=ROWS)
    assert "repaired" in str(problem.value)
    assert true_epsilon(algorithm, delta=DELTA, relation="replace", rows=ROWS).upper == math.inf


@pytest.mark.parametrize("name", sorted({name for name, _ in private()} | UNCERTIFIED))
def test_then_is_the_papers_own_account_above_its_floor(name: str) -> None:
    algorithm = algorithms()[name]
    kept = {"delta": DELTA, "relation": family_of(algorithm).relations[:1] or ("replace",), "rows": ROWS}
    kept["relation"] = kept["relation"][0]
    lowest = floor(algorithm, **kept)
    found = calibrated(algorithm, epsilon=lowest + 1.0, accounted="then", **kept)
    assert found.accounted == "then"
    assert 0.99 * (lowest + 1.0) <= found.epsilon <= lowest + 1.0
    assert "which is no bound" in found.text()
    if lowest > 0.01:
        with pytest.raises(InputError, match="the least that the paper's account"):
            calibrated(algorithm, epsilon=0.9 * lowest, accounted="then", **kept)
