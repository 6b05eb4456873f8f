"""diffprivlib: the total of its budget accountant, with all of delta as its slack."""

from __future__ import annotations

from dpverify.adapters.libraries.library_accountant import Collected, LibraryAccountant
from dpverify.core.registry import Registry


class BudgetSpends(Collected):
    """Pure spends of a ``BudgetAccountant``."""

    def epsilon(self, delta: float) -> float:
        """Of the total."""
        from diffprivlib.accountant import BudgetAccountant

        accountant = BudgetAccountant(slack=delta)
        for step, count in self.runs:
            for _ in range(count):
                accountant.spend(step["epsilon"], 0.0)
        total = accountant.total()
        if total[1] > delta * (1 + 1e-9):
            raise ValueError(f"the total has delta = {total[1]}")
        return float(total[0])


def register(registry: Registry) -> None:
    """Register the accountant."""
    one = LibraryAccountant(
        package="diffprivlib",
        module="diffprivlib",
        about="BudgetAccountant(slack=delta).spend(epsilon, 0), total()",
        make=BudgetSpends,
        steps=lambda: {"pure": ("epsilon",)},
        extra="diffprivlib",
    )
    registry.library_accountants.add("diffprivlib", one)
