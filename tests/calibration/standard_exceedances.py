"""The benchmark table over many seeds, at a share of its budget: how many bounds lie above the truth.

Each audit's confidence is 90 %, so the bounds above the truth are at most binomial with probability a tenth, row by row
and all together; and at confidence 1 - 1e-6 / 20 a row, the same counts give none (but once in a million tables, all
rows together, for each seed). Both are bounds of one audit at two confidences: `JointRegion` is asked again at the
smaller error. The pair and the event are those that the audit chose; the counts are those that it drew. What it lists
is confirmed at every share, as it is at the whole budget.

    python -m tests.calibration.standard_exceedances --seeds 200 --share 0.001

Tables that are finished are kept in the record, so it may be stopped at any time; a record made at another share or by
another version of the auditor is begun anew.

Truths are those of the suite's description; rows whose truth is infinite cannot be exceeded and are left out.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import joblib

from auditors.privacy.event_bounds import measure_lower
from dpverify.core.plugins import registry
from dpverify.runner.plan import Unit, suite_plan, task_streams
from dpverify.runner.thread_limits import one_thread
from dpverify.stats.joint import JointRegion
from tests.calibration.harness import Tally, verdict

SUITE = "standard"
RECORD = Path("reports/standard/exceedances.json")
SURE = 1e-6 / 20
"""The error of one row of a table that is wrong once in a million times."""

SLACK = 1e-9
"""Relative: truths are printed with so many digits, and bounds are rounded outward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """One row of one table: whether its bound exceeds the truth, at 90 % and at the small error."""

    claim: str
    seed: int
    bound: float
    exceeds: bool
    surely: bool


def audits(seed: int, *, share: float, rows: Iterable[str] | None = None, sabotage: bool = False) -> list[Audit]:
    """The table of one seed at a share of its budget.

    With `sabotage` the bound is the plug-in ratio of the chosen event: no interval at all.
    """
    known = registry()
    described = known.suite(SUITE)
    plan = suite_plan(
        known,
        suite=SUITE,
        profile=described.profile,
        seed=seed,
        confidence=described.confidence,
        trials=None,
        methods=described.methods,
    )
    found = []
    for unit in plan.units:
        name = unit.entry.claim.id
        truth = described.published[name].truth
        if truth is None or math.isinf(truth) or (rows is not None and name not in rows):
            continue
        found.append(_audit(unit, seed, truth, share, sabotage))
    return found


def confirming(auditor: Any) -> Any:
    """The event auditor with its confirming step from the first draw on; any other as it is."""
    return replace(auditor, fewest_confirming=1) if hasattr(auditor, "fewest_confirming") else auditor


def _audit(unit: Unit, seed: int, truth: float, share: float, sabotage: bool) -> Audit:
    name, auditor = unit.entry.claim.id, confirming(unit.auditors[0])
    numbers = unit.task.numbers
    task = replace(
        unit.task,
        trials=max(100, int(unit.task.trials * share)),
        numbers=None if numbers is None else max(100, int(numbers * share)),
        effort=1.0,
        stream=task_streams(seed, name, auditor.name),
    )
    with one_thread():
        evidence = auditor.audit(task)
    seen = evidence.statistics
    region = JointRegion(
        k1=seen["k1"], n1=seen["n1"], k2=seen["k2"], n2=seen["n2"], alpha=SURE, share=seen["region"]["share"]
    )
    limit = truth * (1.0 + SLACK)
    bound = evidence.estimate if sabotage and evidence.estimate is not None else evidence.bound
    return Audit(
        claim=name,
        seed=seed,
        bound=bound,
        exceeds=bound > limit,
        surely=measure_lower(region, evidence.measure) > limit,
    )


def tallies(found: Iterable[Audit]) -> tuple[Tally, dict[str, Tally], int]:
    """Of all rows together, of each row, and how many exceed at the small error."""
    found = list(found)
    rows = {
        name: verdict(sum(one.exceeds for one in found if one.claim == name), count, 0.1)
        for name in sorted({one.claim for one in found})
        if (count := sum(one.claim == name for one in found))
    }
    return verdict(sum(one.exceeds for one in found), len(found), 0.1), rows, sum(one.surely for one in found)


def counted(found: Iterable[Audit], *, about: Mapping[str, Any]) -> list[str]:
    """The counts in words, a line a row, and all together."""
    found = list(found)
    together, rows, sure = tallies(found)
    seeds = len({one.seed for one in found})
    lines = [f"{name}: {t.count} of {t.repetitions} above the truth, tail {t.tail:.3g}" for name, t in rows.items()]
    lines.append(
        f"all: {together.count} of {together.repetitions}, tail {together.tail:.3g}; at 1 - 5e-8 a row: {sure}"
    )
    lines.append(f"{seeds} seeds, {about['share']:g} of the budget, bounds at 90 % confidence each")
    lines.append(f"made with {', '.join(f'{name} `{value}`' for name, value in about.items() if name != 'share')}")
    return lines


def load(path: Path, about: Mapping[str, Any]) -> dict[int, list[Audit]]:
    """The tables of a record by their seeds; none where there is no such file, or it was made in another way."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    if kept["about"] != about:
        return {}
    return {int(seed): [Audit(seed=int(seed), **one) for one in table] for seed, table in kept["tables"].items()}


def save(path: Path, about: Mapping[str, Any], tables: Mapping[int, list[Audit]]) -> None:
    """Write the record whole, and the counts beside it in words."""
    plain = {
        str(seed): [{key: value for key, value in asdict(one).items() if key != "seed"} for one in tables[seed]]
        for seed in sorted(tables)
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = counted((one for table in tables.values() for one in table), about=about)
    for file, text in (
        (path, json.dumps({"about": about, "tables": plain}, indent=0)),
        (path.with_suffix(".md"), "# Bounds above the truth\n\n" + "".join(f"- {line}\n" for line in lines)),
    ):
        part = file.with_name(file.name + ".part")
        part.write_text(text if text.endswith("\n") else text + "\n")
        part.replace(file)


def main() -> None:
    """Run the tables that the record lacks and print the counts; exit status 1 where a count is too large."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--first", type=int, default=1_000_000)
    parser.add_argument("--share", type=float, default=0.001)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--record", type=Path, default=RECORD)
    asked = parser.parse_args()
    auditor = confirming(registry().auditors.get("event"))
    about = {"suite": SUITE, "share": asked.share, "auditor": repr(auditor)}
    seeds = range(asked.first, asked.first + asked.seeds)
    tables = {seed: table for seed, table in load(asked.record, about).items() if seed in seeds}
    missing = [seed for seed in seeds if seed not in tables]
    made = joblib.Parallel(n_jobs=asked.jobs, return_as="generator_unordered")(
        joblib.delayed(audits)(seed, share=asked.share) for seed in missing
    )
    for table in made:
        tables[table[0].seed] = table
        save(asked.record, about, tables)
    found = [one for table in tables.values() for one in table]
    sys.stdout.write("\n".join(counted(found, about=about)) + "\n")
    together, rows, sure = tallies(found)
    raise SystemExit(together.fails or any(tally.fails for tally in rows.values()) or sure > 0)


if __name__ == "__main__":
    main()
