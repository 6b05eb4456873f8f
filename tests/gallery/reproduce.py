"""All bugs of the gallery in fresh environments: a record each, the page that is drawn from them, and a summary.

    python -m tests.gallery.reproduce                   # minutes for each bug, most of them for the installation
    python -m tests.gallery.reproduce --only 'opendp-*'
    python -m tests.gallery.reproduce --render-only
    python -m tests.gallery.reproduce --cached          # with the environments that are there

Records are `reports/gallery/*.json`, the summary is `reports/gallery/summary.md`, page and pictures lie in
`reports/rendered`. Each bug is run by its own command, `dpverify gallery --run NAME`, as a reader would run it. The
cache is an empty temporary folder, so every environment is made anew (bugs with the same pins share one). The exit
status is 1 where any does not come out as its file says.
"""

from __future__ import annotations

import argparse
import fnmatch
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpverify.core.plugins import registry
from dpverify.gallery.measure import FALSE_ALARM, as_expected
from dpverify.gallery.result import entries, read_record
from dpverify.reporting.formatting import number, number_down
from dpverify.reporting.markdown_text import row
from dpverify.runner.atomic_files import write_atomically
from tests.gallery.page import write_gallery

ROOT = Path(__file__).parents[2]
RECORDS, RENDERED = ROOT / "reports/gallery", ROOT / "reports/rendered"
SUMMARY = RECORDS / "summary.md"

HEAD = """# The gallery, reproduced

What `python -m tests.gallery.reproduce` found: each bug by its own command. Environments were made anew, in a
folder that was empty before; the last column says how long that took, and 0 that another bug had made the same one.
A bound is a lower bound; a dash stands where nothing was measured."""


def summary(items: Sequence[dict[str, Any]]) -> str:
    """Release, verdict, bound and seconds of each bug, and of its mended release."""
    lines = [
        HEAD,
        "",
        row(["bug", "release", "Python", "verdict", "claimed", "bound", "as its file says", "s", "installed in s"]),
    ]
    lines.append(row(["---"] * 4 + ["---:"] * 2 + ["---"] + ["---:"] * 2))
    for item in items:
        release = f"{item['library']} {item['version']}"
        lines.append(_line(item["name"], item, release, "yes" if as_expected(item) else "NO"))
        if "fixed" in item:
            lines.append(_line("mended", item["fixed"], item["fixed"]["release"].replace("==", " "), ""))
    good = sum(map(as_expected, items))
    return "\n".join([*lines, "", f"{good} of {len(items)} came out as their files say."]) + "\n"


def _line(name: str, item: dict[str, Any], release: str, so: str) -> str:
    kind = "written anew" if item["python"] is None else item["python"]
    bound = "-" if item.get("bound") is None else number_down(item["bound"])
    verdict = item["verdict"].replace("_", " ")
    seconds, installed = f"{item['seconds']:.0f}", f"{item['install_seconds']:.0f}"
    return row([name, release, kind, verdict, number(item.get("claimed")), bound, so, seconds, installed])


def main() -> int:
    """Run, write records, page and summary."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", default="*")
    parser.add_argument("--render-only", action="store_true")
    parser.add_argument("--cached", action="store_true")
    asked = parser.parse_args()
    wanted = [] if asked.render_only else [name for name in registry().bugs if fnmatch.fnmatch(name, asked.only)]
    with tempfile.TemporaryDirectory() as cache:
        words = dict(os.environ) if asked.cached else {**os.environ, "XDG_CACHE_HOME": cache}
        for name in wanted:
            print(name, flush=True)  # noqa: T201 - a log
            record = RECORDS / f"{name}.json"
            command = [sys.executable, "-m", "dpverify", "gallery", "--run", name, "--json", str(record)]
            subprocess.run(command, env=words, check=False)
    items = [item for name in registry().bugs if (item := read_record(name)) is not None]
    write_atomically(SUMMARY, summary(items))
    write_gallery(entries(), RENDERED, alarm=FALSE_ALARM)
    fell = [item["name"] for item in items if not as_expected(item)]
    print(f"not as their files say: {', '.join(fell) or 'none'}")  # noqa: T201
    return 1 if fell else 0


if __name__ == "__main__":
    sys.exit(main())
