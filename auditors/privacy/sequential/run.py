"""One sequential audit from start to stop: it draws a block, bets on it and learns from it.

Draws are made in blocks of doubling size. Events are learned from all draws before a block, for each remaining
contender; during the block the wealth is divided over these slots. Bets use only draws that were not seen before, so a
bad choice costs growth but not validity (`dpverify.stats.e_mixture`). `auditors.privacy.sequential.auditor` reports a
finished run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from auditors.privacy.event_bounds import Goal, direction_text
from auditors.privacy.outputs import Sample
from auditors.privacy.sequential.bets import Slot, bets, plain_block, weakest
from auditors.privacy.sequential.claim_chain import EvidenceJournal, Target, single, targets
from auditors.privacy.sequential.events import (
    FIRST,
    LARGEST_BLOCK,
    Contender,
    counts_of,
    digests,
    in_order,
    kinds,
    levels_of,
    parts,
)
from auditors.privacy.sequential.power import Round, detectable
from dpverify.core.auditing import Task
from dpverify.core.errors import InputError
from dpverify.core.subjects import Float
from dpverify.datasets.neighbors.json_values import plain_pair
from dpverify.stats.e_mixture import FRACTIONS, Chain, Settlement

LEARNING = 256
"""Pairs for choosing the target where the claim has several (at most a quarter of the trials)."""

Stop = Literal["refuted", "power", "trials"]


@dataclass(kw_only=True)
class Run:
    """One audit."""

    task: Task
    goal: Goal
    alive: list[Contender]
    """The remaining contenders, the best first."""
    journal: EvidenceJournal | None = None
    """Earlier sessions that this run continues."""
    detect: float | None = None
    """The true value that the audit should detect."""
    target: Target | None = None
    chain: Chain | None = None
    """`target`, `chain`: the chain that is bet against, and its state; None until the target is chosen."""
    carried: Float | None = None
    """Wealth from earlier sessions."""
    drawn: int = 0
    looked_at: int = 0
    blocks: list[dict[str, Any]] = field(default_factory=list)
    last: tuple[Slot, NDArray[np.int64], Contender] | None = None
    """The slot with the largest bet in the last block, its counts, and its contender."""
    bet_on: dict[int, int] = field(default_factory=dict)
    rounds: list[Round] = field(default_factory=list)
    stop: Stop | None = None

    def play(self) -> None:
        """Draw, bet and learn block by block until the audit stops."""
        self.looked_at = len(self.alive)
        self._resume()
        if self.journal is not None:
            self.journal.begin()
        index = 0
        while self.stop is None:
            sizes = self._sizes()
            if not sizes:
                self.stop = "trials"
                break
            slots = self._slots()
            settled = self._settle(slots)
            seen, counts, moments = self._block(index, sizes, slots if settled is not None else [])
            if index == 0 and self.journal is not None:
                self.journal.drew(digests(seen))
            if settled is not None:
                self._keep(settled, slots, counts, moments)
            self._learn(seen)
            if self.stop is None and self._enough():
                self.stop = "power"
            self._note(done=False)
            index += 1
        self._note(done=True)

    def _resume(self) -> None:
        """Use the chain of earlier sessions, or the only one of the claim."""
        journal = self.journal
        if journal is not None and journal.chain:
            of = {name: part for name, part in journal.chain.items() if name in ("most", "values")}
            candidates = [one for one in self.targets() if one.words() | of == dict(journal.chain)]
            if not candidates:
                raise InputError(
                    f"the evidence was against {dict(journal.chain)}, which this audit does not bet against",
                    allowed="sessions of one version and one claim",
                )
            self._aim(Target(measure=candidates[0].measure, direction=candidates[0].direction, most=of["most"]))
        elif single(self.goal.guarantee):
            self._aim(self.targets()[0])

    def targets(self) -> list[Target]:
        """All points at which the claim may be tested, the headline first."""
        room = FRACTIONS[0] * self.task.trials / np.log(FRACTIONS.size / self.task.alpha)
        return targets(self.goal.guarantee, most=float(np.log(max(room, 2.0))))

    def _aim(self, target: Target) -> None:
        """Bet against this chain from here on."""
        journal, size = self.journal, target.values.size
        carried = journal is not None and len(journal.peaks) == size
        self.target = target
        self.carried = journal.wealth if journal is not None and carried else np.ones(size)
        self.chain = Chain.start(
            size,
            alpha=self.task.alpha,
            wealth=self.carried,
            peak=journal.peaks if journal is not None and carried else None,
        )
        if self.chain.run() > target.place:
            self.stop = "refuted"

    def _sizes(self) -> list[int]:
        """Parts of the next block, in pairs for each contender; empty when the trials are spent."""
        room = self.task.trials - self.drawn
        while len(self.alive) > 1 and room < len(self.alive) * max(self.alive[0].pairs, FIRST):
            self._halve()
        before = self.alive[0].pairs
        size = before * (3 if len(self.alive) > 1 else 1) if before else FIRST
        if self.target is None and before and len(self.alive) == 1:
            size = min(size, max(self._learning() - before, FIRST))
        size = min(max(size, FIRST), LARGEST_BLOCK, room // len(self.alive))
        if size < 1:
            return []
        return parts(size, self.alive[0].drawer)

    def _learning(self) -> int:
        return min(LEARNING, self.task.trials // 4)

    def _slots(self) -> list[Slot]:
        """The slots to bet on; chooses the target once there are enough draws."""
        slots = [slot for contender in self.alive for slot in contender.slots]
        if self.target is None and slots and self.drawn >= self._learning():
            self._aim(weakest(slots, self.targets()))
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
    ) -> tuple[dict[int, tuple[Sample, Sample]], NDArray[np.int64], list[NDArray[np.int64]]]:
        """Draw a block in parts and bet on each of them.

        Returns the draws, the counts of kinds for each slot, and these counts at every moment at which a claim was
        refuted.
        """
        seen: dict[int, tuple[Sample, Sample]] = {}
        counts = np.zeros((len(slots), 4), dtype=np.int64)
        moments: list[NDArray[np.int64]] = []
        for part, size in enumerate(sizes):
            ordered: dict[int, tuple[NDArray[Any], NDArray[Any]]] = {}
            for contender in self.alive:
                names = ("draw", index, contender.place, part)
                first, second = contender.drawer.both(size, self.task.stream, *names)
                orders = [self.task.stream(*names, side, "order") for side in (0, 1)]
                ordered[contender.place] = in_order(first, orders[0]), in_order(second, orders[1])
                before = seen.get(contender.place)
                seen[contender.place] = (
                    (first, second) if before is None else (before[0].joined(first), before[1].joined(second))
                )
            self.drawn += size * len(self.alive)
            if slots and self.chain is not None and self.target is not None:
                found = kinds(slots, ordered)
                earlier, self.chain = self.chain, self.chain.update(found)
                fell = np.unique(self.chain.reached[self.chain.reached > earlier.pairs]) - earlier.pairs
                moments += [counts + counts_of(found[:, :pairs]) for pairs in fell]
                counts += counts_of(found)
                if self.chain.run() > self.target.place:
                    self.stop = "refuted"
            self.task.progress(self._so_far(), min(1.0, self.drawn / self.task.trials))
            if self.stop is not None:
                break
        return seen, counts, moments

    def _so_far(self) -> str:
        """Draws, the wealth against the claim and the bound, for the progress display only."""
        told = f"betting, {self.drawn} of {self.task.trials} draws"
        if self.chain is None or self.target is None:
            return told
        place, refuted = self.target.place, self.chain.run()
        bound = float(self.target.values[refuted - 1]) if refuted else 0.0
        return f"{told}, wealth {self.chain.wealth[place]:.4g}; {self.target.measure.kind} >= {bound:.3g} so far"

    def _learn(self, seen: Mapping[int, tuple[Sample, Sample]]) -> None:
        """Learn new events from the block; then drop the worse half of the contenders."""
        if self.stop is not None:
            return
        levels = levels_of(self.goal.guarantee, self.target or self.targets()[0], chosen=self.target is not None)
        thorough = len(self.alive) == 1
        learned = [one.after(seen[one.place], levels, self.task, thorough=thorough) for one in self.alive]
        learned.sort(key=lambda one: one.standing, reverse=True)
        self.alive = learned
        self._halve()

    def _halve(self) -> None:
        """Drop the worse half of the contenders."""
        kept = (len(self.alive) + 1) // 2
        if kept < len(self.alive) and self.alive[0].pairs:
            self.rounds.append(Round(pairs=self.alive[0].pairs, of=len(self.alive), kept=kept))
        self.alive = self.alive[:kept]

    def _keep(
        self,
        settlement: Settlement,
        slots: list[Slot],
        counts: NDArray[np.int64],
        moments: list[NDArray[np.int64]],
    ) -> None:
        """Record a block, so that all wealths and the times of refutations can be computed again."""
        assert self.target is not None
        at = self.target.place
        by_slot = settlement.weights[at].sum(axis=1)
        leader = int(np.argmax(by_slot))
        contender = next(one for one in self.alive if one.place == slots[leader].source)
        self.last = slots[leader], counts[leader], contender
        for source, drawn in {slot.source: int(of.sum()) for slot, of in zip(slots, counts, strict=True)}.items():
            self.bet_on[source] = self.bet_on.get(source, 0) + drawn
        self.blocks.append(
            plain_block(slots, settlement, counts, at) | {"moments": [each.tolist() for each in moments]}
        )

    def _note(self, *, done: bool) -> None:
        journal, chain = self.journal, self.chain
        if journal is None:
            return
        none = np.empty(0)
        journal.note(
            chain=self.target.words() if self.target is not None else {},
            e_values=self.own() if chain is not None else none,
            wealth=none if chain is None or self.carried is None else chain.e_values if chain.pairs else self.carried,
            peaks=chain.peaks if chain is not None else none,
            pairs=self.drawn,
            done=done,
            witness=self.witness() if self.last is not None else {},
        )

    def own(self) -> Float:
        """E-values of this session alone, 1 without bets."""
        assert self.chain is not None and self.carried is not None
        if not self.chain.pairs:
            return np.ones_like(self.carried)
        return np.divide(self.chain.e_values, self.carried, out=np.ones_like(self.carried), where=self.carried > 0)

    def detectable(self) -> float | None:
        """The smallest violation that the leading event would have refuted; None without bets."""
        if self.last is None or self.target is None:
            return None
        return detectable(
            self.target,
            rate=self.rate(),
            counted=self.last[0].counted_with(self.last[1]).rates,
            pairs=self.bet_on[self.last[0].source],
            slots=max(len(block["slots"]) for block in self.blocks),
            alpha=self.task.alpha,
            rounds=self.rounds,
            rng=lambda: self.task.stream("power"),
        )

    def rate(self) -> float:
        """The leading event's rate under Q, raised by a small margin."""
        counts = self.last[1] if self.last is not None else np.zeros(4)
        return (float(counts[1] + counts[3]) + 0.5) / (float(counts.sum()) + 1.0)

    def _enough(self) -> bool:
        """Whether a violation of size `detect` would have been refuted with 80 % power by now."""
        detect, target = self.detect, self.target
        if detect is None or target is None or target.measure != self.goal.headline:
            return False
        found = self.detectable()
        return found is not None and found <= detect

    def witness(self) -> dict[str, Any]:
        """The event with the largest bet at the end, and its pair."""
        slot, _, leader = self.last if self.last is not None else (None, None, self.alive[0])
        return {
            **plain_pair(leader.pair),
            "direction": direction_text(slot.direction if slot is not None else 0),
            "event": slot.event.text() if slot is not None else "none: both sides looked alike",
            "parameters": dict(leader.parameters),
        }
