"""Guarantees that can be claimed, one a file: each knows its trade-off curve, or what it measures instead."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
