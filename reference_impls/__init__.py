"""Published algorithms, one file each, jitted; ``known_broken`` holds published and historical bugs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every mechanism, claim and suite entry of this package (one file each, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry)
