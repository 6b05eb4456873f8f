"""Every scheme: few false alarms on itself, at the level; all others are told from it; its price is a bracket."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from dpverify.core.errors import InputError
from dpverify.loaders.audit import read_scheme, schemes
from dpverify.loaders.result import held_against
from dpverify.loaders.terms import Terms
from tests.loaders.simulated import KINDS, observed, of_scheme

ALPHA = 0.2
FLAKE = 1e-9


def false_alarms(kind, n, steps, passes, times, seed=0):
    rng, found = np.random.default_rng(seed), 0
    for each in range(times):
        one = of_scheme(kind, n, steps, seed=each)
        pilot, seen = observed(n, one, 1, rng), observed(n, one, passes, rng)
        found += held_against(read_scheme(kind), seen, pilot, alpha=ALPHA).ruled_out
    return found


def test_every_scheme_has_a_naive_twin():
    assert set(schemes()) == set(KINDS), "add a pass of the new scheme to tests/loaders/simulated.py"
    ranks = [each.rank for each in schemes().values()]
    assert ranks == sorted(set(ranks))


@pytest.mark.parametrize("kind", KINDS)
def test_a_scheme_is_ruled_out_on_itself_no_more_often_than_stated(kind):
    """Small loaders, many of them. False alarm of this test: 1e-9."""
    times = 40
    found = false_alarms(kind, 12, 3, 5, times)
    assert stats.binom.sf(found - 1, times, ALPHA) > FLAKE


def test_few_inclusions_do_not_rule_out_the_number_of_groups():
    """In two groups of four batches: most records come so seldom that four groups look as well. False alarm: 1e-9."""
    rng, found, times = np.random.default_rng(0), 0, 40
    for _ in range(times):

        def one(each):
            return [np.flatnonzero((each.random(8) < 0.2) & (np.arange(8) % 2 == at % 2)) for at in range(4)]

        pilot, seen = observed(8, one, 1, rng), observed(8, one, 4, rng)
        found += held_against(read_scheme("cyclic-poisson"), seen, pilot, alpha=ALPHA).ruled_out
    assert stats.binom.sf(found - 1, times, ALPHA) > FLAKE


@pytest.mark.slow
@pytest.mark.parametrize(("n", "steps", "passes"), [(3, 2, 5), (40, 10, 8), (200, 5, 3)])
@pytest.mark.parametrize("kind", KINDS)
def test_the_same_on_more_and_larger_ones(kind, n, steps, passes):
    times = 400
    found = false_alarms(kind, n, steps, passes, times, seed=1)
    assert stats.binom.sf(found - 1, times, ALPHA) > FLAKE


@pytest.mark.parametrize("kind", KINDS)
def test_each_is_told_from_the_others(kind):
    """At 1e-9. A scheme with more left open includes some with less; nothing else is left."""
    n, rng = 300, np.random.default_rng(5)
    one = of_scheme(kind, n, 10, seed=7)
    pilot, seen = observed(n, one, 1, rng), observed(n, one, 250, rng)
    left = [name for name, each in schemes().items() if not held_against(each(), seen, pilot, alpha=1e-9).ruled_out]
    wider = {"poisson": ["weighted-poisson"], "with-replacement": ["weighted"]}
    assert left == [kind, *wider.get(kind, [])]


@pytest.mark.parametrize(
    ("kind", "relation"),
    [
        *((kind, "replace") for kind in KINDS if kind != "weighted"),
        *((kind, "add-remove") for kind in ("fixed-size", "shuffled", "cyclic", "balls-in-bins")),
        pytest.param("weighted", "add-remove", marks=pytest.mark.slow),
    ],
)
def test_prices_are_brackets(kind, relation):
    n, rng = 60, np.random.default_rng(1)
    seen = observed(n, of_scheme(kind, n, 6), 40, rng)
    terms = Terms(noise_multiplier=2.0, steps=12, delta=1e-5, relation=relation, per_pass=6, records=n)
    found = schemes()[kind]().priced(terms, seen, alpha=1e-6)
    assert found.lower is not None
    assert found.lower > 0
    if found.upper is not None:
        assert found.lower <= found.upper * (1 + 1e-9)
    assert "epsilon" in found.text()


def test_schemes_are_read_from_text():
    assert read_scheme("poisson(rate=1/100)").rate == 0.01
    assert read_scheme(" shuffled ").size is None
    assert read_scheme("fixed-size(size=64)").size == 64
    for text in (
        "",
        "poison",
        "poisson(rate=2)",
        "poisson(size=3)",
        "poisson(rate='a')",
        "shuffled(size=1.5)",
        "a+b",
        "poisson(",
    ):
        with pytest.raises(InputError):
            read_scheme(text)
