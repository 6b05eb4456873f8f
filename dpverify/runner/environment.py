"""Provenance: what a run's numbers were computed with."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

import numpy as np

PACKAGES = ("dpverify", "numpy", "scipy", "numba", "scikit-learn", "hypothesis", "python-flint")


@cache
def environment() -> dict[str, str]:
    """Versions of Python, of the packages that numbers depend on, and the processor with its widest vector unit."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    found["cores"] = str(os.cpu_count())
    found["cpu"] = _processor()
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found


def _processor() -> str:
    """Return its name and the widest vector unit that numpy uses: vectorised sums depend on it in their last digits."""
    simd = np.show_config(mode="dicts").get("SIMD Extensions", {})
    widest = [*simd.get("baseline", ()), *simd.get("found", ())][-1:]
    return ", ".join(dict.fromkeys(filter(None, [_model() or platform.processor(), *widest])))


def _model() -> str:
    """Return the model as Linux tells it; empty elsewhere."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            named = next((line for line in lines if line.startswith("model name")), "")
    except (OSError, ValueError):
        return ""
    return " ".join(named.partition(":")[2].split())
