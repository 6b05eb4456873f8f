"""What answers of one accountant must have to do with each other, and with a lower bound; a relation a class.

An upper bound that is loose contradicts nothing: two answers refute an accountant only where the intervals that it
states itself exclude each other, or where one of them lies below a lower bound. Else they are *inconsistent*: both
cannot be what the accountant's own rules give, and which of them is wrong is not known.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dpverify.accountant_audit.cases import Case
from dpverify.accountant_audit.judge import Judge, LowerBound, is_below, raised
from dpverify.accountant_audit.kinds import NUMBERS, AuditedRun, Runs, text_of, told
from dpverify.accountant_audit.subject import Answer, Subject


class NotComparedError(Exception):
    """One setting puts no two questions."""


ONE_BY_ONE = " composed one by one"


@dataclass(frozen=True, slots=True)
class Given:
    """One answer, and to which question."""

    runs: Runs
    delta: float
    answer: Answer
    how: str = ""
    """In words, how the question was put, where it was not by the runs as they stand."""

    def text(self) -> str:
        """Such as ``1.5 for gaussian(sigma=1)*2 at delta = 1e-05``."""
        return f"{self.answer.text()} for {text_of(self.runs)}{self.how} at delta = {told(self.delta)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContradiction:
    """Answers that cannot all be right, or cannot all follow one rule."""

    refuted: bool
    answers: tuple[Given, ...]
    words: str
    bound: LowerBound | None = None


@dataclass(frozen=True, slots=True)
class AskedAccountant:
    """One accountant, and its judge."""

    subject: Subject
    judge: Judge

    def epsilon(self, runs: Runs, delta: float, how: str = "", **put: Any) -> Given:
        """The accountant's epsilon; RefusedError where it gives none."""
        return Given(runs, delta, self.subject.epsilon(runs, delta, **put), how)

    def differ(self, first: Given, second: Given, *, rises: bool = False) -> AnswerContradiction | None:
        """Two answers that must be equal, or (`rises`) of which the second must not be less."""
        one, other = first.answer, second.answer
        finite = [each.upper for each in (one, other) if math.isfinite(each.upper)]
        if _agree(one, other, self.subject.slack(first.runs, *finite), rises=rises):
            return None
        answers = (first, second)
        for given in sorted(answers, key=lambda each: each.answer.upper):
            if found := self.below(given, answers):
                return found
        if _apart(one, other, rises=rises):
            return AnswerContradiction(
                refuted=True, answers=answers, words="the intervals that it states exclude each other"
            )
        return AnswerContradiction(refuted=False, answers=answers, words="one of the two is wrong, or loose")

    def below(self, given: Given, answers: tuple[Given, ...]) -> AnswerContradiction | None:
        """An epsilon that lies below a lower bound."""
        bound, upper = self.judge.epsilon(given.runs, given.delta), given.answer.upper
        if not is_below(upper, bound):
            return None
        words = f"{upper:.6g} lies below the cost of {bound.by}, at least {bound.value:.6g}"
        return AnswerContradiction(refuted=True, answers=answers, words=words, bound=bound)


def _agree(one: Answer, other: Answer, slack: float, *, rises: bool) -> bool:
    """Tell whether two answers are equal (`rises`: the second is not less), as far as the accountant states its own."""
    if math.isnan(one.upper) or math.isnan(other.upper):
        return math.isnan(one.upper) and math.isnan(other.upper)
    if one.upper == other.upper or (rises and other.upper >= one.upper - slack):
        return True
    if one.lower is not None and other.lower is not None:
        return not _apart(one, other, rises=rises)
    return abs(one.upper - other.upper) <= slack


def _apart(one: Answer, other: Answer, *, rises: bool) -> bool:
    """Tell whether the stated intervals exclude that they bracket one number (`rises`: that the second is not less)."""
    if one.lower is None or other.lower is None:
        return False
    return is_below(other.upper, one.lower) or (not rises and is_below(one.upper, other.lower))


