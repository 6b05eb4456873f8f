"""What subjects of audits offer: guarantees, mechanisms and their capabilities, output laws, neighbour generators.

A mechanism offers *capabilities*, one small Protocol each; an auditor says which of them it needs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpverify.core.evidence import Enclosed, Measure

if TYPE_CHECKING:
    from dpverify.core.claim import SearchSpace
    from dpverify.core.transcript import Transcript

Float = NDArray[np.float64]
Dataset = Any  # whatever the mechanism takes: a vector of query answers, rows of records, a table


@runtime_checkable
class Guarantee(Protocol):
    """A promise of a claim. Any guarantee can be written as text and read back."""

    def text(self) -> str:
        """The claim as the grammar reads it, for example ``PureDP(epsilon=1)``."""
        ...

    def measures(self) -> tuple[Measure, ...]:
        """Points of the claim, the headline first; exceeding any one of them refutes the claim."""
        ...


@runtime_checkable
class PrivacyGuarantee(Guarantee, Protocol):
    """A guarantee that bounds the trade-off between an attacker's false positives and false negatives.

    `reverse` is False for the pair (D, D') and True for (D', D); most guarantees do not care.
    """

    def delta(self, epsilon: ArrayLike, *, reverse: bool = False) -> Float:
        """Privacy profile: the largest delta(epsilon) that the claim allows (vectorised; epsilon may be negative)."""
        ...

    def tradeoff(self, alpha: ArrayLike, *, reverse: bool = False) -> Float:
        """The smallest false-negative rate that the claim allows at false-positive rate alpha."""
        ...


@runtime_checkable
class Scalable(Guarantee, Protocol):
    """A guarantee of one family in which every claimed number can be multiplied."""

    def scaled(self, factor: float) -> Guarantee:
        """Return the same promise with every claimed number times `factor` > 0, rounded once."""
        ...


@runtime_checkable
class Explains(Guarantee, Protocol):
    """A guarantee that can say what it means when one of its points is exceeded."""

    def refutation(self, measure: Measure) -> str:
        """One line, for the witness of a refutation at `measure`."""
        ...


@runtime_checkable
class LawPair(Protocol):
    """Two output distributions (P, Q) on one space, compared exactly. All divergences are of P from Q, in nats."""

    def swap(self) -> LawPair:
        """The two distributions exchanged: (Q, P)."""
        ...

    def epsilon(self, delta: float) -> Enclosed:
        """Smallest epsilon >= 0 with P(S) <= e^epsilon Q(S) + delta for every event S; may be +inf."""
        ...

    def delta(self, epsilon: float) -> Enclosed:
        """The hockey-stick divergence sup_S P(S) - e^epsilon Q(S)."""
        ...

    def renyi(self, order: float) -> Enclosed:
        """Renyi divergence of the given order in (1, inf]; may be +inf."""
        ...

    def tradeoff(self, alpha: ArrayLike) -> Float:
        """Least false-negative rate of any test of "Q" against "P" at false-positive rate alpha (under Q)."""
        ...

    def prove(self, measure: Measure) -> Enclosed | None:
        """A *proved* enclosure (ball arithmetic) of a lower bound on the measure, or None where no proof is available.

        Its `lower` is a proved lower bound of the measure. Its `upper` need not be an upper bound: some proofs merge
        outcomes. It refutes and never certifies; a pair that can enclose the measure itself is an `Encloses` too.
        """
        ...


@runtime_checkable
class Encloses(Protocol):
    """Capability of a pair of laws: proved enclosures of measures, from below and from above. Only these certify."""

    def enclosure(self, measure: Measure) -> Enclosed | None:
        """A *proved* enclosure (ball arithmetic) of the measure itself on both sides, or None where there is none.

        A pair made of others passes on their enclosures, and has none as soon as one of them has none; what is built
        on another's `prove` is a lower bound and belongs into `prove`.
        """
        ...


@runtime_checkable
class Law(Protocol):
    """The exact distribution of one output."""

    def against(self, other: Law) -> LawPair:
        """The pair (self, other); raises UnsupportedError when the two do not live on one space."""
        ...


@runtime_checkable
class Samples(Protocol):
    """Capability: draws outputs."""

    def sample(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[Any]:
        """Independent outputs on `dataset`: shape (size,) or (size, k), finite numbers."""
        ...


@runtime_checkable
class Counts(Protocol):
    """Capability: a histogram of a finite output alphabet 0..k-1, made inside the kernel."""

    def counts(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> NDArray[np.int64]:
        """Count how often each outcome came among `size` independent runs: shape (k,), sums to size."""
        ...


@runtime_checkable
class HasOutputLaw(Protocol):
    """Capability: knows the exact law of its output."""

    def output_law(self, dataset: Dataset) -> Law:
        """The law on `dataset`; equal shapes of data give laws on one space."""
        ...


@runtime_checkable
class HasQuery(Protocol):
    """Capability: the noise-free quantity whose sensitivity the noise is scaled to."""

    def query(self, dataset: Dataset) -> Float:
        """The query's answers, shape (k,)."""
        ...


