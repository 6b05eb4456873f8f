"""BL-AMP-SHARED and its repair BL-AMP-SHARED-R: readings and claims (what to say beside them: `shared_sample_remarks`).

The subjects: :mod:`~reference_impls.papers.blsgd.lemmas.shared_sample`, Algorithm 2's own iteration, and
:mod:`~reference_impls.papers.blsgd.lemmas.shared_gaussians`, any two mechanisms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference_impls.papers.blsgd.lemmas.shared_gaussians import SharedGaussians
from reference_impls.papers.blsgd.lemmas.shared_sample import SharedSample

if TYPE_CHECKING:
    from dpverify.core.registry import Registry

MOST = 32.0
"""The largest order that is searched."""


def register(registry: Registry) -> None:
    """Offer the subjects."""
    registry.lemmas.add("lemma-shared-sample", SharedSample)
    registry.lemmas.add("lemma-shared-gaussians", SharedGaussians)
