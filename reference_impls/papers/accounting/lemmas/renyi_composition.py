"""ACC-RDP-COMP: Renyi bounds of one order add under adaptive composition, against exact joint laws of small trees.

BLSGD Lemma 3, DISS Lemma 2.2 (Mironov 2017, Proposition 1). A tree of rounds: after each transcript the next round has
its own two laws. The printed bound is the sum over rounds of the largest divergence of that round, over transcripts and
both directions; the truth is the divergence of the two laws of the whole transcript, the worse direction. Equality
where all transcripts of a round cost the same; no tree costs more (the chain rule with a supremum taken out).

ADADP Theorem 1, first part, is the same for whole lambda = alpha - 1: both sides are multiplied by lambda.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

import flint
import numpy as np

from dpverify.accounting.enumeration import Transcript, adaptive
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.rules import Between
from dpverify.core.subjects import LawPair
from dpverify.laws.balls import at_working_precision
from dpverify.laws.discrete import DiscreteLaw
from dpverify.sampling.streams import stream
from reference_impls.papers.enclosures import proved_renyi, quotient, worst
from reference_impls.papers.ranges import TINY, FromZero, RenyiOrder

Tree = Mapping[Transcript, tuple[DiscreteLaw, DiscreteLaw]]


def tree_bounds(tree: Tree, order: float) -> tuple[list[Enclosed], Enclosed]:
    """The largest divergence of each round, and that of the whole transcript."""
    rounds = [worst(pair.renyi(order) for pair in pairs) for pairs in _rounds(tree)]
    joint = adaptive(tree.get)
    return rounds, worst(pair.renyi(order) for pair in (joint, joint.swap()))


def tree_proof(tree: Tree, order: float) -> Enclosed | None:
    """Joint over sum, in balls."""
    joint = adaptive(tree.get)
    total = flint.arb(0)
    for pairs in _rounds(tree):
        found = proved_renyi(pairs, order)
        if found is None:
            return None
        total += found
    return quotient(proved_renyi((joint, joint.swap()), order), total)


def _rounds(tree: Tree) -> Iterator[list[LawPair]]:
    """Both directions of every node, round by round."""
    for depth in range(max(len(transcript) for transcript in tree) + 1):
        nodes = [laws for transcript, laws in tree.items() if len(transcript) == depth]
        yield [pair for p, q in nodes for pair in (p.against(q), q.against(p))]


def _bit(p: float) -> DiscreteLaw:
    """1 with probability p, taken as an exact rational."""
    exact = Fraction(p)
    return DiscreteLaw.from_fractions((exact, 1 - exact))


_Chance = Annotated[float, Between(1e-9, 1 - 1e-9)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiComposition(Checked):
    """Two rounds of one bit each; the second round's laws follow from the first bit.

    Attributes
    ----------
    order : float
        Above 1; rounded up to a whole one where `whole`.
    p, q, p_one, q_one, p_zero, q_zero : float
        Probability of a 1 on D and on D': first round, second round after a 1, second round after a 0; in (0, 1).
    whole : bool
        Whole orders only, as the moments accountant has them.
    """

    order: RenyiOrder = 2.0
    p: _Chance = 0.6
    q: _Chance = 0.4
    p_one: _Chance = 0.6
    q_one: _Chance = 0.4
    p_zero: _Chance = 0.3
    q_zero: _Chance = 0.5
    whole: bool = False

    def tree(self) -> Tree:
        """A tree of three nodes: the first bit, and the second after either answer."""
        return {
            (): (_bit(self.p), _bit(self.q)),
            (0,): (_bit(self.p_one), _bit(self.q_one)),
            (1,): (_bit(self.p_zero), _bit(self.q_zero)),
        }

    @property
    def at(self) -> float:
        """The order at which divergences are compared."""
        return float(np.ceil(self.order)) if self.whole else self.order

    def printed(self) -> Enclosed:
        """The sum of the rounds' divergences, as the lemma says."""
        rounds, _ = tree_bounds(self.tree(), self.at)
        return Enclosed(value=sum(each.value for each in rounds), error=sum(each.error for each in rounds))

    def truth(self) -> Enclosed:
        """The divergence of the joint law."""
        return tree_bounds(self.tree(), self.at)[1]

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        return tree_proof(self.tree(), self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenyiCompositionDrawn(Checked):
    """Three rounds of three outcomes, every node's laws drawn (a random search over `draw`).

    Attributes
    ----------
    order : float
        Above 1.
    draw : float
        Rounded: which tree.
    spread : float
        How far laws lie apart: log-weights have this standard deviation; > 0.
    """

    order: RenyiOrder = 2.0
    draw: FromZero = 0.0
    spread: Annotated[float, Between(TINY, 100)] = 1.0

    def tree(self) -> Tree:
        """A tree of thirteen nodes, with drawn laws."""
        rng = stream(round(self.draw), "renyi-composition")
        nodes: list[Transcript] = [()]
        nodes += [(a,) for a in range(3)]
        nodes += [(a, b) for a in range(3) for b in range(3)]
        return {node: (self._law(rng), self._law(rng)) for node in nodes}

    def _law(self, rng: np.random.Generator) -> DiscreteLaw:
        return DiscreteLaw.from_log_weights((self.spread * rng.standard_normal(3)).tolist())

    def printed(self) -> Enclosed:
        """The sum of the rounds' divergences, as the lemma says."""
        rounds, _ = tree_bounds(self.tree(), self.order)
        return Enclosed(value=sum(each.value for each in rounds), error=sum(each.error for each in rounds))

    def truth(self) -> Enclosed:
        """The divergence of the joint law."""
        return tree_bounds(self.tree(), self.order)[1]

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The quotient of both sides, each computed in balls."""
        return tree_proof(self.tree(), self.order)
