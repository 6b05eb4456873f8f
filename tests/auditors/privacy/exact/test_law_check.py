"""Code beside the law that it states: what departs is found on whichever input it shows, what follows passes.

False alarms: each comparison departs with probability at most 1e-9 (`LEVEL`); there are fewer than 200 here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from auditors.privacy.exact.auditor import ExactAuditor
from auditors.privacy.exact.law_check import LEVEL, compare
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.density import GaussianLaw, LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.mixture import MixtureLaw
from dpverify.laws.point import PointLaw
from dpverify.laws.product import ProductLaw
from dpverify.laws.stopping import StoppingLaw
from reference_impls.mechanisms.randomised_response import RandomisedResponse

K = 40


@dataclass(frozen=True, kw_only=True)
class InTheClear(RandomisedResponse):
    """Randomised response over 40 values that shows one of them, by one of its two paths or both."""

    shown: int = 17
    share: float = 1.0
    by: tuple[str, ...] = ("sample", "counts")

    def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        outputs = super().sample(dataset, size, rng=rng)
        leaks = int(dataset) == self.shown and "sample" in self.by
        return np.where(rng.random(size) < self.share, dataset, outputs) if leaks else outputs

    def counts(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        leaks = int(dataset) == self.shown and "counts" in self.by
        return np.bincount([dataset] * size, minlength=K) if leaks else super().counts(dataset, size, rng=rng)


@dataclass(frozen=True)
class Stated:
    """Draws from anything, with any law."""

    law: Any
    draw: Callable[[np.random.Generator, int], Any]

    def sample(self, _dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
        return self.draw(rng, size)

    def output_law(self, _dataset: Any) -> Any:
        return self.law


@pytest.mark.parametrize("shown", [0, 17, 39])
@pytest.mark.parametrize("by", ["sample", "counts"])
def test_a_value_in_the_clear_is_found_on_whichever_input_and_path(exact_task, shown, by):
    task = exact_task(PureDP(epsilon=1.0), InTheClear, neighbors=Value(), size=K, categories=K, shown=shown, by=(by,))
    with pytest.raises(AuditError, match=rf"on {shown}, outcome {shown} came in .* by `{by}`"):
        ExactAuditor().audit(task)


def test_what_follows_its_law_is_certified_and_says_what_was_compared(exact_task):
    task = exact_task(PureDP(epsilon=1.0), RandomisedResponse, neighbors=Value(), size=K, categories=K)
    found = ExactAuditor().audit(task)
    assert judge(found) is Status.CERTIFIED
    said = found.statistics["sampler"]
    assert (said["inputs"], said["paths"], said["level"]) == (K, ("sample", "counts"), LEVEL)


def test_the_share_that_it_says_is_found_in_four_of_five_comparisons(exact_task):
    """At that share 80 % are found: of 40, fewer than 20 has probability 2e-5 at 80 % and 1e-9 at 88 %, as here."""
    task = exact_task(PureDP(epsilon=1.0), InTheClear, size=K, categories=K, by=())
    found = compare(task, list(range(K)))
    assert found is not None and not found.departure and found.finds < 0.1
    shown = {"categories": K, "share": found.finds, "by": ("sample",)}
    tried = [exact_task(PureDP(epsilon=1.0), InTheClear, size=K, seed=seed, **shown) for seed in range(40)]
    assert sum(bool(compare(each, [17]).departure) for each in tried) >= 20


LAPLACE = LaplaceLaw(locations=np.array([0.0, 3.0]), scales=np.array([1.0, 2.0]))
GAUSSIAN = GaussianLaw(locations=np.array([1.0]), scales=np.array([2.0]))
COIN = DiscreteLaw.from_probabilities([0.25, 0.75])
FAIR = DiscreteLaw.from_probabilities([0.5, 0.5])
MANY = GaussianLaw(locations=np.zeros(14), scales=np.ones(14))
FOLLOWING = {
    "laplace": (LAPLACE, lambda rng, n: rng.laplace([0.0, 3.0], [1.0, 2.0], (n, 2))),
    "gaussian": (GAUSSIAN, lambda rng, n: rng.normal(1.0, 2.0, n)),
    "coin": (COIN, lambda rng, n: rng.random(n) < 0.75),
    "mixture": (MixtureLaw(laws=(COIN, COIN), weights=(0.5, 0.5)), lambda rng, n: rng.random(n) < 0.75),
    "many": (MANY, lambda rng, n: rng.normal(size=(n, 14))),
    "point": (PointLaw(place=np.array([2.0, 5.0])), lambda _rng, n: np.tile([2.0, 5.0], (n, 1))),
    "product": (
        ProductLaw(laws=(COIN, GAUSSIAN)),
        lambda rng, n: np.column_stack([rng.random(n) < 0.75, rng.normal(1.0, 2.0, n)]),
    ),
}


def _reused(rng: np.random.Generator, size: int) -> Any:
    return np.outer(rng.laplace(size=size), [1.0, 2.0]) + np.array([0.0, 3.0])


def _parity(rng: np.random.Generator, size: int) -> Any:
    bits = rng.integers(2, size=(size, 2))
    return np.column_stack([bits, bits.sum(axis=1) % 2])


def _rarely_exact(rng: np.random.Generator, size: int) -> Any:
    return np.where(rng.random(size) < 1e-3, 1.0, rng.normal(1.0, 2.0, size))


DEPARTING = {
    "a larger scale": (GAUSSIAN, lambda rng, n: rng.normal(1.0, 2.2, n)),
    "another place": (GAUSSIAN, lambda rng, n: rng.normal(1.2, 2.0, n)),
    "a light tail": (GAUSSIAN, lambda rng, n: np.clip(rng.normal(1.0, 2.0, n), -5.0, 7.0)),
    "the exact centre": (GAUSSIAN, _rarely_exact),
    "noise that is used twice": (LAPLACE, _reused),
    "bits that depend": (ProductLaw(laws=(COIN, COIN)), lambda rng, n: np.tile(rng.random((n, 1)) < 0.75, 2)),
    "bits of which two never tell": (ProductLaw(laws=(FAIR, FAIR, FAIR)), _parity),
    "noise that is used twice among many": (MANY, lambda rng, n: np.repeat(rng.normal(size=(n, 7)), 2, axis=1)),
    "an outcome that is none": (COIN, lambda rng, n: np.where(rng.random(n) < 1e-3, 2, rng.random(n) < 0.75)),
    "no whole number": (COIN, lambda rng, n: np.where(rng.random(n) < 1e-3, 0.5, rng.random(n) < 0.75)),
    "not the point": (PointLaw(place=np.array([2.0])), lambda rng, n: np.where(rng.random(n) < 1e-3, 2.5, 2.0)),
}


@pytest.mark.parametrize("name", FOLLOWING)
def test_draws_from_the_law_pass(exact_task, name):
    law, draw = FOLLOWING[name]
    found = compare(exact_task(PureDP(epsilon=1.0), lambda: Stated(law, draw), size=3), [0, 1, 2])
    assert found is not None and not found.departure


@pytest.mark.parametrize("name", DEPARTING)
def test_what_departs_is_found(exact_task, name):
    law, draw = DEPARTING[name]
    task = exact_task(PureDP(epsilon=1.0), lambda: Stated(law, draw), size=3)
    found = compare(replace(task, trials=75_000), [0, 1, 2])
    assert found is not None and found.departure


def test_a_tail_is_the_binomial_one(exact_task):
    """Against scipy's, at a coin whose stated share is a little off."""
    law = DiscreteLaw.from_probabilities([0.3, 0.7])
    task = exact_task(PureDP(epsilon=1.0), lambda: Stated(law, FOLLOWING["coin"][1]), size=3)
    found = compare(replace(task, trials=75_000), [0])
    assert found is not None
    count = int(found.departure.split(" came in ")[1].split(" of ")[0].replace(",", ""))
    share = 0.3 if "outcome 0" in found.departure else 0.7
    exact = 2 * min(stats.binom.cdf(count, found.draws, share), stats.binom.sf(count - 1, found.draws, share))
    assert f"{exact:.1g}" in found.departure


