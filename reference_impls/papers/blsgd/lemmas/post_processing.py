"""BL-POST: what DP-BLSGD-AC shows is a function of its noisy gradients and of its answers (BLSGD section IV-B).

A real run on a table leaves its noisy gradients and the indices that its searches answered. The same control flow then
runs again with these put in, one after another, on a table of zeros, so that it can look at no record: resets of eta0
from Omega, CHEB's angles, moving mean and raised budgets, lowered thresholds, steps, iterates, the account. Said to be
post-processing, all of it must come out the same, bit for bit.

Assumes that the two methods replaced here, ``gradient`` and ``search``, are the only ones that see the table; the other
ones could, and this would show it. Not to be confused with `budget_run`, which asks how much is spent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from dpverify.core.evidence import Enclosed
from dpverify.core.fields import Checked
from dpverify.core.ledger_words import Shown
from dpverify.core.rules import Between
from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.recording.tape import Tape
from dpverify.sampling.streams import stream
from reference_impls.line_search.adaptive_levels import Levels
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc
from reference_impls.models.model import Model
from reference_impls.papers.blsgd.lemmas.budget_run import RECORDS, line

Float = NDArray[np.float64]
Integer = NDArray[np.int64]
SETTINGS: dict[str, Any] = {
    "divisor": "expected",
    "records": RECORDS,
    "max_it": 3,
    "tau": 3,
    "most_steps": 25,
    "epsilon": 0.4,
    "eta0": 0.05,
}
"""Few candidates and frequent resets, so that searches fail, CHEB decides, and Omega is read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted(DpBlsgdAc):
    """The control flow alone: gradients and answers come from a list.

    Attributes
    ----------
    gradients, answers : iterators
        What earlier releases were, in their order.
    """

    gradients: Iterator[Float] = field(default_factory=lambda: iter(()))
    answers: Iterator[int] = field(default_factory=lambda: iter(()))

    def gradient(
        self, tape: Tape, model: Model, table: Table, batch: Integer | None, weights: Float, levels: Levels
    ) -> Float:
        """The next one, plus the public l2 w."""
        tape.publish("gradient-budget", levels.rho_grad)
        tape.publish("clip", [levels.c_grad, levels.c_obj])
        noisy = next(self.gradients)
        return np.asarray(noisy + self.l2 * weights) if self.l2 else noisy

    def search(
        self,
        tape: Tape,
        model: Model,
        table: Table,
        batch: Integer | None,
        weights: Float,
        direction: Float,
        levels: Levels,
        eta0: float,
    ) -> float:
        """The step of the next answer."""
        searcher = self.searcher(levels, model, weights, direction, eta0, 0.0, batch)
        tape.publish("search-budget", levels.budget_bt)
        answer = next(self.answers)
        tape.publish("answer", answer)
        return float(searcher.step_sizes[answer]) if answer < self.max_it else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicPart(Checked):
    """Runs and their public parts, computed twice.

    Attributes
    ----------
    runs : float
        Rounded, >= 1: seeds 0 .. runs - 1.
    """

    runs: Annotated[float, Between(1, 1000)] = 4.0

    def pairs(self) -> Iterator[tuple[Transcript, Transcript]]:
        """Each run, and its public part computed again from what it released."""
        for seed in range(round(self.runs)):
            run = DpBlsgdAc(**SETTINGS).transcript(line(), rng=stream(seed, "public-part"))
            gradients = [each.clean + each.noise for each in run.perturbed if each.name == "gradient"]
            answers = [int(answer) for answer in run.public.get("answer", ())]
            script = Scripted(**SETTINGS, gradients=iter(gradients), answers=iter(answers))
            nothing = Table(features=np.zeros((RECORDS, line().columns)), labels=np.ones(RECORDS), name="zeros")
            yield run, script.transcript(nothing, rng=stream(seed, "other coins"))

    def printed(self) -> Enclosed:
        """0: the same bits."""
        return Enclosed(value=0.0, proved=True)

    def truth(self) -> Enclosed:
        """The largest difference of any public value; +inf where there are more or fewer of them."""
        return Enclosed(value=max(difference(run, again) for run, again in self.pairs()), proved=True)

    def proved_ratio(self) -> Enclosed | None:
        """Infinite as soon as two bits differ."""
        return Enclosed(value=math.inf if self.truth().value > 0 else 1.0, proved=True)

    def describe(self) -> dict[str, float]:
        """For records: how much there was to compute."""
        runs = [run.public for run, _ in self.pairs()]
        return {
            "failed_searches": sum(int(np.sum(run["answer"] == SETTINGS["max_it"])) for run in runs),
            "raised_gradient_budgets": sum(np.unique(run["gradient-budget"]).size - 1 for run in runs),
            "raised_search_budgets": sum(np.unique(run["search-budget"]).size - 1 for run in runs),
            "lowered_thresholds": sum(np.unique(run["clip"][:, 0]).size - 1 for run in runs),
        }


def difference(run: Transcript, again: Transcript) -> float:
    """The largest of all public values, iterates and the result."""
    if set(run.public) != set(again.public):
        return math.inf
    found = [(run.iterates, again.iterates), (run.result, again.result)]
    found += [(values, again.public[name]) for name, values in run.public.items()]
    if any(one.shape != other.shape for one, other in found):
        return math.inf
    return max(float(np.abs(one - other).max(initial=0.0)) for one, other in found)


def shown_public_part() -> Shown:
    """How much was computed twice, and the largest difference."""
    part = PublicPart()
    counts = part.describe()
    numbers = (*((name.replace("_", " "), float(count)) for name, count in counts.items()),)
    found = ("largest difference", part.truth().value)
    return Shown(numbers=(*numbers, found), holds=found[1] == 0.0 and all(count > 0 for count in counts.values()))
