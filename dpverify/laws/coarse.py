"""A coarsening of a law: the output seen through a finite partition, for laws that are exact there and nowhere else.

Basis: which cell of a fixed partition the output fell into is post-processing of it, so by data processing
(van Erven and Harremoes 2014, Theorem 9; Dong, Roth, Su 2019, Lemma 1) every divergence between the cells is a **lower
bound** of the divergence between the outputs. A violation found in the cells is one of the mechanism; a bound that
holds for the cells need not hold for it. So such a pair proves and refutes, and never certifies: `enclosure` is None.

Assumption: both laws are cut by the same, public partition; partitions that are stated must agree. Not to be confused
with a mechanism that releases the cell itself, whose law is a `DiscreteLaw`.
"""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from dpverify.core.errors import UnsupportedError
from dpverify.core.measure import Enclosed, Measure
from dpverify.core.subjects import Float, LawPair
from dpverify.laws.discrete import DiscreteLaw


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarseLaw:
    """The known part of a law: the probabilities of the cells of a public partition.

    Attributes
    ----------
    cells : DiscreteLaw
        Exact probabilities of the cells, in an order that both laws of a pair share.
    partition : bytes
        Identifies the partition (the bytes of the edges), where it may depend on the data.
    """

    cells: DiscreteLaw
    partition: bytes = b""

    def against(self, other: object) -> LawPair:
        """The pair (self, other); UnsupportedError unless `other` is a coarsening by the same partition."""
        if not isinstance(other, CoarseLaw):
            raise UnsupportedError(f"a coarsening can be compared only with another, not with {type(other).__name__}")
        if self.partition != other.partition:
            raise UnsupportedError("two coarsenings by different partitions: cells that follow the data show nothing")
        return CoarsePair(cells=self.cells.against(other.cells))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoarsePair:
    """Two coarsenings compared: every number is exact for the cells and a lower bound for the outputs.

    Attributes
    ----------
    cells : LawPair
        The pair of cell laws.
    """

    cells: LawPair

    def swap(self) -> CoarsePair:
        """The pair (Q, P)."""
        return CoarsePair(cells=self.cells.swap())

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon at `delta` that the cells allow: never above the outputs' own."""
        return self.cells.epsilon(delta)

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence of the cells: never above the outputs' own."""
        return self.cells.delta(epsilon)

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of the cells: never above the outputs' own."""
        return self.cells.renyi(order)

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """UnsupportedError: the cells' curve is above that of the outputs, and a figure would not show it."""
        raise UnsupportedError("the trade-off curve of a law of which only a coarsening is known")

    def prove(self, measure: Measure) -> Enclosed | None:
        """A proved enclosure of the cells' measure, which is a lower bound of the outputs': enough to refute."""
        return self.cells.prove(measure)

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """None: no upper bound is known, for any measure."""
        del measure
        return None
