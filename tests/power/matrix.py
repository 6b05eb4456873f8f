"""``make power``: detection curves of every statistical auditor, and which auditor finds which known-broken mechanism.

Finished cells are kept (`reports/power/AUDITOR.json`, written whole), so it may be stopped at any time. A cell carries
a digest of the sources that decide it (`tests.calibration.sources`), and is stale, and made again, when one of them
says something else, or when the budget or the seed is another. What is stale or missing is named beside the tables.
Out: `reports/rendered/power.md`, `power.html` (curves and tables) and `power.svg` (the curves).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.plugins import registry
from dpverify.core.protocols import Auditor
from dpverify.core.registry import Registry
from dpverify.reporting.detection import page, picture, table
from dpverify.runner.environment import environment
from dpverify.runner.files import write_whole
from dpverify.runner.record import dump, plain
from tests.calibration.harness import refusal, statistical_auditors
from tests.calibration.sources import deciding, digest
from tests.power import known_broken, sweep

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/power", ROOT / "reports/rendered"

NOTE = (
    "Share of audits that refute, with 95 % Clopper-Pearson intervals, against the noise that was left, as a share of "
    f"the right noise; alpha {sweep.ALPHA:g}, {sweep.TRIALS} trials a side (or canaries) unless a boundary has fewer. "
    "At 1 the claim holds. Made by `make power` from `reports/power/`."
)

SIGNS = {"refuted": "found", "refused": "", "not_refuted": "missed"}


class Kept:
    """The finished cells of one auditor, on disk: ``sweep`` and ``known_broken``, by their places."""

    def __init__(self, folder: Path, auditor: str) -> None:
        self.path, self.auditor = folder / f"{auditor}.json", auditor
        content = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.cells: dict[str, list[dict[str, Any]]] = {part: content.get(part, []) for part in PLACES}

    def find(self, part: str, key: dict[str, Any]) -> dict[str, Any] | None:
        """The cell in the key's place, of whatever sources."""
        return next((one for one in self.cells[part] if all(one.get(name) == key[name] for name in PLACES[part])), None)

    def put(self, part: str, cell: dict[str, Any]) -> None:
        """In the place of an older one. Read the file just before: others may work on it."""
        old = self.find(part, cell)
        self.cells[part] = [*(one for one in self.cells[part] if one is not old), plain(cell)]
        write_whole(self.path, dump(plain({"auditor": self.auditor, "environment": environment(), **self.cells})))


PLACES = {"sweep": ("mechanism", "ratio"), "known_broken": ("claim",)}


