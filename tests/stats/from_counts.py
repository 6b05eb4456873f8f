"""A bound on epsilon from the counts of one event, for tests that know the counts."""

from typing import Any

from dpverify.stats.epsilon import epsilon_lower
from dpverify.stats.joint import region_from_counts


def epsilon_lower_from_counts(
    k1: int, n1: int, k2: int, n2: int, *, alpha: float, delta: float = 0.0, **region: Any
) -> float:
    """Lower confidence bound on epsilon, in nats; `region` is its method and share, chosen before looking."""
    return epsilon_lower(region_from_counts(k1, n1, k2, n2, alpha=alpha, **region), delta=delta)
