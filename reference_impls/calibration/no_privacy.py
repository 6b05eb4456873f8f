"""Classes of algorithms that claim no privacy, so that there is nothing to calibrate."""

from __future__ import annotations

from dpverify.core.registry import Registry
from dpverify.utility.calibration_family import NoPrivacy


def register(registry: Registry) -> None:
    """By class, with the reason."""
    exact = NoPrivacy("it adds no noise and claims no privacy")
    for name in ("NonPrivate", "AdadpExtrapolation", "StochasticAdmm"):
        registry.calibrations.add(name, exact)
    registry.calibrations.add("Majority", NoPrivacy("it tells the most frequent label exactly and claims no privacy"))
    registry.calibrations.add("TrueModel", NoPrivacy("its weights are known beforehand, and depend on no record"))
    clients = NoPrivacy("its clients send exact weights; ADADP claims no privacy for federated averaging")
    registry.calibrations.add("FederatedAveraging", clients)
