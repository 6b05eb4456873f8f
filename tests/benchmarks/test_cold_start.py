"""What compiling costs a user: processor seconds of the first run with an empty kernel cache, less those of the second.

Two runs are timed, each in a process of its own: an audit of a callable beside a few samplers, and one training of
every registered algorithm on a small table. Nothing here asserts a time; the limit that we hold ourselves to is 20
seconds each. Run with ``pytest tests/benchmarks --benchmark-only -s``.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pytest_benchmark")

AUDIT = """
import dpverify as dpv
from dpverify.core.plugins import registry
result = dpv.audit(lambda dataset, rng: sum(dataset) + rng.laplace(), [1.0, 0.0], [1.0],
                   claim=dpv.PureDP(epsilon=1.0), trials=20_000, confidence=0.999, seed=0)
import numpy as np
from dpverify.sampling.streams import stream
for name, data in (("laplace", [0.0]), ("gaussian", [0.0]), ("above-threshold", np.zeros(5))):
    registry().mechanisms.get(name)().sample(np.asarray(data, dtype=float), 1000, rng=stream(0))
"""
TRAININGS = """
import numpy as np
from dpverify.core.plugins import registry
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.training.trainer import Training
features = np.random.default_rng(0).normal(size=(24, 3))
table = Table(features=features, labels=np.where(np.arange(24) % 2, -1.0, 1.0)).normalised()
trained = 0
for name, factory in registry().mechanisms.items():
    if not (isinstance(factory, type) and issubclass(factory, Training)):
        continue
    if getattr(factory, "data_kind", "table") == "table":
        factory().sample(table, 2, rng=stream(0))
        trained += 1
assert trained > 5
"""


def seconds(script: str, cache: Path) -> float:
    """Processor seconds of a fresh process, user and system."""
    before = os.times()
    subprocess.run([sys.executable, "-c", script], check=True, env={**os.environ, "NUMBA_CACHE_DIR": str(cache)})
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


@pytest.mark.parametrize(("name", "script"), [("audit of a callable", AUDIT), ("every training", TRAININGS)])
def test_first_run_and_second(
    benchmark: Any, request: pytest.FixtureRequest, tmp_path: Path, name: str, script: str
) -> None:
    cold = seconds(script, tmp_path)
    warm = benchmark.pedantic(seconds, args=(script, tmp_path), rounds=1)
    assert any(tmp_path.rglob("*.nbc"))  # something was compiled, and kept
    request.config.get_terminal_writer().line(
        f"\n{name}: {cold:.1f} s with an empty cache, {warm:.1f} s after: {cold - warm:.1f} s to compile"
    )
