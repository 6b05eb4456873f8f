"""Google's dp_accounting: both accountants, on every kind of event that the installed version has."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from dpverify.adapters.libraries.library_accountant import SAMPLED, LibraryAccountant, Steps
from dpverify.core.registry import Registry

EVENTS = {"pure": "EpsilonDeltaDpEvent", "exponential": "ExponentialMechanismDpEvent", "zcdp": "ZCDpEvent"}
NUMBER = {"pure": "epsilon", "exponential": "epsilon", "zcdp": "rho"}


class Events:
    """An accountant of the library, which is given events."""

    def __init__(self, module: str) -> None:
        self._held: Any = _made(module)

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Compose the event of a step, or the event of nothing where it is run no times."""
        import dp_accounting

        self._held.compose(event_of(step) if count else dp_accounting.NoOpDpEvent(), count or 1)

    def epsilon(self, delta: float) -> float:
        """Its own epsilon."""
        return float(self._held.get_epsilon(delta))

    def delta(self, epsilon: float) -> float:
        """Its own delta."""
        return float(self._held.get_delta(epsilon))


def event_of(step: Mapping[str, Any]) -> Any:
    """The library's event of a step."""
    import dp_accounting

    kind = step["step"]
    if kind in EVENTS:
        more = (0.0,) if kind == "pure" else ()
        return getattr(dp_accounting, EVENTS[kind])(step[NUMBER[kind]], *more)
    if kind == "laplace":
        return dp_accounting.LaplaceDpEvent(step["scale"])
    gaussian = dp_accounting.GaussianDpEvent(step["sigma"])
    return gaussian if kind == "gaussian" else dp_accounting.PoissonSampledDpEvent(step["q"], gaussian)


def _made(module: str) -> Any:
    from dp_accounting import pld, rdp

    return rdp.RdpAccountant() if module == "rdp" else pld.PLDAccountant()


def _steps(module: str) -> Steps:
    """The kinds whose plain event the accountant says that it supports."""
    plain: dict[str, dict[str, float]] = {"laplace": {"scale": 1.0}, **{kind: {NUMBER[kind]: 0.5} for kind in EVENTS}}
    found: dict[str, tuple[str, ...]] = dict(SAMPLED)
    for kind, numbers in plain.items():
        try:
            supported = _made(module).supports(event_of({"step": kind, **numbers}))
        except AttributeError:  # the version has no such event
            continue
        if supported:
            found[kind] = tuple(numbers)
    return found


def register(registry: Registry) -> None:
    """Register both."""
    for module, name, grid in (("rdp", "RdpAccountant", 0.0), ("pld", "PLDAccountant", 1e-4)):
        one = LibraryAccountant(
            package="dp-accounting",
            module="dp_accounting",
            about=f"{module}.{name}().compose(event, count).get_epsilon(delta)",
            make=functools.partial(Events, module),
            steps=functools.partial(_steps, module),
            per_run=grid,
            relative=1e-3 if grid else 1e-6,
            extra="crosscheck",
        )
        registry.library_accountants.add(f"dp_accounting.{module}", one)
