"""Figure of the ledger's AD-SHUFFLE rows: shuffled batches against the epsilon that is accounted for Poisson samples.

Numbers only, from :mod:`reference_impls.papers.adadp.lemmas.shuffled_batches`: lower bounds that a worst-case record
attains.
"""

from __future__ import annotations

from dataclasses import replace

from dpverify.core.ledger_words import Curve
from reference_impls.papers.adadp.lemmas.accounted_epsilon import SIGMAS
from reference_impls.papers.adadp.lemmas.shuffled_batches import ShuffledEpsilon

_NOISE = (0.6, 0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.25, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)


def shuffled() -> tuple[Curve, ...]:
    """By noise multiplier: the accounted epsilon of the run, and a lower bound on what shuffled batches leak."""
    runs = [ShuffledEpsilon(sigma=sigma) for sigma in _NOISE]
    once = [replace(run, epochs=1.0) for run in runs]
    own = [ShuffledEpsilon(sigma=sigma) for sigma in SIGMAS]
    return (
        Curve(label="accounted as Poisson samples, 100 epochs", points=_accounted(runs), kind="claimed"),
        Curve(label="shuffled batches let out at least, 100 epochs", points=_let_out(runs)),
        Curve(label="the experiments' own sigma", points=_let_out(own), kind="dots"),
        Curve(label="accounted, one epoch", points=_accounted(once), kind="claimed"),
        Curve(label="let out at least, one epoch", points=_let_out(once)),
    )


def _accounted(runs: list[ShuffledEpsilon]) -> tuple[tuple[float, float], ...]:
    return tuple((run.sigma, run.accounted()) for run in runs)


def _let_out(runs: list[ShuffledEpsilon]) -> tuple[tuple[float, float], ...]:
    return tuple((run.sigma, run.truth().value) for run in runs)
