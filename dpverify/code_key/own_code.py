"""A digest of the code that numbers depend on: every Python file of dpverify and of its plug-ins, and their imports.

Two runs with the same digest, packages and machine give the same bits. Limits: data files are not read; the versions in
`environment` stand for those of other packages.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from dpverify.code_key.modules import OURS, modules_of
from dpverify.core.plugins import GROUP


@cache
def code_digest() -> str:
    """Digest of all Python files that numbers depend on, 16 hexadecimal digits."""
    packages = {"dpverify", *(point.module.partition(".")[0] for point in entry_points(group=GROUP))}
    found = hashlib.sha256()
    for package in sorted(packages):
        for name, content in _files(package):
            found.update(f"{package}/{name}\0{len(content)}\0".encode())
            found.update(content)
    others = sorted(packages - OURS)
    followed = modules_of(others) if others else None
    for line in [] if followed is None else followed.words():
        found.update(f"{line}\n".encode())
    return found.hexdigest()[:16]


def _files(package: str) -> list[tuple[str, bytes]]:
    """Names and contents of its modules, by name; of a single file when it is one."""
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return []
    root = Path(spec.origin).resolve()
    if root.name != "__init__.py":
        return [(root.name, root.read_bytes())]
    return [(path.relative_to(root.parent).as_posix(), path.read_bytes()) for path in sorted(root.parent.rglob("*.py"))]
