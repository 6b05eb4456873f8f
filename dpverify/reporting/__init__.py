"""One writer per report format; each gets the same records."""

from __future__ import annotations

import sys

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register everything in this package (one file each, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, indexed=True)
