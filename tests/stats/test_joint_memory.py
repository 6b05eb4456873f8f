"""Roots at the first nodes are remembered: bounds are the same whatever was asked before."""

import itertools

import numpy as np
import pytest

from dpverify.stats import joint
from dpverify.stats.joint import JointRegion

REGIONS = [
    {"k1": k1, "n1": n1, "k2": k2, "n2": n2, "alpha": alpha, "share": share}
    for (k1, n1), (k2, n2), alpha, share in itertools.product(
        [(30, 100), (31, 100), (30, 101)], [(5, 100), (30, 100)], [1e-3, 1e-6], [0.5, 0.3]
    )
]


def forget():
    for remembered in (joint._nodes, joint._first_p, joint._first_q):
        remembered.cache_clear()


def log_ratio(p, q):
    return np.log(np.maximum(p, 1e-320)) - np.log(q)


def test_bounds_do_not_depend_on_what_was_asked_before():
    alone = []
    for each in REGIONS:
        forget()
        alone.append(JointRegion(**each).minimum(log_ratio))
    forget()
    together = [JointRegion(**each).minimum(log_ratio) for each in [*REGIONS, *reversed(REGIONS)]]
    assert together == alone + alone[::-1]
    assert len(set(alone)) == len(REGIONS)  # had any two been mixed up, it would show


def test_what_is_remembered_cannot_be_changed():
    region = JointRegion(**REGIONS[0])
    region.minimum(log_ratio)
    for array in (
        joint._nodes(region.log_constant, region.share, joint.FIRST_NODES),
        joint._first_p(region.k1, region.n1, region.log_constant, region.share),
        joint._first_q(region.k2, region.n2, region.log_constant, region.share),
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.5
