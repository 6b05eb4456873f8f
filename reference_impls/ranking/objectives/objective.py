"""What training asks of a listwise objective: the loss of a session's scores, and its slope with respect to each score.

Texts name them: ``bayesrank``, ``listnet``, ``listmle``. The gradient with respect to the weights is the sum of the
documents' gradients with the slopes as coefficients. All objectives depend on differences of scores only, so slopes sum
to 0.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from reference_impls.named_by_text import NamedBy, find_in

Float = NDArray[np.float64]


@runtime_checkable
class Objective(Protocol):
    """A loss of one session."""

    @property
    def name(self) -> str:
        """The text that :func:`find_objective` reads back."""
        ...

    def loss(self, scores: Float, labels: Float, k: int) -> float:
        """The loss; some objectives depend on the first k places only, others ignore k."""
        ...

    def slopes(self, scores: Float, labels: Float, k: int) -> Float:
        """d loss / d scores, shape (n,)."""
        ...


@cache
def find_objective(text: str) -> Objective:
    """The objective that a text names; InputError when no file reads it."""
    found: Objective = find_in(__name__.rpartition(".")[0], text, kind="listwise objective")
    return found


ObjectiveText = Annotated[str, NamedBy(find_objective)]
"""A text that names a listwise objective."""
