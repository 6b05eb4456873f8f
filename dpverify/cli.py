"""The command line. Exit status: 0 as expected, 1 a surprise, 2 bad input (one line), 3 an audit not completed."""

from __future__ import annotations

import sys
import time
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from dpverify import __version__
from dpverify.core.errors import DpverifyError, InputError, one_line

app = typer.Typer(
    name="dpverify",
    help="Tells whether a differential-privacy claim is true.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON to FILE ('-': standard output, alone)."),
]
Seed = Annotated[int, typer.Option(help="Same seed, same numbers.")]
KINDS = ("mechanisms", "known-broken", "auditors", "claims", "datasets", "relations", "definitions", "writers")


@app.command()
def run(
    suite: Annotated[str, typer.Argument(help="core, standard or papers.")] = "core",
    profile: Annotated[str, typer.Option(help="quick or full.")] = "quick",
    jobs: Annotated[int, typer.Option(help="Audits at a time; the numbers do not depend on it.")] = 0,
    backend: Annotated[str, typer.Option(help="processes or threads.")] = "processes",
    seed: Seed = 0,
    confidence: Annotated[float, typer.Option(help="Of the whole run, one-sided.")] = 0.999,
    trials: Annotated[int | None, typer.Option(help="Draws per side and audit (default: the profile's).")] = None,
    only: Annotated[str, typer.Option(metavar="GLOB", help="Only claims whose id matches.")] = "*",
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where reports go.")] = Path("reports/local"),
    formats: Annotated[str, typer.Option("--format", help="Report files to write below --out.")] = "html,json",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress, no table.")] = False,
    json: Json = None,
) -> None:
    """Audit a suite of claims and compare the verdicts with what is expected."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.terminal import Watch, closing_table
    from dpverify.runner.execute import execute
    from dpverify.runner.plan import suite_plan
    from dpverify.runner.record import dump, record
    from dpverify.runner.row import exit_status

    begun = time.perf_counter()
    known = registry()
    writers = [known.writers.get(name) for name in formats.split(",") if name]
    plan = suite_plan(known, suite=suite, profile=profile, seed=seed, confidence=confidence, trials=trials).only(only)
    _check_target(json)
    with Watch(len(plan.units), quiet=quiet) as watch, _prints_to_stderr():
        rows = execute(plan, jobs=_jobs(jobs), backend=backend, watcher=watch)
    records = [record(row) for row in rows]
    title = f"dpverify run {suite} ({profile})"
    written = [writer.write(records, out, title=title) for writer in writers]
    text = dump(records)
    if _emit(json, text) and not quiet:
        console = Console()
        closing_table(records, console)
        rate = plan.alpha * plan.statistical
        console.print(
            f"False-alarm probability of the whole run: at most {rate:.2g} "
            f"({plan.statistical} statistical audits, {plan.alpha:.2g} each).",
            highlight=False,
        )
        console.print(f"{time.perf_counter() - begun:.1f} s; reports: {', '.join(map(str, written))}", highlight=False)
    raise typer.Exit(exit_status(rows))


@app.command()
def audit(
    mechanism: Annotated[str, typer.Argument(metavar="PACKAGE.MODULE:CALLABLE")],
    claim: Annotated[str, typer.Option(help="For example 'ApproxDP(epsilon=1, delta=1e-5)'.")],
    d0: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="A data set: JSON, or a .json, .npy or .csv file.")],
    d1: Annotated[str, typer.Option(metavar="FILE|LITERAL", help="Its neighbour.")],
    relation: Annotated[str | None, typer.Option(help="Read off the pair when not given.")] = None,
    trials: Annotated[int, typer.Option(help="Draws per side for the certified part.")] = 200_000,
    confidence: Annotated[float, typer.Option(help="One-sided.")] = 0.999,
    call: Annotated[str | None, typer.Option(help="scalar, batch or plain; read off the parameters' names.")] = None,
    seed: Seed = 0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No output but the exit status.")] = False,
    json: Json = None,
) -> None:
    """Audit one callable on one pair of neighbouring data sets. Exits with 1 when the claim is refuted."""
    from dpverify.adapters.callable import CALLS
    from dpverify.adapters.literals import load_callable, load_dataset
    from dpverify.api import audit as audit_callable
    from dpverify.reporting.terminal import one_result
    from dpverify.runner.record import dump, record

    if call is not None and call not in CALLS:
        raise InputError(f"--call {call!r}", allowed=", ".join(CALLS))
    kind: Any = call
    console = Console(stderr=True)
    function = load_callable(mechanism)
    data = load_dataset(d0, "--d0"), load_dataset(d1, "--d1")
    _check_target(json)
    status: Any = console.status(f"auditing {mechanism}") if console.is_terminal and not quiet else nullcontext()
    with status, _prints_to_stderr():
        result = audit_callable(
            function,
            *data,
            claim=claim,
            relation=relation,
            trials=trials,
            confidence=confidence,
            seed=seed,
            call=kind,
            name=mechanism,
        )
    item = record(result.row) | {"reproduce": _typed()}
    notes = [f"the relation {result.relation} was read off the pair"] if result.relation_inferred else []
    if not result.reproducible:
        notes.append("the mechanism draws its own randomness: a seed does not give this result back")
    if _emit(json, dump([item])) and not quiet:
        one_result(item, Console(), notes=notes)
    raise typer.Exit({"refuted": 1, "error": 3, "unsupported": 3, "inconclusive": 3}.get(item["verdict"], 0))


@app.command()
def ledger(
    paper: Annotated[str | None, typer.Option(help="Only one paper's rows, such as BLSGD.")] = None,
    id: Annotated[str | None, typer.Option(help="One row, whole.")] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Decide afresh instead of reading the records.")] = False,
    profile: Annotated[str, typer.Option(help="quick or full, with --rerun.")] = "quick",
    jobs: Annotated[int, typer.Option(help="Audits at a time.")] = 0,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="With --rerun: keep the records here.")] = None,
    format: Annotated[str, typer.Option(help="table, json or md.")] = "table",
    json: Json = None,
) -> None:
    """Show every claim of the papers with its verdict. Exits with 0 when every row was decided."""
    from dpverify.core.plugins import registry
    from dpverify.ledger.rows import ledger_records
    from dpverify.reporting.markdown_writer import table
    from dpverify.reporting.terminal import Watch, ledger_detail, ledger_table
    from dpverify.runner.record import dump

    if format not in ("table", "json", "md"):
        raise InputError(f"--format {format!r}", allowed="table, json, md")
    records = ledger_records(
        registry(),
        paper=paper,
        id=id,
        rerun=rerun,
        profile=profile,
        jobs=_jobs(jobs),
        seed=seed,
        out=out,
        watch=lambda total: Watch(total, quiet=json == "-" or format == "json"),
    )
    if _emit(json, dump(records)):
        console = Console()
        if format == "json":
            sys.stdout.write(dump(records))
        elif format == "md":
            sys.stdout.write(table(records))
        elif id is not None:
            ledger_detail(records, console)
        else:
            ledger_table(records, console)
    raise typer.Exit(3 if any(item["verdict"] == "error" for item in records) else 0)


@app.command("list")
def list_(
    kind: Annotated[str, typer.Argument(help=", ".join(KINDS))],
    json: Json = None,
) -> None:
    """List what is registered."""
    from dpverify.core.plugins import registry
    from dpverify.reporting.listing import listing
    from dpverify.runner.record import dump

    if kind not in KINDS:
        raise InputError(f"list {kind!r}", allowed=", ".join(KINDS))
    rows = listing(registry(), kind)
    if _emit(json, dump(rows)):
        width = max((len(row["name"]) for row in rows), default=0)
        for row in rows:
            typer.echo(f"{row['name']:<{width}}  {row['about']}"[:200])


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Tells whether a differential-privacy claim is true."""
    if version:
        typer.echo(f"dpverify {__version__}")
        raise typer.Exit(0)


