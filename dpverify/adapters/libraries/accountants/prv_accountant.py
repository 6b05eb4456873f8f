"""Microsoft's prv_accountant: privacy random variables by FFT, with the error that it states."""

from __future__ import annotations

from typing import Any

from dpverify.adapters.libraries.library_accountant import SAMPLED, Collected, LibraryAccountant
from dpverify.core.registry import Registry

EPSILON_ERROR, DELTA_ERROR = 0.1, 1e-3
"""What its documentation calls typical; the second is a share of delta."""


class Variables(Collected):
    """Runs that ``PRVAccountant`` composes."""

    def epsilon(self, delta: float) -> tuple[float, float]:
        """Its lower and upper bound."""
        from prv_accountant import PRVAccountant

        counts = [count for _, count in self.runs]
        accountant = PRVAccountant(
            prvs=[_variable(dict(step)) for step, _ in self.runs],
            max_self_compositions=counts,
            eps_error=EPSILON_ERROR,
            delta_error=DELTA_ERROR * delta,
        )
        lower, _, upper = accountant.compute_epsilon(delta=delta, num_self_compositions=counts)
        return float(lower), float(upper)


def _variable(step: dict[str, Any]) -> Any:
    import prv_accountant as library

    if step["step"] == "laplace":
        return library.LaplaceMechanism(mu=1.0 / step["scale"])
    if step["step"] == "pure":
        return library.PureDPMechanism(step["epsilon"])
    if step["step"] == "gaussian":
        return library.GaussianMechanism(noise_multiplier=step["sigma"])
    return library.PoissonSubsampledGaussianMechanism(noise_multiplier=step["sigma"], sampling_probability=step["q"])


def register(registry: Registry) -> None:
    """Register the accountant."""
    one = LibraryAccountant(
        package="prv-accountant",
        module="prv_accountant",
        about="PRVAccountant(prvs, eps_error=0.1).compute_epsilon(delta, counts): its lower and upper bound",
        make=Variables,
        steps=lambda: {**SAMPLED, "laplace": ("scale",), "pure": ("epsilon",)},
    )
    registry.library_accountants.add("prv_accountant", one)
