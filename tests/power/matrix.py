"""``make power``: detection curves of every statistical auditor, and which auditor finds which known-broken mechanism.

Finished cells are kept (`reports/power/AUDITOR.json`, written whole), so it may be stopped at any time; a cell is made
again when the auditor's version, the budget or the seed is another. Out: `reports/rendered/power.md` and `power.html`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.reporting.detection import page, table
from dpverify.runner.environment import environment
from dpverify.runner.files import write_whole
from dpverify.runner.record import dump, plain
from tests.calibration.harness import statistical_auditors
from tests.power import known_broken, sweep

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/power", ROOT / "reports/rendered"

NOTE = (
    "Share of audits that refute, with 95 % Clopper-Pearson intervals, against the noise that was left, as a share of "
    f"the right noise; alpha {sweep.ALPHA:g}, {sweep.TRIALS} trials a side (or canaries). At 1 the claim holds. "
    "Made by `make power` from `reports/power/`."
)


def _kept(path: Path) -> dict[str, list[dict[str, Any]]]:
    if not path.exists():
        return {"sweep": [], "known_broken": []}
    content = json.loads(path.read_text())
    return {name: content[name] for name in ("sweep", "known_broken")}


def _write(path: Path, auditor: str, kept: dict[str, list[dict[str, Any]]]) -> None:
    write_whole(path, dump(plain({"auditor": auditor, "environment": environment(), **kept})))


def curves(known: Registry, names: list[str] | None, *, jobs: int, repetitions: int, folder: Path) -> None:
    """Every auditor on every mechanism at every ratio."""
    begun = time.perf_counter()
    for auditor in statistical_auditors(known):
        if names and auditor.name not in names:
            continue
        path = folder / f"{auditor.name}.json"
        kept = _kept(path)
        for boundary in sweep.swept():
            for ratio in sweep.RATIOS:
                key = {"mechanism": boundary.name, "ratio": ratio}
                wanted = {**key, "version": auditor.version, "repetitions": repetitions, "seed": sweep.SEED}
                if any(wanted.items() <= one.items() for one in kept["sweep"]):
                    continue
                one = sweep.cell(auditor, boundary, ratio, repetitions=repetitions, jobs=jobs)
                if one is None:
                    break
                kept["sweep"] = [each for each in kept["sweep"] if any(each[name] != key[name] for name in key)]
                kept["sweep"].append(plain(one))
                _write(path, auditor.name, kept)
                found = f"{one['detected']}/{repetitions} at {ratio:g} of the noise, {one['cpu_seconds']:.0f} s"
                _say(f"{auditor.name} on {boundary.name}: {found}; {time.perf_counter() - begun:.0f} s so far")


def broken(known: Registry, names: list[str] | None, *, folder: Path) -> None:
    """Every auditor on every known-broken mechanism; an auditor that is finished at its version is not asked again."""
    for name, auditor in known.auditors.items():
        if names and name not in names:
            continue
        path = folder / f"{name}.json"
        kept = _kept(path)
        if kept["known_broken"] and all(one.get("version") == auditor.version for one in kept["known_broken"]):
            continue
        kept["known_broken"] = []
        for one in known_broken.looks(known, name):
            kept["known_broken"].append(plain({**one, "version": auditor.version}))
            if one["verdict"] != "refused":
                _say(f"{name} on {one['claim']}: {one['verdict']} ({one['seconds']:.1f} s)")
        _write(path, name, kept)


def render(folder: Path, rendered: Path) -> None:
    """Both files, from all cells there are."""
    files = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    cells = [cell for each in files for cell in each["sweep"]]
    title = "Power: what each auditor finds"
    lines = [f"# {title}", "", NOTE, *table(cells), "", "## Known broken", ""]
    looked = {each["auditor"]: each["known_broken"] for each in files if each["known_broken"]}
    names = [name for name, found in looked.items() if any(cell["verdict"] != "refused" for cell in found)]
    verdicts = {(name, cell["claim"]): cell["verdict"] for name, found in looked.items() for cell in found}
    signs = {"refuted": "found", "refused": "", "not_refuted": "missed"}
    if names:
        lines += [
            f"Each auditor alone, {known_broken.TRIALS} trials a side, confidence {known_broken.CONFIDENCE:g} over all",
            "of its audits together; empty where it refuses.",
            "",
            f"| claim | {' | '.join(names)} |",
            f"|---|{'---|' * len(names)}",
        ]
    for claim in sorted({claim for _, claim in verdicts}):
        told = [signs.get(verdicts.get((name, claim), "refused"), verdicts.get((name, claim), "")) for name in names]
        lines.append(f"| {claim} | {' | '.join(told)} |")
    write_whole(rendered / "power.md", "\n".join(lines) + "\n")
    write_whole(rendered / "power.html", page(cells, title=title, note=NOTE.replace("`", "")))


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201 - a command's progress


def main() -> None:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--auditor", action="append", help="only these (may be repeated)")
    options.add_argument("--repetitions", type=int, default=sweep.REPETITIONS)
    options.add_argument("--jobs", type=int, default=-1)
    options.add_argument("--folder", type=Path, default=RECORDS)
    options.add_argument("--rendered", type=Path, default=RENDERED)
    options.add_argument("--no-broken", action="store_true", help="curves only")
    given = options.parse_args()
    known = registry()
    curves(known, given.auditor, jobs=given.jobs, repetitions=given.repetitions, folder=given.folder)
    if not given.no_broken:
        broken(known, given.auditor, folder=given.folder)
    render(given.folder, given.rendered)
    _say(f"{given.rendered / 'power.md'}, {given.rendered / 'power.html'}")


if __name__ == "__main__":
    main()
