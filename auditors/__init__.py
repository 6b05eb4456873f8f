"""Methods of attack and check, one file each; they see subjects only through the Protocols."""

from __future__ import annotations

import sys

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every auditor of this package (one file each, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, indexed=True)
