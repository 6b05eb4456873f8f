"""RSGD's loops on records of one feature, on two data sets at once: the distance of the last iterates, in balls.

A record is its margin z = y x in [-1, 1] under the paper's huberised hinge (RSGD, section 5.1; DISS (3.12)): its
gradient is ``z phi'(z w)``, between -1 and 1, and rational where w is. The replaced record is 1 in one data set and -1
in the other, and stands in one batch. The other records of that batch are all `own`; those of the other batches are
`rest`, but for a share `opposed` that are ``-rest``. So a batch is a handful of numbers, whatever its size, and data
sets of the paper's own size cost nothing. While w is in the linear part, records that are 0 attain Lemma 2 at every eta
up to 2 / (L + mu): nothing but the regulariser contracts, and the record pulls with 2 R.

The iterates are kept in a list under the texts' own indices. Averaging: RSGD, lines 13 to 15, replaces w_t by the mean
of w_t .. w_(t - m tau + 1) and then moves t past an iterate that nothing has set (here it is w_t, without which neither
line 11 nor line 17 means anything); DISS, lines 14 and 15, moves t first.

Side: a pair of data sets that is run bounds the sensitivity from below, so it refutes bounds and confirms none. Step
sizes are the doubles that an implementation makes of eta_0 / s, the same on both sides. Not to be confused with
:mod:`reference_impls.optimizers.rsgd_training`, the algorithms themselves on any table, which the tests hold these to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import flint

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between, OneOf
from dpverify.laws.balls import at_working_precision
from reference_impls.optimizers.rsgd_sensitivity import SCHEDULES, step_sizes
from reference_impls.papers.enclosures import finite
from reference_impls.papers.ranges import HUGE, AboveZero, FromOne, FromZero, Signed

TEXTS, SPLITS = ("RSGD", "DISS"), ("rest", "even", "merged")
FOLDS = {"Adult": 39073, "BANK": 36168, "IPUMS-US": 32000, "IPUMS-BR": 30400}
"""Records in four of five folds of the papers' data sets (section 5: 5-fold cross validation), rounded down."""
LARGE_FOLDS = {"KDDCup99": 3918744}
"""The fifth, 980 batches an epoch: computed beside searches, not in them."""
BATCH, L2, H_BAR = 4000, 0.001, 0.5
"""The papers' own: mini-batches, lambda, h."""
_LOW, _HIGH, _CURVATURE = 1.0 - H_BAR, 1.0 + H_BAR, 0.5 / H_BAR
"""Where the loss is linear, where it is 0, and its second derivative between; exact for h = 1/2."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneFeatureRuns(Checked):
    """Two data sets and the hyper-parameters of a run.

    Attributes
    ----------
    rows, batch, epochs : float
        n, nominal batch size, T: rounded, >= 1.
    interval : float
        tau, rounded; 0 for no averaging.
    split : "rest", "even" or "merged"
        Where the batch size does not divide n: the last batch is what is left, all batches are as even as can be, or
        what is left goes to the last full one. (Left out altogether, n is a multiple of the batch size.)
    schedule : str
        See :func:`~reference_impls.optimizers.rsgd_sensitivity.step_sizes`.
    text : "RSGD" or "DISS"
        Whose averaging lines.
    initial_step, l2 : float
        eta_0 > 0, lambda >= 0.
    place : float
        Where in an epoch the record's batch stands: 0 for the first, 1 for the last.
    own, rest, opposed : float
        The other records, see above: in [-1, 1], [-1, 1], [0, 1].
    """

    rows: Annotated[float, Between(1, HUGE * HUGE)] = FOLDS["IPUMS-US"]
    batch: FromOne = BATCH
    epochs: FromOne = 20
    interval: FromZero = 0
    split: Annotated[str, OneOf(SPLITS)] = "rest"
    schedule: Annotated[str, OneOf(SCHEDULES)] = "epoch"
    text: Annotated[str, OneOf(TEXTS)] = "RSGD"
    initial_step: AboveZero = 1.0
    l2: FromZero = L2
    place: Annotated[float, Between(0, 1)] = 1.0
    own: Signed = 0.0
    rest: Signed = 0.0
    opposed: Annotated[float, Between(0, 1)] = 0.0

    @property
    def sizes(self) -> tuple[int, ...]:
        """|B_j|, in the order of the batches."""
        rows, batch = round(self.rows), round(self.batch)
        full, rest = divmod(rows, batch)
        if self.split == "even" and rest:
            least, more = divmod(rows, full + 1)
            return (least + 1,) * more + (least,) * (full + 1 - more)
        if self.split == "merged" and full:
            return (batch,) * (full - 1) + (batch + rest,)
        return (batch,) * full + ((rest,) if rest else ())

    @property
    def nominal(self) -> int:
        """The one |B| or nu of the texts: the batch size where there are as many records, or that of the even parts."""
        return min(max(self.sizes), round(self.batch))

    @property
    def index(self) -> int:
        """The record's batch, from 0."""
        return min(int(self.place * len(self.sizes)), len(self.sizes) - 1)

    @property
    def steps(self) -> tuple[float, ...]:
        """eta in each epoch, the same doubles for both data sets and for every bound."""
        return step_sizes(self.schedule, self.initial_step, round(self.epochs), interval=round(self.interval) or None)

    @at_working_precision
    def moved(self) -> Enclosed:
        """How far apart the two ends are, proved."""
        return finite(self.moved_ball())

    def moved_ball(self) -> flint.arb:
        """The same in balls."""
        return abs(self.end_ball(1, self.index) - self.end_ball(-1, self.index))

    def end_ball(self, record: int, place: int) -> flint.arb:
        """The last iterate with this record (1 or -1) in batch `place`."""
        return self.path_ball(record, place)[-1]

    def path_ball(self, record: int, place: int) -> list[flint.arb]:
        """w_0, w_1, .. of that run, under the text's own indices."""
        groups = [self._groups(j, record, place) for j in range(len(self.sizes))]
        iterates, interval = [flint.arb(0)], round(self.interval)
        for s, step in enumerate(self.steps, start=1):
            for group, size in zip(groups, self.sizes, strict=True):
                iterates.append(stepped_ball(iterates[-1], flint.arb(step), group, size, flint.arb(self.l2)))
            if interval and s % interval == 0:
                window = interval * len(self.sizes)
                t = len(iterates) - (1 if self.text == "RSGD" else 0)  # DISS, line 14, moves t first
                back = range(window) if self.text == "RSGD" else range(1, window + 1)
                mean = sum((iterates[t - k] for k in back), flint.arb(0)) / window
                if self.text == "RSGD":
                    iterates[t] = mean
                iterates.append(mean)
        return iterates

    def _groups(self, j: int, record: int, place: int) -> list[tuple[int, flint.arb]]:
        """(count, margin) of the kinds of records in batch j, but for those that do nothing."""
        size, zero = self.sizes[j], flint.arb(0)
        if j == place:
            found = [(1, flint.arb(record)), (size - 1, flint.arb(self.own))]
        else:
            turned = math.floor(self.opposed * size + 0.5)
            found = [(size - turned, flint.arb(self.rest)), (turned, -flint.arb(self.rest))]
        return [(count, z) for count, z in found if count and z != zero]

    def recursion_ball(self, place: int, steps: tuple[float, ...], sizes: tuple[int, ...], interval: int) -> flint.arb:
        """Delta[place] of Algorithm 2 for R = 1, averaged as (5) every `interval` epochs; 0 for never."""
        delta = total = flint.arb(0)
        mu = flint.arb(self.l2)
        smoothness = 1 / (2 * flint.arb(H_BAR)) + mu
        for s, step in enumerate(steps, start=1):
            eta = flint.arb(step)
            rho = abs(1 - eta * mu).max(abs(1 - eta * smoothness))
            for j, size in enumerate(sizes):
                delta = rho * delta + (2 * eta / size if j == place else 0)
                total += delta
            if interval and s % interval == 0:
                delta, total = total / (len(sizes) * interval), flint.arb(0)
        return delta


def stepped_ball(
    w: flint.arb, eta: flint.arb, group: list[tuple[int, flint.arb]], size: int, l2: flint.arb
) -> flint.arb:
    """w - eta grad f_B(w). What is linear in w is gathered before it is multiplied: balls then contract as w does."""
    curved, pull = flint.arb(0), flint.arb(0)
    for count, z in group:
        margin = z * w
        if margin < _LOW:
            pull -= count * z
        elif margin > _LOW and margin < _HIGH:
            curved += count * z * z * _CURVATURE
            pull -= count * z * (_HIGH * _CURVATURE)
        else:
            pull += count * z * slope_ball(margin)
    return (1 - eta * (curved / size + l2)) * w - eta * pull / size


def slope_ball(margin: flint.arb) -> flint.arb:
    """phi' of the huberised hinge, in [-1, 0]."""
    h = flint.arb(H_BAR)
    return -((1 + h - margin) / (2 * h)).max(flint.arb(0)).min(flint.arb(1))
