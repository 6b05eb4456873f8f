"""Methods of attack and check, one file each; they see subjects only through the Protocols."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
