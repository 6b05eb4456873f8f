"""Code beside the law that it states: what departs is found on whichever input it shows, what follows passes.

False alarms: each comparison departs with probability at most 1e-9 (`LEVEL`); there are fewer than 200 here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from auditors.privacy.exact.auditor import ExactAuditor
from auditors.privacy.exact.law_check import CLOSE, LEVEL, _moves, compare
from dpverify.core.errors import AuditError, UnsupportedError
from dpverify.core.evidence import Enclosed
from dpverify.core.verdict import Status, judge
from dpverify.datasets.neighbors.value import Value
from dpverify.definitions.pure_dp import PureDP
from dpverify.laws.density import LaplaceLaw
from dpverify.laws.discrete import DiscreteLaw
from dpverify.laws.product import MixtureLaw, ProductLaw
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
    with pytest.raises(AuditError, match=rf"on {shown}, by `{by}`, outcome {shown} came in"):
        ExactAuditor().audit(replace(task, trials=100_000))


def test_what_follows_its_law_is_certified_and_says_what_was_compared(exact_task):
    task = exact_task(PureDP(epsilon=1.0), RandomisedResponse, neighbors=Value(), size=K, categories=K)
    found = ExactAuditor().audit(replace(task, trials=200_000))
    assert judge(found) is Status.CERTIFIED
    said = found.statistics["sampler"]
    assert (said["inputs"], said["paths"], said["level"]) == (K, ("sample", "counts"), LEVEL)


def test_what_it_says_it_finds_it_finds(exact_task):
    """At least four times in five: of 40, fewer than 20 has a probability of at most 2e-5 (and 40 are found here)."""
    task = replace(exact_task(PureDP(epsilon=1.0), InTheClear, size=K, categories=K, by=()), trials=200_000)
    found = compare(task, list(range(K)))
    assert found is not None and not found.departure and found.finds < CLOSE
    shown = {"categories": K, "share": found.finds / (1 - np.e / (np.e + K - 1)), "by": ("sample",)}
    tried = [exact_task(PureDP(epsilon=1.0), InTheClear, size=K, seed=seed, **shown) for seed in range(40)]
    assert sum(bool(compare(replace(each, trials=found.draws // 4), [17]).departure) for each in tried) >= 20


COIN = DiscreteLaw.from_probabilities([0.25, 0.75])
MIXTURE = MixtureLaw(laws=(COIN, COIN), weights=(0.5, 0.5))
WIDE = DiscreteLaw.from_probabilities(np.full(200, 1 / 200))


def _coin(rng: np.random.Generator, size: int) -> Any:
    return rng.random(size) < 0.75


def _even(rng: np.random.Generator, size: int) -> Any:
    """Each outcome is twice as likely as stated or impossible: the last bit is told."""
    return 2 * rng.integers(100, size=size)


def _seven(rng: np.random.Generator, size: int, *, share: float = 0.1) -> Any:
    return np.where(rng.random(size) < share, 7, rng.integers(200, size=size))


SURE = DiscreteLaw.from_probabilities([1.0, 0.0])
MANY = DiscreteLaw.from_probabilities(np.full(4096, 1 / 4096))
FOLLOWING = {
    "booleans": (COIN, _coin),
    "integers in a column": (COIN, lambda rng, n: _coin(rng, n).astype(int).reshape(-1, 1)),
    "an outcome that never comes": (SURE, lambda _rng, n: np.zeros(n, dtype=int)),
    "a mixture": (MIXTURE, _coin),
    "many outcomes": (WIDE, lambda rng, n: rng.integers(200, size=n)),
}
DEPARTING = {
    "another share": (COIN, lambda rng, n: rng.random(n) < 0.73),
    "half of many outcomes": (WIDE, _even),
    "one outcome in every tenth run": (WIDE, _seven),
    "an impossible outcome once in a thousand": (SURE, lambda rng, n: (rng.random(n) < 1e-3).astype(int)),
    "half a percent of one outcome of many": (WIDE, lambda rng, n: _seven(rng, n, share=0.005)),
}


@pytest.mark.parametrize("name", FOLLOWING)
def test_draws_from_the_law_pass(exact_task, name):
    law, draw = FOLLOWING[name]
    task = exact_task(PureDP(epsilon=1.0), lambda: Stated(law, draw), size=3)
    found = compare(replace(task, trials=75_000), [0, 1, 2])
    assert found is not None and not found.departure


@pytest.mark.parametrize("name", DEPARTING)
def test_what_departs_is_found(exact_task, name):
    law, draw = DEPARTING[name]
    task = exact_task(PureDP(epsilon=1.0), lambda: Stated(law, draw), size=3)
    found = compare(replace(task, trials=75_000), [0, 1, 2])
    assert found is not None and found.departure


def test_distances_move_as_the_inequality_says():
    """The mean over honest samples lies below its bound, and none of 2,000 lies above what level 1e-9 allows."""
    rng, n = np.random.default_rng(0), 5_000
    found = 0.5 * np.abs(rng.multinomial(n, np.full(200, 1 / 200), size=2_000) / n - 1 / 200).sum(axis=1)
    assert 0.7 * np.sqrt(200 / n) / 2 < found.mean() <= np.sqrt(200 / n) / 2
    assert found.max() <= np.sqrt(200 / n) / 2 + _moves(n, LEVEL)


INCOMPARABLE = [
    (LaplaceLaw(locations=np.zeros(1), scales=np.ones(1)), lambda rng, n: rng.laplace(size=n), "LaplaceLaw"),
    (ProductLaw(laws=(COIN, COIN)), lambda rng, n: rng.random((n, 2)) < 0.75, "ProductLaw"),
    (COIN, lambda rng, n: rng.random((n, 2)) < 0.75, "one a draw"),
    (COIN, lambda rng, n: 2 * _coin(rng, n) - 1, "numbers from 0 to 1"),
    (COIN, lambda rng, n: np.where(_coin(rng, n), 1.0, -0.0), "float64, and no whole numbers"),
    (COIN, lambda _rng, n: np.full(n, "1"), "<U1, and no whole numbers"),
    (
        DiscreteLaw.from_probabilities(np.full(4096, 1 / 4096)),
        lambda rng, n: rng.integers(4096, size=n),
        "no departure",
    ),
]


@pytest.mark.parametrize(("law", "draw", "why"), INCOMPARABLE, ids=[why for *_, why in INCOMPARABLE])
def test_what_cannot_be_compared_is_said_and_not_certified(exact_task, law, draw, why):
    drawn = Stated(law, draw)
    task = replace(exact_task(PureDP(epsilon=1.0), lambda: drawn, neighbors=Value(), size=3), trials=20_000)
    with pytest.raises(UnsupportedError, match=why):
        compare(task, [0, 1, 2])
    found = ExactAuditor().audit(task)
    assert judge(found) is Status.NOT_REFUTED


@pytest.mark.parametrize("counts", [[2, -1], [2, 0], [1], [0, 0]])
def test_counts_that_are_none_are_not_compared(exact_task, counts):
    class Counted(RandomisedResponse):
        def counts(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
            return (np.array(counts) * size).astype(np.int64)

    task = exact_task(PureDP(epsilon=1.0), Counted, neighbors=Value(), size=2, categories=2)
    with pytest.raises(UnsupportedError, match="counts that are none"):
        compare(replace(task, trials=20_000), [0, 1])


def test_an_input_in_the_type_of_the_outputs_is_not_certified(exact_task):
    class Typed(RandomisedResponse):
        def sample(self, dataset: Any, size: int, *, rng: np.random.Generator) -> Any:
            return super().sample(dataset, size, rng=rng).astype(np.int32 if dataset else np.int64)

    task = exact_task(PureDP(epsilon=1.0), Typed, neighbors=Value(), size=2, categories=2)
    found = ExactAuditor().audit(replace(task, trials=100_000))
    assert judge(found) is Status.NOT_REFUTED
    assert "other types or shapes" in found.statistics["sampler"]


def test_code_without_draws_is_not_certified(exact_task):
    class Called:
        def __call__(self, dataset: Any, rng: np.random.Generator) -> Any:
            return dataset

        def output_law(self, _dataset: Any) -> Any:
            return COIN

    found = ExactAuditor().audit(exact_task(PureDP(epsilon=1.0), Called, neighbors=Value(), size=3))
    assert judge(found) is Status.NOT_REFUTED


def test_a_law_that_calls_its_own_number_proved_is_not_certified(exact_task):
    """Only an enclosure is."""

    class Pair(type(COIN.against(COIN))):
        def epsilon(self, _delta: float) -> Enclosed:
            return Enclosed(value=0.5, error=0.0, proved=True)

        def enclosure(self, _measure: Any) -> None:
            return None

    class Boasting:
        def against(self, _other: Any) -> Any:
            pair = COIN.against(COIN)
            return Pair(log_p=pair.log_p, log_q=pair.log_q, error=pair.error)

    found = ExactAuditor().audit(
        exact_task(PureDP(epsilon=1.0), lambda: Stated(Boasting(), _coin), neighbors=Value(), size=2)
    )
    assert judge(found) is Status.NOT_REFUTED


def test_a_list_of_pairs_certifies_nothing(exact_task):
    """Even where its generator counts it: it is not the relation."""

    class SomeValues(Value):
        __slots__ = ()

    few = SomeValues(name="value/some")
    task = exact_task(PureDP(epsilon=1.0), RandomisedResponse, neighbors=few, size=4, categories=4)
    assert judge(ExactAuditor().audit(replace(task, trials=100_000))) is Status.NOT_REFUTED
