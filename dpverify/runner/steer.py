"""A steered run: one total of draws, spent in instalments on whichever audits are closest to a verdict.

This goes beyond optional stopping: the draws that an audit gets depend on all earlier results, including its own. Only
e-values stay valid then. The wealth that a claim's instalments bet is a supermartingale under the claim, however the
next instalment and its length are chosen from the past (`steer_instalment`). By Ville's inequality it ever reaches
1/alpha with probability at most alpha. Alpha is fixed before the first draw (Bonferroni over the plan), and steering
does not change it. Bounds for a number of draws fixed in advance would be invalid here, so audits that use them are not
steered.

Steering uses e-values and counts, never a clock, and all rounds have the same width. So the instalments and all numbers
are the same for any number of workers, for both back ends, and after a kill and a resume. A time limit only cuts the
run short: finished instalments count, unfinished ones do not, and the rows say so.

An audit stops when its claim is refuted; when the value to detect would have been detected with 80 % power (by its last
instalment alone, as the auditor computes it); when its draws repeat; or when the total is spent. The total counts pairs
of draws, one on each side, over all pairs of data sets that an audit examines. The few draws of an instalment that
ended before any bet are not counted. Saved failures are not replayed.

Assumption: mechanisms draw from the rng that they are given. Winning instalments end early, so a time limit cuts losing
ones more often. That does no harm when a cut instalment is repeated with the same draws, but with other draws it would
be a second chance. So a cut run of mechanisms with other randomness must not be resumed.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

from dpverify.core.errors import InputError
from dpverify.core.registry import Registry
from dpverify.runner.execute import Silent, Watcher
from dpverify.runner.limits import Limits
from dpverify.runner.plan import Plan
from dpverify.runner.row import Cut, Row
from dpverify.runner.steer_audits import SERIES, SteeredAudits, auditor_of, audits_of
from dpverify.runner.steer_instalment import Instalment, accepts_journal, steerable
from dpverify.runner.steer_order import PARTS, Order, closest
from dpverify.runner.steer_round import BACKENDS, in_processes, in_threads
from dpverify.runner.steer_rows import steered_row
from dpverify.runner.store.store import Store
from dpverify.runner.thread_limits import one_thread

WIDTH = 8
"""Instalments in a round, whatever the number of workers."""


@one_thread()  # each instalment limits its threads too; doing it here looks up the libraries only once
def steer(
    plan: Plan,
    *,
    total: int,
    detect: float | None = None,
    jobs: int = 1,
    backend: str = "threads",
    watcher: Watcher | None = None,
    store: Store | None = None,
    run: int = 0,
    keep: Callable[[Row], None] | None = None,
    limits: Limits | None = None,
    only: str = "*",
    width: int = WIDTH,
    order: Order = closest,
) -> list[Row]:
    """Spend `total` pairs of draws on the claims of the plan that are closest to a verdict.

    Parameters
    ----------
    plan : Plan
        A plan with sequential auditors; claims that none of them can examine are ``unsupported``.
    total : int
        Pairs of draws for all claims together.
    detect : float or None
        An audit stops once a true value of `detect` times the claimed one would have been detected with 80 % power.
    jobs, backend, watcher, store, run, keep, limits
        As in :func:`~dpverify.runner.execute.execute`; limits of one claim apply to one instalment. Instalments of this
        run in the store are not repeated.
    only : str
        The glob that selected the claims, for the command that repeats the run.
    width, order : int, Order
        Instalments in a round, and the order in which audits get them.

    Returns
    -------
    list of Row
        One for each unit, in the plan's order. Rows cut short by a limit or Ctrl-C say so (`Row.cut`), with the e-value
        of their finished instalments.

    Raises
    ------
    InputError
        For a total that could refute no claim, a `detect` that is not above 1, or an unsupported back end.
    StoreError
        When the store fails.
    """
    check_steering(plan, total=total, detect=detect, backend=backend)
    limits = limits or Limits()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    audits = audits_of(plan, total=total, detect=detect, store=store, run=run)
    way = partial(in_processes if backend == "processes" else in_threads, plan, jobs=jobs, limits=limits)
    table = SteeredAudits(
        audits=audits,
        total=total,
        row=partial(steered_row, plan=plan, total=total, detect=detect, only=only),
        watch=watcher or Silent(),
        keep=keep,
    )
    cut: Cut = ""
    while not cut and (due := table.due(width, order)):
        found = {one.claim: audits[one.claim].kept[one.place] for one in due if one.place in audits[one.claim].kept}
        outcomes: dict[str, Instalment | str] = dict(found)
        fresh = [one for one in due if one.claim not in found]
        for one in fresh:
            table.watch.start(audits[one.claim].unit)
        try:
            for one, outcome in way(fresh, deadline=deadline):
                if store is not None and isinstance(outcome, Instalment):
                    name = auditor_of(audits[one.claim].unit)
                    store.put_chunks(run, one.claim, name, SERIES, [(one.place, outcome.plain())])
                outcomes[one.claim] = outcome
        except KeyboardInterrupt:
            cut = "interrupted"
        table.take(due, outcomes)
        if not cut and len(outcomes) < len(due):
            cut = "out of time"
    table.end(cut, limits)
    return [table.rows[unit.entry.claim.id] for unit in plan.units]


def betting_auditor(known: Registry) -> tuple[str]:
    """The name of the sequential auditor, for a plan's `methods`.

    Raises
    ------
    InputError
        When none is registered.
    """
    for name, auditor in known.auditors.items():
        if accepts_journal(auditor):
            return (name,)
    raise InputError("--steer without a sequential auditor", allowed="a registry with a sequential auditor")


def even_total(plan: Plan) -> int:
    """The number of pairs of draws that the plan's audits would get without steering."""
    return sum(unit.task.trials for unit in plan.units if steerable(unit) is not None)


def check_steering(plan: Plan, *, total: int, detect: float | None, backend: str) -> None:
    """Check the arguments of `steer` before anything is run."""
    if backend not in BACKENDS:
        raise InputError(f"--steer with --backend {backend}", allowed=", ".join(BACKENDS))
    if detect is not None and not 1.0 < detect < math.inf:
        raise InputError(f"detect = {detect:g} times the claimed value", allowed="a finite number above 1, such as 1.5")
    audits = audits_of(plan, total=total, detect=detect)
    fewest = [audit.standing.fewest for audit in audits.values() if not audit.stop]
    if fewest and total < min(fewest):
        raise InputError(
            f"{total} draws in all, which could refute no claim of the plan, whatever the mechanisms do",
            allowed=f"at least {min(fewest)}; {sum(fewest)} for a look at every claim",
            remedy=f"pass --trials-total {PARTS * sum(fewest)} or more",
        )