@pytest.mark.parametrize(
    ("law", "draw", "why"),
    [
        (StoppingLaw(noise="laplace", threshold_scale=1.0, query_scale=1.0, levels=np.zeros(3)), None, "StoppingLaw"),
        (LAPLACE, lambda rng, n: rng.laplace(size=n), "outputs of 1 numbers"),
    ],
)
def test_what_cannot_be_compared_is_said(exact_task, law, draw, why):
    with pytest.raises(UnsupportedError, match=why):
        compare(exact_task(PureDP(epsilon=1.0), lambda: Stated(law, draw), size=3), [0])


def test_code_that_cannot_be_compared_is_not_certified(exact_task):
    """The law holds, but draws have two numbers where it has one."""
    drawn = Stated(DiscreteLaw.from_fractions([1]), lambda _rng, n: np.zeros((n, 2)))
    found = ExactAuditor().audit(exact_task(PureDP(epsilon=1.0), lambda: drawn, neighbors=Value(), size=3))
    assert judge(found) is Status.NOT_REFUTED
    assert "not compared with its stated law" in found.statistics["sampler"]


def test_a_list_of_pairs_certifies_nothing(exact_task):
    """Even where its generator counts it: it is not the relation."""

    class SomeValues(Value):
        __slots__ = ()

    few = SomeValues(name="value/some")
    task = exact_task(PureDP(epsilon=1.0), RandomisedResponse, neighbors=few, size=4, categories=4)
    assert judge(ExactAuditor().audit(task)) is Status.NOT_REFUTED
