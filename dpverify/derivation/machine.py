"""One path through the code: the proof that grows, the choices made so far, and the record that is looked at.

A path is a list of answers to the questions that the code asks of public values. Each run of the code from its start
follows one list and notes where it went on beyond it; the driver (`dpverify.derivation.paths`) runs all of them.
Questions about the generic record are answered both ways within one path (`RecordRun`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpverify.derivation import known
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import DataColumn, Generator, Lifted, NoiseDraw, OneRecord, Private, Public
from dpverify.proofs.narrowed import Ranges
from dpverify.proofs.node import Node
from dpverify.proofs.operations import NUMBER, ProofError
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.ranges import Range

MOST_STEPS = 100_000
"""Statements of one path."""

MOST_BRANCHES = 256
"""Ways of one record through a loop's body."""

LONGEST = 200
"""Decisions of one path."""


@dataclass
class RecordRun:
    """One way of the generic record through a body.

    Attributes
    ----------
    answers, taken : sequence
        The answers to follow, and the questions with their answers.
    first : sequence
        What holds for every record of the loop.
    outer : frozenset of int
        Lists and dicts that were there before: other records see what is done to them.
    """

    answers: Sequence[bool]
    first: Sequence[tuple[Node, bool]] = ()
    outer: frozenset[int] = frozenset()
    taken: list[tuple[Node, bool]] = field(default_factory=list)


