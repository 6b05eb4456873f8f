"""A digest of the code that numbers depend on: every Python file of dpverify and of the plug-ins that are loaded.

Two runs with the same digest, packages and machine give the same bits. Limits: compiled extensions and data files are
not read; the versions in `environment` stand for those of other packages.
"""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from dpverify.core.plugins import GROUP


@cache
def code_digest() -> str:
    """Digest of all Python files that numbers depend on, 16 hexadecimal digits."""
    found = hashlib.sha256()
    for package in sorted({"dpverify", *(point.module.partition(".")[0] for point in entry_points(group=GROUP))}):
        for name, content in _files(package):
            found.update(f"{package}/{name}\0{len(content)}\0".encode())
            found.update(content)
    return found.hexdigest()[:16]


def _files(package: str) -> list[tuple[str, bytes]]:
    """Names and contents of its modules, by name; of a single file when it is one."""
    where = getattr(sys.modules.get(package), "__file__", None)
    if where is None:
        return []
    root = Path(where).resolve()
    if root.name != "__init__.py":
        return [(root.name, root.read_bytes())]
    return [(path.relative_to(root.parent).as_posix(), path.read_bytes()) for path in sorted(root.parent.rglob("*.py"))]
