"""BL-BUDGET: what a run of DP-BLSGD subtracts from epsilon_tot(alpha), against what there was (BLSGD Algorithm 2).

One real run of the published loop on a small table; the budgets that it tells are added up, at every order from 2 to
500. Section IV-C halts only when no order can pay, so most orders are overspent on purpose (BL-FILTER); the claim is
about the order that comes nearest to staying within its budget: if that one is overspent, all are. Control flow:

- ``text="paper"``: the test of line 21 stands inside the while loop, and so does its ``break``. The outer loop
  releases a gradient (lines 5, 6) and subtracts for it (line 7) in every iteration, without end; `most_steps` ends it.
- ``text="diss"``: the dissertation's lines 23, 24 stand after the loop and leave the outer one. The tests compare what
  is left with the cost *before* amplification; lines 7, 11 and 16 subtract ``amp`` of it. Lemma 4's factor 3 makes that
  the larger number where budgets are small (0.0022 for 0.001 at order 500), so the last tests pass too often.
- In both texts the first gradient goes out before any test, however large rho_grad is (`raised`).
- ``text="repaired"``: :mod:`reference_impls.line_search.dp_blsgd_repaired`, which tests what it then subtracts, first.

Not to be confused with what such a run truly costs, nor with whether these costs are right (BL-AMP-SHARED).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal, get_args

import flint
import numpy as np

from dpverify.core.errors import InputError
from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.laws.balls import at_working_precision, exact_ball
from dpverify.laws.stopping import Noise
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd import DpBlsgd
from reference_impls.line_search.dp_blsgd_repaired import DpBlsgdRepaired
from reference_impls.line_search.sampled_line_search import SampledLineSearch
from reference_impls.line_search.step_costs import amplified, gradient_step, printed_cost
from reference_impls.papers.accounting.lemmas.amplification_balls import BallCurve
from reference_impls.papers.blsgd.lemmas.printed_balls import amplified_ball, gradient_curve, search_curve
from reference_impls.papers.enclosures import quotient

RECORDS = 64
EPSILON = 0.2
STEPS = 300
"""Most iterations; the dissertation's text needs fewer at EPSILON."""


@lru_cache(maxsize=1)
def line() -> Table:
    """Sixty-four records in the unit ball, three columns, made without a seed."""
    at = np.arange(float(RECORDS))
    features = np.stack([np.sin(1.3 * at), np.cos(2.1 * at), np.sin(0.7 * at + 1.0)], axis=1) / np.sqrt(3.0)
    labels = np.where(features @ np.array([1.0, -2.0, 0.5]) + 0.2 * np.sin(9.0 * at) >= 0, 1.0, -1.0)
    return Table(features=features, labels=labels, name="line")


