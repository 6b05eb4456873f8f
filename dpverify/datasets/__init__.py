"""Data sets (loaders with checksums) and neighbour generators, one file each."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
