"""What an auditor is given (a :class:`Task`), and what it offers in return.

An auditor sees a claim, a way to build the subject and neighbours; it sees no expectation and no names of others.

Long counts are split into parts that run in parallel, are saved, and are the same wherever they are made: a part is
made from streams named after its place. Totals are sums of whole numbers. Only subjects that remember nothing between
two calls (frozen data classes promise it) have their parts shared out or kept; others are drawn in one go, every time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from dpverify.core.subjects import Guarantee, NeighborGenerator

if TYPE_CHECKING:
    from dpverify.core.claim import Claim
    from dpverify.core.evidence import Again, Evidence


Chunks = Callable[[str, int, Callable[[int], Any]], Iterator[Any]]
"""Has the parts of one series made, or remembers them; called with its name, their number, and ``work(place)``.

Yields what `work` returns for 0 .. count - 1, in order. `work` may run in several threads at once, or not at all.
"""


def one_by_one(_name: str, count: int, work: Callable[[int], Any]) -> Iterator[Any]:
    """The default: make the parts in this thread, one after another, and save none."""
    return map(work, range(count))


def parts(
    task: Task,
    subject: object,
    names: tuple[str | int, ...],
    count: int,
    work: Callable[[int], Any],
    *,
    about: Any = "",
) -> Iterator[Any]:
    """The parts of a count of one subject's outputs.

    Parameters
    ----------
    task : Task
        Whose `chunks` are used.
    subject : mechanism
        What is drawn from.
    names : tuple
        Of the streams that `work` draws from, without the place.
    count : int
        How many parts.
    work : callable
        ``work(place)``: plain JSON values that follow from `place` alone.
    about : plain JSON values
        What is counted (an event's record): parts that were kept for another one are not taken.
    """
    if not _remembers_nothing(subject):
        return one_by_one("", count, work)
    first = int(task.stream(*names, "parts").integers(2**63))  # other prefixes and seeds give other streams
    of = [first, task.trials, task.effort, count, about]
    known_by = hashlib.sha256(json.dumps(of, sort_keys=True, default=str).encode())
    return task.chunks(f"{'/'.join(map(str, names))} {known_by.hexdigest()[:16]}", count, work)


def _remembers_nothing(subject: object) -> bool:
    return bool(getattr(getattr(type(subject), "__dataclass_params__", None), "frozen", False))


def _silent(_message: str, _share: float) -> None:
    """The default: progress is not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One audit to do: everything an auditor may see. There is no expectation here, on purpose.

    Attributes
    ----------
    claim : Claim
        The claim, a single reading.
    build : callable
        ``build(**searched) -> Mechanism``: the subject at the claim's own parameters, with searched ones on top.
    neighbors : NeighborGenerator
        For the claim's relation (or one fixed pair).
    alpha : float
        The false-alarm probability this audit may spend, after all of its own multiplicity.
    trials : int
        Draws per side for the certified part; selection takes what it needs beside it (at most as many again).
    stream : callable
        ``stream(*names) -> Generator``: named streams below this audit's own name.
    numbers : int or None
        The most numbers that the certified part may draw a side: wide outputs get fewer trials. None: no limit.
    effort : float
        1 for the quick profile; searches scale their evaluations by it.
    progress : callable
        ``progress(message, share)`` with share in [0, 1].
    chunks : Chunks
        Makes the parts of long counts.
    """

    claim: Claim
    build: Callable[..., Any]
    neighbors: NeighborGenerator
    alpha: float
    trials: int
    stream: Callable[..., np.random.Generator]
    numbers: int | None = None
    effort: float = 1.0
    seed: int = 0
    progress: Callable[[str, float], None] = field(default=_silent)
    chunks: Chunks = field(default=one_by_one)


@runtime_checkable
class Auditor(Protocol):
    """One method of attack or check.

    One that searches sizes, or scales claimed numbers with a searched parameter, says so in an attribute ``honours:
    frozenset[str]`` (see ``SearchSpace.demands``); others get no claim that demands it. One that looks only where it is
    asked for by name (since every statistical auditor takes its share of the false-alarm probability from the others)
    says so in an attribute ``by_request: bool``.
    """

    @property
    def name(self) -> str:
        """The registry knows it by this name."""
        ...

    @property
    def version(self) -> str:
        """Changes when the method's numbers may change."""
        ...

    @property
    def statistical(self) -> bool:
        """True when it spends false-alarm probability."""
        ...

    def refuses(self, task: Task) -> str | None:
        """Return None when this auditor can examine the claim, else why not (capability, or guarantee)."""
        ...

    def audit(self, task: Task) -> Evidence:
        """Examine the claim; raises AuditError or InputError, never guesses."""
        ...


@runtime_checkable
class NeedsTrials(Protocol):
    """An auditor that can say in advance how many draws its audit needs to be able to refute the claim."""

    def lacks(self, task: Task) -> int | None:
        """Return None when the task's trials will do, else the fewest that would; InputError when no number would."""
        ...


@runtime_checkable
class Reaches(Protocol):
    """An auditor that can say in advance which violation its draws are too few for."""

    def reach(self, task: Task) -> str:
        """One line on what was to be detected, cannot be, and how many draws could; empty where the draws suffice."""
        ...


@runtime_checkable
class Rechecks(Protocol):
    """An auditor that computes its bound again from the counts that its own records keep.

    Every auditor that counts draws offers this. One whose numbers come from a law or a search of its own has no counts,
    and its records name the command that computes them again.
    """

    def recheck(self, guarantee: Guarantee, evidence: Evidence) -> Again:
        """The bound computed again from the recorded counts, without drawing.

        The evidence comes from a record that anybody may have written: its statistics may hold anything. Raises
        LackingError where they do not suffice, ContradictionError where they cannot all be true, and InputError where
        they are not counts at all.
        """
        ...
