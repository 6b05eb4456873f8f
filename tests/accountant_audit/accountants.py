"""Accountants that are right, and ones that are wrong in one way each."""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from dpverify.definitions.gdp import GDP

ORDERS = np.array([2.0, 3.0, 4.0, 6.0, 9.0, 13.0, 20.0, 32.0, 64.0])


def renyi(step):
    """The Renyi curve of one step at `ORDERS`."""
    if step["step"] == "gaussian":
        return ORDERS / (2 * step["sigma"] ** 2)
    if step["step"] == "poisson-gaussian":
        return np.array([sampled(step["q"], step["sigma"], order) for order in ORDERS])
    epsilon = step["epsilon"]
    return np.minimum(ORDERS * epsilon * epsilon / 2, epsilon)


def sampled(q, sigma, order):
    """At a whole order by the binomial sum (Mironov, Talwar, Zhang 2019)."""
    if q == 1:
        return order / (2 * sigma**2)
    k = np.arange(order + 1)
    terms = special.gammaln(order + 1) - special.gammaln(k + 1) - special.gammaln(order - k + 1)
    terms = terms + k * math.log(q) + (order - k) * math.log1p(-q) + k * (k - 1) / (2 * sigma**2)
    largest = terms.max()
    return max(float(largest + np.log(np.exp(terms - largest).sum())) / (order - 1), 0.0)


class Right:
    """A Renyi accountant, as libraries have it."""

    steps = ("gaussian",)

    def __init__(self):
        self.curve = np.zeros(ORDERS.size)

    def compose(self, step, count):
        self.curve = self.curve + count * renyi(step)

    def epsilon(self, delta):
        found = self.curve + np.log1p(-1 / ORDERS) - np.log(delta * ORDERS) / (ORDERS - 1)
        return max(float(found.min()), 0.0)

    def state_dict(self):
        return {"curve": self.curve.tolist()}

    def load_state_dict(self, state):
        self.curve = np.array(state["curve"])


class Mixed(Right):
    steps = ("gaussian", "poisson-gaussian", "pure")


class IgnoresCounts(Right):
    def compose(self, step, count):
        super().compose(step, 1)


class IgnoresCountsOfPure(Mixed):
    """As the reference accountant does for one of its events."""

    def compose(self, step, count):
        super().compose(step, 1 if step["step"] == "pure" else count)


class SigmaSquared(Right):
    def compose(self, step, count):
        super().compose({**step, "sigma": step.get("sigma", 1.0) ** 2}, count)


class LastStepOnly(Right):
    steps = ("gaussian", "pure")

    def compose(self, step, count):
        self.curve = np.zeros(ORDERS.size)
        super().compose(step, count)


class OrderMatters(Right):
    """Each step that follows costs a tenth less: above the truth for few steps, and no rule."""

    runs = 0

    def compose(self, step, count):
        self.curve = self.curve + 3 * count * renyi(step) * 0.9**self.runs
        self.runs += 1


class ForgetsWhenSaved(Right):
    def load_state_dict(self, state):
        self.curve = np.array(state["curve"]) / 2


class NothingCosts(Right):
    def compose(self, step, count):
        super().compose(step, max(count, 1))


class LinearAmplification(Right):
    """A sampled step costs q times the epsilon of the whole one, where log(1 + q (e^epsilon - 1)) is right."""

    steps = ("poisson-gaussian",)
    state_dict = load_state_dict = None

    def __init__(self):
        self.runs = []

    def compose(self, step, count):
        self.runs.append((step["q"], step["sigma"], count))

    def epsilon(self, delta):
        one = Right()
        for _, sigma, count in self.runs:
            one.compose({"step": "gaussian", "sigma": sigma}, count)
        return max(q for q, _, _ in self.runs) ** 2 * one.epsilon(delta)


class DeltaOfEach(Right):
    """The sum of epsilons, each at the whole delta."""

    steps = ("gaussian",)
    state_dict = load_state_dict = None

    def __init__(self):
        self.runs = []

    def compose(self, step, count):
        self.runs.append((step["sigma"], count))

    def epsilon(self, delta):
        profile = [(GDP(mu=1 / sigma), count) for sigma, count in self.runs if count]
        return math.fsum(count * falling(one.delta, delta) for one, count in profile)


def falling(curve, delta):
    """Where a falling curve reaches `delta`, rounded up."""
    low, high = 0.0, 1.0
    while curve(high) > delta:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if curve(middle) <= delta else (middle, high)
    return 0.0 if curve(0.0) <= delta else high


def one_direction(q, sigma, steps, delta):
    """The cost of a record that is added, in one step, where one that is removed costs more."""
    if steps != 1:
        raise NotImplementedError("one step only")

    def above(epsilon):
        odds = (math.exp(-epsilon) - 1 + q) / q
        if odds <= 0:
            return 0.0
        edge = sigma**2 * math.log(odds) + 0.5
        here, there = special.ndtr(edge / sigma), special.ndtr((edge - 1) / sigma)
        return here - math.exp(epsilon) * ((1 - q) * here + q * there)

    return falling(above, delta)


class DeltaTheWrongWay(Right):
    def delta(self, epsilon):
        found = (ORDERS - 1) * (self.curve - epsilon + np.log1p(-1 / ORDERS)) - np.log(ORDERS)
        return min(float(np.exp(found.min())) ** 2, 1.0)


class Inverse(Right):
    """With a delta that is the inverse of its epsilon."""

    def delta(self, epsilon):
        found = (ORDERS - 1) * (self.curve - epsilon + np.log1p(-1 / ORDERS)) - np.log(ORDERS)
        return min(float(np.exp(found.min())), 1.0)


class States:
    """A bracket around half the cost: two of its answers exclude each other."""

    def __init__(self):
        self.mu2 = 0.0

    def compose(self, step, count):
        self.mu2 += count**2 / step["sigma"] ** 2

    def epsilon(self, delta):
        found = math.sqrt(2 * self.mu2 * math.log(1.25 / delta)) + self.mu2 / 2
        return 0.99 * found, 1.01 * found


def right_function(sigma, steps, delta):
    one = Right()
    one.compose({"step": "gaussian", "sigma": sigma}, steps)
    return one.epsilon(delta)


def sampled_function(q, sigma, steps, delta, sensitivity=1.0):
    one = Right()
    one.compose({"step": "poisson-gaussian", "q": q, "sigma": sigma / sensitivity}, steps)
    return one.epsilon(delta)


def ignores_q(q, sigma, steps, delta):
    """Loose, and right."""
    return right_function(sigma, steps, delta)


def sigma_as_variance(sigma, steps, delta):
    return right_function(sigma**2, steps, delta)


def wrong_sensitivity(q, sigma, steps, delta, sensitivity):
    return sampled_function(q, sigma, steps, delta, sensitivity=1.0)
