"""BL-AC: thresholds that shrink while DP-BLSGD-AC runs, and the noise that belongs to them (BLSGD section IV-D).

"No extra budget" is true where every noise is scaled to the threshold that *its own sum* was clipped at. (9) lowers
both thresholds when CHEB raises rho_grad, in the middle of an update: after its gradient was clipped and perturbed, and
before the search is repeated. The text says neither which threshold the repeated search's Delta_q is nor whether its
objective, an input of Algorithm 1 that line 1 defined with C_obj, is clipped anew. Readings:

- ``run``: one number both clips and scales, as :mod:`reference_impls.line_search.batch_line_search` has it. Real runs
  of dp-blsgd-ac; each is run again without one record, with the same coins and the same released values, and as long as
  nothing public differs, every noise-free value's move is held against the threshold that its noise is made for.
- ``late``: Delta_q is lowered at once, the objective keeps the threshold that it was defined with. A query then moves
  by C_obj where its noise is made for (1 - zeta) C_obj, and the gap grows with every lowering.

Not to be confused with BL-SENS-OBJ, which knows one threshold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.laws.stopping import StoppingLaw
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc
from reference_impls.line_search.noisy_btls_losses import NoisyBtlsLosses
from reference_impls.papers.blsgd.lemmas.budget_run import RECORDS, line
from reference_impls.papers.blsgd.lemmas.post_processing import SETTINGS

ZETA = 0.05
ACTIVE = {**SETTINGS, "c_grad": 0.3, "c_obj": 0.7, "eta0": 5.0}
"""Thresholds that many of the line's records reach."""
ROUNDING = 1e-9
"""Of sums of some sixty records, relative to a threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThresholdRuns(Checked):
    """Moves of noise-free values over the thresholds that their noise is made for.

    Attributes
    ----------
    runs : float
        Rounded, >= 1: seeds 0 .. runs - 1, each without each of `left_out` records.
    left_out : float
        Rounded, 1..64.
    """

    runs: Annotated[float, Between(1, 1000)] = 2.0
    left_out: Annotated[float, Between(1, RECORDS)] = 6.0

    def moves(self) -> Iterator[tuple[str, float, float]]:
        """Name, |move|, and the threshold that the noise is scaled to, of every step that can be compared."""
        algorithm = DpBlsgdAc(**ACTIVE)
        for seed in range(round(self.runs)):
            for record in range(round(self.left_out)):
                table = _last(record * RECORDS // round(self.left_out))
                run = replace(algorithm.transcript(table, rng=stream(seed, "thresholds")), held=True)
                yield from _compared(run, algorithm.replay(table.without(RECORDS - 1), run))

    def printed(self) -> Enclosed:
        """1, and the rounding of the sums."""
        return Enclosed(value=1.0 + ROUNDING)

    def truth(self) -> Enclosed:
        """The largest move over its threshold."""
        return Enclosed(value=max(moved / made_for for _, moved, made_for in self.moves()))

    def proved_ratio(self) -> Enclosed | None:
        """None: sums in doubles prove nothing."""
        return None


def _last(place: int) -> Table:
    """The records in another order: this one last, so that leaving it out moves no other one's index."""
    order = np.append(np.delete(np.arange(RECORDS), place), place)
    return Table(features=line().features[order], labels=line().labels[order], name="line")


def _compared(run: Transcript, other: Transcript) -> Iterator[tuple[str, float, float]]:
    """Steps of two runs side by side until what is public differs; thresholds from the scales of the noise."""
    rhos, budgets = (iter(run.public[f"{name}-budget"].tolist()) for name in ("gradient", "search"))
    answers = zip(run.public["answer"].tolist(), other.public["answer"].tolist(), strict=False)
    searched, budget = False, 0.0
    for mine, theirs in zip(run.perturbed, other.perturbed, strict=False):
        if mine.name == "gradient":
            if searched and not _alike(next(answers, None)):
                return
            searched, made_for = False, mine.scale * math.sqrt(2.0 * next(rhos))
        elif mine.name == "threshold":
            if searched and not _alike(next(answers, None)):
                return
            searched, budget = True, next(budgets)
            continue
        else:
            made_for = mine.scale * budget / 4.0
        if theirs.name != mine.name:  # this search ends earlier on one side
            return
        yield mine.name, float(np.linalg.norm(mine.clean - theirs.clean)), made_for


def _alike(pair: tuple[object, object] | None) -> bool:
    return pair is not None and pair[0] == pair[1]


def shown_thresholds() -> Shown:
    """The largest moves in real runs."""
    moved = [(name, move / made_for) for name, move, made_for in ThresholdRuns(runs=1.0).moves()]
    run = DpBlsgdAc(**ACTIVE).transcript(_last(0), rng=stream(0, "thresholds"))
    levels = set(run.public["clip"][:, 1].tolist())
    numbers = (
        ("thresholds seen in the runs", float(len(levels))),
        (
            "largest move of a gradient sum over its noise's threshold",
            max(r for name, r in moved if name == "gradient"),
        ),
        ("largest move of a query over its noise's threshold", max(r for name, r in moved if name == "query")),
    )
    return Shown(numbers=numbers, holds=len(levels) > 2 and max(numbers[1][1], numbers[2][1]) <= 1.0 + ROUNDING)


def spent_late(lowerings: int, *, budget: float = 0.002, size: int = 30) -> float:
    """The largest log-ratio of the Laplace search's answers over epsilon, after so many lowerings: the worst pair of
    losses in [0, C_obj], one whose loss is C_obj at every candidate but the last (ledger BL-SVT-LAP-PURE.a), here at
    the C_obj that the objective still has. Exact, by the law of the answers."""
    moved = np.append(np.full(size - 1, -((1.0 - ZETA) ** -lowerings)), 0.0)
    first, second = (
        StoppingLaw(
            noise="laplace", threshold_scale=2.0 / budget, query_scale=4.0 / budget, levels=levels
        ).log_probabilities()
        for levels in (np.zeros(size), moved)
    )
    return float(np.max(np.abs(first - second))) / budget


def shown_late() -> Shown:
    """What a lag does to a query's move, and to the epsilon of Theorem 1."""
    moves = {count: float(_lagging(count).query([_record()])[0]) for count in (1, 10)}
    spent = {count: spent_late(count) for count in (0, 1, 5, 6, 10)}
    numbers = tuple((f"largest move of a query over Delta_q, lowerings {count}", move) for count, move in moves.items())
    numbers += tuple(
        (f"exact epsilon of a search over the claimed, lowerings {count}", share) for count, share in spent.items()
    )
    fallen = [count for count, share in spent.items() if share > 1.0]
    return Shown(numbers=numbers, holds=1.0 + ROUNDING < moves[1] < moves[10] and fallen == [6, 10])


def _lagging(lowerings: int) -> NoisyBtlsLosses:
    """A search whose noise is made for 1, after so many lowerings; its objective is still clipped where it was."""
    return NoisyBtlsLosses(max_it=1, alpha=0.0, clip=(1.0 - ZETA) ** -lowerings)


def _record() -> list[float]:
    """One whose loss falls from far above any threshold to 0."""
    return [1.0, 1e6, 0.0]