@dataclass(frozen=True, kw_only=True)
class BudgetRun(Checked):
    """A run, and the account that it kept.

    Attributes
    ----------
    text : "paper", "diss" or "repaired"
        Whose control flow.
    epsilon, delta, q : float
        Target and sampling ratio.
    raised : float
        rho_grad over section V-D's; > 0.
    noise : "laplace" or "gaussian"
        Version of NoisyBTLS.
    most_steps, seed : float
        Rounded: cap on the iterations, > 0; which run, >= 0.
    """

    text: Literal["paper", "diss", "repaired"] = "diss"
    epsilon: float = EPSILON
    delta: float = 1e-8
    q: float = 0.1
    raised: Annotated[float, Between(1e-6, 1e12)] = 1.0
    noise: Noise = "laplace"
    most_steps: Annotated[float, Between(1, 10_000)] = STEPS
    seed: Annotated[float, Between(0, 1e9)] = 0.0

    @cached_property
    def algorithm(self) -> SampledLineSearch:
        """The algorithm that runs."""
        share = self.epsilon / 100.0
        settings: dict[str, Any] = {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "q": self.q,
            "rho_grad": self.raised * 0.5 * share * share,
            "noise": self.noise,
            "most_steps": round(self.most_steps),
        }
        if self.text == "repaired":
            return DpBlsgdRepaired(**settings, records=RECORDS)
        return DpBlsgd(**settings, text=self.text)

    @cached_property
    def transcript(self) -> Transcript:
        """The transcript of the run."""
        return self.algorithm.transcript(line(), rng=stream(round(self.seed), "budget-run"))

    @cached_property
    def account(self) -> tuple[int, float, float]:
        """The order that comes nearest to staying within its budget, what was subtracted there, the budget."""
        algorithm = self.algorithm
        spent = np.stack([*self.transcript.public["budget"]]).sum(axis=0)
        orders, total = np.array([*algorithm.orders]), algorithm.total
        if isinstance(algorithm, DpBlsgdRepaired):
            kept = orders == algorithm.order
            orders, total = orders[kept], total[kept]
        else:
            kept = total > 0
            orders, total, spent = orders[kept], total[kept], spent[kept]
        if not total.size:
            raise InputError("BudgetRun: no order has a budget", allowed="a larger epsilon or delta")
        at = int(np.argmin(spent / total))
        return int(orders[at]), float(spent[at]), float(total[at])

    def printed(self) -> Enclosed:
        """The budget epsilon_tot at that order."""
        return Enclosed(value=self.account[2])

    def truth(self) -> Enclosed:
        """What was subtracted there."""
        value = self.account[1]
        return Enclosed(value=value, error=1e-9 * value)

    @at_working_precision
    def proved_ratio(self) -> Enclosed | None:
        """The same sum from the budgets that the run told, in balls; None for the repaired text's own costs."""
        if self.text == "repaired":
            return None
        order = self.account[0]
        public, total = self.transcript.public, flint.arb(0)
        searched: Callable[[float], BallCurve] = lambda budget: search_curve(self.noise, budget)  # noqa: E731
        for name, curve in (("gradient-budget", gradient_curve), ("search-budget", searched)):
            for budget, times in Counter(public.get(name, np.empty(0)).tolist()).items():
                total += times * amplified_ball(self.q, curve(budget), order)
        budget = exact_ball(self.epsilon) + exact_ball(self.delta).log() / (order - 1)
        return quotient(total, budget)

    def describe(self) -> dict[str, float]:
        """For records: what the run released, and at which order it came nearest."""
        public = self.transcript.public
        gradients, searches = (len(public.get(f"{name}-budget", ())) for name in ("gradient", "search"))
        return {"order": self.account[0], "gradients": gradients, "searches": searches}


def shown_budget() -> Shown:
    """Subtracted over there was, at the order that comes nearest."""

    def share(**settings: Any) -> float:
        run = BudgetRun(**settings)
        return run.truth().value / run.printed().value

    seeds = [share(seed=float(seed)) for seed in range(4)]
    numbers = (
        ("dissertation's text, epsilon = 0.2", seeds[0]),
        ("least of four such runs", min(seeds)),
        ("largest of them", max(seeds)),
        ("dissertation's text, epsilon = 0.05", share(epsilon=0.05)),
        ("paper's text, 100 iterations", share(text="paper", most_steps=100.0)),
        ("paper's text, 200 iterations", share(text="paper", most_steps=200.0)),
        ("either text, first rho_grad 100,000 times as large", share(raised=1e5)),
        ("repaired, rho_grad a thousand times as large", share(text="repaired", raised=1e3)),
    )
    values = [value for _, value in numbers]
    holds = min(values[0], *values[3:7]) > 1.0 and values[5] > values[4] + 1.0 and values[7] <= 1.0
    return Shown(numbers=numbers, holds=holds)


NAMED = (0.05, 0.2, 0.4)
"""The epsilons that sections V-E to V-G name."""


def shown_diss() -> Shown:
    """The dissertation's text at each epsilon that the paper names, both noises; what amp makes of the last test."""
    numbers: list[tuple[str, float]] = []
    shares: dict[float, list[float]] = {}
    for epsilon in NAMED:
        for noise in get_args(Noise):
            runs = [BudgetRun(epsilon=epsilon, noise=noise, seed=float(seed)) for seed in range(2)]
            shares.setdefault(epsilon, []).extend(run.truth().value / run.printed().value for run in runs)
        numbers.append((f"epsilon = {epsilon:g}: least subtracted over there was", min(shares[epsilon])))
        numbers.append((f"epsilon = {epsilon:g}: largest", max(shares[epsilon])))
    last = BudgetRun()
    order, rho = last.account[0], gradient_step(float(last.transcript.public["gradient-budget"][0]))
    tested, taken = (float(printed_cost(step, (order,))[0]) for step in (rho, amplified(rho, last.q)))
    numbers += [("epsilon = 0.2, nearest order", float(order)), ("a gradient's cost as tested there", tested)]
    numbers += [("as subtracted", taken), ("gradients released", float(last.describe()["gradients"]))]
    holds = min(shares[0.05] + shares[0.2]) > 1.0 >= max(shares[0.4]) and taken > tested
    return Shown(numbers=tuple(numbers), holds=holds)
