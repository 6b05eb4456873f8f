"""Published algorithms, one file each, jitted; what five papers claim of them; published and historical bugs."""

from __future__ import annotations

import sys
from pathlib import Path

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every mechanism of this package (one file each, no list), then what papers claim, and their lemmas."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, files=FILES, indexed=True)


def _load_claims(path: Path, registry: Registry) -> None:
    from dpverify.ledger.claims_file import load_claims

    load_claims(path, registry)


def _load_objections(path: Path, registry: Registry) -> None:
    from dpverify.ledger.objections_file import load_objections

    load_objections(path, registry)


def _load_experiment(path: Path, registry: Registry) -> None:
    from dpverify.utility.experiment_file import load_experiment

    load_experiment(path, registry)


FILES = {
    "papers/*/claims.toml": _load_claims,
    "papers/*/objections.toml": _load_objections,
    "papers/*/experiments/*.toml": _load_experiment,
}
"""What is registered from files that are no modules."""