def _jobs(jobs: int) -> int:
    """0 means every core that this process may use."""
    if jobs < 0:
        raise InputError(f"--jobs {jobs}", allowed="an integer >= 0 (0: every core)")
    if jobs:
        return jobs
    import joblib

    return int(joblib.cpu_count())


def _prints_to_stderr() -> AbstractContextManager[Any]:
    """What subjects print must not stand among results."""
    return redirect_stdout(sys.stderr)


def _check_target(target: str | None) -> None:
    """Refuse a place that cannot be written to before the work is done, not after."""
    if target not in (None, "-"):
        path = Path(str(target))
        if path.is_dir() or (path.parent.exists() and not path.parent.is_dir()):
            raise InputError(f"cannot write --json {path}", allowed="a file in a folder")


def _emit(target: str | None, text: str) -> bool:
    """Write JSON where it is wanted; True when people may be told something on standard output too."""
    if target is None:
        return True
    if target == "-":
        sys.stdout.write(text)
        return False
    from dpverify.runner.files import write_whole

    write_whole(Path(target), text)
    return True


def _typed() -> str:
    import shlex

    return shlex.join(["dpverify", *sys.argv[1:]])


def _with_json_argument(words: list[str]) -> list[str]:
    """``--json`` alone means standard output: give it the value that the option parser wants."""
    filled: list[str] = []
    for index, word in enumerate(words):
        filled.append(word)
        following = words[index + 1] if index + 1 < len(words) else None
        if word == "--json" and (following is None or (following.startswith("-") and following != "-")):
            filled.append("-")
    return filled


def main() -> None:
    """Entry point: whatever goes wrong is one line on standard error and an exit status."""
    # The working directory is importable, behind everything that is installed, so that it cannot shadow it.
    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))
    try:
        status = app(args=_with_json_argument(sys.argv[1:]), standalone_mode=False)
    except DpverifyError as problem:
        _fail(str(problem), problem.exit_status)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:
        sys.exit(1)
    except Exception as problem:  # noqa: BLE001 - no traceback reaches a user
        message = getattr(problem, "format_message", None)
        if message is None:
            _fail(f"internal error: {type(problem).__name__}: {problem}; please report it", 3)
        _fail(f"{message()}; `dpverify --help` shows the commands", 2)
    sys.exit(int(status or 0))


def _fail(message: str, status: int) -> NoReturn:
    sys.stderr.write(f"dpverify: {one_line(message)}\n")
    sys.exit(status)
