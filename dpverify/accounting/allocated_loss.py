"""The mean of t independent likelihood ratios: the privacy loss of a record that takes part in one of t steps.

Result: let every step without the record have a law Q_i, given what came before it, and with the record P_i; let (P, Q)
dominate each (P_i, Q_i) both ways, as one order of the neighbours does. One place i of t is drawn uniformly at random.
Given the choices of all other records, the ratio of the output's laws with and without the record is the mean of the
Z_i = dP_i / dQ_i, and the divergences to be bounded are expectations, without the record, of convex functions of it:
(z - e^epsilon)_+ with the record against without, (1 - e^epsilon z)_+ the other way. That (P, Q) dominates says that
Z_i, given what came before, is below Z = dP / dQ under Q in the convex order. So from the last step to the first, each
Z_i may be replaced by an independent copy of Z, since what remains is convex in it; and expectations over the other
records' choices only lower a divergence (joint convexity). The mean of t copies of Z is attained where no other record
moves anything and each step's pair is (P, Q). (The pair of Feldman and Shenfeld, arXiv 2502.08202; the proof is ours.)

Numbers: sums are doubled as laws on nodes at equal steps of their normal scores. Above, a sum between two nodes is
spread to both, its mean preserved (a larger law in the convex order; what lies beyond the last node keeps its mean at
infinity). Below, sums in a cell are merged into their mean (a smaller one), and masses that are not known to
`_KNOWN` are left out. All terms are positive, so every mass has a relative error, which is carried by hand. Not to be
confused with Poisson samples, whose record may take part in several steps or in none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.special import ndtri

from dpverify.accounting.loss_grid import above, cut
from dpverify.accounting.privacy_loss import NO_ATOMS, UNIT, Atoms, BetweenLoss, LossLaw, Masses, ReversedLoss, lower_of
from dpverify.core.errors import UnsupportedError
from dpverify.core.subjects import Float
from dpverify.laws.discrete_pair import safe_log

FARTHEST = 300.0
"""Losses of one step, but for a mass of 1e-100, are below it: their exponentials, and products of them, are doubles."""
_NODES = 1024
_TAIL = 1e-100
_CENTRE = 8.0
_GROUPS = 128  # of values, where the next nodes are chosen
_KNOTS = 0.4  # normal scores between which nodes are even: groups are farther apart than nodes
_KNOWN = 1e-11  # relative doubt of a mass that the lower law keeps
_SUM_ROUNDING = 4 * _NODES * UNIT  # of a mass that is summed in rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Law:
    """A positive variable on finitely many values, under Q."""

    x: Float
    q: Float
    """`x`, `q`, shape (k,): values, rising, and their masses."""
    lost: float
    """The mean that lies at infinity."""
    mass_error: float
    value_error: float
    """`mass_error`, `value_error`: bounds on relative errors."""


_Laws = tuple[_Law, _Law, _Law]  # above what costs with the record, above what costs without it, below both


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(xa: Float, qa: Float, xb: Float, qb: Float, nodes: Float, same: bool) -> tuple[Float, float]:
    """Masses of the sum at `nodes`, the mean preserved, and the mean that lies beyond the last one."""
    out, lost, last = np.zeros(nodes.size), 0.0, nodes.size - 1
    scale = 1.0 / np.diff(nodes)
    for i in range(xa.size):
        k, low, high, beyond, over = 0, 0.0, 0.0, 0.0, 0.0
        for j in range(i if same else 0, xb.size):
            total, mass = xa[i] + xb[j], 2.0 * qb[j] if same and j > i else qb[j]
            if total > nodes[last]:
                beyond += mass
                over += mass * (total - nodes[last])
                continue
            if total > nodes[k + 1]:
                out[k] += qa[i] * low
                out[k + 1] += qa[i] * high
                low, high = 0.0, 0.0
                while total > nodes[k + 1]:
                    k += 1
            weight = (nodes[k + 1] - total) * scale[k]
            low += mass * weight
            high += mass * (1.0 - weight)
        out[k] += qa[i] * low
        out[k + 1] += qa[i] * high
        out[last] += qa[i] * beyond
        lost += qa[i] * over
    return out, lost


@njit(cache=True, nogil=True, error_model="numpy")
def _merge(xa: Float, qa: Float, xb: Float, qb: Float, edges: Float, same: bool) -> tuple[Float, Float]:
    """Masses and first moments of the sum in the cells between `edges`, outer ones included."""
    mass, moment = np.zeros(edges.size + 1), np.zeros(edges.size + 1)
    for i in range(xa.size):
        k, part, first = 0, 0.0, 0.0
        for j in range(i if same else 0, xb.size):
            total, one = xa[i] + xb[j], 2.0 * qb[j] if same and j > i else qb[j]
            if k < edges.size and total > edges[k]:
                mass[k] += qa[i] * part
                moment[k] += qa[i] * first
                part, first = 0.0, 0.0
                while k < edges.size and total > edges[k]:
                    k += 1
            part += one
            first += one * total
        mass[k] += qa[i] * part
        moment[k] += qa[i] * first
    return mass, moment


def _nodes(a: _Law, b: _Law) -> Float:
    """Values at equal steps of the sum's normal scores under P or Q, whichever moves more; any nodes are right."""
    groups = [_grouped(law.x, law.q) for law in (a, b)]
    sums = np.add.outer(groups[0][0], groups[1][0])
    weights = np.multiply.outer(groups[0][1], groups[1][1]).ravel()
    order = np.argsort(sums, axis=None, kind="stable")
    values, under_q = sums.ravel()[order], weights[order]
    under_p = under_q * values
    kept = (np.cumsum(under_q) > _TAIL) & (np.cumsum(under_p[::-1])[::-1] > _TAIL * np.sum(under_p)) & (values > 0)
    logs = np.log(values[kept])
    steps = np.maximum(*(np.diff(_scores(weight)[kept]) for weight in (under_q, under_p)))
    path = np.concatenate(([0.0], np.cumsum(steps)))
    knots = np.unique(np.searchsorted(path, np.arange(0.0, path[-1] + _KNOTS, _KNOTS)).clip(0, path.size - 1))
    return np.unique(np.exp(np.interp(np.linspace(0.0, path[-1], _NODES), path[knots], logs[knots])))


