"""Runs experiments: measures their cells in threads, processes or on Dask, keeps them, and judges their statements.

Where a cell of an experiment fails, or an arm has no noise or has seen the test part, that experiment's statements are
errors with this reason, and the others go on. What is finished stands in a store from that moment, and every number is
the same for any number of workers and after any interruption: cells have streams of their own.
"""

from __future__ import annotations

import fnmatch
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from dpverify.core.errors import AuditError, InputError
from dpverify.core.registry import Registry
from dpverify.runner.atomic_files import check_folder
from dpverify.runner.audit_unit import run_unit
from dpverify.runner.backends import backend_named
from dpverify.runner.plan import Plan, make_plan
from dpverify.runner.plan_fingerprint import known_by
from dpverify.runner.row import Row
from dpverify.runner.store.checkpoint import Checkpoint, WorkSaver
from dpverify.runner.store.open_run import OpenRun, open_run
from dpverify.runner.store.schema import NoRunError
from dpverify.utility.cells_to_do import Picked, Words, Work, done, run_of, seconds_left, work_of
from dpverify.utility.experiment import Experiment
from dpverify.utility.experiment_file import SUITE
from dpverify.utility.measured import DesignRun, trials_of

CELLS = "cells"
"""The name under which the store keeps cells."""


class CellWatcher(Protocol):
    """Is told how far the measurement is."""

    def told(self, name: str, finished: int, total: int, left: float | None) -> None:
        """So many cells of all are finished, the last one of the experiment `name`; `left` seconds are left."""
        ...


