"""AP-THM41-REMOVED: Theorem 4.1 of ADPSGD where neighbours differ by one record more or less.

Definition 2.1 has data sets "differing in one sample". AP-THM41 replaces a record, in the exact law of the first step,
and says of all T steps (``.whole``) that the pair is the same where one is removed. Here the first step is examined
under that relation itself: n - 1 and n records, each with the sigma that (6) has for its own n, the release seen in
cells that depend on neither (those of :class:`AdpSgdStep` follow sigma, hence n). Why (6) fails, and the repair:
:mod:`reference_impls.papers.adpsgd.lemmas.whole_run` (AP-THM41-R; its pair is that of both relations).

Not to be confused with Poisson sampling under add/remove, where the shift is G and not 2 G.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpverify.accounting.filters import CONSTANT
from dpverify.core.errors import InputError
from dpverify.core.ledger_words import Shown
from dpverify.core.subjects import Dataset
from dpverify.laws.coarse import CoarseLaw, mixed_gaussian_cells
from reference_impls.papers.adpsgd.lemmas.first_step import AdpSgdStep
from reference_impls.papers.adpsgd.lemmas.telling_events import telling_event
from reference_impls.papers.adpsgd.lemmas.whole_run import BUDGETS, RECORDS, TRAINING, WholeRun, floor

EPSILON = CONSTANT * BUDGETS[0]
"""Section 6's least, 16 epsilon_bar with the 16 that (6) has."""
EDGES = np.linspace(-1.5, 1.5, 25)
"""Of the cells, in units of a step along a gradient of length G."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AdpSgdStepCounted(AdpSgdStep):
    """Subject ``adp-sgd-step-counted``: as AdpSgdStep with d = 1 and public b, its cells the same for every n."""

    def validate(self) -> None:
        """The law is known in one dimension, for step sizes that depend on no data."""
        if self.dimension != 1 or self.follows != "nothing":
            raise InputError(
                f"dimension = {self.dimension}, follows = {self.follows!r}", allowed="one dimension, a public b"
            )

    def output_law(self, dataset: Dataset) -> CoarseLaw:
        """The law of the cell; edges in units of a step, which b alone decides."""
        values, counts, steps, scale = self._parts(dataset)
        edges = float(self._steps(np.zeros(1))[0]) * EDGES
        return mixed_gaussian_cells(steps * values, steps * scale, counts, edges)


def shown_removed() -> Shown:
    """One step with a record of gradient -G among n that have G, against the n - 1 alone; alpha = 1."""
    run = WholeRun(epsilon=EPSILON)
    told = telling_event(run.rate, 2.0 / run.sigma, 1, run.delta)[0]
    safe = WholeRun(epsilon=EPSILON, floored=True)
    mended = telling_event(safe.rate, 2.0 / safe.sigma, 1, safe.delta)[0]
    numbers = (
        ("probability that the first step draws the added record", run.rate),
        ("delta", run.delta),
        ("sigma of (6) over G", run.sigma),
        ("the proof needs at least", floor(RECORDS, TRAINING, run.delta)),
        ("epsilon of the first step, at least", told),
        ("epsilon claimed of all steps", EPSILON),
        ("with the repaired sigma, of the same event", max(mended, 0.0)),
    )
    return Shown(numbers=numbers, holds=run.rate > run.delta and told > EPSILON >= mended)
