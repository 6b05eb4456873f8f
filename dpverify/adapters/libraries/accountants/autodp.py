"""autodp: Renyi composition of its mechanisms, sampled ones by the bound that it calls improved."""

from __future__ import annotations

from typing import Any

from dpverify.adapters.libraries.library_accountant import SAMPLED, Collected, LibraryAccountant
from dpverify.core.registry import Registry


class ComposedMechanisms(Collected):
    """Runs that ``transformer_zoo.Composition`` composes."""

    def epsilon(self, delta: float) -> float:
        """Of the composed mechanism."""
        from autodp import transformer_zoo

        mechanisms = [_mechanism(dict(step), place) for place, (step, _) in enumerate(self.runs)]
        composed = transformer_zoo.Composition()(mechanisms, [count for _, count in self.runs])
        return float(composed.get_approxDP(delta))


def _mechanism(step: dict[str, Any], place: int) -> Any:
    from autodp import mechanism_zoo, transformer_zoo

    kind, name = step["step"], f"run{place}"
    if kind == "laplace":
        return mechanism_zoo.LaplaceMechanism(b=step["scale"], name=name)
    if kind in ("pure", "exponential"):
        make = mechanism_zoo.PureDP_Mechanism if kind == "pure" else mechanism_zoo.ExponentialMechanism
        return make(eps=step["epsilon"], name=name)
    if kind == "zcdp":
        return mechanism_zoo.zCDP_Mechanism(step["rho"], name=name)
    gaussian = mechanism_zoo.GaussianMechanism(sigma=step["sigma"], name=name)
    if kind == "gaussian":
        return gaussian
    gaussian.replace_one = False
    return transformer_zoo.AmplificationBySampling(PoissonSampling=True)(gaussian, step["q"], improved_bound_flag=True)


def register(registry: Registry) -> None:
    """Register the composition."""
    one = LibraryAccountant(
        package="autodp",
        module="autodp",
        about="transformer_zoo.Composition()(mechanisms, counts).get_approxDP(delta)",
        make=ComposedMechanisms,
        steps=lambda: {
            **SAMPLED,
            "laplace": ("scale",),
            "pure": ("epsilon",),
            "exponential": ("epsilon",),
            "zcdp": ("rho",),
        },
        relative=1e-3,
        extra="crosscheck",
    )
    registry.library_accountants.add("autodp.rdp", one)
