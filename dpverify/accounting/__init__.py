"""Accounting: the papers' lemmas, conversions, composition, amplification, filters, and the oracle that judges them.

One formula a file, each with its locus and the side of its error. `steps` describe mechanisms, `accountants` compose
them; both are registered by name.
"""

from __future__ import annotations

from dpverify.core.registry import registers

register = registers(__name__)
