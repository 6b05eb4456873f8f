"""`dpverify account`: what every accountant says about one composition, side by side."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from dpverify.cli.options import Json, Quiet, claim_option, search_option, subject_option, verdict_option
from dpverify.cli.output import at_work, check_target, emit, prints_to_stderr, record_command
from dpverify.core.errors import InputError, exit_status

if TYPE_CHECKING:
    from dpverify.core.composition import Composition

UNKNOWN = "?"


def account(
    spec: Annotated[
        str | None,
        typer.Argument(metavar="SPEC", help="A .json or .toml file, or 'gaussian(sigma=1)*10 + laplace(scale=2)'."),
    ] = None,
    poisson_gaussian: Annotated[
        tuple[str, str, str] | None,
        subject_option(
            metavar="Q SIGMA STEPS",
            help="DP-SGD. With sigma '?' the smallest sigma for --epsilon and --delta, or --advantage, is computed.",
        ),
    ] = None,
    from_file: Annotated[
        Path | None,
        subject_option(
            "--from",
            metavar="FILE",
            help="The printed text of a DpEvent of dp_accounting, or JSON of an Opacus accountant's history.",
        ),
    ] = None,
    delta: Annotated[float | None, claim_option(help="Delta at which epsilon is computed (default: 1e-5).")] = None,
    epsilon: Annotated[
        float | None, claim_option(help="Epsilon at which delta (or sigma, if it is '?') is computed.")
    ] = None,
    accountants: Annotated[
        list[str] | None,
        search_option("--accountant", metavar="NAME", help="Use only this accountant (may be repeated)."),
    ] = None,
    prove: Annotated[
        bool,
        search_option(
            "--prove",
            help="Add the accountant `proved`: both ends are theorems, and --json FILE keeps the proof, which "
            "`dpverify check-proof FILE` checks.",
        ),
    ] = False,
    order: Annotated[
        list[float] | None,
        claim_option(help="Renyi order above 1 at which the divergence is printed, too (may be repeated)."),
    ] = None,
    risk: Annotated[
        bool, verdict_option("--risk", help="What an attacker can reach at most: power, posterior, reconstruction.")
    ] = False,
    prior: Annotated[
        float | None, verdict_option(help="With --risk: probability of membership before the output (default: 0.1).")
    ] = None,
    advantage: Annotated[
        float | None, claim_option(help="With sigma '?': the largest advantage that an attacker may have, in (0, 1).")
    ] = None,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Compute the privacy cost of a composition by every accountant.

    Exits with 3 when none applies, one fails, or two contradict.
    """
    from dpverify.accounting import side_by_side
    from dpverify.accounting.least_sigma import solve_sigma
    from dpverify.accounting.risk import risk as risk_of
    from dpverify.core.json_text import dump
    from dpverify.reporting.accounts_table import accounts_record, accounts_table, risk_lines
    from dpverify.stats.attacker import PRIOR

    given = sum(each is not None for each in (spec, poisson_gaussian, from_file))
    if given != 1:
        raise InputError(
            "two compositions" if given else "no composition",
            allowed="SPEC, --poisson-gaussian q sigma steps, or --from FILE",
            remedy="such as `dpverify account 'gaussian(sigma=1)*10'`",
        )
    if prior is not None and not risk:
        raise InputError("--prior without --risk", allowed="both of them")
    check_target(json)
    told = None
    with at_work("accounting", quiet=quiet), prints_to_stderr():
        composition = str(spec) if from_file is None else _of_file(from_file)
        build, sigma, text = _dp_sgd(poisson_gaussian) if poisson_gaussian is not None else (None, math.nan, "")
        if build is not None and sigma is None:
            if epsilon is None and advantage is None:
                allowed = "--epsilon or --advantage, the budget for which sigma is computed"
                raise InputError(f"sigma {UNKNOWN} without a budget", allowed=allowed)
            if prove or order:
                name, remedy = ("--prove", "prove the sigma found") if prove else ("--order", "account for it again")
                raise InputError(f"{name} where sigma is asked", allowed="a sigma", remedy=remedy)
            asked = {"epsilon": epsilon, "delta": delta, "advantage": advantage}
            found = solve_sigma(build, **asked, text=text, accountants=accountants)
            best = found.lowest
            composition = build(best.bracket.upper) if best is not None else composition
        elif advantage is not None:
            raise InputError("--advantage with a known sigma", allowed=f"sigma {UNKNOWN}: it is computed")
        else:
            composition = build(float(sigma)) if build is not None and sigma is not None else composition
            found = side_by_side.account(
                composition, delta=delta, epsilon=epsilon, accountants=accountants, prove=prove, orders=order or ()
            )
        if risk and found.lowest is not None:
            told = risk_of(composition, prior=PRIOR if prior is None else prior, accountants=accountants)
    record = accounts_record(found) | ({"risk": told.record()} if told else {}) | {"reproduce": record_command()}
    if emit(json, dump(record)) and not quiet:
        console = Console()
        accounts_table(found, console)
        for line in risk_lines(told) if told else ():
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(exit_status([] if found.complete else ["incomplete"]))


def _of_file(path: Path) -> str | Composition:
    from dpverify.accounting.composition_spec import composed
    from dpverify.accounting.other_libraries import read_other
    from dpverify.core.plugins import registry

    return composed(read_other(path), registry(), f"{path}: ")


def _dp_sgd(words: tuple[str, str, str]) -> tuple[Callable[[float], Composition], float | None, str]:
    """The composition as a function of sigma, the given sigma (None: to be computed), and the text."""
    from dpverify.accounting.composition_grammar import parse_number
    from dpverify.accounting.composition_spec import whole_count
    from dpverify.core.composition import Composition
    from dpverify.core.plugins import registry

    rate = parse_number(words[0], "--poisson-gaussian: q")
    sigma = None if words[1] == UNKNOWN else parse_number(words[1], "--poisson-gaussian: sigma")
    steps = whole_count(parse_number(words[2], "--poisson-gaussian: steps"), "--poisson-gaussian: steps")
    step = registry().steps.get("poisson-gaussian")

    def build(sigma: float) -> Composition:
        return Composition.repeat(step(q=rate, sigma=sigma), steps)

    return build, sigma, f"poisson-gaussian(q={rate:g}, sigma={UNKNOWN})*{steps}"
