"""Renyi curves of DP-SGD beside dp-accounting: run with ``pytest tests/benchmarks --benchmark-only``.

One setting at all whole orders up to 512 and the tenths below 11; then many different settings, of which the peer gets
few, so compare the times per step. Nothing here asserts a time.
"""

from __future__ import annotations

from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.rdp import RdpAccountant
from dp_accounting.rdp.rdp_privacy_accountant import DEFAULT_RDP_ORDERS

from dpverify.accounting.steps.poisson_gaussian import PoissonGaussianStep
from dpverify.sampling.streams import stream

pytest.importorskip("pytest_benchmark")

FINE = [*np.arange(1.1, 10.95, 0.1).tolist(), *range(11, 513)]
MANY = {"dp-accounting": 50, "dpverify": 11_700}


def peer(settings: list[tuple[float, float]], orders: Any) -> Any:
    accountant = RdpAccountant(orders)
    for q, sigma in settings:
        accountant.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(sigma)))
    return accountant._rdp


@pytest.mark.parametrize("by", MANY)
@pytest.mark.parametrize(("q", "sigma"), [(256 / 50000, 1.0), (0.01, 1.1), (256 / 50000, 8.5)])
@pytest.mark.parametrize("orders", [FINE, list(DEFAULT_RDP_ORDERS)], ids=["up to 512", "default"])
def test_one_setting(benchmark: Any, q: float, sigma: float, orders: list[float], by: str) -> None:
    benchmark.group = f"Renyi curve of q = {q}, sigma = {sigma} at {len(orders)} orders"
    if by == "dpverify":
        step = PoissonGaussianStep(q=q, sigma=sigma)
        benchmark.pedantic(step.renyi, (np.array(orders, dtype=np.float64),), rounds=50, warmup_rounds=1)
    else:
        benchmark.pedantic(peer, ([(q, sigma)], orders), rounds=3)


@pytest.mark.parametrize("by", MANY)
def test_many_settings(benchmark: Any, by: str) -> None:
    benchmark.group = f"a sum over different settings at {len(DEFAULT_RDP_ORDERS)} orders: {MANY}"
    rng = stream(0, "benchmark")
    settings = [(float(rng.uniform(0.001, 0.02)), float(rng.uniform(0.7, 3.0))) for _ in range(MANY[by])]
    if by == "dpverify":
        steps = [PoissonGaussianStep(q=q, sigma=sigma) for q, sigma in settings]
        orders = np.array(DEFAULT_RDP_ORDERS, dtype=np.float64)
        benchmark.pedantic(PoissonGaussianStep.renyi_sum, (steps, [1] * len(steps), orders), rounds=3, warmup_rounds=1)
    else:
        benchmark.pedantic(peer, (settings, list(DEFAULT_RDP_ORDERS)), rounds=1)
