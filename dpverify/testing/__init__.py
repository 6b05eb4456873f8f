"""For authors: contract tests, mutants of a mechanism, and hypothesis strategies.

- `check_mechanism`, `check_auditor`, `check_accountant` raise an AssertionError with one line for the first rule that
  is broken; `MechanismContract`, `AuditorContract`, `AccountantContract` are the same as classes of tests to inherit;
- `mutants` breaks a mechanism on purpose, in the usual ways, and says which of these faults its audit finds;
- `neighbors`, `neighbors_of`, `datasets`, `datasets_like`, `claims`, `budgets`, `parameters` and `points` are
  hypothesis strategies.

Names are imported with their first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpverify.testing.boundaries import Boundary, exact_boundaries
    from dpverify.testing.contracts.accountant import AccountantContract, check_accountant
    from dpverify.testing.contracts.auditor import AuditorContract, check_auditor
    from dpverify.testing.contracts.mechanism import MechanismContract, check_mechanism
    from dpverify.testing.sabotage.mutants import mutants
    from dpverify.testing.sabotage.report import MutantReport, MutantRow
    from dpverify.testing.strategies import (
        budgets,
        claims,
        datasets,
        datasets_like,
        neighbors,
        neighbors_of,
        parameters,
        points,
    )

__all__ = [
    "AccountantContract",
    "AuditorContract",
    "Boundary",
    "MechanismContract",
    "MutantReport",
    "MutantRow",
    "budgets",
    "check_accountant",
    "check_auditor",
    "check_mechanism",
    "claims",
    "datasets",
    "datasets_like",
    "exact_boundaries",
    "mutants",
    "neighbors",
    "neighbors_of",
    "parameters",
    "points",
]

_HOMES = {
    "contracts.accountant": ("AccountantContract", "check_accountant"),
    "contracts.auditor": ("AuditorContract", "check_auditor"),
    "contracts.mechanism": ("MechanismContract", "check_mechanism"),
    "boundaries": ("Boundary", "exact_boundaries"),
    "sabotage.mutants": ("mutants",),
    "sabotage.report": ("MutantReport", "MutantRow"),
    "strategies": (
        "budgets",
        "claims",
        "datasets",
        "datasets_like",
        "neighbors",
        "neighbors_of",
        "parameters",
        "points",
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