class SilentCells:
    """Progress that shows nothing."""

    def told(self, _name: str, _finished: int, _total: int, _left: float | None) -> None:
        """Show nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """The settings with which experiments are run."""

    store: Path
    """The folder that finished cells are kept in."""
    profile: str = "quick"
    """"quick" or "full"."""
    jobs: int = 1
    """Cells at a time."""
    backend: str = "processes"
    """"processes", "threads" or "dask"."""
    scheduler: str | None = None
    """Address of a Dask cluster; None starts `jobs` processes here."""
    seed: int = 0
    resume: bool = False
    """Go on with the run of the same experiments, profile and seed in `store`."""
    watch: Callable[[], AbstractContextManager[CellWatcher]] | None = None
    """Makes the watcher."""

    def __post_init__(self) -> None:
        if self.profile not in ("quick", "full"):
            raise InputError(f"--profile {self.profile!r}", allowed="quick, full")
        backend_named(self.backend)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduced:
    """Rows of the statements by id, the measurement of each experiment that did not fail by name, the cells left."""

    rows: dict[str, Row]
    runs: dict[str, DesignRun]
    left: int = 0
    seconds: dict[str, float] = field(default_factory=dict)


def chosen(registry: Registry, names: Sequence[str]) -> list[str]:
    """Experiments by name, by a pattern of names, by paper, or by the id of a statement; all of them for none.

    InputError for a name that fits nothing.
    """
    known: dict[str, Experiment] = dict(registry.experiments.items())
    if not names:
        return list(known)
    found: dict[str, None] = {}
    for asked in names:
        here = [
            name
            for name, each in known.items()
            if fnmatch.fnmatchcase(name, asked)
            or each.paper == asked
            or any(fnmatch.fnmatchcase(statement.id, asked) for statement in each.statements)
        ]
        if not here:
            allowed = "an experiment, a paper or an id that `dpverify list experiments` or `dpverify ledger` shows"
            raise InputError(f"no experiment {asked!r}", allowed=allowed)
        found |= dict.fromkeys(here)
    return list(found)


def statements_plan(registry: Registry, names: Sequence[str], *, profile: str, seed: int) -> Plan:
    """The plan of these experiments' statements; each has the share that it has among all, for the rate is a page's."""
    suite = registry.suite(SUITE)
    statements = [each.id for name in names for each in registry.experiments.get(name).statements]
    return make_plan(
        registry,
        [registry.entries.get(id) for id in statements],
        suite=SUITE,
        profile=profile,
        seed=seed,
        confidence=suite.confidence,
        methods=suite.methods,
        per_row=suite.per_row,
    )


def reproduce(registry: Registry, names: Sequence[str], how: How) -> Reproduced:
    """Measure what is not measured yet, then judge every statement.

    InputError for an unknown experiment, a folder that cannot be written to, or nothing to resume.
    """
    plan = statements_plan(registry, names, profile=how.profile, seed=how.seed)
    check_folder(how.store)
    watching = how.watch() if how.watch else nullcontext(SilentCells())
    rows: dict[str, Row] = {}
    with _opened(how, plan, names) as now, watching as watch:
        runs = {name: replace(run_of(name, _words(names, how, "run")), chunks=_kept(now, name)) for name in names}
        spent: dict[str, float] = defaultdict(float)
        failed: dict[str, str] = {}
        for stage in ("tune", "run"):
            words = _words([name for name in names if name not in failed], how, stage)
            picked = {} if stage == "tune" else {name: _picked(runs[name]) for name in words.names}
            try:
                failed |= _measure(now, words, picked, how, watch, spent)
            except KeyboardInterrupt:
                left = len(_todo(now, words))
                return Reproduced(rows={}, runs={}, left=max(left, 1), seconds=dict(spent))
        for name in names:
            if name not in failed and (wrong := runs[name].faults()):
                failed[name] = "; ".join(wrong)
        for unit in plan.units:
            name = unit.entry.claim.subject
            keeps = _Cells(_failing(failed[name]) if name in failed else _kept(now, name))
            row = run_unit(unit, plan, report=lambda _message, _share: None, keeps=keeps)
            rows[row.id] = row
        now.state = "done"
        # what pages need is read while the store is open
        memory = {name: _remembered(now, name) for name in names if name not in failed}
    runs = {name: replace(runs[name], chunks=_from_memory(cells)) for name, cells in memory.items()}
    return Reproduced(rows=rows, runs=runs, seconds=dict(spent))


@contextmanager
def _opened(how: How, plan: Plan, names: Sequence[str]) -> Iterator[OpenRun]:
    """The store, with the run that is begun or resumed."""
    try:
        with open_run(how.store, *known_by(plan, only="*", experiments=list(names)), resume=how.resume) as now:
            yield now
    except NoRunError as problem:
        raise InputError(
            f"nothing to resume in {how.store} for these names in profile {how.profile} with seed {how.seed}",
            allowed="the names, profile, seed and --out of an earlier `dpverify reproduce`",
            remedy="run without --resume to begin",
        ) from problem


def _words(names: Sequence[str], how: How, stage: Any) -> Words:
    return Words(names=tuple(names), profile=how.profile, seed=how.seed, stage=stage)


class _Cells(WorkSaver):
    """Gives an auditor the cells that all statements of its experiment share."""

    def __init__(self, cells: Any) -> None:
        super().__init__()
        self._cells = cells

    def chunks(self, _claim: str, _auditor: str) -> Any:
        """Return these cells."""
        return self._cells


def _failing(reason: str) -> Any:
    """Cells that raise the reason why there are none."""

    def none(_series: str, _count: int, _work: Callable[[int], Any]) -> Any:
        raise AuditError(reason)

    return none


def _kept(now: OpenRun, name: str) -> Any:
    """Cells of an experiment from the store; those that are missing are made, and kept."""
    return Checkpoint(now.store, now.run).chunks(name, CELLS)


def _remembered(now: OpenRun, name: str) -> dict[str, dict[int, Any]]:
    found = now.store.series(now.run, name)
    return {series: rows for (auditor, series), rows in found.items() if auditor == CELLS}


def _from_memory(cells: dict[str, dict[int, Any]]) -> Any:
    def parts(series: str, count: int, work: Callable[[int], Any]) -> Iterator[Any]:
        known = cells.get(series, {})
        return (known[place] if place in known else work(place) for place in range(count))

    return parts


def _picked(run: DesignRun) -> dict[str, int]:
    """The trial that the tuning gave each slot."""
    several = {arm.label for arm in run.design.arms if len(trials_of(run.design, arm)) > 1}
    return {slot.name: run.choice(slot) for slot in [*run.check_slots(), *run.slots()] if slot.arm in several}


def _todo(now: OpenRun, words: Words) -> list[int]:
    """Places of the cells that the store has not.

    One of each kind comes first: what cannot run shows early, and from then on it is known how long the rest takes.
    """
    have = {name: _remembered(now, name) for name in words.names}
    works = work_of(words)
    places = [
        place
        for place, work in enumerate(works)
        if work.repetition not in have[work.experiment].get(work.slot.name, {})
    ]
    first = {_kind(works[place]): place for place in reversed(places)}
    return sorted(places, key=lambda place: first[_kind(works[place])] != place)


def _measure(
    now: OpenRun, words: Words, picked: Picked, how: How, watch: CellWatcher, spent: dict[str, float]
) -> dict[str, str]:
    """Do all cells of a stage that are not done, and keep each; returns why experiments failed, by name."""
    failed: dict[str, str] = {}
    todo, works = _todo(now, words), work_of(words)
    left = Counter(_kind(works[place]) for place in todo)
    took: dict[str, list[float]] = defaultdict(list)
    finished = len(works) - len(todo)
    begun = time.monotonic()
    way = backend_named(how.backend, scheduler=how.scheduler)
    for place, outcome, problem in way.calls(partial(done, words, picked), todo, jobs=how.jobs):
        work = works[place]
        if problem:
            failed.setdefault(work.experiment, f"{work.slot.name}, repetition {work.repetition}: {problem}")
            continue
        value, seconds = outcome
        now.store.put_chunks(now.run, work.experiment, CELLS, work.slot.name, [(work.repetition, value)])
        kind = _kind(work)
        left[kind] -= 1
        took[kind].append(seconds)
        spent[work.experiment] += seconds
        finished += 1
        ahead = seconds_left(took, left, jobs=how.jobs) if time.monotonic() > begun + 1 else None
        watch.told(work.experiment, finished, len(works), ahead)
    return failed


def _kind(work: Work) -> str:
    return f"{work.experiment} {work.slot.data} {work.slot.arm}"
