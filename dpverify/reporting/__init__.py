"""One writer per report format; each gets the same records."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
