"""A plan: which auditor looks at which claim, with what share of the false-alarm probability, before anything is run.

Multiplicity is settled here, once: the run's false-alarm probability (1 - confidence) is split evenly over every
statistical audit of the plan (Bonferroni, so whatever their dependence), and nothing that happens later changes it.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core.auditing import Auditor, NeedsTrials, Task
from dpverify.core.claim import Claim
from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.core.subjects import Counts
from dpverify.core.suite import DEFAULT_CONFIDENCE, SuiteEntry
from dpverify.runner.regression_replay import with_replays
from dpverify.runner.regressions import Regression, load
from dpverify.runner.thread_limits import one_thread
from dpverify.sampling.streams import stream
from dpverify.stats.intervals import LARGEST_TRIALS

FEW = 10_000
"""Smallest number of draws a side that a message advises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The budget that a profile spends on each audit: draws per side, and the effort of searches (1 = quick).

    A subject that fills its histogram inside the kernel (capability ``counts``) gets `counted` draws; `numbers` limits
    the numbers drawn a side, so that wide outputs get fewer trials.
    """

    trials: int
    counted: int
    effort: float
    numbers: int | None = None


PROFILES = {
    "quick": Budget(trials=2_000_000, counted=2_000_000, effort=1.0),
    "full": Budget(trials=40_000_000, counted=100_000_000, effort=8.0),
    "benchmark": Budget(trials=200_000_000, counted=100_000_000, effort=4.0, numbers=400_000_000),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One suite entry with the auditors that will look at it; `refusals` says why the others will not."""

    entry: SuiteEntry
    auditors: tuple[Auditor, ...]
    task: Task
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that is decided before a run."""

    units: tuple[Unit, ...]
    """In the order of claim ids."""
    seed: int
    confidence: float
    alpha: float
    """False-alarm probability of each single statistical audit."""
    statistical: int
    """Number of statistical audits. alpha * statistical bounds the run's false-alarm probability; it equals 1 -
    confidence, unless the confidence is that of each row."""
    profile: str
    suite: str
    trials: int | None = None
    methods: tuple[str, ...] | None = None
    """The auditors that the user named; None for all that run by default."""
    regressions: str | None = None
    """The folder of saved failures that are replayed first."""

    @classmethod
    def of_unit(cls, unit: Unit, *, confidence: float, suite: str, alpha: float | None = None) -> Plan:
        """The plan of one unit; its statistical auditors have equal shares of 1 - `confidence`, or `alpha` each."""
        statistical = sum(auditor.statistical for auditor in unit.auditors)
        share = (1 - confidence) / max(1, statistical) if alpha is None else alpha
        return cls(
            units=(replace(unit, task=replace(unit.task, alpha=share)),),
            seed=unit.task.seed,
            confidence=confidence,
            alpha=share,
            statistical=statistical,
            profile="quick",
            suite=suite,
        )

    def words(self) -> tuple[tuple[str, Any], ...]:
        """The arguments of `suite_plan` that give this plan again, sorted."""
        names = ("confidence", "methods", "profile", "regressions", "seed", "suite", "trials")
        return tuple((name, getattr(self, name)) for name in names)

    def only(self, pattern: str) -> Plan:
        """Return the same plan with only the claims whose id matches the glob `pattern`; alpha is unchanged."""
        units = tuple(unit for unit in self.units if fnmatch.fnmatchcase(unit.entry.claim.id, pattern))
        if not units:
            raise InputError(
                f"--only {pattern!r} matches no claim of the suite {self.suite!r}",
                allowed="a claim id or a glob such as 'laplace*'",
                remedy="`dpverify list claims` shows all",
            )
        return replace(self, units=units)


def check_trials(plan: Plan) -> None:
    """Refuse, before the run, a number of draws (``--trials``) with which some claim could never be refuted.

    A profile's budget is not checked here: where it is too small, that row becomes an error.

    Raises
    ------
    InputError
        Naming the first such claim, what it needs, and what all claims of the plan need.
    """
    if plan.trials is None:
        return
    needs: list[tuple[int, Claim]] = []
    for unit in plan.units:
        claim = unit.entry.claim
        for auditor in unit.auditors:
            if isinstance(auditor, NeedsTrials):
                try:
                    fewest = auditor.lacks(unit.task)
                except InputError as problem:
                    raise InputError(
                        f"--trials for {claim.id}: {problem.what}", allowed=problem.allowed, remedy=problem.remedy
                    ) from problem
                if fewest is not None:
                    needs.append((fewest, claim))
    if not needs:
        return
    (fewest, first), most = needs[0], max(fewest for fewest, _ in needs)
    raise InputError(
        f"--trials {plan.trials}: these draws cannot refute {first.id}, {first.guarantee.text()}, at confidence "
        f"{1 - plan.alpha:.6g}, whatever the mechanism does",
        allowed=f"at least {fewest} there, {most} for every claim; with these only total violations show",
        remedy=f"pass --trials {max(FEW, 10 * most)} for smaller ones, or leave it out for the profile's "
        f"{PROFILES[plan.profile].trials}",
    )


def check_confidence(confidence: float) -> None:
    """Raise InputError unless both the confidence and the false-alarm probability are inside (0, 1) as doubles."""
    if not (0 < confidence < 1 and 0 < 1 - confidence < 1):
        raise InputError(f"confidence {confidence}", allowed="a number in (0, 1), such as 0.999")


def check_draws(trials: int | None) -> None:
    """Raise InputError for a number of draws that no audit makes."""
    if trials is not None and not 1 <= trials <= LARGEST_TRIALS:
        raise InputError(f"trials = {trials}", allowed=f"an integer in [1, {LARGEST_TRIALS}]")


@one_thread()  # making a plan builds subjects, which cache what they compute
def make_plan(
    registry: Registry,
    entries: Iterable[SuiteEntry],
    *,
    suite: str = "core",
    profile: str = "quick",
    seed: int = 0,
    confidence: float = DEFAULT_CONFIDENCE,
    trials: int | None = None,
    methods: tuple[str, ...] | None = None,
    regressions: str | None = None,
    per_row: bool = False,
) -> Plan:
    """Match every entry with the auditors that can examine it, and divide the false-alarm probability.

    The confidence is that of the whole run; with `per_row` it is that of each row, and a run may have false alarms.

    Raises
    ------
    InputError
        For a confidence outside (0, 1), trials outside [1, 1e10], an unknown relation, generator, subject or method, or
        a malformed regression file.
    """
    check_confidence(confidence)
    check_draws(trials)
    budget = PROFILES[profile]
    auditors = chosen_auditors(registry, methods)
    saved = load(Path(regressions)) if regressions is not None else []
    units = [
        _unit(registry, entry, auditors, budget=budget, trials=trials, seed=seed, saved=saved)
        for entry in sorted(entries, key=lambda entry: entry.claim.id)
    ]
    statistical = sum(auditor.statistical for unit in units for auditor in unit.auditors)
    most = max((sum(auditor.statistical for auditor in unit.auditors) for unit in units), default=1)
    alpha = (1 - confidence) / max(1, most if per_row else statistical)
    units = [replace(unit, task=replace(unit.task, alpha=alpha)) for unit in units]
    return Plan(
        units=tuple(units),
        seed=seed,
        confidence=confidence,
        alpha=alpha,
        statistical=statistical,
        profile=profile,
        suite=suite,
        trials=trials,
        methods=methods,
        regressions=regressions,
    )


def chosen_auditors(registry: Registry, methods: Sequence[str] | None) -> list[Auditor]:
    """The auditors named in `methods` (an unknown name is an InputError); without, all that run by default."""
    if methods is None:
        return [auditor for _, auditor in registry.auditors.items() if not getattr(auditor, "by_request", False)]
    if not methods:
        raise InputError("no method", allowed=", ".join(registry.auditors), remedy="name one, or leave it out for all")
    return [registry.auditors.get(name) for name in dict.fromkeys(methods)]


def suite_plan(
    registry: Registry,
    *,
    suite: str,
    profile: str,
    seed: int,
    confidence: float,
    trials: int | None,
    methods: tuple[str, ...] | None = None,
    regressions: str | None = None,
) -> Plan:
    """The plan of a registered suite. It depends on these arguments alone, so every process makes the same one."""
    entries = select_entries(registry, suite=suite, profile=profile)
    return make_plan(
        registry,
        entries,
        suite=suite,
        profile=profile,
        seed=seed,
        confidence=confidence,
        trials=trials,
        methods=methods,
        regressions=regressions,
        per_row=registry.suite(suite).per_row,
    )


def part_of_plan(registry: Registry, claim: str, *, alpha: float, statistical: int, **words: Any) -> Plan:
    """The plan made from `words` (`Plan.words`), cut down to one claim; no other subject is built.

    `alpha` and `statistical` are those of the whole plan, which a worker process gets from the one that made it.
    """
    plan = make_plan(registry, [registry.entries.get(claim)], **words)
    units = tuple(replace(unit, task=replace(unit.task, alpha=alpha)) for unit in plan.units)
    return replace(plan, units=units, alpha=alpha, statistical=statistical)


def select_entries(registry: Registry, *, suite: str, profile: str) -> list[SuiteEntry]:
    """The entries of a suite; the quick profile leaves out those that only the full one audits."""
    if profile not in PROFILES:
        raise InputError(f"profile {profile!r}", allowed=", ".join(PROFILES))
    suites = suites_of_entries(registry)
    known = sorted({name for names in suites.values() for name in names})
    if suite not in known:
        raise InputError(f"suite {suite!r}", allowed=", ".join(known))
    entries = [registry.entries.get(name) for name, names in suites.items() if suite in names]
    return [entry for entry in entries if profile != "quick" or entry.profile == "quick"]


def suites_of_entries(registry: Registry) -> dict[str, tuple[str, ...]]:
    """The suites of each entry, by its name; of one that waits, as the index has them, so that it waits on."""
    found = {}
    for name in registry.entries:
        source = registry.entries.waiting(name)
        told = None if source is None else source.about["entries"][name].get("suites")
        found[name] = registry.entries.get(name).suites if told is None else tuple(told.split(", "))
    return found


def task_streams(seed: int, *prefix: str | int) -> Callable[..., np.random.Generator]:
    """Named streams below a prefix: ``streams("certify", 0)`` is always the same stream."""

    def named(*names: str | int) -> np.random.Generator:
        return stream(seed, *prefix, *names)

    return named


def _unit(
    registry: Registry,
    entry: SuiteEntry,
    auditors: Sequence[Auditor],
    *,
    budget: Budget,
    trials: int | None,
    seed: int,
    saved: Sequence[Regression] = (),
) -> Unit:
    claim = entry.claim
    build = subject_builder(registry, claim)
    if trials is None:
        trials = budget.counted if isinstance(build(), Counts) else budget.trials
        numbers = budget.numbers
    else:
        numbers = None
    task = Task(
        claim=claim,
        build=build,
        neighbors=registry.neighbors.get(claim.space.generator or claim.relation),
        alpha=0.5,  # make_plan sets it when the number of statistical audits is known
        trials=trials,
        numbers=numbers,
        stream=task_streams(seed, claim.stream_name),
        effort=budget.effort,
        seed=seed,
    )
    unit = unit_for(entry, task, auditors)
    return replace(unit, auditors=with_replays(unit.auditors, [each for each in saved if each.claim == claim.id]))


def unit_for(entry: SuiteEntry, task: Task, auditors: Sequence[Auditor]) -> Unit:
    """The unit of all auditors that accept the task and support everything that its search space demands."""
    taken, refusals = [], []
    for auditor in auditors:
        ignored = task.claim.space.demands - getattr(auditor, "honours", frozenset())
        reason = f"it would ignore the space's {', '.join(sorted(ignored))}" if ignored else auditor.refuses(task)
        if reason is None:
            taken.append(auditor)
        else:
            refusals.append(f"{auditor.name}: {reason}")
    return Unit(entry=entry, auditors=tuple(taken), task=task, refusals=tuple(refusals))


def subject_builder(registry: Registry, claim: Claim) -> Callable[..., Any]:
    """``build(**searched)``: the claim's subject at its own parameters, with searched ones on top."""
    factory = registry.subject(claim.subject)

    def build(**searched: Any) -> Any:
        return factory(**{**claim.parameters, **searched})

    return build
