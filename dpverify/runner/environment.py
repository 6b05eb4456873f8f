"""Provenance: what a run's numbers were computed with."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

PACKAGES = ("dpverify", "numpy", "scipy", "numba", "scikit-learn", "hypothesis", "python-flint")


@cache
def environment() -> dict[str, str]:
    """Versions of Python, of the packages that numbers depend on, and the processor's kind."""
    found = {"python": platform.python_version(), "machine": platform.machine(), "system": platform.system()}
    found["cores"] = str(os.cpu_count())
    from llvmlite import binding  # type: ignore[import-untyped]  # no types; a tenth of a second that few audits need

    found["cpu"] = binding.get_host_cpu_name()  # kernels are compiled for this processor; vectorised sums depend on it
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "absent"
    return found
