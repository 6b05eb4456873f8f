"""Opacus: its three accountants, stepped as the optimizer's hook steps them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from dpverify.adapters.libraries.library_accountant import LibraryAccountant
from dpverify.core.registry import Registry

NAMES = {"rdp": "RDPAccountant", "prv": "PRVAccountant", "gdp": "GaussianAccountant"}
PRV_ERROR = 0.02
"""The PRV accountant's own eps_error, .01, to both sides."""
KNOWN = "the library warns that it can underestimate: a central limit theorem without an error bound"


class OpacusSteps:
    """An accountant that is told one step at a time."""

    def __init__(self, name: str) -> None:
        from opacus import accountants

        self._held: Any = getattr(accountants, NAMES[name])()

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Step so often."""
        for _ in range(count):
            self._held.step(noise_multiplier=step["sigma"], sample_rate=step["q"])

    def epsilon(self, delta: float) -> float:
        """Its own epsilon."""
        return float(self._held.get_epsilon(delta))

    def state_dict(self) -> Any:
        """Its own state."""
        return self._held.state_dict()

    def load_state_dict(self, state: Any) -> None:
        """Restore a state."""
        self._held.load_state_dict(state)


def register(registry: Registry) -> None:
    """Register the three."""
    for name, kind in NAMES.items():
        one = LibraryAccountant(
            package="opacus",
            module="torch",  # which it imports, and which may be missing beside it
            about=f"accountants.{kind}().step(noise_multiplier=..., sample_rate=...), get_epsilon(delta)",
            make=functools.partial(OpacusSteps, name),
            steps=lambda: {"poisson-gaussian": ("q", "sigma")},
            absolute=PRV_ERROR if name == "prv" else 1e-9,
            known=KNOWN if name == "gdp" else "",
            extra="opacus",
        )
        registry.library_accountants.add(f"opacus.{name}", one)
