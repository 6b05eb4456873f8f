"""opake: the privacy-loss distributions of its compiled accountant, at its default grid."""

from __future__ import annotations

from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

from dpverify.adapters.libraries.library_accountant import SAMPLED, Collected, LibraryAccountant
from dpverify.core.registry import Registry


class OpakeDistributions(Collected):
    """Runs whose distributions are composed."""

    def epsilon(self, delta: float) -> float:
        """Of the composed distribution."""
        return float(self._composed().epsilon_at(delta))

    def delta(self, epsilon: float) -> float:
        """Of the composed distribution."""
        return float(self._composed().delta_at(epsilon))

    def _composed(self) -> Any:
        native = _native()
        config = native.DiscretizationConfig()
        whole = native.identity_pld(config=config)
        for step, count in self.runs:
            if step["step"] == "pure":
                one = native.eps_delta_pld(epsilon=step["epsilon"], delta=0.0, config=config)
            else:
                one = native.gaussian_pld(noise_multiplier=step["sigma"], config=config)
            if step["step"] == "poisson-gaussian" and step["q"] < 1.0:
                one = native.poisson_pld(one, rate=step["q"])
            whole = whole.compose(one.self_compose(count))
        return whole


@cache
def _native() -> Any:
    """The compiled module by itself: the package around it cannot be imported by early releases of Python 3.11."""
    around = find_spec("opake.api.accounting")
    places = [f"{place}/core" for place in (around and around.submodule_search_locations) or ()]
    found = PathFinder.find_spec("opake_accounting", places)
    if found is None or found.loader is None:
        raise ImportError("opake-accounting has no module opake_accounting")
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return module


def register(registry: Registry) -> None:
    """Register the accountant."""
    one = LibraryAccountant(
        package="opake-accounting",
        module="opake",
        about="gaussian_pld, poisson_pld, eps_delta_pld of opake_accounting, composed; epsilon_at(delta)",
        make=OpakeDistributions,
        steps=lambda: {**SAMPLED, "pure": ("epsilon",)},
        relative=1e-3,
        per_run=1e-4,
    )
    registry.library_accountants.add("opake", one)
