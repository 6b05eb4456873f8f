"""OpenDP: measurements composed by its combinator, their loss converted to epsilon at delta."""

from __future__ import annotations

from functools import partial
from typing import Any

from dpverify.adapters.libraries.library_accountant import Collected, LibraryAccountant, Steps
from dpverify.core.registry import Registry


class Measurements(Collected):
    """Gaussian measurements under zero-concentrated DP, or Laplace ones under pure DP."""

    def epsilon(self, delta: float) -> float:
        """Of the composed measurement, for values at most 1 apart."""
        import opendp.prelude as dp

        dp.enable_features("contrib", "honest-but-curious")
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        held: list[Any] = []
        for step, count in self.runs:
            make = dp.m.make_gaussian if step["step"] == "gaussian" else dp.m.make_laplace
            held += [make(*space, scale=step["sigma" if step["step"] == "gaussian" else "scale"])] * count
        composed = dp.c.make_composition(held)
        if self.runs[0][0]["step"] == "gaussian":
            return float(dp.c.make_zCDP_to_approxDP(composed).map(d_in=1.0).epsilon(delta))
        return float(composed.map(d_in=1.0))


def _steps(kind: str, number: str) -> Steps:
    return {kind: (number,)}


def register(registry: Registry) -> None:
    """Register one accountant a measure: the two do not compose."""
    for kind, number, name in (("gaussian", "sigma", "zcdp"), ("laplace", "scale", "pure")):
        one = LibraryAccountant(
            package="opendp",
            module="opendp",
            about=f"make_composition of make_{kind}, its map at distance 1",
            make=Measurements,
            steps=partial(_steps, kind, number),
            extra="opendp",
        )
        registry.library_accountants.add(f"opendp.{name}", one)
