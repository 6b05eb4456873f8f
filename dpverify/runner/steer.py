"""A steered run: one total of draws, spent in instalments on whichever audits are closest to a verdict.

This is optional stopping, and more: what an audit gets depends on all that was seen, its own draws too. Only e-values
stay valid then. The wealth that each claim's instalments bet is a supermartingale under the claim, whoever chooses the
next one and its length from the past (`steer_instalment`); by Ville's inequality it ever reaches 1/alpha with
probability at most alpha, a share that is fixed before the first draw (Bonferroni over the plan) and that no steering
changes. A bound for a number of draws that was fixed in advance would not survive this: audits that rest on one are not
steered.

Steering reads e-values and counts, never a clock, and rounds are of one width: who gets what, and every number, are the
same for any number of workers, either back end, and after a kill and a resume. A limit in seconds only cuts: what was
finished by then counts, what was at work does not, and the rows say so.

An audit stops when its claim is refuted; when the value to detect would have been detected with 80 % power (by its
last instalment alone, on the auditor's terms); when its draws come back; or when the total is spent. Draws are pairs,
one a side, of all pairs of data sets that an audit looks at; the few of an instalment that was given up before any bet
are not counted. Saved failures are not replayed.

Assumption: mechanisms draw from the rng that they are given. Winning instalments end early, so a clock cuts losing ones
more often; that costs nothing where the cut one is made again from the same streams, and would be a second chance where
its draws were others. A cut run of mechanisms with randomness of their own must not be resumed.
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
from dpverify.runner.steer_audits import SERIES, Table, auditor_of, audits_of
from dpverify.runner.steer_instalment import Instalment, bets, steerable
from dpverify.runner.steer_order import PARTS, Order, closest
from dpverify.runner.steer_round import BACKENDS, in_processes, in_threads
from dpverify.runner.steer_rows import steered_row
from dpverify.runner.store.store import Store
from dpverify.runner.thread_limits import one_thread

WIDTH = 8
"""Instalments in a round, whatever the number of workers."""


@one_thread()  # each instalment holds it too; here the libraries are looked up once for all
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
    """Spend `total` pairs of draws on the plan's claims, where they are closest to a verdict.

    Parameters
    ----------
    plan : Plan
        Of auditors that bet; claims that none of them can examine are ``unsupported``.
    total : int
        Pairs of draws, of all claims together.
    detect : float or None
        An audit stops once a true value of so many times the claimed one would have been detected with 80 % power.
    jobs, backend, watcher, store, run, keep, limits
        As :func:`~dpverify.runner.execute.execute` has them; limits of one claim are those of one instalment.
        Instalments that the store keeps of this run are not made again.
    only : str
        The glob that cut the plan down, for the command that gives the run back.
    width, order : int, Order
        Instalments in a round, and who is first.

    Returns
    -------
    list of Row
        One for each unit, in the plan's order. Those that a limit or Ctrl-C cut short say so (`Row.cut`), with the
        e-value of what was finished.

    Raises
    ------
    InputError
        For a total that could refute no claim, a detect that is no violation, or another back end.
    StoreError
        When the store fails.
    """
    check_steering(plan, total=total, detect=detect, backend=backend)
    limits = limits or Limits()
    deadline = None if limits.seconds is None else time.monotonic() + limits.seconds
    audits = audits_of(plan, total=total, detect=detect, store=store, run=run)
    way = partial(in_processes if backend == "processes" else in_threads, plan, jobs=jobs, limits=limits)
    table = Table(
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


def betting(known: Registry) -> tuple[str]:
    """The name of the auditor that bets, for a plan's `methods`.

    Raises
    ------
    InputError
        Where there is none.
    """
    for name, auditor in known.auditors.items():
        if bets(auditor):
            return (name,)
    raise InputError("--steer without an auditor that bets", allowed="a registry with a sequential auditor")


def even_total(plan: Plan) -> int:
    """As many pairs of draws as the plan's audits would have been given one by one."""
    return sum(unit.task.trials for unit in plan.units if steerable(unit) is not None)


def check_steering(plan: Plan, *, total: int, detect: float | None, backend: str) -> None:
    """Refuse what could not be steered, before anything is run: see `steer`."""
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
