"""Accounting: the papers' lemmas, conversions, composition, amplification, filters, and the oracle that judges them.

One formula a file, each with its locus and the side of its error. `steps` describe mechanisms, `accountants` compose
them; both are registered by name.
"""

from __future__ import annotations

import sys

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every step and accountant (one file each, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, indexed=True)
