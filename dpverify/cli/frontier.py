"""`dpverify frontier`: one's own trainer at claimed and audited epsilon, beside references at the same price."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from dpverify.cli.options import (
    Json,
    Quiet,
    Seed,
    claim_option,
    data_option,
    kept_option,
    limit_option,
    numbers,
    search_option,
    utility_option,
    whole_number,
)
from dpverify.cli.output import at_work, check_target, prints_to_stderr, record_command, say, show
from dpverify.core.errors import InputError, exit_status
from dpverify.core.relation_names import DEFAULT_RELATION

PLAIN_EVERY = 10.0
"""Seconds between lines of progress when there is no terminal."""


def frontier(
    trainer: Annotated[str, typer.Argument(metavar="PACKAGE.MODULE:TRAINER")],
    data: Annotated[
        str,
        data_option(metavar="NAME|FILE", help="A data set (`dpverify list datasets`), or a .csv, .parquet or .npy."),
    ],
    label: Annotated[
        str | None, data_option(metavar="COLUMN", help="Column of a file that is predicted, a name or a number.")
    ] = None,
    epsilons: Annotated[str, claim_option(help="Claimed prices.")] = "0.1,0.5,1",
    delta: Annotated[float, claim_option(help="Delta of the claim.")] = 1e-5,
    relation: Annotated[str, claim_option(help="add-remove or replace.")] = DEFAULT_RELATION,
    against: Annotated[
        str,
        utility_option(
            metavar="NAMES",
            help="References, calibrated to the same prices, with settings or without: 'dp-sgd(steps=500),obj-pert'; "
            "'' for none.",
        ),
    ] = "dp-sgd,obj-pert",
    metric: Annotated[str, utility_option(help="accuracy, auc or loss.")] = "accuracy",
    at_least: Annotated[
        str | None,
        utility_option(
            metavar="X[@EPSILON],...", help="The mean that the trainer must reach, at every epsilon or at one."
        ),
    ] = None,
    splits: Annotated[int, utility_option(help="Independent random splits.")] = 10,
    test_share: Annotated[float, utility_option(help="Share of the records in a test part.")] = 0.2,
    audit_seconds: Annotated[
        float, search_option(metavar="S", help="About so long all audits together may take.")
    ] = 40.0,
    audit_trials: Annotated[
        int | None,
        search_option(
            parser=whole_number, metavar="N", help="Counted runs a side at each epsilon, instead of --audit-seconds."
        ),
    ] = None,
    canary_norm: Annotated[
        float,
        search_option(help="L2 norm of the canary; above 1 (the data's) where the trainer clips rows or gradients."),
    ] = 1.0,
    few_records: Annotated[
        bool, search_option("--few-records", help="Audit on tables of a few records, too, where their number shows.")
    ] = False,
    confidence: Annotated[float, claim_option(help="One-sided, of all audited bounds together.")] = 0.999,
    max_seconds_per_call: Annotated[float, limit_option(metavar="S", help="Time limit of one training.")] = 600.0,
    jobs: Annotated[int, limit_option(help="Processes; 0: every core.")] = 0,
    seed: Seed = 0,
    out: Annotated[
        Path | None, kept_option(metavar="DIR", help="Write frontier.html, frontier.svg and frontier.json there.")
    ] = None,
    resume: Annotated[bool, kept_option("--resume", help="Go on with what an earlier run left in --out.")] = False,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Measure one's own trainer at claimed and audited epsilon, beside references at the same price.

    Exits with 1 when a claimed epsilon is refuted, or a mean that --at-least demands is not reached; else with 3 when
    so few runs could not have refuted a claimed epsilon.
    """
    from dpverify.core.json_text import dump
    from dpverify.core.note import Telling
    from dpverify.frontier.asked import FrontierSettings
    from dpverify.frontier.references import references_of
    from dpverify.frontier.run import measured
    from dpverify.reporting.frontier_svg import write_frontier
    from dpverify.runner.atomic_files import write_atomically
    from dpverify.runner.limits import number_of_jobs
    from dpverify.runner.memory import limit_files, limit_memory_with_children, share_of_machine

    check_target(json)
    if resume and out is None:
        raise InputError("--resume without --out", allowed="--resume with the --out of the run that was stopped")
    asked = FrontierSettings(
        trainer=trainer,
        name=trainer,
        data=data,
        label=label,
        epsilons=numbers(epsilons, "--epsilons", such_as="0.1,0.5,1"),
        delta=delta,
        relation=relation,
        against=references_of(against),
        metric=metric,
        splits=splits,
        share=test_share,
        norm=canary_norm,
        confidence=confidence,
        seconds=audit_seconds,
        trials=audit_trials,
        few=few_records,
        per_call=max_seconds_per_call,
        seed=seed,
    )
    limit_files()
    limit_memory_with_children(share_of_machine())
    status, told = at_work(f"measuring {trainer}", quiet=quiet), partial(say, quiet=quiet)
    with status, prints_to_stderr(bounded=True):
        found = measured(
            asked,
            at_least=_demanded(at_least),
            jobs=number_of_jobs(jobs),
            folder=out,
            resume=resume,
            tell=_Teller(status if hasattr(status, "update") else None, told),
            say=told,
        )
    lines, again = found.lines(), record_command()
    values = {**found.found, "lines": lines, "reproduce": again}
    written, tell = list[Path](), Telling(quotes=True)
    if out is not None:
        path = tell("frontier.json", partial(write_atomically, out / "frontier.json", dump(values)), None)
        written = [path] if path is not None else []
        pages = partial(write_frontier, found.found, out, lines=found.marked_lines(), reproduce=again)
        written = [*tell("the page", pages, ()), *written]
    shown = [*found.heading(), *lines, *found.found["notes"], *(f"written: {path}" for path in written)]
    show(json, values, shown, quiet=quiet, tell=tell)
    raise typer.Exit(exit_status(["below" for _ in found.failures] + ["untested" for _ in found.untested]))


def _demanded(text: str | None) -> dict[float | None, float]:
    found: dict[float | None, float] = {}
    for each in [] if text is None else text.split(","):
        wanted, at, epsilon = each.partition("@")
        try:
            found[float(epsilon) if at else None] = float(wanted)
        except ValueError:
            raise InputError(f"--at-least {text!r}", allowed="X or X@EPSILON, such as 0.82 or 0.8@0.5,0.82@1") from None
    return found


class _Teller:
    """Progress, with the time left of what is being done: in the terminal's line, or a line now and then."""

    def __init__(self, status: Any, say: Callable[[str], None]) -> None:
        self._status, self._say = status, say
        self._doing, self._since, self._from, self._said = "", 0.0, 0.0, time.monotonic()

    def __call__(self, doing: str, share: float) -> None:
        now = time.monotonic()
        if self._doing != doing:
            self._doing, self._since, self._from = doing, now, share
        left = ""
        if share > self._from:
            left = f", {(now - self._since) * (1 - share) / (share - self._from):.0f} s left of it"
        line = f"{doing}: {share:.0%}{left}"
        if self._status is not None:
            self._status.update(line)
        elif now - self._said >= PLAIN_EVERY:
            self._said = now
            self._say(line)
