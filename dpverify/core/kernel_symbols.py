"""Names of compiled functions that no other process gives, so that cached kernels do not take each other's parts.

Numba numbers the functions that it compiles, and a number is part of a symbol's name. Two functions that one factory
makes have one name and differ in the number. Compiled by two processes and kept in the cache, they may have the same
number, too; whoever then loads both gets one of them twice (numba 0.68: a Gaussian kernel that drew Laplace noise).
Here each process, forked ones included, begins at a number of its own. Numba is not imported for it.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

MODULE = "numba.core.bytecode"


def settle() -> None:
    """Number functions from a number of this process's own, now or when numba is loaded, and in every fork."""
    if not any(isinstance(each, _Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
        if hasattr(os, "register_at_fork"):  # Windows does not fork
            os.register_at_fork(after_in_child=begin)
    begin()


def begin() -> None:
    """Begin at another number, where numba is loaded."""
    identity: Any = getattr(sys.modules.get(MODULE), "FunctionIdentity", None)
    if identity is not None:
        identity._unique_ids = itertools.count(int.from_bytes(os.urandom(6)) << 16)


class _Finder:
    """Finds the module that numbers functions, and lets it begin once it is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == MODULE else None
        if spec is not None and spec.loader is not None:
            loader: Any = _Loader(spec.loader)
            spec.loader = loader
        return spec


class _Loader:
    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self._loader.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        begin()
