"""Whether one guarantee promises less than another: the privacy it leaves is compared, not its text.

Side of the error: what cannot be shown to be at least as strict counts as loosened, since this is for gates.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from dpverify.core.subjects import Guarantee, PrivacyGuarantee

Moved = Literal["same", "tightened", "loosened"]

GRID = np.concatenate([[0.0], np.geomspace(1e-12, 0.5, 200), 1.0 - np.geomspace(0.4, 1e-9, 100)])
"""False-positive rates at which two curves are compared."""

ROUNDING = 1e-12


def moved(old: Guarantee, new: Guarantee) -> Moved:
    """Say how the promise moved from `old` to `new`.

    Where both promise the same measures, their claimed values are compared; of other guarantees of privacy the
    trade-off curves are, on a grid and in both directions. The rest counts as loosened.
    """
    if old.text() == new.text():
        return "same"
    first, second = old.measures(), new.measures()
    if type(old) is type(new) and [each.label() for each in first] == [each.label() for each in second]:
        more = [b.claimed - a.claimed for a, b in zip(first, second, strict=True)]
        if any(each > 0 for each in more):
            return "loosened"
        if any(each < 0 for each in more):
            return "tightened"
    if isinstance(old, PrivacyGuarantee) and isinstance(new, PrivacyGuarantee):
        lost = [
            np.asarray(old.tradeoff(GRID, reverse=way)) - np.asarray(new.tradeoff(GRID, reverse=way))
            for way in (False, True)
        ]
        if max(float(np.max(each)) for each in lost) <= ROUNDING:
            return "tightened" if min(float(np.min(each)) for each in lost) < -ROUNDING else "same"
    return "loosened"
