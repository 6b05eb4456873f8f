"""Twenty compositions by every accountant that installs: width, seconds, memory, wrong answers; and their page.

    python -m tests.libraries.benchmark                    # the page, of reports/accountants/benchmark/ alone
    python -m tests.libraries.benchmark --measure [NAME]   # first measures again, each where its library is

One process an accountant; a composition that it does not take, or that takes it longer than `LIMIT`, has no answer.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from dpverify.accountant_audit.judge import Judge, is_below
from dpverify.accountant_audit.kinds import KINDS, AuditedRun, Runs, text_of, told
from dpverify.accountant_audit.subject import RefusedError, subject_of
from dpverify.accounting.side_by_side import account
from dpverify.adapters.time_limit import TimeLimit
from dpverify.core.json_text import dump
from dpverify.core.read_untrusted import parse_json, read_text
from dpverify.reporting.formatting import number
from dpverify.reporting.markdown_text import code, prose, row
from dpverify.runner.atomic_files import write_atomically
from tests.libraries.accountants import BESIDE_OURS, FOLDER, OURS, PINS, python_for

RESULTS, PAGE = FOLDER / "benchmark", FOLDER.parents[1] / "reports/rendered/accountant-benchmark.md"
LIMIT = 120.0


def run(kind: str, count: int, *values: float) -> AuditedRun:
    """A run of a kind, with its numbers in their order."""
    return AuditedRun(kind, tuple(zip(KINDS[kind].numbers, values, strict=True)), count)


COMPOSITIONS: tuple[tuple[Runs, float], ...] = (
    ((run("gaussian", 1, 1.0),), 1e-5),
    ((run("gaussian", 10, 8.0),), 1e-5),
    ((run("gaussian", 1000, 50.0),), 1e-6),
    ((run("gaussian", 3, 2.0), run("gaussian", 5, 4.0)), 1e-8),
    ((run("poisson-gaussian", 1, 0.5, 1.0),), 1e-5),
    ((run("poisson-gaussian", 4, 0.25, 1.0),), 1e-3),
    ((run("poisson-gaussian", 100, 0.1, 2.0),), 1e-5),
    ((run("poisson-gaussian", 1000, 0.01, 1.0),), 1e-5),
    ((run("poisson-gaussian", 1000, 0.01, 1.0),), 1e-10),
    ((run("poisson-gaussian", 5000, 0.004, 0.7),), 1e-5),
    ((run("poisson-gaussian", 11700, 256 / 50000, 1.0),), 1e-5),
    ((run("poisson-gaussian", 500, 0.01, 1.0), run("poisson-gaussian", 500, 0.02, 1.5)), 1e-6),
    ((run("laplace", 1, 1.0),), 1e-5),
    ((run("laplace", 50, 20.0),), 1e-6),
    ((run("gaussian", 10, 8.0), run("laplace", 10, 20.0)), 1e-5),
    ((run("pure", 20, 0.5),), 1e-5),
    ((run("pure", 100, 0.1),), 1e-6),
    ((run("pure", 3, 1.0), run("gaussian", 10, 10.0)), 1e-5),
    ((run("exponential", 100, 1.0),), 1e-5),
    ((run("zcdp", 10, 0.01), run("gaussian", 10, 10.0)), 1e-6),
)


def measure(name: str) -> dict[str, Any]:
    """What one accountant answers, in this process."""
    limit = TimeLimit(per_call=LIMIT)
    subject = subject_of(name, steps=None, relation=None, error=None, limit=limit, name=None)
    rows = []
    with limit:
        for runs, delta in COMPOSITIONS:
            begun = time.process_time()
            found: dict[str, Any] = {"composition": text_of(runs), "delta": delta}
            try:
                if missing := [run.kind for run in runs if run.kind not in subject.steps]:
                    raise RefusedError(f"it takes no {missing[0]}")
                answer = subject.epsilon(runs, delta)
                found |= {"lower": answer.lower, "upper": answer.upper if math.isfinite(answer.upper) else None}
            except RefusedError as problem:
                found |= {"lower": None, "upper": None, "why": str(problem)[:200]}
            rows.append(found | {"seconds": round(time.process_time() - begun, 3)})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"accountant": name, "version": subject.version, "rows": rows, "memory": peak}


CHILD = "import sys, tests; tests.__path__ = ['tests']; from tests.libraries.benchmark import keep; keep(sys.argv[1])"
"""Some libraries install a package ``tests`` of their own."""


def keep(name: str) -> None:
    """Measure one accountant, and write what was found."""
    write_atomically(RESULTS / f"{name}.json", dump(measure(name)))


def truth() -> list[dict[str, float | None]]:
    """Our own bracket of each composition, by the mechanism that attains it."""
    judge, found = Judge(relation="add-remove"), []
    for runs, delta in COMPOSITIONS:
        accounts = account(judge.attains(runs), delta=delta)
        low, high = accounts.highest, accounts.lowest
        found.append({"lower": low and low.bracket.lower, "upper": high and high.bracket.upper})
    return found


def page() -> str:
    """All accountants in one table, and each answer in another."""
    known = parse_json(read_text(RESULTS / "truth.json"))
    found = [parse_json(read_text(file)) for file in sorted(RESULTS.glob("*.json")) if file.stem != "truth"]
    return "\n".join([HEADING, *_accountants(found, known), "", *_answers(found, known)]) + "\n"


HEADING = f"""# Accountants: a benchmark

