"""Audits of libraries' accountants, each in the environment of its library, and the page that is made of them.

    python -m tests.libraries.accountants                  # the page, of reports/accountants/ alone
    python -m tests.libraries.accountants --audit [NAME]   # first audits them again, which takes an hour for all
    python -m tests.libraries.accountants --audit NAME --source FOLDER --version TEXT --as NAME

With `--source`, a copy of a library's repository stands before what is installed: a version without a release.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.datasets.files import cache_folder
from dpverify.gallery.environments import environment_for
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import write_atomically
from tests.libraries.environments import BESIDE, ENVIRONMENTS

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "reports/accountants", ROOT / "reports/rendered/accountants.md"

PINS: dict[str, tuple[str, ...]] = {
    "opacus.gdp": ENVIRONMENTS["opacus"].pins,
    "opacus.prv": ENVIRONMENTS["opacus"].pins,
    "opacus.rdp": ENVIRONMENTS["opacus"].pins,
    "opendp.pure": ENVIRONMENTS["opendp"].pins,
    "opendp.zcdp": ENVIRONMENTS["opendp"].pins,
    "diffprivlib": ENVIRONMENTS["diffprivlib"].pins,
    "prv_accountant": ("prv-accountant==0.2.0",),
    "riskcal.ctd": ("riskcal==1.5.1",),
    "opake": ("opake-accounting==0.16.1", "opake-base==0.16.1"),
    "pld_accounting": ("pld-accounting==2.0",),
}
"""Of those that are not installed beside dpverify's own tests."""

OURS = ("advanced", "basic", "enumeration", "gdp", "moments", "pld", "rdp", "rdp-classic")
BESIDE_OURS = ("autodp.rdp", "dp_accounting.pld", "dp_accounting.rdp")

LIMIT = 600
"""Seconds of one call."""

SETTINGS = 20
"""Of each relation: some accountants take seconds for an answer."""

REPORTED = {"dp-accounting commit b5b0286": "no public report is known; gallery: dp-accounting-exponential-count"}
"""Where a finding is reported, by the version of the accountant; written by hand."""

HEADING = """# Accountants

Made by `python -m tests.libraries.accountants` of `reports/accountants/`, which `--audit` writes, with seed 0.
"refuted": an answer lies below a lower bound that is never above the truth, or the intervals that the accountant
states exclude each other. "inconsistent": two answers follow no one rule, and neither is below a lower bound; where
accountants give upper bounds only, one of the two may just be loose. "no contradiction found" is no more than that.
Settings at which an accountant raised an error, or took longer than its limit, are among those that are counted. The
accountants of jax_privacy are those of dp_accounting. [A benchmark](accountant-benchmark.md) has their numbers.
"""


def python_for(name: str, *, source: str = "") -> tuple[str, dict[str, str]]:
    """The interpreter that has the library of an accountant, made once, and the variables that it needs."""
    variables = dict(os.environ)
    beside = [*filter(None, [source]), str(ROOT)]
    if name not in PINS:
        variables["PYTHONPATH"] = os.pathsep.join([*beside, *filter(None, [variables.get("PYTHONPATH", "")])])
        return sys.executable, variables
    here = f"{sys.version_info.major}.{sys.version_info.minor}"
    made = environment_for(PINS[name], [here], say=print, folder=cache_folder() / "libraries")
    packages = made.python.parents[1] / "lib" / f"python{here}" / "site-packages"
    (packages / "beside.pth").write_text(
        f"import os, sys; sys.path += os.environ.get('{BESIDE}', '').split(os.pathsep)\n"
    )
    variables[BESIDE] = os.pathsep.join([*beside, sysconfig.get_path("purelib")])
    return str(made.python), variables


def audit(name: str, *, settings: int, source: str, version: str, saved_as: str) -> int:
    """Audit one accountant where its library is; returns the exit status."""
    python, variables = python_for(name, source=source)
    FOLDER.mkdir(exist_ok=True)
    file = FOLDER / f"{saved_as or name}.json"
    command = [python, "-m", "dpverify", "audit-accountant", name, "--json", str(file), "--quiet"]
    command += ["--settings", str(settings), "--max-seconds-per-call", str(LIMIT)]
    status = subprocess.run(command, cwd=ROOT, env=variables, check=False).returncode
    if status in (0, 1, 3) and file.exists():
        found = parse_json(read_text(file))
        found["version"] = version or found["version"]
        write_atomically(file, dump(found))
    return status


def page() -> str:
    """The table of all, and what each finding is."""
    found = [parse_json(read_text(file)) for file in sorted(FOLDER.glob("*.json"))]
    return "\n".join([HEADING, *_table(found), "", *_findings(found)]).rstrip() + "\n"


def _table(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield row(["accountant", "version", "found", "refuted", "inconsistent", "smallest setting", "settings", "reported"])
    yield row(["---", "---", "---", "---:", "---:", "---", "---:", "---"])
    for item in found:
        words = [each["word"] for each in item["rows"]]
        first = next((each for each in item["rows"] if each["word"] == item["word"] and each["shown"]), None)
        yield row(
            [
                prose(item["accountant"]),
                prose(item["version"]),
                item["word"],
                str(words.count("refuted")),
                str(words.count("inconsistent")),
                "-" if first is None else prose("; ".join(first["shown"])),
                str(sum(each["settings"] for each in item["rows"])),
                prose(REPORTED.get(item["version"], "; ".join(item["notes"]) or "-")),
            ]
        )


def _findings(found: Sequence[dict[str, Any]]) -> Iterator[str]:
    for item in found:
        shown = [each for each in item["rows"] if each["verdict"] in ("refuted", "inconclusive")]
        if not shown:
            continue
        yield f"## {prose(item['accountant'])} {prose(item['version'])}"
        yield ""
        for each in shown:
            told = "; ".join([each["words"], *each["shown"]])
            again = f": {code(each['beside'])}" if each["beside"] else ""
            yield f"- {each['name']}: {each['word']}: {prose(told)}{again}"
        yield from (f"- {prose(note)}" for note in item["notes"])
        yield ""


def main() -> int:
    """The command."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME")
    options.add_argument("--audit", action="store_true")
    options.add_argument("--settings", type=int, default=SETTINGS)
    options.add_argument("--source", default="")
    options.add_argument("--version", default="")
    options.add_argument("--as", dest="saved_as", default="")
    asked = options.parse_args()
    names = asked.names or [*OURS, *BESIDE_OURS, *PINS]
    statuses = [
        audit(name, settings=asked.settings, source=asked.source, version=asked.version, saved_as=asked.saved_as)
        for name in names
        if asked.audit
    ]
    write_atomically(PAGE, page())
    return max((status for status in statuses if status not in (1, 3)), default=0)


if __name__ == "__main__":
    sys.exit(main())
