"""Computations behind the remarks on AD-SHUFFLE and AD-SHUFFLE-R: shuffled batches.

The subjects stand in :mod:`reference_impls.papers.adadp.lemmas.shuffled_batches`.

**Readings.** ``epsilon``: the experiments' printed epsilon(delta) of the whole run. ``replaced``: the same where the
record is replaced by one at -C (Definition 1): 2 C or 0 against the other batches. ``moments``: an epoch's moments,
which is what the accountant adds up.

**Repaired**, AD-SHUFFLE-R: without amplification. The order of the batches does not depend on the record, so an epoch
is one Gaussian, of sensitivity C (blanked) or 2 C (replaced), and E of them have mu = sqrt(E) / sigma or twice that.
Whoever wants the Poisson accounting has to use Poisson samples.
"""

from __future__ import annotations

from dpverify.core.ledger_words import Shown
from reference_impls.papers.adadp.lemmas.accounted_epsilon import SIGMAS
from reference_impls.papers.adadp.lemmas.shuffled_batches import (
    ShuffledEpsilon,
    ShuffledMoments,
    ShuffledRun,
    ShuffledSound,
)


def shown_shuffled() -> Shown:
    """The experiments' own numbers."""
    own = ShuffledEpsilon()
    noisy = {sigma: ShuffledMoments(sigma=sigma) for sigma in SIGMAS}
    high = ShuffledMoments(order=64.0)
    high_accounted, high_most = high.printed().value, high.order / (2.0 * high.sigma**2)
    accounted, seen = own.accounted(), own.truth().lower
    ratios = {sigma: one.truth().lower / one.printed().value for sigma, one in noisy.items()}
    sound, both = ShuffledSound().printed().value, ShuffledRun(moves=2.0).truth().lower
    return Shown(
        numbers=(
            ("sigma", own.sigma),
            ("epsilon by the moments accountant", accounted),
            ("epsilon of shuffled batches, at least", seen),
            ("the same with the record replaced, at least", both),
            ("epsilon without amplification", sound),
            *((f"an epoch's moments, shuffled over accounted, sigma = {s:g}", ratio) for s, ratio in ratios.items()),
            ("an epoch's divergence of order 64, accounted", high_accounted),
            ("the same, shuffled, at most", high_most),
        ),
        holds=both > seen > accounted and min(ratios.values()) > 1 and sound > seen and high_accounted > high_most,
    )
