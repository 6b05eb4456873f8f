"""Does units here or in worker processes; what is finished is kept at once, and done again by nobody.

A unit of work is plain JSON, and so is what it gives, so that it may be done anywhere, kept in a file, and be the same;
it draws from named streams of its own.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.errors import AuditError, DpverifyError, InputError
from dpverify.core.subjects import Float
from dpverify.frontier.asked import FrontierSettings
from dpverify.frontier.attacks import FEW, OTHERS, Attack, CanaryPair, canary_pairs
from dpverify.frontier.labelled_data import labelled
from dpverify.frontier.references import Reference, without_privacy
from dpverify.frontier.trained import METRICS, Trained
from dpverify.frontier.trainer import Trainer, load_trainer
from dpverify.runner.journal import Journal
from dpverify.runner.limits import Limits
from dpverify.runner.memory import share_of_machine
from dpverify.runner.pool import OverTime, Pool
from dpverify.runner.subprocess_guard import begin_audits
from dpverify.runner.thread_limits import one_thread
from dpverify.sampling.streams import stream
from dpverify.utility.split import split

Told = Callable[[str, float], None]

GRACE = 5.0
"""Seconds beyond the limit of its calls after which a worker is ended that Python could not break into."""

_benches: dict[str, Bench] = {}
"""Of a worker process: one."""


Unit = list[Any]

SIDES = ("with", "without")
PAIRS = 2


class Bench:
    """Everything that one process needs.

    Parameters
    ----------
    asked : FrontierSettings
    limit : TimeLimit
        Of calls; entered by whoever does units here.

    Raises
    ------
    InputError
        For a trainer or data of another form, and for unknown references.
    """

    def __init__(self, asked: FrontierSettings, limit: TimeLimit) -> None:
        self.asked = asked
        self.table, self.classes, self.prepared = labelled(asked.data, label=asked.label)
        subject = load_trainer(asked.trainer) if isinstance(asked.trainer, str) else asked.trainer
        self.trainer = Trainer(subject, name=asked.name, classes=self.classes, limit=limit)
        self.metric = METRICS[asked.metric]
        if self.metric.scored and self.classes > 2:
            raise InputError(f"metric {asked.metric!r} with {self.classes} classes", allowed="accuracy")
        self.references = {
            name: Reference(name=name, classes=self.classes, delta=asked.delta, relation=asked.relation)
            for name in asked.against
        }
        self._pairs: dict[int, tuple[CanaryPair, ...]] = {}

    def do(self, unit: Unit) -> Any:
        """Do one unit: its kind, then its arguments."""
        kind, *words = unit
        kinds: dict[str, Callable[..., Any]] = {
            "worth": self.worth,
            "ceiling": self.ceiling,
            "pilot": self.pilot,
            "runs": self.runs,
        }
        return kinds[kind](*words)

    @property
    def training_rows(self) -> int:
        """Records of a training part."""
        return int(self._split(0)[0].rows)

    def pair(self, others: int, place: int) -> CanaryPair:
        """One of the pairs with so many other records."""
        if others not in self._pairs:
            self._pairs[others] = canary_pairs(
                self.table.columns, self.classes, relation=self.asked.relation, norm=self.asked.norm, others=others
            )
        return self._pairs[others][place]

    def pairs(self) -> list[tuple[int, int]]:
        """(others, place) of the pairs on which the trainer returns: of one size, and of small ones.

        Raises
        ------
        InputError
            What it raised on the first pair, where it returns on none.
        """
        problem: InputError | None = None
        found: list[tuple[int, int]] = []
        for others in (*(FEW if self.asked.few else ()), *OTHERS):
            if others in OTHERS and any(each in OTHERS for each, _ in found):
                break
            for place in range(PAIRS):
                try:
                    for epsilon in (self.asked.epsilons[0], self.asked.epsilons[-1]):
                        for side in SIDES:
                            self.output(epsilon, others, place, side, rng=self.named("tried", epsilon, side))
                except InputError as raised:
                    problem = problem or raised
                else:
                    found.append((others, place))
        if not found:
            assert problem is not None
            raise problem
        return found

    def worth(self, arm: str, epsilon: float, repetition: int) -> dict[str, float]:
        """The metric on the test part of a repetition's split, and the seconds of the training."""
        train, test = self._split(repetition)
        rng = self.named("coins", arm, epsilon, repetition)
        begun = time.perf_counter()
        trained: Trained
        if arm in self.references:
            trained = self.references[arm].train(train, epsilon=epsilon, rng=rng)
        else:
            trained = self.trainer.train(train, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        seconds = time.perf_counter() - begun
        return {"value": self.metric.measure(trained, test), "seconds": seconds}

    def ceiling(self, repetition: int) -> dict[str, float]:
        """The metric without privacy, and of the label that most training records have."""
        train, test = self._split(repetition)
        labels, counts = np.unique(train.labels, return_counts=True)
        most = float(np.mean(test.labels == labels[counts.argmax()]))
        best = self.metric.measure(without_privacy(train, self.classes), test)
        return {"ceiling": best, "floor": {"accuracy": most, "auc": 0.5, "loss": float(np.log(2.0))}[self.metric.name]}

    def output(self, epsilon: float, others: int, place: int, side: str, *, rng: np.random.Generator) -> Float:
        """Return what an attack sees of one training on one side of a pair: the score on the canary, then all else."""
        pair = self.pair(others, place)
        table = pair.inside if side == SIDES[0] else pair.outside
        trained = self.trainer.train(table, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        return np.concatenate([[trained.score_on(pair.probes)], trained.numbers(pair.probes)])

    def numbers_on_data(self, epsilon: float, pair: tuple[int, int], *, rng: np.random.Generator) -> Float:
        """The numbers of a model of the first training part; where a model has none of its own, on a pair's probes."""
        train, _ = self._split(0)
        trained = self.trainer.train(train, epsilon=epsilon, delta=self.asked.delta, rng=rng)
        return trained.numbers(self.pair(*pair).probes)

    def pilot(self, epsilon: float, others: int, place: int, side: str, first: int, count: int) -> list[list[float]]:
        """Whole outputs of pilot runs."""
        found: list[list[float]] = self._outputs("pilot", epsilon, others, place, side, first, count).tolist()
        return found

    def runs(
        self, epsilon: float, others: int, place: int, side: str, first: int, count: int, attack: Mapping[str, Any]
    ) -> list[float]:
        """The attack's scores of counted runs."""
        outputs = self._outputs("runs", epsilon, others, place, side, first, count)
        weights = attack["weights"]
        made = Attack(words=attack["words"], weights=None if weights is None else np.asarray(weights))
        found: list[float] = made.scores(outputs).tolist()
        return found

    def _outputs(self, what: str, epsilon: float, others: int, place: int, side: str, first: int, count: int) -> Float:
        found = [
            self.output(epsilon, others, place, side, rng=self.named(what, epsilon, others, place, side, index))
            for index in range(first, first + count)
        ]
        sizes = {each.size for each in found}
        if len(sizes) > 1:
            raise InputError(
                f"{self.asked.name} returned models of {' and '.join(map(str, sorted(sizes)))} numbers",
                allowed="a model of one shape whatever the coins",
            )
        return np.stack(found)

    def _split(self, repetition: int) -> tuple[Any, Any]:
        return split(
            self.table,
            self.asked.share,
            seed=self.asked.seed,
            name=f"frontier {self.table.name}",
            repetition=repetition,
        )

    def named(self, *names: Any) -> np.random.Generator:
        """The stream of these names."""
        words = [f"{each:.12g}" if isinstance(each, float) else each for each in names]
        return stream(self.asked.seed, "frontier", *words)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elsewhere:
    """Work for a worker process: `asked` with its trainer as text."""

    asked: FrontierSettings
    units: tuple[Unit, ...]

    def __call__(self, place: int) -> Any:
        key = json.dumps([self.asked.trainer, self.asked.told(), self.asked.per_call])
        limit = CallLimit(self.asked.per_call)
        try:
            with one_thread(), limit:
                bench = _benches.get(key)
                if bench is None:
                    _benches.clear()
                    bench = _benches[key] = Bench(self.asked, limit)
                bench.trainer.limited(limit)
                begin_audits()  # from here on the time limit of a unit counts
                return bench.do(self.units[place])
        except DpverifyError as problem:
            return problem


class Workshop:
    """Does units in the order in which they come, `jobs` at a time.

    Parameters
    ----------
    bench : Bench
        Of this process; its limit has been entered, and threads are limited to one.
    journal : Journal
    jobs : int
        Above 1, the trainer has to be a text that other processes can load.
    tell : callable
        Called with what is being done, and the share of it that is.
    """

    def __init__(self, bench: Bench, journal: Journal, *, jobs: int, tell: Told) -> None:
        self._bench, self._journal, self._tell = bench, journal, tell
        self._jobs = jobs if isinstance(bench.asked.trainer, str) else 1

    @property
    def jobs(self) -> int:
        """So many units run at a time."""
        return self._jobs

    def known(self, name: str, find: Callable[[], Any]) -> Any:
        """Something that is found out once, such as a number that a clock gave."""
        if name not in self._journal:
            self._journal.keep(name, find())
        return self._journal[name]

    def done(self, units: Sequence[Unit], *, doing: str) -> list[Any]:
        """Return the results of the units, in their order.

        Raises
        ------
        InputError, AuditError
            Of the first unit that failed.
        """
        names = [json.dumps(unit) for unit in units]
        missing = [unit for unit, name in zip(units, names, strict=True) if name not in self._journal]
        told, whole = len(units) - len(missing), max(1, len(units))
        if self._jobs > 1 and len(missing) > 1:
            work = _Elsewhere(asked=self._bench.asked, units=tuple(missing))
            longest = self._bench.asked.per_call * max(map(_trainings, missing)) + GRACE
            limits = Limits(seconds_per_claim=longest, memory=share_of_machine())
            with Pool(work, jobs=self._jobs, limits=limits) as pool:
                for place, found, problem in pool.run(range(len(missing))):
                    self._journal.keep(json.dumps(missing[place]), _value(found, problem, self._bench.asked))
                    told += 1
                    self._tell(doing, told / whole)
        else:
            for unit in missing:
                self._journal.keep(json.dumps(unit), self._bench.do(unit))
                told += 1
                self._tell(doing, told / whole)
        with contextlib.suppress(KeyError):
            return [self._journal[name] for name in names]
        raise AuditError("some units of work were not done")


def _trainings(unit: Unit) -> int:
    """Return how many trainings a unit has: runs say it, other units have one."""
    return int(unit[6]) if unit[0] in ("pilot", "runs") else 1


def _value(found: Any, problem: str, asked: FrontierSettings) -> Any:
    if isinstance(problem, OverTime):  # in C code, which does not let Python break in
        raise too_long(f"the trainer {asked.name}", asked.per_call)
    if problem:
        raise AuditError(f"the trainer's process failed: {problem}")
    if isinstance(found, DpverifyError):
        raise found
    return found


class CallLimit(TimeLimit):
    """A `TimeLimit` of each training alone.

    Parameters
    ----------
    seconds_per_call : float or None
        Limit of one training; None for no limit.
    """

    def __init__(self, seconds_per_call: float | None) -> None:
        super().__init__(per_call=seconds_per_call)

    def too_long(self, name: str) -> InputError:
        """Refuse in the words of this command."""
        return too_long(f"the trainer {name}", self.per_call or 0.0)


def too_long(name: str, seconds: float) -> InputError:
    """The error of a training that ran longer than `seconds`."""
    return InputError(
        f"one call of {name} ran longer than its limit of {seconds:g} s (--max-seconds-per-call)",
        allowed="a trainer that returns in time",
        remedy="correct the loop that does not end, or raise the limit (in Python max_seconds_per_call)",
    )
