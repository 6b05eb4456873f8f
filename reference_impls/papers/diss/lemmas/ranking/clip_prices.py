"""What the clipped baselines of DISS chapter 6 cost: their captions' epsilon, and that of sensitivity 2 C.

BR-CLIP: under changed labels a session's clipped gradient moves by up to 2 C, and noise N(0, (sigma C)^2) is that of
sensitivity C. By the chapter's own accountant (Lemma 2.3, Proposition 2.1, whole orders, as in ACC-EPS-TABLE-BR) a run
costs what one at half of sigma does. Both are upper bounds: what the chapter would have had to print.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from dpverify.core.ledger_words import Prices
from reference_impls.papers.accounting.lemmas.table_privbr import BATCH, PrivBrTable

LAST = 64
"""The largest order looked at: the best ones lie below 40."""


@lru_cache
def prices(*, data: str, sigma: float, iterations: int) -> Prices:
    """Epsilon at delta = 1e-4 at sensitivity C, as in the caption, and at 2 C."""
    table = PrivBrTable()
    recipe = replace(table.recipe, last=LAST)
    at = BATCH / table.sessions(data)
    captioned, needed = (recipe.epsilon(at, sigma / moved, iterations) for moved in (1, 2))
    how = "at delta = 1e-4 by Lemma 2.3 and Proposition 2.1, the chapter's account, an upper bound on either side"
    return Prices(claimed=captioned, found=needed, how=how)