Made by `python -m tests.libraries.benchmark` of `reports/accountants/benchmark/`, which `--measure` writes. Each
composition is held against our own bracket of a mechanism that attains it; an answer below its lower end is *wrong*,
and the excess is how far one lies above it. Width is (upper - lower) / upper where an accountant gives both. Seconds
are of the processor, for the compositions that it answers; memory is the largest of its process, imports included. No
answer within {LIMIT:g} s is none.
"""


def _accountants(found: Sequence[dict[str, Any]], known: Sequence[dict[str, Any]]) -> Iterator[str]:
    yield row(["accountant", "version", "answers", "wrong", "excess, median", "largest", "width", "seconds", "MB"])
    yield row(["---", "---", *["---:"] * 7])
    for item in found:
        pairs = [(one, best) for one, best in zip(item["rows"], known, strict=True) if one["upper"] is not None]
        wrong = sum(is_below(one["upper"], best["lower"]) for one, best in pairs)
        excess = [one["upper"] / best["lower"] - 1 for one, best in pairs]
        widths = [(one["upper"] - one["lower"]) / one["upper"] for one, _ in pairs if one["lower"] is not None]
        yield row(
            [
                prose(item["accountant"]),
                prose(item["version"]),
                str(len(pairs)),
                str(wrong),
                f"{100 * median(excess):.2g} %" if excess else "-",
                f"{100 * max(excess):.2g} %" if excess else "-",
                f"{100 * median(widths):.2g} %" if widths else "-",
                f"{sum(one['seconds'] for one, _ in pairs):.1f}",
                f"{item['memory'] / 1e6:.0f}",
            ]
        )


def _answers(found: Sequence[dict[str, Any]], known: Sequence[dict[str, Any]]) -> Iterator[str]:
    for place, (runs, delta) in enumerate(COMPOSITIONS):
        best = known[place]
        yield f"## {place + 1}. {code(text_of(runs))} at delta = {told(delta)}"
        yield ""
        yield f"Ours: {number(best['lower'])} to {number(best['upper'])}."
        told_ = [
            f"{prose(item['accountant'])} {number(one['upper'])}" + " (wrong)" * is_below(one["upper"], best["lower"])
            for item in found
            if (one := item["rows"][place])["upper"] is not None
        ]
        yield f"{'; '.join(told_) or 'no answer'}."
        yield ""


def main() -> int:
    """The command."""
    import subprocess

    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("names", nargs="*", metavar="NAME")
    options.add_argument("--measure", action="store_true")
    asked = options.parse_args()
    RESULTS.mkdir(parents=True, exist_ok=True)
    status = 0
    for name in (asked.names or [*OURS, *BESIDE_OURS, *PINS]) if asked.measure else ():
        python, variables = python_for(name)
        command = [python, "-c", CHILD, name]
        status = max(
            status, subprocess.run(command, cwd=Path(__file__).parents[2], env=variables, check=False).returncode
        )
    if asked.measure:
        write_atomically(RESULTS / "truth.json", dump(truth()))
    write_atomically(PAGE, page())
    return status


if __name__ == "__main__":
    sys.exit(main())
