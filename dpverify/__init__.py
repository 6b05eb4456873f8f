"""dpverify tells whether a differential-privacy claim is true.

The names below are loaded when first used, so that ``import dpverify`` stays light.
"""

from __future__ import annotations

from typing import Any

__version__ = "0.1.0"

_LAZY = {
    "PureDP": "dpverify.definitions.pure_dp",
    "ApproxDP": "dpverify.definitions.approx_dp",
    "RDP": "dpverify.definitions.rdp",
    "ZCDP": "dpverify.definitions.zcdp",
    "GDP": "dpverify.definitions.gdp",
    "Tradeoff": "dpverify.definitions.tradeoff",
    "account": "dpverify.accounting.table",
    "audit": "dpverify.api",
    "AuditResult": "dpverify.api",
    "InputError": "dpverify.core.errors",
}

__all__ = [*sorted(_LAZY), "__version__"]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'dpverify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