class AnswerRelation(ABC):
    """A relation between answers.

    Attributes
    ----------
    name, asks : str
        Of the row, and what is asked in a line.
    fewest_runs, most_runs, most_count : int
        Of the settings that are drawn.
    number : str
        What is raised; empty where nothing is.
    share : float
        Of the settings that an audit looks at.
    climbs : bool
        Whether the search climbs towards a high `score`.
    """

    name = ""
    asks = ""
    fewest_runs, most_runs = 1, 3
    most_count = 1000
    number = ""
    share = 1.0
    climbs = False

    def unsupported(self, asked: AskedAccountant) -> str:
        """Say why the accountant cannot be asked this; empty where it can."""
        return ""

    @abstractmethod
    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The contradiction at one setting; RefusedError without an answer, NotComparedError with one question only."""

    def score(self, asked: AskedAccountant, case: Case) -> float:
        """Larger is nearer to a contradiction."""
        return 0.0


class LowerBoundRelation(AnswerRelation):
    """No answer lies below a lower bound on the truth."""

    name, asks = "lower bound", "is any answer below the cost of a mechanism that attains the steps?"
    climbs, share = True, 2.0

    def unsupported(self, asked: AskedAccountant) -> str:
        """It must be known for one of its steps which mechanism attains it."""
        known = [kind for kind, numbers in asked.subject.steps.items() if asked.judge.knows((_plain(kind, numbers),))]
        return "" if known else f"no lower bound is known for its steps under {asked.subject.relation}"

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """An answer that is lower."""
        given = asked.epsilon(case.runs, case.delta)
        if math.isnan(given.answer.upper):
            return AnswerContradiction(refuted=False, answers=(given,), words="it is no number")
        return asked.below(given, (given,))

    def score(self, asked: AskedAccountant, case: Case) -> float:
        """The lower bound over the answer."""
        answer = asked.epsilon(case.runs, case.delta).answer.upper
        bound = asked.judge.epsilon(case.runs, case.delta).value
        return bound / answer if 0 < answer < math.inf and 0 < bound < math.inf else 0.0


class CountRelation(AnswerRelation):
    """A count is a repetition."""

    name, asks = "count", "does compose(step, k) cost what k times compose(step, 1) do?"
    most_runs, most_count = 2, 10

    def unsupported(self, asked: AskedAccountant) -> str:
        """A function has no other way to say it."""
        return "a function is told a count only" if asked.subject.one_run else ""

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs with their counts, and one by one."""
        one_by_one = tuple(AuditedRun(run.kind, run.numbers) for run in case.runs for _ in range(run.count))
        if one_by_one == case.runs:
            raise NotComparedError
        second = asked.subject.epsilon(one_by_one, case.delta)
        return asked.differ(asked.epsilon(case.runs, case.delta), Given(case.runs, case.delta, second, ONE_BY_ONE))


class OrderRelation(AnswerRelation):
    """Order changes nothing."""

    name, asks = "order", "do the same steps in another order cost the same?"
    fewest_runs = 2
    unsupported = CountRelation.unsupported

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs, and the same ones backwards."""
        other = case.runs[::-1]
        if other == case.runs:
            raise NotComparedError
        return asked.differ(asked.epsilon(case.runs, case.delta), asked.epsilon(other, case.delta))


class GroupingRelation(AnswerRelation):
    """Grouping changes nothing."""

    name, asks = "grouping", "does a step cost the same when its runs are split around other steps?"
    unsupported = CountRelation.unsupported

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs, and the same with one of them split in two, its second part at the end."""
        run = case.run
        if run.count < 2:
            raise NotComparedError
        other = (*case.with_run(run.times(1)), run.times(run.count - 1))
        return asked.differ(asked.epsilon(case.runs, case.delta), asked.epsilon(other, case.delta))


