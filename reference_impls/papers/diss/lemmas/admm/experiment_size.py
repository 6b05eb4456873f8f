"""What the experiments of section 4.6 run on."""

from __future__ import annotations

ADULT = 48_842
"""Records of Adult."""