@dataclass
class Machine:
    """Keeps what is known while one path is read."""

    program: ProofProgram
    answers: Sequence[bool]
    conditions: list[tuple[Node, bool]] = field(default_factory=list)
    record: RecordRun | None = None
    steps: int = 0
    depth: int = 0
    owned: dict[int, Any] = field(default_factory=dict)
    place: str = ""
    released: list[str] = field(default_factory=list)
    fresh: dict[int, Any] = field(default_factory=dict)
    frozen: dict[int, Any] = field(default_factory=dict)
    modules: dict[str, None] = field(default_factory=dict)
    ways: list[tuple[tuple[Node, bool], ...]] = field(default_factory=list)

    def step(self) -> None:
        """One statement more."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise NotDerivedError(f"more than {MOST_STEPS:,} statements on one path")

    def own(self, value: Any) -> Any:
        """Note that this call made a list, a dict or an array just now, which it may change."""
        if id(value) not in self.owned:
            self.owned[id(value)] = value
            self.fresh[id(value)] = value
        return value

    def share(self, *values: Any) -> None:
        """Note that a value may have a second name from here on."""
        for value in values:
            self.fresh.pop(id(value), None)

    def freeze(self, value: Any) -> None:
        """Note that a list or dict is gone through later: it must not change any more."""
        self.frozen[id(value)] = value

    def check_change(self, holder: Any) -> None:
        """NotDerivedError unless this call made it, nobody goes through it, and no other record sees it."""
        if id(holder) not in self.owned or id(holder) in self.frozen:
            raise NotDerivedError("a list or dict is changed that this function did not make, or that it goes through")
        if self.record is not None and id(holder) in self.record.outer:
            raise NotDerivedError("a list or dict is changed in a loop over records")

    def numbers(self, value: Any) -> Node:
        """The value in the proof, where numpy computes: a Python integer is one of 64 bits there."""
        if type(value) is int:
            if not -(2**63) <= value < 2**63:
                raise NotDerivedError(f"the integer {value} meets an array")
            value = np.int64(value)
        node = self.node(value)
        if node.kind == NUMBER:
            raise NotDerivedError("a number that may be an integer or a double meets numpy", "convert it with float")
        return node

    def op(self, name: str, /, *nodes: Node, given: Sequence[tuple[Node, bool]] = (), **params: Any) -> Node:
        """A value of the proof; NotDerivedError where no rule allows it.

        In a loop over records nothing may raise or warn: it would tell that there are records.
        """
        public = nodes and all(each.level == "public" for each in nodes)
        constant = all(each.op == "constant" for each in nodes) and name not in ("call", "random", "expose")
        if self.record is not None and public and not constant:
            raise NotDerivedError("released values are computed with in a loop over records", "do it before the loop")
        try:
            return self.program.append(name, *nodes, **params)
        except ProofError as problem:
            conditions = [*given, *((*self.record.first, *self.record.taken) if self.record else ())]
            if not conditions or params or name in ("draw", "release", "sum"):
                raise NotDerivedError(str(problem)) from None
        try:
            places = [[self.program.places[node], truth] for node, truth in conditions]
            return self.program.append(name, *nodes, given=places)
        except ProofError as problem:
            raise NotDerivedError(str(problem)) from None

    def node(self, value: Any) -> Node:
        """The value in the proof."""
        if isinstance(value, Public | OneRecord | DataColumn | Private | NoiseDraw):
            return value.node
        if isinstance(value, Lifted):
            raise NotDerivedError(f"{value.described()} is used as a number")
        if type(value) in (bool, int, float, np.float64, np.int64, np.bool_):
            return self.program.constant(value)
        if type(value) is np.ndarray and value.dtype in (np.float64, np.int64, np.bool_):
            if value.ndim > 1 and not value.size:  # a proof writes arrays as lists, in which (0, 3) is (0,)
                raise NotDerivedError("an empty array of several dimensions")
            return self.program.constant(value)
        raise NotDerivedError(f"a {type(value).__name__} is used as a number")

    def on_this_path(self, node: Node) -> Range:
        """Return the range of a released value where this path is taken."""
        here = Ranges()
        for asked, truth in self.conditions:
            here = here.where(asked, truth) or here
        return here.of(node)

    def where_record_is(self) -> Ranges:
        """Ranges on this way of the generic record."""
        here = Ranges()
        for asked, truth in (*self.record.first, *self.record.taken) if self.record else ():
            here = here.where(asked, truth) or here
        return here

    def is_never_zero(self, node: Node) -> bool:
        """Tell whether a released number cannot be 0 where this path is taken."""
        found = self.on_this_path(node)
        if not bool(((found.lo <= 0) & (found.hi >= 0)).any()):
            return True
        return node.shape == () and any(_excludes_zero(asked, truth, node) for asked, truth in self.conditions)

    def condition(self, value: Any) -> Node:
        """The truth of a number or a condition, as a value of the proof."""
        node = self.node(value)
        if node.shape != ():
            raise NotDerivedError("the truth of an array")
        if node.kind == "bool":
            return node
        return self.op("logical_not", self.op("equal", node, self.program.constant(0)))

    def holds(self, value: Any) -> bool:
        """Tell whether a condition holds on this path; both answers are explored."""
        if isinstance(value, Public):
            return self._decide(self.condition(value))
        if isinstance(value, OneRecord):
            return self._decide_for_record(self.condition(value))
        if isinstance(value, Generator):
            return True
        if isinstance(value, Lifted):
            raise NotDerivedError(f"a branch on {value.described()}", "add noise first, and branch on what is released")
        if type(value) in (list, tuple, dict) or (known.plain(value) and not known.plain_array(value)):
            return bool(value)
        if known.plain_array(value):
            raise NotDerivedError("the truth of an array")
        raise NotDerivedError(f"a branch on a {type(value).__name__}")

    def _decide(self, node: Node) -> bool:
        found = node.range.truth
        if found is not None:
            return found
        if self.record is not None:
            raise NotDerivedError(
                "a branch on a released value within a loop over records", "branch outside of the loop"
            )
        for asked, truth in self.conditions:
            if asked is node:
                return truth
        place = len(self.conditions)
        if place >= LONGEST:
            raise NotDerivedError(f"more than {LONGEST} branches on released values on one path")
        truth = self.answers[place] if place < len(self.answers) else True
        self.conditions.append((node, truth))
        return truth

    def _decide_for_record(self, node: Node) -> bool:
        run = self.record
        if run is None:
            raise NotDerivedError("a branch on a value of one record")
        found = node.range.truth
        if found is not None:
            return found
        here = Ranges()
        for asked, truth in (*run.first, *run.taken):
            if asked is node:
                return truth
            here = here.where(asked, truth) or here
        if (decided := here.of(node).truth) is not None:
            return decided
        place = len(run.taken)
        truth = run.answers[place] if place < len(run.answers) else True
        run.taken.append((node, truth))
        return truth


def _excludes_zero(asked: Node, truth: bool, node: Node) -> bool:
    """Tell whether the answer to ``node > 0``, ``node < 0``, ``node == 0`` or their like leaves no zero."""
    if asked.op == "logical_not":
        return _excludes_zero(asked.inputs[0], not truth, node)
    if asked.op not in ("less", "less_equal", "equal") or node not in asked.inputs:
        return False
    other = asked.inputs[1] if asked.inputs[0] is node else asked.inputs[0]
    if other.op != "constant" or other.shape != ():
        return False
    if asked.op == "equal":
        return not truth and bool(other.range.lo == other.range.hi == 0)
    if asked.op == "less" and truth:
        return bool(other.range.hi <= 0) if asked.inputs[0] is node else bool(other.range.lo >= 0)
    return False


def next_answers(taken: Sequence[tuple[Node, bool]], first: int = 0) -> list[bool] | None:
    """The answers of the next path, depth first: the last True becomes False; None after the last path."""
    answers = [truth for _, truth in taken]
    while len(answers) > first and not answers[-1]:
        answers.pop()
    if len(answers) <= first:
        return None
    return [*answers[:-1], False]


def merged(machine: Machine, runs: Sequence[tuple[Sequence[tuple[Node, bool]], Node]]) -> Node:
    """The value of all ways of one record: a tree of choices by the conditions that they were explored by."""
    first, value = runs[0]
    if not first:
        return value
    condition = first[0][0]
    sides: dict[bool, list[tuple[Sequence[tuple[Node, bool]], Node]]] = {True: [], False: []}
    for taken, node in runs:
        if taken[0][0] is not condition:
            raise NotDerivedError("a loop body that does not ask the same of every record")
        sides[taken[0][1]].append((taken[1:], node))
    if not sides[True] or not sides[False]:
        raise NotDerivedError("a loop body with a way that was not explored")
    yes, no = (merged(machine, sides[truth]) for truth in (True, False))
    return yes if yes is no else machine.op("choose", condition, yes, no)
