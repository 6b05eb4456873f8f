"""The gallery: real bugs of real releases, each a file of data and a file of code, found again by one command."""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__, {"bugs/*.toml": "dpverify.gallery.bug:load_bug"})