def _grouped(x: Float, q: Float) -> tuple[Float, Float]:
    """Means and masses of at most `_GROUPS` groups of values."""
    starts = np.arange(0, x.size, -(-x.size // _GROUPS))
    moment, mass = (np.add.reduceat(each, starts) for each in (q * x, q))
    return moment / mass, mass


def _scores(weights: Float) -> Float:
    """Normal scores of the places, drawn together beyond `_CENTRE` standard deviations."""
    total = float(np.sum(weights))
    below, over = np.cumsum(weights) / total, np.cumsum(weights[::-1])[::-1] / total
    middle = ndtri(np.clip(np.where(below < 0.5, below, over), 1e-290, 0.5))
    return np.asarray(np.maximum.accumulate(_CENTRE * np.arctan(np.where(below < 0.5, middle, -middle) / _CENTRE)))


def _above(a: _Law, b: _Law, nodes: Float) -> _Law:
    """A law above the sum of two independent ones in the convex order."""
    nodes = np.unique(np.concatenate(([0.0, a.x[1] + b.x[1]], nodes, [a.x[-1] + b.x[-1]])))
    q, lost = _spread(a.x, a.q, b.x, b.q, nodes, a is b)
    return _Law(
        x=nodes,
        q=q,
        lost=a.lost + b.lost + lost,
        mass_error=a.mass_error + b.mass_error + _SUM_ROUNDING,
        value_error=max(a.value_error, b.value_error) + 4 * UNIT,
    )


def _below(a: _Law, b: _Law, nodes: Float) -> _Law:
    """A law below it."""
    mass, moment = _merge(a.x, a.q, b.x, b.q, nodes, a is b)
    kept = mass > 1e-280  # below it masses and moments lose digits
    return _Law(
        x=moment[kept] / mass[kept],
        q=mass[kept],
        lost=0.0,
        mass_error=a.mass_error + b.mass_error + _SUM_ROUNDING,
        value_error=max(a.value_error, b.value_error) + 2 * _SUM_ROUNDING,
    )


def _total(once: _Laws, count: int) -> _Laws:
    """The laws of the sum of `count` independent copies."""

    def added(a: _Laws, b: _Laws) -> _Laws:
        nodes = _nodes(a[2], b[2])
        return _above(a[0], b[0], nodes), _above(a[1], b[1], nodes), _below(a[2], b[2], nodes)

    total = once
    for bit in f"{count:b}"[1:]:
        total = added(total, total)
        if bit == "1":
            total = added(total, once)
    return total


def _once(loss: LossLaw, *, reverse: bool) -> _Law:
    """The ratio under Q, above it in the convex order, from one grid: what is costly in one direction is kept there.

    With the record against without, P is complete, and what Q lacks lies at 0. The other way Q is complete, and
    what P lacks lies nowhere, as if it cost nothing.
    """
    law = ReversedLoss(base=loss) if reverse else loss
    h = _spacing(law)
    grid = above(cut(law, h, _TAIL), h)
    losses, kept = grid.losses(), grid.p > 0
    value_error = 8 * UNIT * (1 + FARTHEST)
    if reverse:
        x = np.concatenate(([0.0], np.exp(-losses[kept])[::-1]))
        q = np.concatenate(([grid.infinite], grid.p[kept][::-1]))
        return _Law(x=x, q=q, lost=0.0, mass_error=grid.relative, value_error=value_error)
    x = np.exp(losses)
    q = grid.p / x
    slight = q < 1e-290
    lost = grid.infinite + float(np.sum(grid.p[slight]))
    x, q = x[~slight], q[~slight]
    zero = max(1.0 - float(np.sum(q)), 0.0)
    return _Law(
        x=np.concatenate(([0.0], x)),
        q=np.concatenate(([zero], q)),
        lost=lost,
        mass_error=grid.relative + value_error,
        value_error=value_error,
    )


def _once_below(loss: LossLaw) -> _Law:
    """The ratio under Q, below it: cells merged, and left out where they are not known well."""
    pieces = cut(loss, _spacing(loss), _TAIL)
    kept = (np.abs(pieces.low) < FARTHEST) & (np.abs(pieces.high) < FARTHEST) & (pieces.doubt <= _KNOWN * pieces.p)
    p, low, high = pieces.p[kept], pieces.low[kept], pieces.high[kept]
    order = np.argsort(low, kind="stable")
    p, middle, half = p[order], ((low + high) / 2)[order], (high - low) / 2
    x = np.exp(middle)
    value_error = float(np.max(half, initial=0.0)) + 8 * UNIT * (1 + FARTHEST)
    solid = p / x > 1e-290
    return _Law(
        x=x[solid],
        q=(p / x)[solid],
        lost=0.0,
        mass_error=pieces.relative + _KNOWN + value_error,
        value_error=value_error,
    )


def _spacing(loss: LossLaw) -> float:
    """A grid of as many cells as there are nodes; UnsupportedError where losses are too large."""
    low, high = loss.extent(_TAIL)
    if not max(-low, high) <= FARTHEST:
        raise UnsupportedError(f"losses of up to {max(-low, high):.3g} in one step: at most {FARTHEST:g} can be added")
    return (high - low) / _NODES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MeanRatioLoss:
    """One side of the loss: values and masses; atoms, or cells that are merged on the way."""

    p: Float
    loss: Float
    """`p`, `loss`, shape (k,): masses under the first law, rising finite losses."""
    infinite: float
    """Mass where the second law has none."""
    p_error: float
    loss_error: float
    """`p_error`, `loss_error`: bounds on the relative error of masses and the absolute error of losses."""
    ends: tuple[float, float]
    """What the loss of one step never exceeds."""
    merged: bool

    def atoms(self) -> Atoms:
        """Every value is one, unless they are merged into cells."""
        if self.merged:
            return NO_ATOMS
        return Atoms(
            p=np.append(self.p, self.infinite),
            loss=np.append(self.loss, np.inf),
            p_error=self.p_error,
            loss_error=self.loss_error,
        )

    def masses(self, thresholds: Float) -> Masses | None:
        """Sums over the values in each cell; their errors were taken off before."""
        if not self.merged:
            return None
        place = np.searchsorted(thresholds, self.loss, side="left")
        size = thresholds.size + 1
        weights = self.p, self.p * np.exp(-self.loss)
        p, q = (np.bincount(place, weights=each, minlength=size).astype(np.float64) for each in weights)
        none = np.zeros(thresholds.size)
        return Masses(p=p, q=q, p_error=none, q_error=none)

    def extent(self, tail: float) -> tuple[float, float]:
        """The values beyond which both laws have less than the tail."""
        q = self.p * np.exp(-self.loss)
        left = np.maximum(np.cumsum(self.p), np.cumsum(q))
        right = np.maximum(np.cumsum(self.p[::-1]), np.cumsum(q[::-1]))
        last = self.loss.size - 1
        low = self.loss[min(int(np.searchsorted(left, tail)), last)]
        high = self.loss[last - min(int(np.searchsorted(right, tail)), last)]
        return (float(low), float(high)) if low < high else (float(self.loss[0]), float(self.loss[-1]))

    def bounds(self) -> tuple[float, float]:
        """The bounds are those of one step's loss: a mean lies between them, and comes near both."""
        return self.ends


def mean_ratio(loss: LossLaw, count: int) -> tuple[LossLaw, LossLaw]:
    """The loss of `count` steps of which a record takes part in one: with the record against without, and back.

    Raises
    ------
    UnsupportedError
        One step's loss may be infinite, is above `FARTHEST`, or is not known itself.
    """
    if np.any(np.isinf(loss.atoms().loss)):
        raise UnsupportedError("no random allocation of steps whose loss may be infinite")
    if lower_of(loss) is not loss:
        raise UnsupportedError("no random allocation of steps whose loss is only known between two others")
    if count == 1 or loss.bounds() == (0.0, 0.0):
        return loss, ReversedLoss(base=loss)
    low, high = loss.bounds()
    once = _once(loss, reverse=False), _once(loss, reverse=True), _once_below(loss)
    over, back, under = _total(once, count)
    return (
        BetweenLoss(
            upper=_forward(over, count, (low, high), merged=False),
            lower=_forward(under, count, (low, high), merged=True),
        ),
        BetweenLoss(
            upper=_backward(back, count, (-high, -low), merged=False),
            lower=_backward(under, count, (-high, -low), merged=True),
        ),
    )


def _forward(law: _Law, count: int, ends: tuple[float, float], *, merged: bool) -> MeanRatioLoss:
    """The law's loss with the record against without; a merged one has its errors taken off."""
    mass_error, value_error = law.mass_error + 64 * UNIT, law.value_error + 64 * UNIT
    kept = (law.x > 0) & (law.q > 0)
    x = law.x[kept] / count * (1 - value_error if merged else 1)
    return MeanRatioLoss(
        p=law.q[kept] * x * (1 - mass_error - _SUM_ROUNDING if merged else 1),
        loss=safe_log(x) - (_SUM_ROUNDING if merged else 0.0),
        infinite=law.lost / count,
        p_error=mass_error + value_error,
        loss_error=value_error + 4 * UNIT * FARTHEST,
        ends=ends,
        merged=merged,
    )


def _backward(law: _Law, count: int, ends: tuple[float, float], *, merged: bool) -> MeanRatioLoss:
    """The law's loss without the record against with it; likewise."""
    mass_error, value_error = law.mass_error + 64 * UNIT, law.value_error + 64 * UNIT
    kept = (law.x > 0) & (law.q > 0)
    x = (law.x[kept] / count * (1 + value_error if merged else 1))[::-1]
    return MeanRatioLoss(
        p=law.q[kept][::-1] * (1 - mass_error - _SUM_ROUNDING if merged else 1),
        loss=-safe_log(x) - (_SUM_ROUNDING if merged else 0.0),
        infinite=float(np.sum(law.q[law.x == 0])),
        p_error=mass_error,
        loss_error=value_error + 4 * UNIT * FARTHEST,
        ends=ends,
        merged=merged,
    )
