"""dpverify tells whether a differential-privacy claim is true.

The names below are loaded when first used, so that ``import dpverify`` stays light.
"""

from __future__ import annotations

import sys
from typing import Any

from dpverify.core.kernel_cache import settle

__version__ = "0.1.0"

_LAZY = {
    "PureDP": "dpverify.definitions.pure_dp",
    "ApproxDP": "dpverify.definitions.approx_dp",
    "RDP": "dpverify.definitions.rdp",
    "ZCDP": "dpverify.definitions.zcdp",
    "GDP": "dpverify.definitions.gdp",
    "Tradeoff": "dpverify.definitions.tradeoff",
    "account": "dpverify.accounting.side_by_side",
    "audit": "dpverify.api",
    "AuditResult": "dpverify.api",
    "audit_scores": "dpverify.scores.audit",
    "audit_one_run": "dpverify.scores.audit",
    "EpsilonPosterior": "dpverify.stats.posterior",
    "InputError": "dpverify.core.errors",
    "AuditError": "dpverify.core.errors",
    "ClaimRefuted": "dpverify.core.errors",
    "audit_replay": "dpverify.replaying",
    "record": "dpverify.recording.door",
    "public": "dpverify.recording.door",
    "release": "dpverify.recording.door",
    "noise_primitive": "dpverify.recording.door",
}

__all__ = [*sorted(_LAZY), "__version__"]

if _where := settle():
    sys.stderr.write(f"dpverify: {_where}\n")


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'dpverify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
