"""The sequential auditor: bets on learned events, block by block, and stops at the first sound refutation.

Method: the event e-process (`dpverify.stats.e_mixture`; Waudby-Smith and Ramdas, arXiv 2010.09686). Draws come in
blocks that double. Before each block events are learned from all draws before it (with the black-box event auditor's
scores), for each pair of data sets still in the running; during the block the wealth is spread over these slots (event,
direction, neighbours) and over stakes. It is one supermartingale against the claim, so the whole error probability is
spent on its ever reaching 1/alpha: nothing is left to pay for events, directions, pairs, thresholds, looks, nor for
stopping.

The lower bound is the unbroken run of a chain of claims (one wealth each); it stays valid whenever one looks. The first
block of every contender teaches only.

Stops: ``refuted`` (the draws in hand when the claim falls are still bet, for the bound's sake), ``power`` (a true value
`worth` finding, in an event of rate q under the less likely side, q being the rate of the event now bet on, would have
been refuted with 80 % power by now), or ``trials``: pairs of draws, all contenders and what was only learned from
included. ``power`` and ``detectable`` speak of that one condition: neither of an event of another rate (a rare one) nor
of a violation that only a pair shows which was given up early.

Assumptions: independent draws from one law a side, and streams of independent draws. Limits: counts as many draws under
P as under Q; against a test at a number of trials that was known in advance it needs more draws where the violation is
as small as the trials can show, and far fewer where it is large. Often confused with looking at a p-value repeatedly.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event.outputs import SIDES, Sample
from auditors.privacy.goal import Goal, value
from auditors.privacy.sequential.bets import Slot, bets, weakest
from auditors.privacy.sequential.events import Lines
from auditors.privacy.sequential.search import FIRST, Contender, contenders, digests, in_order, kinds
from auditors.privacy.sequential.target import KINDS, SLOPES, Target, check_claimed, profile, single, targets
from dpverify.core.errors import AuditError, InputError
from dpverify.core.evidence import Evidence
from dpverify.core.protocols import Float, PrivacyGuarantee, Task, capabilities
from dpverify.core.registry import Registry
from dpverify.datasets.neighbors.plain import plain_pair
from dpverify.stats.e_mixture import FRACTIONS, Chain, Settlement
from dpverify.stats.e_power import detectable_hits, pairs_needed, perfect_wealth

LEARNING = 256
"""Pairs from which the point of attack is chosen where the claim has several (a quarter of the trials at most)."""

CHUNKS = 8
"""Into so many parts a block is drawn: at the end of each of them the audit may stop."""

WEAKER = (0.8, 0.6, 0.4, 0.2, 0.1)
"""Claims, as parts of the claimed value, that events are learned against where nothing tells against the claim."""

LARGEST_BLOCK = 2**19
SPREAD = 1.15
"""What a perfect event needs more than with all wealth on it from the first pair to the last."""

POWER = 0.8
LEARNT_BY = 2
"""One pair in so many that are bet on counts where the smallest detectable violation is told: the rest only learns."""

Stop = Literal["refuted", "power", "trials"]


class Book(Protocol):
    """Where nights are pooled (`dpverify.runner.nights.Nights`)."""

    @property
    def chain(self) -> Mapping[str, Any]:
        """What the chain of earlier nights was; empty without any."""
        ...

    @property
    def peaks(self) -> tuple[float, ...]:
        """The highest products seen."""
        ...

    @property
    def wealth(self) -> Float:
        """The products of earlier nights."""
        ...

    def begin(self) -> None:
        """Enter this night, before its first draw."""
        ...

    def drew(self, first: tuple[str, str]) -> None:
        """Keep the digests of the first block, before any bet; refuse what was drawn before."""
        ...

    def note(
        self,
        *,
        chain: Mapping[str, Any],
        e_values: Float,
        wealth: Float,
        peaks: Float,
        pairs: int,
        done: bool,
        witness: Mapping[str, Any],
    ) -> None:
        """Keep how far this night has come."""
        ...

    def witness(self, place: int, *, least: float) -> Mapping[str, Any]:
        """The event and pair of the night in which the product against a claim of the chain came to `least`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialAuditor:
    """Any privacy guarantee, any subject that can be sampled or counted.

    Attributes
    ----------
    worth : float or None
        The smallest true value of the headline measure that is worth finding: once it would have been refuted with
        80 % power, in an event of the rate of the one now bet on, the audit stops.
    book : Book or None
        Earlier nights to go on from, which is told of this one.
    """

    name: str = "sequential"
    version: str = "1"
    statistical: bool = True
    by_request: bool = True
    worth: float | None = None
    book: Book | None = field(default=None, compare=False)

    def refuses(self, task: Task) -> str | None:
        """None, or what is missing."""
        guarantee = task.claim.guarantee
        if not isinstance(guarantee, PrivacyGuarantee):
            return "the claim is no privacy guarantee"
        if guarantee.measures()[0].kind not in KINDS:
            return f"no bet against {guarantee.measures()[0].kind} is known here"
        if not {"sample", "counts"} & capabilities(task.build()):
            return "the subject can be neither sampled nor counted"
        return None

    def lacks(self, task: Task) -> int | None:
        """None when a perfect event would refute the claim with the task's trials, else the fewest that would do."""
        guarantee = _guarantee(task)
        check_claimed(guarantee.measures()[0])
        if single(guarantee):
            slopes, deltas = targets(guarantee, most=1.0)[0].claimed_lines()
        else:
            slopes, deltas = np.exp(SLOPES), np.minimum(profile(guarantee, 0), profile(guarantee, 1))
        inside = deltas < 1.0
        if not inside.any():
            raise InputError(f"sampling for {guarantee.text()}", allowed="nothing: no pairs of draws could refute it")
        fewest = math.ceil(SPREAD * pairs_needed(slopes[inside], deltas[inside], alpha=task.alpha))
        fewest += FIRST if single(guarantee) else max(FIRST, min(LEARNING, fewest // 3 + 1))
        return None if task.trials >= fewest else fewest

    def audit(self, task: Task) -> Evidence:
        """Learn, bet, settle, until something stops it.

        Raises
        ------
        InputError
            When the trials could not refute the claim whatever happened (saying how many would do), or when outputs
            are not finite numbers of one shape and type.
        AuditError
            When the search space has no pair of different neighbours.
        """
        guarantee = _guarantee(task)
        fewest = self.lacks(task)
        if fewest is not None:
            raise InputError(
                f"{task.trials} trials a side cannot refute {guarantee.text()} at confidence {1 - task.alpha:.6g}, "
                "whatever the mechanism does",
                allowed=f"at least {fewest} trials (more for a violation that is not total)",
                remedy=f"pass trials={fewest} or more, or a lower confidence",
            )
        run = _Run(task=task, goal=Goal(guarantee=guarantee), auditor=self, alive=contenders(task))
        run.play()
        return run.evidence()


def _guarantee(task: Task) -> PrivacyGuarantee:
    guarantee = task.claim.guarantee
    if not isinstance(guarantee, PrivacyGuarantee):
        raise AuditError(f"{guarantee.text()} is no privacy guarantee")
    return guarantee


@dataclass(kw_only=True)
class _Run:
    """One audit as it goes."""

    task: Task
    goal: Goal
    auditor: SequentialAuditor
    alive: list[Contender]
    target: Target | None = None
    chain: Chain | None = None
    carried: Float | None = None
    drawn: int = 0
    looked_at: int = 0
    blocks: list[dict[str, Any]] = field(default_factory=list)
    last: tuple[Slot, NDArray[np.int64], Contender] | None = None
    bet_on: dict[int, int] = field(default_factory=dict)
    stop: Stop | None = None

    def play(self) -> None:
        """Block after block."""
        self.looked_at = len(self.alive)
        self._resume()
        if self.auditor.book is not None:
            self.auditor.book.begin()
        index = 0
        while self.stop is None:
            sizes = self._sizes()
            if not sizes:
                self.stop = "trials"
                break
            slots = self._slots()
            settled = self._settle(slots)
            seen, counts = self._block(index, sizes, slots if settled is not None else [])
            if index == 0 and self.auditor.book is not None:
                self.auditor.book.drew(digests(seen))
            if settled is not None:
                self._keep(settled, slots, counts)
            self._learn(seen)
            if self.stop is None and self._enough():
                self.stop = "power"
            self._note(done=False)
            index += 1
        self._note(done=True)

    def _resume(self) -> None:
        """The chain of earlier nights, or that of a claim which has one point of attack only."""
        book = self.auditor.book
        if book is not None and book.chain:
            of = {name: part for name, part in book.chain.items() if name not in ("kind", "argument", "claimed")}
            candidates = [one for one in self._targets() if _words(one) | of == dict(book.chain)]
            if not candidates:
                raise InputError(
                    f"the evidence was against {dict(book.chain)}, which this audit does not bet against",
                    allowed="nights of one version and one claim",
                )
            self._aim(Target(measure=candidates[0].measure, direction=candidates[0].direction, most=of["most"]))
        elif single(self.goal.guarantee):
            self._aim(self._targets()[0])

    def _targets(self) -> list[Target]:
        room = FRACTIONS[0] * self.task.trials / np.log(FRACTIONS.size / self.task.alpha)
        return targets(self.goal.guarantee, most=float(np.log(max(room, 2.0))))

    def _aim(self, target: Target) -> None:
        """From here on this is what is bet against."""
        book, size = self.auditor.book, target.values.size
        carried = book is not None and len(book.peaks) == size
        self.target = target
        self.carried = book.wealth if book is not None and carried else np.ones(size)
        self.chain = Chain.start(
            size, alpha=self.task.alpha, wealth=self.carried, peak=book.peaks if book is not None and carried else None
        )
        if self.chain.run() > target.place:
            self.stop = "refuted"

    def _sizes(self) -> list[int]:
        """Parts of the next block: pairs of each contender; empty when the trials are spent."""
        room = self.task.trials - self.drawn
        while len(self.alive) > 1 and room < len(self.alive) * max(self.alive[0].pairs, FIRST):
            self.alive = self.alive[: (len(self.alive) + 1) // 2]
        before = self.alive[0].pairs
        size = before * (3 if len(self.alive) > 1 else 1) if before else FIRST
        if self.target is None and before and len(self.alive) == 1:
            size = min(size, max(self._learning() - before, FIRST))
        size = min(max(size, FIRST), LARGEST_BLOCK, room // len(self.alive))
        if size < 1:
            return []
        widest = max(FIRST, self.alive[0].drawer.chunks(LARGEST_BLOCK)[0])
        step = min(max(FIRST, -(-size // CHUNKS)), widest)
        return [step] * (size // step) + ([size % step] if size % step else [])

    def _learning(self) -> int:
        return min(LEARNING, self.task.trials // 4)

    def _slots(self) -> list[Slot]:
        """What can be bet on, and the point of attack once enough was seen to choose it."""
        slots = [slot for contender in self.alive for slot in contender.slots]
        if self.target is None and slots and self.drawn >= self._learning():
            self._aim(weakest(slots, self._targets()))
        if self.target is None:
            return []
        return [slot for slot in slots if self.target.direction in (None, slot.direction)]

    def _settle(self, slots: list[Slot]) -> Settlement | None:
        if not slots or self.target is None or self.chain is None:
            return None
        settlement = bets(slots, self.target)
        self.chain = self.chain.settle(settlement)
        return settlement

    def _block(
        self, index: int, sizes: list[int], slots: list[Slot]
    ) -> tuple[dict[int, tuple[Sample, Sample]], NDArray[np.int64]]:
        """Draw a block in parts and bet on each of them; what was drawn, and counts of the kinds of each slot."""
        seen: dict[int, tuple[Sample, Sample]] = {}
        counts = np.zeros((len(slots), 4), dtype=np.int64)
        for part, size in enumerate(sizes):
            ordered: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
            for contender in self.alive:
                names = ("draw", index, contender.place, part)
                first, second = (
                    contender.drawer.draw(side, size, rng=self.task.stream(*names, side)) for side in (0, 1)
                )
                orders = [self.task.stream(*names, side, "order") for side in (0, 1)]
                ordered[contender.place] = in_order(first, orders[0]), in_order(second, orders[1])
                before = seen.get(contender.place)
                seen[contender.place] = (
                    (first, second) if before is None else (before[0].joined(first), before[1].joined(second))
                )
            self.drawn += size * len(self.alive)
            if slots and self.chain is not None and self.target is not None:
                found = kinds(slots, ordered)
                counts += np.stack([np.bincount(row, minlength=4) for row in found])
                self.chain = self.chain.update(found)
                if self.chain.run() > self.target.place:
                    self.stop = "refuted"
            self.task.progress(f"{self.drawn} pairs drawn", min(1.0, self.drawn / self.task.trials))
            if self.stop is not None:
                break
        return seen, counts

    def _learn(self, seen: Mapping[int, tuple[Sample, Sample]]) -> None:
        """New events from the block; then the less promising half of the contenders goes."""
        if self.stop is not None:
            return
        levels, thorough = self._levels(), len(self.alive) == 1
        learned = [one.after(seen[one.place], levels, self.task, thorough=thorough) for one in self.alive]
        learned.sort(key=lambda one: one.standing, reverse=True)
        self.alive = learned[: (len(learned) + 1) // 2]

    def _levels(self) -> list[Lines]:
        """What the claim, or its point of attack, says of events in each direction; then weaker claims."""
        aim = self.target or self._targets()[0]
        sides = (0, 1) if aim.direction is None else (aim.direction,)
        weaker: list[Lines] = [dict.fromkeys(sides, aim.lines_at(part)) for part in WEAKER]
        if self.target is not None:
            return [dict.fromkeys(sides, self.target.claimed_lines()), *weaker]
        return [{side: (np.exp(SLOPES), profile(self.goal.guarantee, side)) for side in (0, 1)}, *weaker]

    def _keep(self, settlement: Settlement, slots: list[Slot], counts: NDArray[np.int64]) -> None:
        """The record of a block: with it the claim's wealth can be computed again."""
        assert self.target is not None
        at = self.target.place
        by_slot = settlement.weights[at].sum(axis=1)
        leader = int(np.argmax(by_slot))
        contender = next(one for one in self.alive if one.place == slots[leader].source)
        self.last = slots[leader], counts[leader], contender
        for source, drawn in {slot.source: int(of.sum()) for slot, of in zip(slots, counts, strict=True)}.items():
            self.bet_on[source] = self.bet_on.get(source, 0) + drawn
        self.blocks.append(
            {
                "pairs": int(counts[0].sum()),
                "slots": [
                    {
                        "contender": slot.source,
                        "event": slot.event.text(),
                        "direction": _direction(slot.direction),
                        "slope": float(settlement.slopes[at, k]),
                        "delta": float(settlement.deltas[at, k]),
                        "weights": settlement.weights[at, k].tolist(),
                        "counts": counts[k].tolist(),
                    }
                    for k, slot in enumerate(slots)
                ],
            }
        )

    def _note(self, *, done: bool) -> None:
        book, chain = self.auditor.book, self.chain
        if book is None:
            return
        none = np.empty(0)
        book.note(
            chain=_words(self.target) if self.target is not None else {},
            e_values=self._own() if chain is not None else none,
            wealth=none if chain is None or self.carried is None else chain.e_values if chain.pairs else self.carried,
            peaks=chain.peaks if chain is not None else none,
            pairs=self.drawn,
            done=done,
            witness=self._witness() if self.last is not None else {},
        )

    def _own(self) -> Float:
        """E-values of this night alone, 1 where nothing was bet."""
        assert self.chain is not None and self.carried is not None
        if not self.chain.pairs:
            return np.ones_like(self.carried)
        return np.divide(self.chain.e_values, self.carried, out=np.ones_like(self.carried), where=self.carried > 0)

    def detectable(self) -> float | None:
        """Smallest true value of the measure, in an event of rate `_rate` under Q, that is refuted with 80 % power.

        By the leading contender's own pairs, half of those that were bet on (the rest learns), with an even share of
        the wealth among as many slots as were ever bet on at once.
        """
        if self.last is None or self.target is None:
            return None
        slot, q = self.last[0], self._rate()
        pairs, share = self.bet_on[slot.source] // LEARNT_BY, max(len(block["slots"]) for block in self.blocks)
        p = detectable_hits(q, pairs, *self.target.claimed_lines(), alpha=self.task.alpha / share, power=POWER)
        return float(value(self.target.measure, np.array(p), np.array(q))) if np.isfinite(p) else float("inf")

    def _rate(self) -> float:
        """How often the leading event came under Q, a little raised."""
        counts = self.last[1] if self.last is not None else np.zeros(4)
        return (float(counts[1] + counts[3]) + 0.5) / (float(counts.sum()) + 1.0)

    def _enough(self) -> bool:
        """Whether a violation that is worth finding would most likely have been found by now."""
        worth, target = self.auditor.worth, self.target
        if worth is None or target is None or target.measure != self.goal.headline:
            return False
        found = self.detectable()
        return found is not None and found <= worth

    def evidence(self) -> Evidence:
        """What came of it."""
        task = self.task
        target = self.target or self._targets()[0]
        chain = self.chain or Chain.start(target.values.size, alpha=task.alpha)
        run = chain.run()
        bound = float(target.values[run - 1]) if run else 0.0
        measure = target.measure
        slot, counts, leader = (
            self.last if self.last is not None else (None, np.zeros(4, dtype=np.int64), self.alive[0])
        )
        size = int(counts.sum())
        rates = ((counts[2] + counts[3]) / size, max(counts[1] + counts[3], 0.5) / size) if size else None
        own = self._own() if self.chain is not None else np.ones(target.values.size)
        witness, book = self._witness(), self.auditor.book
        if slot is None and book is not None and run > target.place:  # it fell in an earlier night
            witness = dict(book.witness(target.place, least=1.0 / task.alpha)) or witness
        reached = int(chain.reached[: target.place + 1].max()) if run > target.place else None
        return Evidence(
            claim=task.claim.id,
            auditor=self.auditor.name,
            version=self.auditor.version,
            measure=measure,
            bound=bound,
            excess=bound - measure.claimed,
            confidence=1.0 - task.alpha,
            estimate=float(value(measure, np.array(rates[0]), np.array(rates[1]))) if rates else None,
            detectable=self.detectable(),
            ceiling=self._ceiling(target),
            trials=self.drawn,
            seed=task.seed,
            statistics={
                "stop": self.stop,
                "e_value": float(chain.e_values[target.place]),
                "e_value_largest": float(chain.peaks[target.place]),
                "e_value_here": float(own[target.place]),
                "alpha": task.alpha,
                "pairs": self.drawn,
                "pairs_bet": chain.pairs,
                "pairs_bet_when_refuted": reached,
                "direction": witness["direction"],
                "detectable_in_rate": self._rate() if self.last is not None else None,
                "chain": {**_words(target), "values": target.values.tolist(), "e_values": chain.e_values.tolist()},
                "fractions": FRACTIONS.tolist(),
                "blocks": self.blocks,
                "contenders": self.looked_at,
                "counts_in_kernel": leader.drawer.counting,
            },
            witness=witness,
            picture=self._picture(rates, slot.direction if slot is not None else 0),
        )

    def _witness(self) -> dict[str, Any]:
        """The event that most was bet on last, and its pair."""
        slot, _, leader = self.last if self.last is not None else (None, None, self.alive[0])
        return {
            **plain_pair(leader.pair),
            "direction": _direction(slot.direction if slot is not None else 0),
            "event": slot.event.text() if slot is not None else "none: both sides looked alike",
            "parameters": dict(leader.parameters),
        }

    def _ceiling(self, target: Target) -> float:
        """The largest value of the chain that all trials could reject, every pair a hit under P and none under Q."""
        t, delta = target.lines
        flat = perfect_wealth(self.task.trials, np.exp(t).ravel(), delta.ravel()).reshape(t.shape)
        able = flat.max(axis=1) >= 1.0 / self.task.alpha
        run = int(able.size if able.all() else np.argmin(able))
        return float(target.values[run - 1]) if run else 0.0

    def _picture(self, rates: tuple[float, float] | None, direction: int) -> dict[str, Any]:
        """The claimed curve, and the event's rates: a sequential audit has no rectangle."""
        alpha = np.unique(np.concatenate([np.linspace(0.0, 1.0, 64), np.geomspace(1e-6, 1.0, 64)]))
        beta = np.asarray(self.goal.guarantee.tradeoff(alpha, reverse=bool(direction)), dtype=np.float64)
        found: dict[str, Any] = {"claimed": {"alpha": alpha.tolist(), "beta": beta.tolist()}}
        if rates is not None:
            found["point"] = {"fpr": float(min(rates[1], 1.0)), "fnr": float(1.0 - rates[0])}
        return found


def _direction(direction: int) -> str:
    return f"{SIDES[direction]} against {SIDES[1 - direction]}"


def _words(target: Target) -> dict[str, Any]:
    """What a chain is made from, as plain JSON values."""
    measure = target.measure
    argument = None if np.isnan(measure.argument) else measure.argument
    return {
        "kind": measure.kind,
        "argument": argument,
        "claimed": measure.claimed,
        "direction": target.direction,
        "most": target.most,
    }


def register(registry: Registry) -> None:
    """Put the auditor into the registry."""
    registry.auditors.add("sequential", SequentialAuditor())
