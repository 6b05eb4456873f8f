"""What kernels cost before numba is loaded: their numpy twins against the kernels' own text as plain Python.

Run with ``pytest tests/benchmarks --benchmark-only -s``. Nothing here asserts a time.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import pytest

from auditors.privacy.event import cell_lookup, cell_lookup_in_numpy, tables, tables_in_numpy

pytest.importorskip("pytest_benchmark")

VALUES, EDGES = np.random.default_rng(0).normal(size=512), np.linspace(-3.0, 3.0, 30)
ARGUMENTS: dict[str, tuple[Any, Any, Callable[[], tuple[Any, ...]]]] = {
    "cells": (cell_lookup, cell_lookup_in_numpy, lambda: (VALUES, EDGES, np.zeros(VALUES.size, dtype=np.int64))),
    "keys": (tables, tables_in_numpy, lambda: (VALUES.view(np.uint64).copy(), VALUES.view(np.uint64))),
}
KERNELS = {"cells": "_number", "keys": "_mix"}


def seconds(kernel: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> float:
    """Processor seconds of twenty calls."""
    given = [arguments() for _ in range(20)]
    begun = process_time()
    with np.errstate(all="ignore"):
        for each in given:
            kernel(*each)
    return process_time() - begun


@pytest.mark.parametrize("name", ARGUMENTS)
def test_twin_against_plain_python(benchmark: Any, request: pytest.FixtureRequest, name: str, monkeypatch: Any) -> None:
    module, beside, arguments = ARGUMENTS[name]
    for own in ("_buckets", "_search", "_piece"):
        if hasattr(module, own):
            monkeypatch.setattr(module, own, getattr(module, own).py_func)
    plain = seconds(getattr(module, KERNELS[name]).py_func, arguments)
    twin = benchmark.pedantic(seconds, args=(getattr(beside, KERNELS[name]), arguments), rounds=1)
    request.config.get_terminal_writer().line(f"\n{name}: plain Python takes {plain / twin:.0f} times as long as numpy")
