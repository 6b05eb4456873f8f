"""Softmax cross-entropy of many records at once: losses, and gradients with respect to the scores.

The loss is -log of the true class's share of exp(score); its gradient with respect to the scores is ``p - e_y``. Scores
are shifted by the largest, and 1 - p_y is the sum of the other shares, so that both keep their digits when p_y is near
1. Scores that are not finite give nan.

Not to be confused with :mod:`reference_impls.models.softmax`, a whole model, which takes one record at a time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


def cross_entropy(scores: Float, labels: Float) -> tuple[Float, Float]:
    """Losses, shape (k,), and their gradients with respect to the scores, shape (k, K); labels in 0 .. K - 1."""
    own = (np.arange(labels.size), labels.astype(np.int64))
    below = scores - scores.max(axis=1)[:, None]
    shares = np.exp(below)
    leads = shares[own]
    shares[own] = 0.0
    rest = shares.sum(axis=1)
    total = leads + rest
    losses = np.where(leads == 1.0, np.log1p(rest), np.log(total) - below[own])
    shares[own] = -rest
    return losses, shares / total[:, None]
