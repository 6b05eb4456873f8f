"""Start-up that costs less: nothing imported is looked at as garbage, and what nobody uses is not loaded."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import LazyLoader, find_spec, module_from_spec

UNUSED = ("numpy.f2py", "numpy.testing", "numpy.ma", "numpy.polynomial")
"""Packages that scipy's array layer imports with all of numpy's names; each is loaded when somebody first uses it."""


@contextmanager
def importing() -> Iterator[None]:
    """Inside, nothing is collected, and what is there at the end is never looked at again; `UNUSED` are put off.

    Both together are a tenth of a small audit.
    """
    gc.disable()
    try:
        for name in UNUSED:
            _put_off(name)
        yield
    finally:
        gc.freeze()
        gc.enable()


def _put_off(name: str) -> None:
    """Put a module in its place that is loaded at its first use; none where it is loaded already, or unknown."""
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    package, _, own = name.rpartition(".")
    setattr(sys.modules[package], own, module)
