"""Refreshing records of experiments: of each stale statement some trainings are repeated, and compared with the record.

Every record is judged again by today's rules, from its numbers. It has the values of every repetition and the settings
that each arm was given. So the first repetition of each arm on each data set, at the last place that the statement
compares, is trained again with those settings, and must give the same digits. As with other rows, a statement that
passes is `replayed` and never fresh. One that does not stays stale: its experiment takes minutes to hours, and
`dpverify reproduce` measures it again. A statement of which nothing was measured, because its data sets are missing,
passes as long as they are.

Side of the error: other digits prove a change; equal ones do not exclude one in what was not repeated. Running times
differ from run to run and are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, cast

from dpverify.core.claim import Claim
from dpverify.core.comparing import JudgesAgain, series_key
from dpverify.core.evidence import LackingError
from dpverify.core.plugins import registry as installed
from dpverify.core.record import Record
from dpverify.core.registry import Registry
from dpverify.core.verdict import decide
from dpverify.ledger import committed_records
from dpverify.ledger.decide import Rerun
from dpverify.ledger.stale import code_of, code_underneath, state
from dpverify.ledger.utility_records import command
from dpverify.runner.backends import backend_named
from dpverify.runner.environment import environment
from dpverify.runner.record import record as printed
from dpverify.runner.row import Row
from dpverify.runner.thread_limits import one_thread
from dpverify.utility.cell import Slot, cell
from dpverify.utility.cells_to_do import Words, run_of
from dpverify.utility.experiment_file import SUITE
from dpverify.utility.measured import all_statements, here, resampled

TIMES = ("seconds",)
"""Metrics that are another number in each run."""

DIGITS = 7
"""Significant digits of the numbers in a record (`auditors.utility.paired.DIGITS`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Training:
    """The first repetition of an arm at a place, with the settings in the record."""

    experiment: str
    profile: str
    seed: int
    data: str
    arm: str
    x: float
    given: str
    """The settings as JSON, so that equal trainings are one."""

    def metrics(self) -> dict[str, Any]:
        """Return the metrics that the code gives now."""
        words = Words(names=(self.experiment,), profile=self.profile, seed=self.seed, stage="run")
        run = run_of(self.experiment, words)
        slot = Slot(stage="run", data=self.data, arm=self.arm, x=run.at(run.design.arm(self.arm), self.x))
        effort = run.design.effort(self.profile)
        with one_thread():
            found = cell(run.design, slot, 0, effort=effort, seed=self.seed, given=json.loads(self.given))
        place = run.design.xs.index(self.x)
        measured = {name: found[name] for name in run.design.metrics if name in found}
        return {name: value[place] if isinstance(value, list) else value for name, value in measured.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Remeasured:
    """Ids of statements by what became of them, as in `dpverify.ledger.refresh.Refreshed`; and why others are stale."""

    fresh: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    replayed: tuple[str, ...] = ()
    differ: Mapping[str, str] | None = None
    """Experiments with a statement that stays stale, and what differs or could not be trained."""

    def text(self) -> str:
        """Say it in a line for all, and one for each experiment that is to be measured again."""
        earlier = f"{len(self.before)} were replayed before, " if self.before else ""
        told = (
            f"{len(self.fresh)} measured rows were up to date, {earlier}{len(self.replayed)} replayed now (one "
            "repetition of each arm was trained again and gives the digits of the record, except where nothing could "
            "be measured)."
        )
        differ = sorted((self.differ or {}).items())
        again = [f"To be measured again, by `{command(name, profile='full')}`: {why}" for name, why in differ]
        return "\n".join([told, *again])


def refresh_measured(registry: Registry, claims: Sequence[Claim], how: Rerun) -> Remeasured:
    """Replay the stale statements among these claims, all of which have a record; records go to `how.out`."""
    kept = {claim.id: item for claim in claims if (item := committed_records.read_record(claim.id)) is not None}
    by_id = {claim.id: claim for claim in claims}
    known = {name: state(registry, by_id[name], item) for name, item in kept.items() if item["evidence"]}
    stale = [name for name, each in known.items() if each.stale]
    todo = list(dict.fromkeys(training for name in stale for training, _ in _compared(by_id[name], kept[name])))
    found: dict[Training, Any] = {}
    problems: dict[Training, str] = {}
    work = partial(_trained, tuple(todo))
    for place, values, problem in backend_named("processes").calls(work, range(len(todo)), jobs=how.jobs):
        if problem:
            problems[todo[place]] = problem
        else:
            found[todo[place]] = values
    replayed, differ = [], dict[str, str]()
    kept = {name: rejudged(registry, by_id[name], item) for name, item in kept.items()}
    if how.out is not None:
        committed_records.write_records(list(kept.values()), how.out)
    for name in stale:
        claim, item = by_id[name], kept[name]
        if why := _unlike(item, _compared(claim, item), found, problems):
            differ[claim.subject] = f"{name}: {why}"
            continue
        now = code_of(registry, claim, [part["auditor"] for part in item["evidence"]])
        same = {
            "digest": now["digest"],
            "compared": _in_words(claim, item),
            "with": code_underneath(environment()),
        }
        if how.out is not None:
            committed_records.write_records([{**item, "code": {**item["code"], "replayed": same}}], how.out)
        replayed.append(name)
    return Remeasured(
        fresh=tuple(name for name, each in known.items() if not each.stale and not each.replayed),
        before=tuple(name for name, each in known.items() if not each.stale and each.replayed),
        replayed=tuple(replayed),
        differ=differ,
    )


def rejudged(registry: Registry, claim: Claim, item: Record) -> Record:
    """The record with the verdict that today's rules give its numbers; itself where that is the same.

    What was measured, when, by which code and where stays as it is.
    """
    part = next((each for each in item["evidence"] if "values" in each["statistics"]), None)
    auditor: Any = registry.auditors.get(part["auditor"]) if part is not None else None
    if part is None or not isinstance(auditor, JudgesAgain):
        return item
    design = registry.experiments.get(claim.subject).design
    measured = {**part["statistics"], "resampled": resampled(design, tuple(part["statistics"]["grid"]["data"]))}
    share = (1.0 - registry.suite(SUITE).confidence) / all_statements(registry)
    try:
        found = replace(auditor.judged_again(claim, measured, alpha=share), seconds=part["seconds"])
    except LackingError:  # the statement speaks of other series now
        return item
    entry = registry.entries.get(claim.id)
    row = Row(
        entry=entry,
        verdict=decide(claim, [found]),
        seconds=item["seconds"],
        seed=item["seed"],
        reproduce=item["reproduce"],
    )
    return cast("Record", {**item, **printed(row), "environment": item["environment"]})


def _trained(todo: Sequence[Training], place: int) -> dict[str, Any]:
    """Train in a worker process, by the code that is installed there."""
    installed()
    return todo[place].metrics()


def _compared(claim: Claim, item: Record) -> list[tuple[Training, dict[str, float]]]:
    """The trainings of a statement, each with the numbers by metric that the record has of it."""
    return list(_series(claim, item))


def _series(claim: Claim, item: Record) -> Iterator[tuple[Training, dict[str, float]]]:
    said = next((each["statistics"] for each in item["evidence"] if "grid" in each["statistics"]), None)
    if said is None:
        return
    guarantee: Any = claim.guarantee
    profile = "full" if "--profile full" in item["reproduce"] else "quick"
    metrics = [metric for metric in guarantee.metrics() if metric not in TIMES]
    for data, arm in product(said["grid"]["data"], guarantee.arms()):
        for x in reversed(said["grid"]["xs"]):  # a statement need not speak of the last place
            keys = {metric: series_key(data, arm, metric, x) for metric in metrics}
            numbers = {metric: said["values"][key][0] for metric, key in keys.items() if key in said["values"]}
            if not numbers:
                continue
            given = said["settings"].get(arm, {}).get(data, {}).get(f"{x:.6g}", {})
            yield (
                Training(
                    experiment=claim.subject,
                    profile=profile,
                    seed=item["seed"],
                    data=data,
                    arm=arm,
                    x=x,
                    given=json.dumps(given, sort_keys=True),
                ),
                numbers,
            )
            break


def _without_data(item: Record) -> bool:
    """Tell whether the record has no numbers, and the data sets of its experiment that are here are those of then."""
    said = [each["statistics"] for each in item["evidence"] if "grid" in each["statistics"]]
    words = Words(names=(item["subject"],), profile="full", seed=item["seed"], stage="run")
    now = list(here(run_of(item["subject"], words).design))
    return bool(said) and not any(each["values"] or each["grid"]["data"] != now for each in said)


def _unlike(
    item: Record,
    compared: Sequence[tuple[Training, Mapping[str, float]]],
    found: Mapping[Training, Mapping[str, Any]],
    problems: Mapping[Training, str],
) -> str:
    """Say what differs from the record or could not be trained; empty where nothing does."""
    if not compared and not _without_data(item):
        return "the record has nothing that can be repeated"
    for training, numbers in compared:
        where = f"{training.arm} on {training.data} at {training.x:g}"
        if training in problems:
            return f"{where}: {problems[training]}"
        for metric, number in numbers.items():
            now = found[training].get(metric)
            if now is None or _digits(now) != _digits(number):
                return f"{where}: {metric} was {number!r}, and is {now!r}{_elsewhere(item)}"
    return ""


def _elsewhere(item: Record) -> str:
    """Training without noise is chaotic: where another processor rounds otherwise, the end differs."""
    then, now = item["environment"].get("cpu", ""), environment()["cpu"]
    return f" (measured on another processor, {then}; this is {now})" if then != now else ""


def _digits(value: Any) -> float:
    return float(f"{float(value):.{DIGITS}g}")


def _in_words(claim: Claim, item: Record) -> str:
    pairs = _compared(claim, item)
    if not pairs:
        return "nothing: its data sets are as missing as they were"
    arms = len({training.arm for training, _ in pairs})
    data = list(dict.fromkeys(training.data for training, _ in pairs))
    places = ", ".join(f"{x:g}" for x in sorted({training.x for training, _ in pairs}))
    return f"one repetition of {arms} arms on {', '.join(data)} at {places}, in all digits of the record"