@runtime_checkable
class HasTranscript(Protocol):
    """Capability: runs once and tells everything it did; and runs again with the same draws on other data."""

    def transcript(self, dataset: Dataset, *, rng: np.random.Generator) -> Transcript:
        """Run once on `dataset` and return the transcript."""
        ...

    def replay(self, dataset: Dataset, transcript: Transcript) -> Transcript:
        """The run on `dataset` that reads the transcript's draws back; on the data it was made on, the same bits.

        Of a transcript that is `held`, the released values come back as well, whatever the data.
        """
        ...


@runtime_checkable
class HasRecorder(Protocol):
    """Capability of other people's code: runs under a recorder, which makes transcripts of what it can see."""

    def recorded(self) -> HasTranscript:
        """Return the same mechanism, run under a recorder."""
        ...


@runtime_checkable
class Traces(Protocol):
    """Capability: many runs at once, each as the noisy numbers that an observer of the whole run sees."""

    def traces(self, dataset: Dataset, size: int, *, rng: np.random.Generator) -> Float:
        """Independent runs, shape (size, steps, k): what each step let out, in units of what a record may add to it."""
        ...


@runtime_checkable
class HasPrintedBound(Protocol):
    """Capability: a lemma at one point of its parameters, a printed upper bound beside the truth that it bounds."""

    def printed(self) -> Enclosed:
        """The bound as printed; +inf where the lemma says nothing."""
        ...

    def truth(self) -> Enclosed:
        """Return the number that it bounds, or a lower bound on that (an attained pair, an exact law, an estimate)."""
        ...

    def proved_ratio(self) -> Enclosed | None:
        """A proved enclosure of a lower bound on truth / printed (ball arithmetic), or None where there is no proof."""
        ...


CAPABILITIES: dict[str, type] = {
    "sample": Samples,
    "counts": Counts,
    "output_law": HasOutputLaw,
    "transcript": HasTranscript,
    "traces": Traces,
    "sensitivity": HasQuery,
    "printed_bound": HasPrintedBound,
}


def capabilities(mechanism: object) -> frozenset[str]:
    """The names of the capabilities that `mechanism` offers."""
    return frozenset(name for name, protocol in CAPABILITIES.items() if isinstance(mechanism, protocol))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two neighbouring data sets and a word on how they were made."""

    d0: Dataset
    d1: Dataset
    label: str = ""


@runtime_checkable
class NeighborGenerator(Protocol):
    """Makes and checks neighbours under one relation, from the relation and the search space alone."""

    @property
    def name(self) -> str:
        """Registry name; the relation's own name for the generator that a relation has by default."""
        ...

    @property
    def relation(self) -> str:
        """The relation's name, as claims and the command line write it."""
        ...

    def count(self, space: SearchSpace) -> int | None:
        """Count the pairs that `candidates` lists with that limit; None: unknown, or no end.

        Only the relation's own generator (`name` is `relation`) can say so. One that lists some pairs of its relation,
        such as canaries, gives None: what holds for these is no certificate of a claim about all.
        """
        ...

    def check(self, d0: Dataset, d1: Dataset) -> str | None:
        """Return None when d0 and d1 are neighbours, else why they are not (one line)."""
        ...

    def candidates(self, space: SearchSpace, *, limit: int, rng: np.random.Generator) -> list[Pair]:
        """Return at most `limit` pairs, structured extremes first, then random ones; deterministic given `rng`."""
        ...

    def box(self, space: SearchSpace) -> Float | None:
        """Bounds, shape (k, 2), of a continuous parametrisation of pairs for optimisers; None when there is none."""
        ...

    def decode(self, space: SearchSpace, vector: Float) -> Pair:
        """The pair at a point of the box."""
        ...


@runtime_checkable
class HasStatistic(Protocol):
    """Capability: one number of each independent run, whose mean a claim bounds."""

    @property
    def low(self) -> float:
        """No run's number is below this one, finite. There need be no largest."""
        ...

    @property
    def draws(self) -> int:
        """Runs worth making at effort 1: what takes about a second, fixed by the settings and not by clocks."""
        ...

    def statistic(self, size: int, *, rng: np.random.Generator) -> Float:
        """The numbers of `size` independent runs, float64, shape (size,), each finite and at least `low`."""
        ...


@runtime_checkable
class HasScores(Protocol):
    """Capability: scores of an attack on independent trainings on D, and on independent trainings on D'."""

    def scores(self, *, rng: np.random.Generator) -> tuple[Float, Float]:
        """(scores on D, scores on D'), of shapes (n,) and (m,); no NaN."""
        ...


@runtime_checkable
class HasCanaries(Protocol):
    """Capability: one training into which canaries were put by independent fair coins."""

    @property
    def canaries(self) -> int:
        """There are so many canaries, in or out."""
        ...

    @property
    def values(self) -> int:
        """Each canary had so many equally likely values: 2 for in and out."""
        ...

    def canary_run(self, *, rng: np.random.Generator) -> tuple[Float, NDArray[np.int64]]:
        """One training: scores, shape (m,) (higher: rather in) or (m, values), and each canary's value, 0 .. values - 1
        (1: in). NaN: the attack says nothing of this canary."""
        ...
