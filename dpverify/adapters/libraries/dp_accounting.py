"""Google's dp_accounting as a subject: the noise that its privacy-loss classes ask for at an epsilon and delta.

The library draws nothing. Its classes with ``from_privacy_guarantee`` say how much noise suffices, and what its
distribution function is: noise is drawn from that function by inversion here, so that the library's parameter is put
against its own claim.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpverify.adapters.libraries.offered import Accountant, Library, NotExamined, Offered, Offers, Profile, in_short
from dpverify.core.registry import Registry
from dpverify.core.subjects import Pair
from dpverify.definitions.pure_dp import ApproxDP

EPSILON, DELTA, FAULT = 1.0, 0.05, 4.0
REACH, FINE = 60.0, 240_001
"""The noise is drawn on a grid from -REACH to REACH, of so many points."""


class DPAccounting(Library):
    """See `Library`."""

    name = "dp_accounting"
    package = "dp-accounting"
    module = "dp_accounting"
    extra = "crosscheck"
    recorded = "the library draws no noise: it is drawn here from the distribution functions that the library gives"

    def accountants(self) -> Mapping[str, Accountant]:
        """Renyi differential privacy and privacy loss distributions."""
        return {
            "RdpAccountant": functools.partial(_epsilon, "rdp"),
            "PLDAccountant": functools.partial(_epsilon, "pld"),
        }

    def offers(self, profile: Profile) -> Offers:
        """Every class with a privacy guarantee to begin with."""
        return _offers()


@functools.cache
def _offers() -> Offers:
    from dp_accounting.pld import privacy_loss_mechanism as module

    claims: list[Offered] = []
    missing: list[NotExamined] = []
    names: list[str] = []
    for name, kind in sorted(vars(module).items()):
        if not inspect.isclass(kind) or not hasattr(kind, "noise_cdf") or inspect.isabstract(kind):
            continue
        names.append(name)
        if not hasattr(kind, "from_privacy_guarantee"):
            missing.append(NotExamined(constructor=name, reason="no from_privacy_guarantee: no claim to begin with"))
            continue
        for factor in (1.0, FAULT):
            made = _made(kind, factor * EPSILON)
            if isinstance(made, str):
                missing.append(NotExamined(constructor=name, reason=made))
                break
            fault = "" if factor == 1.0 else f"the noise of {factor:g} times the epsilon"
            claims.append(
                Offered(
                    id=f"{name}:epsilon={EPSILON:g}:delta={DELTA:g}" + (":twin-noise" if fault else ""),
                    constructor=name,
                    guarantee=ApproxDP(epsilon=EPSILON, delta=DELTA),
                    source=f"from_privacy_guarantee(({EPSILON:g}, {DELTA:g}))",
                    relation="values at most 1 apart",
                    pairs=(Pair(d0=0.0, d1=1.0, label="0 and 1"),),
                    build=functools.partial(_build, made, discrete=name.startswith("Discrete")),
                    parameters={"epsilon": EPSILON, "delta": DELTA, "sensitivity": 1},
                    twin=fault,
                )
            )
    return Offers(claims=tuple(claims), not_examined=tuple(missing), constructors=tuple(names))


def _epsilon(module: str, rate: float, noise: float, steps: int, delta: float) -> float:
    """What one accountant gives."""
    import dp_accounting
    from dp_accounting import pld, rdp

    accountant: Any = rdp.RdpAccountant() if module == "rdp" else pld.PLDAccountant()
    event = dp_accounting.PoissonSampledDpEvent(rate, dp_accounting.GaussianDpEvent(noise))
    return float(accountant.compose(event, steps).get_epsilon(delta))


def _made(kind: Any, epsilon: float) -> Any:
    """The class at a guarantee, or why it cannot be made."""
    from dp_accounting.pld.common import DifferentialPrivacyParameters

    try:
        return kind.from_privacy_guarantee(DifferentialPrivacyParameters(epsilon, DELTA), sensitivity=1)
    except Exception as problem:  # noqa: BLE001 - said in the table
        return in_short(problem)


def _build(made: Any, *, discrete: bool) -> Callable[..., Any]:
    """Draws by inversion of the library's distribution function, at integers or on a fine grid."""
    grid = np.arange(-REACH, REACH + 1.0) if discrete else np.linspace(-REACH, REACH, FINE)
    heights = np.array([float(made.noise_cdf(x)) for x in grid]) if discrete else np.asarray(made.noise_cdf(grid))

    def noisy(data: Any, size: int, rng: np.random.Generator) -> Any:
        uniform = rng.random(size)
        if discrete:
            return float(data) + grid[np.minimum(np.searchsorted(heights, uniform), grid.size - 1)]
        rising = np.concatenate([[True], np.diff(heights) > 0])
        return float(data) + np.interp(uniform, heights[rising], grid[rising])

    return noisy


def register(registry: Registry) -> None:
    """Register the library."""
    registry.libraries.add("dp_accounting", DPAccounting())
