"""Loaders: which sampling scheme they follow, and what that costs. One scheme a file, in `schemes`."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
