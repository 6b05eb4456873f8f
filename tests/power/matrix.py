"""``make power``: detection curves of every statistical auditor, and which auditor finds which known-broken mechanism.

Finished cells are kept (`reports/power/AUDITOR.json`, written whole), so it may be stopped at any time. A cell carries
a digest of the definitions that decide it (`tests.calibration.sources`), and is stale when one of them says something
else, or when the budget or the seed is another. Of a stale cell a small part is made again before the whole
(`tests.calibration.replayed`). What is stale or missing is named beside the tables.
Out: `reports/rendered/power.md`, `power.html` (curves and tables) and `power.svg` (the curves).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.core.auditing import Auditor
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.runner.atomic_files import write_atomically
from tests.calibration.boundaries import Boundary
from tests.calibration.harness import refusal, statistical_auditors
from tests.calibration.replayed import SAID, first_audits, parts, state
from tests.calibration.sources import deciding
from tests.power import known_broken, sweep
from tests.power.detection_curves import page, picture, table
from tests.power.kept import Kept

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/power", ROOT / "reports/rendered"

NOTE = (
    "Share of audits that refute, with 95 % Clopper-Pearson intervals, against the noise that was left, as a share of "
    f"the right noise; alpha {sweep.ALPHA:g}, {sweep.TRIALS} trials a side (or canaries) unless a boundary has fewer. "
    "At 1 the claim holds. Made by `make power` from `reports/power/`."
)


def curve_keys(auditor: Auditor, *, repetitions: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each boundary that the auditor examines, with what a finished cell of it must agree with."""
    for boundary in sweep.swept():
        if refusal(auditor, boundary, alpha=sweep.ALPHA, trials=sweep.budget(boundary)) is not None:
            continue
        for ratio in sweep.RATIOS:
            yield (
                boundary,
                {
                    "mechanism": boundary.name,
                    "ratio": ratio,
                    "trials": sweep.budget(boundary),
                    "alpha": sweep.ALPHA,
                    "sources": deciding(auditor, sweep.turned_down(boundary, ratio)),
                    "repetitions": repetitions,
                    "seed": sweep.SEED,
                },
            )


def curves(auditors: Sequence[Auditor], *, jobs: int, repetitions: int, folder: Path, first: bool = False) -> None:
    """Every auditor on every mechanism (or the first ones) at every ratio; what is finished is not made again."""
    begun = time.perf_counter()
    replay(auditors, jobs=jobs, repetitions=repetitions, folder=folder)
    for auditor in auditors:
        kept = Kept(folder, auditor.name)
        for boundary, key in curve_keys(auditor, repetitions=repetitions):
            if (first and not boundary.first) or kept.holds("sweep", key) is not None:
                continue
            one = sweep.cell(auditor, boundary, key["ratio"], repetitions=repetitions, jobs=jobs)
            made = part_of(auditor, boundary, key)()
            Kept(folder, auditor.name).put("sweep", {**one, **key, "part": made})
            told = f"{one['detected']}/{repetitions} at {key['ratio']:g} of the noise, {one['cpu_seconds']:.0f} s"
            _say(f"{auditor.name} on {boundary.name}: {told}; {time.perf_counter() - begun:.0f} s so far")


def part_of(auditor: Auditor, boundary: Boundary, key: dict[str, Any]) -> Callable[[], str]:
    """Makes the first audits of a point of a curve."""
    turned = sweep.turned_down(boundary, key["ratio"])
    return partial(first_audits, auditor, turned, alpha=key["alpha"], trials=key["trials"], seed=key["seed"])


def replay(auditors: Sequence[Auditor], *, jobs: int, repetitions: int, folder: Path) -> None:
    """Make the first audits of stale points again and keep those in which they are the same."""
    asked = []
    for auditor in auditors:
        kept = Kept(folder, auditor.name)
        for boundary, key in curve_keys(auditor, repetitions=repetitions):
            if kept.asks("sweep", key) is not None:
                asked.append((auditor, boundary, key))
    for (auditor, boundary, key), made in zip(asked, parts([part_of(*one) for one in asked], jobs=jobs), strict=True):
        if not Kept(folder, auditor.name).replayed("sweep", key, made):
            _say(f"{auditor.name} on {boundary.name} at {key['ratio']:g}: its first audits differ; to be made again")


def render(known: Registry, folder: Path, rendered: Path, *, repetitions: int) -> None:
    """All files, from the cells that there are and are not stale."""
    cells: list[dict[str, Any]] = []
    lacking: list[str] = []
    replayed = 0
    for auditor in statistical_auditors(known):
        kept = Kept(folder, auditor.name)
        states: dict[str, dict[str, list[str]]] = {"stale": {}, "missing": {}}
        for _, key in curve_keys(auditor, repetitions=repetitions):
            if (one := kept.holds("sweep", key)) is not None:
                cells.append(one)
                replayed += state(one, key) == "replayed"
            else:
                lacks = states["missing" if kept.find("sweep", key) is None else "stale"]
                lacks.setdefault(key["mechanism"], []).append(f"{key['ratio']:g}")
        for lack, places in states.items():
            told = [
                name if len(ratios) == len(sweep.RATIOS) else f"{name} at {', '.join(ratios)}"
                for name, ratios in places.items()
            ]
            if told:
                lacking.append(f"- {auditor.name}, {lack}: {'; '.join(told)}.")
    title = "Power: what each auditor finds"
    lines = [f"# {title}", "", NOTE, *table(cells), ""]
    if replayed:
        lines += [f"{replayed} points are of other sources than are here now: {SAID}.", ""]
    if lacking:
        lines += ["Not in these tables:", "", *lacking, ""]
    lines += ["## Known broken", "", *known_broken.lines(known, folder)]
    write_atomically(rendered / "power.md", "\n".join(lines) + "\n")
    write_atomically(rendered / "power.svg", picture(cells))
    write_atomically(rendered / "power.html", page(cells, title=title, note=NOTE.replace("`", "")))


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--auditor", action="append", help="only these (may be repeated), in this order")
    options.add_argument("--repetitions", type=int, default=sweep.REPETITIONS)
    options.add_argument("--jobs", type=int, default=-1)
    options.add_argument("--folder", type=Path, default=RECORDS)
    options.add_argument("--rendered", type=Path, default=RENDERED)
    options.add_argument("--first", action="store_true", help="only the mechanisms that the calibration begins with")
    options.add_argument("--no-broken", action="store_true", help="curves only")
    options.add_argument("--no-curves", action="store_true", help="known-broken mechanisms only")
    options.add_argument("--render-only", action="store_true", help="draw everything from the cells that there are")
    given = options.parse_args()
    known = registry()
    every = dict(known.auditors.items())
    chosen = [every[name] for name in given.auditor or every]
    if not given.no_curves and not given.render_only:
        swept = [auditor for auditor in chosen if auditor.statistical]
        curves(swept, jobs=given.jobs, repetitions=given.repetitions, folder=given.folder, first=given.first)
    if not given.no_broken and not given.render_only:
        for told in known_broken.looks(known, chosen, folder=given.folder):
            _say(told)
    render(known, given.folder, given.rendered, repetitions=given.repetitions)
    _say(", ".join(str(given.rendered / f"power.{ending}") for ending in ("md", "svg", "html")))


if __name__ == "__main__":
    main()
