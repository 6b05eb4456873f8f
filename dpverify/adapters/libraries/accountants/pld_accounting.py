"""PLD_accounting: Poisson sampling of a distribution of dp_accounting, composed there."""

from __future__ import annotations

from typing import Any

from dpverify.adapters.libraries.library_accountant import SAMPLED, Collected, LibraryAccountant
from dpverify.core.registry import Registry


class PldDistributions(Collected):
    """Runs whose distributions are composed."""

    def epsilon(self, delta: float) -> float:
        """Of the composed distribution."""
        return float(self._composed().get_epsilon_for_delta(delta))

    def delta(self, epsilon: float) -> float:
        """Of the composed distribution."""
        return float(self._composed().get_delta_for_epsilon(epsilon))

    def _composed(self) -> Any:
        from dp_accounting.pld import privacy_loss_distribution as base
        from PLD_accounting import subsample_pld

        whole = None  # the library's identity has a grid of its own, with which no other composes
        for step, count in self.runs:
            if step["step"] == "laplace":
                one = base.from_laplace_mechanism(step["scale"])
            else:
                one = base.from_gaussian_mechanism(step["sigma"])
            if step["step"] == "poisson-gaussian":
                one = subsample_pld(pld=one, sampling_probability=step["q"])
            one = one.self_compose(count)
            whole = one if whole is None else whole.compose(one)
        return base.identity() if whole is None else whole


def register(registry: Registry) -> None:
    """Register the accountant."""
    one = LibraryAccountant(
        package="pld-accounting",
        module="PLD_accounting",
        about="subsample_pld(pld=from_gaussian_mechanism(sigma), sampling_probability=q), composed",
        make=PldDistributions,
        steps=lambda: {**SAMPLED, "laplace": ("scale",)},
        relative=1e-3,
        per_run=1e-4,
    )
    registry.library_accountants.add("pld_accounting", one)
