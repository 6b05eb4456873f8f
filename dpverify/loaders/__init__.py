"""Loaders: which sampling scheme they follow, and what that costs. One scheme a file, in `schemes`."""

from __future__ import annotations

import sys

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every scheme (one file each, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, indexed=True)
