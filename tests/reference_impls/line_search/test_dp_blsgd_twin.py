"""DP-BLSGD against a plain-NumPy twin, written from the two papers' pseudo-code, on the same random numbers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpverify.core.transcript import Transcript
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.line_search.dp_blsgd import DpBlsgd
from reference_impls.line_search.dp_blsgd_ac import DpBlsgdAc

Float = NDArray[np.float64]
ORDERS = (2, 8, 32)
SEARCH = {"laplace": 0.6, "gaussian": 0.05}
DEAR: dict[str, Any] = {"rho_grad": 0.1, "budget_bt": 0.05, "alpha": 1e4}
"""Searches that fail and cost little beside a gradient: here the two texts differ before the budget has ended."""
SETTINGS: dict[str, Any] = {
    "q": 0.4,
    "epsilon": 6.0,
    "orders": ORDERS,
    "eta0": 40.0,
    "max_it": 5,
    "tau": 3,
    "l2": 0.01,
    "c_grad": 0.4,
    "c_obj": 0.9,
    "most_steps": 25,
}


def loss(name: str, score: Float, y: Float) -> Float:
    if name == "logistic":
        return np.logaddexp(0.0, -y * score)
    return np.maximum(0.0, 1.0 - y * score)


def slope(name: str, score: Float, y: Float) -> Float:
    if name == "logistic":
        return -y / (1.0 + np.exp(y * score))
    return np.where(y * score < 1.0, -y, 0.0)


def angle(a: Float, b: Float) -> float:
    return math.degrees(math.acos(np.clip(a @ b / np.linalg.norm(a) / np.linalg.norm(b), -1.0, 1.0)))


class Twin:
    """State and lines of Algorithms 1, 2 and 3."""

    def __init__(self, subject: DpBlsgd, table: Table, draws: Iterator[tuple[str, Any]]) -> None:
        self.name, self.noise, self.zeta, self.alpha = subject.model, subject.noise, subject.zeta, subject.alpha
        self.x, self.y = np.array(table.features), np.array(table.labels)
        self.waiting: dict[str, list[Any]] = defaultdict(list)
        for label, values in draws:
            self.waiting[label].append(values)
        self.rho, self.bt, self.c_grad, self.c_obj = subject.rho_grad or 0.0, subject.budget_bt or 0.0, 0.4, 0.9
        self.left = 6.0 - math.log(1e8) / (np.array(ORDERS) - 1.0)

    def take(self, label: str) -> Any:
        return self.waiting[label].pop(0)

    def amp(self, curve: Float | dict[int, float], q: float = 0.4) -> Float:
        out = []
        for order in ORDERS:
            total = (1 - q) ** (order - 1) * (order * q - q + 1)
            total += math.comb(order, 2) * q**2 * (1 - q) ** (order - 2) * math.exp(curve[2])
            for k in range(3, order + 1):
                total += 3 * math.comb(order, k) * q**k * (1 - q) ** (order - k) * math.exp((k - 1) * curve[k])
            out.append(math.log(total) / (order - 1))
        return np.array(out)

    def gradient_curve(self) -> dict[int, float]:
        return {a: a * self.rho for a in range(2, 33)}

    def search_curve(self) -> dict[int, float]:
        if self.noise == "gaussian":
            s1, s2 = 3 / (2 * self.bt), 3 / self.bt
            return {a: a * (4 * s1 + s2) / (2 * s1 * s2) for a in range(2, 33)}
        both = {}
        for a in range(2, 33):
            product = 1.0
            for shift in (self.bt / 2, 2 * self.bt / 4):
                product *= a / (2 * a - 1) * math.exp(shift * (a - 1)) + (a - 1) / (2 * a - 1) * math.exp(-shift * a)
            both[a] = math.log(product) / (a - 1)
        return both

    def enough(self, curve: dict[int, float]) -> bool:
        return any(self.left[k] > curve[a] for k, a in enumerate(ORDERS))

    def gradient(self, w: Float, batch: Any) -> Float:
        total = np.zeros(3)
        for i in batch:
            g = slope(self.name, self.x[i] @ w, self.y[i]) * self.x[i]
            total += g / max(1.0, np.linalg.norm(g) / self.c_grad)
        gamma = math.sqrt(self.c_grad**2 / (2 * self.rho)) * self.take("gradient")
        return (total + gamma) / max(len(batch), 1) + 0.01 * w

    def objective(self, w: Float, batch: Any) -> float:
        fit = sum(min(float(loss(self.name, self.x[i] @ w, self.y[i])), self.c_obj) for i in batch)
        return fit + 0.01 / 2 * (0.4 * len(self.y)) * float(w @ w)

    def search(self, w: Float, g: Float, batch: Any, eta0: float) -> tuple[int, float]:
        if self.noise == "laplace":
            scales = self.c_obj / (self.bt / 2), self.c_obj / (self.bt / 4)
        else:
            scales = self.c_obj * math.sqrt(3 / (2 * self.bt)), self.c_obj * math.sqrt(3 / self.bt)
        threshold = scales[0] * self.take("threshold")[0]
        eta = eta0
        for i in range(5):
            q = self.objective(w, batch) - self.alpha * eta * (g @ g) - self.objective(w - eta * g, batch)
            if q + scales[1] * self.take("query")[0] >= threshold:
                return i, eta
            eta *= 0.8
        return 5, 0.0

    def run(self, text: str) -> tuple[Float, list[int], list[tuple[float, ...]]]:
        w, eta0, theta, previous, omega = np.zeros(3), 40.0, 90.0, None, []
        answers, seen, iterates = [], [], [np.zeros(3)]
        for t in range(25):
            batch = self.take("batch")
            g = self.gradient(w, batch)
            self.left = self.left - self.amp(self.gradient_curve())
            eta, shrunk = 0.0, False
            while eta == 0.0 and self.enough(self.search_curve()):
                answer, eta = self.search(w, g, batch, eta0)
                answers.append(answer)
                self.left = self.left - self.amp(self.search_curve())
                if eta > 0:
                    w = w - eta * g
                    if t > 0:
                        theta = 0.8 * theta + 0.2 * angle(g, previous)
                elif self.enough(self.gradient_curve()):
                    self.left = self.left - self.amp(self.gradient_curve())
                    g2 = self.gradient(w, self.take("batch"))
                    between = angle(g, g2)
                    if g @ g2 < 0 or between > 1.1 * theta:
                        self.rho *= 1.3
                        if self.zeta and not shrunk:
                            self.c_grad, self.c_obj, shrunk = self.c_grad * 0.95, self.c_obj * 0.95, True
                    elif between < 0.5 * theta:
                        self.bt *= 1.3
                    g = (g + g2) / 2
                else:
                    break
                if text == "paper" and not self.enough(self.gradient_curve()):
                    break
            previous = g
            if eta > 0:
                omega.append(eta)
            if (t + 1) % 3 == 0:
                eta0, omega = min([eta0, *([1.2 * max(omega)] if omega else [])]), []
            iterates.append(w)
            seen.append((self.rho, self.bt, self.c_grad, self.c_obj))
            if text == "diss" and not self.enough(self.gradient_curve()):
                break
        return np.array(iterates), answers, seen


def transcript_of(subject: DpBlsgd, table: Table, number: int) -> Transcript:
    return subject.transcript(table, rng=stream(number, "twin"))


def assert_the_run_is_the_twins(subject: DpBlsgd, small: Table, number: int) -> Transcript:
    """Iterates, answers, and what is left of the budget."""
    transcript = subject.transcript(small, rng=stream(number, "twin"))
    twin = Twin(subject, small, ((draw.name, draw.values) for draw in transcript.draws))
    iterates, answers, _ = twin.run(subject.text)
    assert transcript.answers.tolist() == answers
    assert transcript.iterates.shape == iterates.shape
    assert transcript.iterates == pytest.approx(iterates, rel=1e-9, abs=1e-9)
    assert not any(twin.waiting.values())
    assert subject.total - transcript.budgets.sum(axis=0) == pytest.approx(twin.left, rel=1e-9, abs=1e-9)
    return transcript


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("subject", [DpBlsgd, DpBlsgdAc])
@pytest.mark.parametrize("text", ["diss", "paper"])
@pytest.mark.parametrize(("model", "noise"), [("logistic", "laplace"), ("hinge", "gaussian")])
def test_the_run_is_the_twins(small: Table, model: str, noise: Any, text: Any, subject: Any, number: int) -> None:
    settings = {**SETTINGS, "budget_bt": SEARCH[noise], "rho_grad": 0.02}
    assert_the_run_is_the_twins(subject(model=model, noise=noise, text=text, **settings), small, number)


def test_the_two_texts_end_differently(small: Table) -> None:
    """The dissertation's goes on searching as long as it can pay for that, the paper's stops with the gradients."""
    diss, paper = (
        assert_the_run_is_the_twins(DpBlsgd(text=text, **{**SETTINGS, **DEAR}), small, 0) for text in ("diss", "paper")
    )
    assert (diss.answers == 5).all()
    assert len(diss.public["gradient-budget"]) == len(diss.answers)  # the last search could be paid, no gradient after
    assert len(paper.step_sizes) == 25 and len(diss.step_sizes) == 1


def test_the_settings_reach_every_line(small: Table) -> None:
    """Failed searches, raised budgets of both kinds, lowered thresholds, a reset eta0, an exhausted budget."""
    seen = dict.fromkeys(("failed", "rho", "bt", "clip", "reset", "spent"), 0)
    for number in range(3):
        subject = DpBlsgdAc(budget_bt=SEARCH["laplace"], rho_grad=0.02, **SETTINGS)
        transcript = subject.transcript(small, rng=stream(number, "twin"))
        public = transcript.public
        seen["failed"] += int((transcript.answers == 5).sum())
        seen["rho"] += int((np.diff(public["gradient-budget"]) > 0).sum())
        seen["bt"] += int((np.diff(public["search-budget"]) > 0).sum())
        seen["clip"] += int((np.diff(public["clip"][:, 0]) < 0).sum())
        halvings = np.log(transcript.step_sizes[transcript.step_sizes > 0] / 40.0) / np.log(0.8)
        seen["reset"] += int((np.abs(halvings - np.round(halvings)) > 1e-9).any())
        seen["spent"] += int(len(transcript.step_sizes) < 25)
    assert all(seen.values()), seen
