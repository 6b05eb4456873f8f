"""riskcal: its connect-the-dots accountant, stepped as Opacus steps one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpverify.adapters.libraries.library_accountant import LibraryAccountant
from dpverify.core.registry import Registry


class RiskcalSteps:
    """``CTDAccountant``, told one step at a time."""

    def __init__(self) -> None:
        from riskcal.accountants import CTDAccountant

        self._held: Any = CTDAccountant()

    def compose(self, step: Mapping[str, Any], count: int) -> None:
        """Step so often."""
        for _ in range(count):
            self._held.step(noise_multiplier=step["sigma"], sample_rate=step["q"])

    def epsilon(self, delta: float) -> float:
        """Its own epsilon."""
        return float(self._held.get_epsilon(delta=delta))

    def state_dict(self) -> Any:
        """Its own state."""
        return self._held.state_dict()

    def load_state_dict(self, state: Any) -> None:
        """Restore a state."""
        self._held.load_state_dict(state)


def register(registry: Registry) -> None:
    """Register the accountant."""
    one = LibraryAccountant(
        package="riskcal",
        module="riskcal",
        about="accountants.CTDAccountant().step(noise_multiplier=..., sample_rate=...), get_epsilon(delta=...)",
        make=RiskcalSteps,
        steps=lambda: {"poisson-gaussian": ("q", "sigma")},
        relative=1e-3,
        per_run=1e-4,
    )
    registry.library_accountants.add("riskcal.ctd", one)
