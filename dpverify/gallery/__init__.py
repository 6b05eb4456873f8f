"""The gallery: real bugs of real releases, each a file of data and a file of code, found again by one command."""

from __future__ import annotations

import sys
from pathlib import Path

from dpverify.core.registry import Registry


def register(registry: Registry) -> None:
    """Register every bug (its two files, no list)."""
    from dpverify.core.registry import register_modules

    register_modules(sys.modules[__name__], registry, files=FILES, indexed=True)


def load_bug(path: Path, registry: Registry) -> None:
    """Register the bug of a TOML file, which has a Python file of the same name beside it."""
    from dpverify.gallery.bug import read_bug

    registry.bugs.add(path.stem, read_bug(path))


FILES = {"bugs/*.toml": load_bug}
