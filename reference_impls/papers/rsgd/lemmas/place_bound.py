"""RS-DELTA and RS-AVG: Algorithm 2's Delta[j] against two runs of the published loops, for a record in batch j.

What is printed: Algorithm 2 of RSGD (DISS, Algorithm 3.2), with ``nu`` or ``|B|`` one number for all batches; where
iterates are averaged, "we average the most recent m tau values of Delta in Algorithm 2" (section 4.3, (5); DISS (3.8)).
The truth: how far one pair of data sets of one feature moves the end
(:mod:`~reference_impls.papers.rsgd.lemmas.one_feature_runs`), at the papers' own lambda, h, batch size and numbers of
records. T, tau and eta_0 they do not print; 20, 10 and 1 here.

**Repaired**, RS-DELTA-R: 2 eta R / |B_j|. RS-AVG-R: the recursion along the run's own steps, averaged where the run
averages, with the batches' own sizes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import flint

from dpverify.core.rules import OneOf
from reference_impls.optimizers.rsgd_sensitivity import step_sizes
from reference_impls.papers.rsgd.lemmas.one_feature_runs import FOLDS, OneFeatureRuns
from reference_impls.papers.sides_in_balls import SidesInBalls

SIZES, ACCOUNTINGS = ("nominal", "own"), ("run", "averaged", "literal")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceBound(OneFeatureRuns, SidesInBalls):
    """Subject ``lemma-rsgd-place``: Delta of the record's place against how far the two ends lie apart.

    Attributes
    ----------
    believed : "nominal" or "own"
        The batches' sizes in the recursion.
    accounting : "run", "averaged" or "literal"
        Along the run's own steps and averagings, or eta_0 / s, averaged where the run averages or never.
    """

    believed: Annotated[str, OneOf(SIZES)] = "nominal"
    accounting: Annotated[str, OneOf(ACCOUNTINGS)] = "run"

    @property
    def believed_sizes(self) -> tuple[int, ...]:
        """|B_j| in the recursion."""
        return self.sizes if self.believed == "own" else (self.nominal,) * len(self.sizes)

    def delta_ball(self, place: int) -> flint.arb:
        """Delta[place] of the accounting."""
        if self.accounting != "run":
            steps = step_sizes("epoch", self.initial_step, round(self.epochs))
            interval = round(self.interval) if self.accounting == "averaged" else 0
            return self.recursion_ball(place, steps, self.believed_sizes, interval)
        return self.recursion_ball(place, self.steps, self.believed_sizes, round(self.interval))

    def printed_ball(self) -> flint.arb:
        """Delta[j] for the record's place."""
        return self.delta_ball(self.index)

    def true_ball(self) -> flint.arb:
        """How far the two ends lie apart."""
        return self.moved_ball()

    def describe(self) -> dict[str, Any]:
        """Both sides on four of five folds of the papers' data sets, the record in the last batch."""
        rows = []
        for name, count in FOLDS.items():
            there = replace(self, rows=count, place=1.0, own=0.0, rest=0.0)
            printed, moved = there.printed().value, there.moved().value
            rows.append(
                {
                    "data": name,
                    "records": count,
                    "last batch": there.sizes[-1],
                    "Delta": printed,
                    "moved": moved,
                    "ratio": moved / printed,
                }
            )
        return {"four of five folds": rows}