class NoOpRelation(AnswerRelation):
    """A step that is not run costs nothing."""

    name, asks = "no-op", "does a step that is run no times change the cost?"
    share = 0.5
    unsupported = CountRelation.unsupported

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs with and without a step of count 0."""
        other = (*case.runs, case.run.times(0))
        return asked.differ(asked.epsilon(case.runs, case.delta), asked.epsilon(other, case.delta))


class RepeatedRelation(AnswerRelation):
    """The same question has the same answer."""

    name, asks = "repeated", "is the answer the same when the question is asked again?"
    share = 0.25

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """One question, twice."""
        again = asked.epsilon(case.runs, case.delta, ", asked again,", again=True)
        return asked.differ(asked.epsilon(case.runs, case.delta), again)


class RisingRelation(AnswerRelation):
    """The cost rises with a number, or falls where that is more noise or a larger delta."""

    def __init__(self, number: str) -> None:
        self.number = number
        rises = number == "steps" or (number != "delta" and NUMBERS[number].rises)
        self._rises = rises
        self.name = "twice" if number == "steps" else f"monotone in {number}"
        more = "more steps" if number == "steps" else f"a larger {number}"
        self.asks = f"does {more} never cost {'less' if rises else 'more'}?"
        self.share = 1.0 if number == "steps" else 0.5

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs, and the same with one number of one of them more."""
        run, given = case.run, asked.epsilon(case.runs, case.delta)
        if self.number == "delta":
            more = asked.epsilon(case.runs, min(case.delta * case.factor, 0.5))
        elif self.number == "steps":
            more = asked.epsilon(case.with_run(run.times(2 * run.count)), case.delta)
        else:
            value = dict(run.numbers).get(self.number)
            if value is None:
                raise NotComparedError
            if self.number == "q" and value == 1.0:
                raise NotComparedError
            larger = float(f"{value * case.factor:.6g}")
            other = run.but(self.number, min(larger, 1.0) if self.number == "q" else larger)
            more = asked.epsilon(case.with_run(other), case.delta)
        return asked.differ(*((given, more) if self._rises else (more, given)), rises=True)


class InverseRelation(AnswerRelation):
    """Epsilon at delta, and delta at epsilon, are one curve."""

    name, asks = "inverse", "is delta at the epsilon of a delta that delta?"

    def unsupported(self, asked: AskedAccountant) -> str:
        """An accountant without `delta` has one of the two only."""
        return "" if asked.subject.has("delta") else "it has no delta(epsilon)"

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The epsilon of a delta, its delta, and the epsilon of that."""
        first = asked.epsilon(case.runs, case.delta)
        epsilon = first.answer.upper
        if not 0 < epsilon < math.inf:
            raise NotComparedError
        # The bound stands at an epsilon that is larger by what is rounding.
        back, bound = asked.subject.delta(case.runs, epsilon), asked.judge.delta(case.runs, raised(epsilon))
        if is_below(back.upper, bound):
            words = (
                f"the delta at {epsilon:.6g} is {back.upper:.6g}, below that of {bound.by}, at least {bound.value:.6g}"
            )
            return AnswerContradiction(refuted=True, answers=(first,), words=words, bound=bound)
        if back.upper == 0 or (back.lower is not None and back.lower <= case.delta <= back.upper):
            return None
        if not 0 < back.upper < 1:
            words = f"the delta at {epsilon:.6g} is {back.upper:.6g}"
            return AnswerContradiction(refuted=False, answers=(first,), words=words)
        how = f", whose delta at {epsilon:.6g} is {back.text()},"
        return asked.differ(first, asked.epsilon(case.runs, back.upper, how))


class SavedRelation(AnswerRelation):
    """A state that was saved and restored costs the same."""

    name, asks = (
        "saved state",
        "does state_dict(), restored into a new accountant, cost the same, also when it goes on?",
    )
    share = 0.5

    def unsupported(self, asked: AskedAccountant) -> str:
        """An accountant without a state to save."""
        both = asked.subject.has("state_dict") and asked.subject.has("load_state_dict")
        return "" if both else "it has no state_dict and load_state_dict"

    def look(self, asked: AskedAccountant, case: Case) -> AnswerContradiction | None:
        """The runs, and the same with the state saved and restored behind one of them."""
        after = 1 + case.place % len(case.runs)
        restored = asked.epsilon(case.runs, case.delta, f", restored behind step {after},", saved_after=after)
        return asked.differ(asked.epsilon(case.runs, case.delta), restored)


def relations(subject: Subject) -> Iterator[AnswerRelation]:
    """All relations that an accountant of these steps is held to, in the order of the table."""
    yield from (
        LowerBoundRelation(),
        CountRelation(),
        OrderRelation(),
        GroupingRelation(),
        NoOpRelation(),
        RepeatedRelation(),
        RisingRelation("steps"),
    )
    numbers = [name for name in NUMBERS if any(name in of_kind for of_kind in subject.steps.values())]
    yield from (RisingRelation(name) for name in (*numbers, "delta"))
    yield from (InverseRelation(), SavedRelation())


def _plain(kind: str, numbers: tuple[str, ...]) -> AuditedRun:
    return AuditedRun(kind, tuple((name, NUMBERS[name].plain[0]) for name in numbers))