def curve_keys(auditor: Auditor, *, repetitions: int) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Each boundary that the auditor examines, with what a finished cell of it must agree with."""
    for boundary in sweep.swept():
        if refusal(auditor, boundary, alpha=sweep.ALPHA, trials=sweep.budget(boundary)) is not None:
            continue
        sources = deciding(auditor, boundary)
        for ratio in sweep.RATIOS:
            yield (
                boundary,
                {
                    "mechanism": boundary.name,
                    "ratio": ratio,
                    "trials": sweep.budget(boundary),
                    "sources": sources,
                    "repetitions": repetitions,
                    "seed": sweep.SEED,
                },
            )


def curves(auditors: Sequence[Auditor], *, jobs: int, repetitions: int, folder: Path, first: bool = False) -> None:
    """Every auditor on every mechanism (or the first ones) at every ratio; what is finished is not made again."""
    begun = time.perf_counter()
    for auditor in auditors:
        kept = Kept(folder, auditor.name)
        for boundary, key in curve_keys(auditor, repetitions=repetitions):
            if (first and not boundary.first) or key.items() <= (kept.find("sweep", key) or {}).items():
                continue
            one = sweep.cell(auditor, boundary, key["ratio"], repetitions=repetitions, jobs=jobs)
            Kept(folder, auditor.name).put("sweep", {**one, **key})
            told = f"{one['detected']}/{repetitions} at {key['ratio']:g} of the noise, {one['cpu_seconds']:.0f} s"
            _say(f"{auditor.name} on {boundary.name}: {told}; {time.perf_counter() - begun:.0f} s so far")


def broken_key(auditor: Auditor, entry: Any) -> dict[str, Any]:
    """What a finished look must agree with: the auditor's sources, the subject's, and the budget."""
    made_by = registry().subject(entry.claim.subject)
    return {
        "claim": entry.claim.id,
        "sources": digest(
            [type(auditor).__module__, getattr(made_by, "func", made_by).__module__], repr((auditor, entry.claim))
        ),
        "trials": known_broken.TRIALS,
        "seed": known_broken.SEED,
    }


def broken(known: Registry, auditors: Sequence[Auditor], *, folder: Path) -> None:
    """Every auditor on every known-broken mechanism; what is finished is not made again."""
    for auditor in auditors:
        kept = Kept(folder, auditor.name)
        for entry in known_broken.broken_entries(known):
            key = broken_key(auditor, entry)
            if key.items() <= (kept.find("known_broken", key) or {}).items():
                continue
            one = known_broken.look(known, auditor.name, entry)
            Kept(folder, auditor.name).put("known_broken", {**one, **key})
            if one["verdict"] != "refused":
                _say(f"{auditor.name} on {one['claim']}: {one['verdict']} ({one['seconds']:.1f} s)")


def render(known: Registry, folder: Path, rendered: Path, *, repetitions: int) -> None:
    """All files, from the cells that there are and are not stale."""
    cells: list[dict[str, Any]] = []
    lacking: list[str] = []
    for auditor in statistical_auditors(known):
        kept = Kept(folder, auditor.name)
        states: dict[str, dict[str, list[str]]] = {"stale": {}, "missing": {}}
        for _, key in curve_keys(auditor, repetitions=repetitions):
            one = kept.find("sweep", key)
            if one is not None and key.items() <= one.items():
                cells.append(one)
            else:
                state = states["missing" if one is None else "stale"]
                state.setdefault(key["mechanism"], []).append(f"{key['ratio']:g}")
        for state, places in states.items():
            told = [
                name if len(ratios) == len(sweep.RATIOS) else f"{name} at {', '.join(ratios)}"
                for name, ratios in places.items()
            ]
            if told:
                lacking.append(f"- {auditor.name}, {state}: {'; '.join(told)}.")
    title = "Power: what each auditor finds"
    lines = [f"# {title}", "", NOTE, *table(cells), ""]
    if lacking:
        lines += ["Not in these tables:", "", *lacking, ""]
    lines += ["## Known broken", "", *_broken_lines(known, folder)]
    write_whole(rendered / "power.md", "\n".join(lines) + "\n")
    write_whole(rendered / "power.svg", picture(cells))
    write_whole(rendered / "power.html", page(cells, title=title, note=NOTE.replace("`", "")))


def _broken_lines(known: Registry, folder: Path) -> list[str]:
    """Claims down and auditors across; then what is stale or missing."""
    told: dict[str, dict[str, str]] = {}
    lacking: list[str] = []
    entries = known_broken.broken_entries(known)
    for name, auditor in known.auditors.items():
        kept = Kept(folder, name)
        states: dict[str, list[str]] = {"stale": [], "missing": []}
        for entry in entries:
            key = broken_key(auditor, entry)
            one = kept.find("known_broken", key)
            if one is None or not key.items() <= one.items():
                states["missing" if one is None else "stale"].append(entry.claim.id)
            elif one["verdict"] != "refused":
                told.setdefault(name, {})[entry.claim.id] = SIGNS.get(one["verdict"], one["verdict"])
        for state, places in states.items():
            if places:
                lacking.append(f"- {name}, {state}: {'all' if len(places) == len(entries) else ', '.join(places)}.")
    if not told:
        return lacking
    lines = [
        f"Each auditor alone, {known_broken.TRIALS} trials a side, confidence {known_broken.CONFIDENCE:g}; empty where",
        "it refuses. The last column counts the auditors that find it.",
        "",
        f"| claim | {' | '.join(told)} | found by |",
        f"|---|{'---|' * len(told)}---:|",
    ]
    for claim in sorted(entry.claim.id for entry in entries):
        here = [found.get(claim, "") for found in told.values()]
        lines.append(f"| {claim} | {' | '.join(here)} | {here.count('found')} |")
    return [*lines, "", *lacking]


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
        broken(known, chosen, folder=given.folder)
    render(known, given.folder, given.rendered, repetitions=given.repetitions)
    _say(", ".join(str(given.rendered / f"power.{ending}") for ending in ("md", "svg", "html")))


if __name__ == "__main__":
    main()
