"""Settings that accountants are asked about: hypothesis draws them, and shrinks one that shows a contradiction.

The same seed visits the same settings in any process, without a database and without a clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from dpverify.accountant_audit.kinds import COUNTS, DELTA, NUMBERS, AuditedRun, Number, Runs, size_of, text_of, told
from dpverify.accountant_audit.subject import Subject

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

SHRINKS = 300
"""Settings that shrinking may look at: a limit in seconds would make the smallest one depend on the machine."""

FACTORS = (2.0, 1.5, 1.1, 1.01)
"""By which a number is raised, to see which way the cost moves."""


@dataclass(frozen=True, slots=True)
class Case:
    """One setting: runs, a delta, and what a relation does to them."""

    runs: Runs
    delta: float
    place: int = 0
    """Which of the runs is changed, split, or followed by a saved state."""
    number: str = ""
    factor: float = 2.0
    """`number`, `factor`: what is raised, and by how much."""

    @property
    def run(self) -> AuditedRun:
        """The run that is changed."""
        return self.runs[self.place % len(self.runs)]

    def with_run(self, run: AuditedRun) -> Runs:
        """The runs, with another in the place of that one."""
        place = self.place % len(self.runs)
        return (*self.runs[:place], run, *self.runs[place + 1 :])

    def text(self) -> str:
        """Such as ``gaussian(sigma=1)*3 at delta = 1e-05``."""
        return f"{text_of(self.runs)} at delta = {told(self.delta)}"


def _values(number: Number) -> SearchStrategy[float]:
    from hypothesis import strategies as st

    others = st.integers(0, 1000).map(lambda k: float(f"{number.low * (number.high / number.low) ** (k / 1000):.3g}"))
    return st.sampled_from(number.plain) | others


def cases(subject: Subject, *, fewest_runs: int, most_runs: int, most_count: int, number: str) -> SearchStrategy[Case]:
    """Settings of so many runs; where a number is to be raised, of steps that have it."""
    from hypothesis import strategies as st

    kinds = [kind for kind, numbers in subject.steps.items() if number in ("", "delta", "steps", *numbers)]

    def run(kind: str) -> SearchStrategy[AuditedRun]:
        numbers = st.tuples(*(st.tuples(st.just(name), _values(NUMBERS[name])) for name in subject.steps[kind]))
        counts = st.sampled_from([count for count in COUNTS if count <= most_count])
        return st.builds(AuditedRun, st.just(kind), numbers, counts)

    runs = st.sampled_from(kinds).flatmap(run)
    many = 1 if subject.one_run else most_runs
    return st.builds(
        Case,
        st.lists(runs, min_size=min(fewest_runs, many), max_size=many).map(tuple),
        _values(DELTA),
        st.integers(0, many - 1),
        st.just(number),
        st.sampled_from(FACTORS),
    )


class _ShrunkEnough(BaseException):
    """Leaves hypothesis, which catches every Exception as another failure to shrink."""


def plainest(
    strategy: SearchStrategy[Case],
    shows: Callable[[Case], bool],
    score: Callable[[Case], float] | None,
    *,
    examples: int,
    seed: int,
) -> Case | None:
    """The plainest setting that `shows` holds of, as far as `SHRINKS` calls find one; None when none was met."""
    from hypothesis import HealthCheck, Phase, Verbosity, find, settings, target
    from hypothesis.errors import NoSuchExample

    shown: list[Case] = []
    left = SHRINKS

    def condition(case: Any) -> bool:
        nonlocal left
        if shown:
            left -= 1
            if left < 0:
                raise _ShrunkEnough
        if score is not None:
            target(score(case))
        if shows(case):
            shown.append(case)
            return True
        return False

    quiet = settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,  # `random` below decides
        phases=(Phase.generate, Phase.target, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    try:
        return find(strategy, condition, settings=quiet, random=Random(seed))
    except NoSuchExample:
        return None
    except _ShrunkEnough:
        return min(shown, key=lambda case: (len(case.runs), size_of(case.runs)))
