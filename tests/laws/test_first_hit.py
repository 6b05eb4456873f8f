import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logsumexp

from dpverify.core.errors import InputError, UnsupportedError
from dpverify.core.evidence import Measure
from dpverify.laws import first_hit, first_hit_quadrature
from dpverify.laws.first_hit import Branch, FirstHitLaw
from dpverify.laws.first_hit_quadrature import integrate, log_window
from dpverify.laws.stopping import StoppingLaw

PURE = Measure(kind="epsilon", argument=0.0, claimed=1.0)
BRANCHES = {
    "nothing": (Branch(scale=2.0),),
    "gap": (Branch(scale=2.0, edges=(0.5, 2.0, 7.0)),),
    "value": (Branch(scale=2.0, release="value", edges=(-3.0, -1.0, 0.0, 2.0, 6.0)),),
    "fresh": (Branch(scale=2.0, release="fresh", edges=(-3.0, 0.0, 2.0), fresh_scale=0.7),),
    "two gaps": (Branch(scale=4.0, offset=4.0, edges=(5.0, 9.0)), Branch(scale=2.0, edges=(1.0, 3.0))),
    "leak": (
        Branch(scale=4.0, offset=4.0, release="value", edges=(-5.0, 0.0, 5.0)),
        Branch(scale=2.0, edges=(1.0, 3.0)),
    ),
    "below": (Branch(scale=1.0, offset=-2.0, edges=(-1.0, 0.0, 1.5)), Branch(scale=3.0, offset=-3.0, release="value")),
}
LEVELS = st.lists(st.one_of(st.integers(-6, 6).map(float), st.floats(-6, 6)), min_size=1, max_size=6)


def law(name="value", *, levels=(1.0, 1.0, -2.0, 0.5), threshold_scale=1.5):
    return FirstHitLaw(threshold_scale=threshold_scale, levels=np.array(levels), branches=BRANCHES[name])


# Closed forms


@pytest.mark.parametrize(("edge", "accuracy"), [(-1.0, 1e-14), (-40.0, 1e-14), (-3000.0, 1e-13)])
def test_the_lowest_values_have_a_closed_form(edge, accuracy):
    # All levels and 0 lie above the edge: only exponentials are integrated, whatever the mass (e^-13500 at the last).
    s, b, levels = 2.0, 3.0, np.array([4.0, 0.0, -1.0, 2.0])
    found = FirstHitLaw(
        threshold_scale=s, levels=levels, branches=(Branch(scale=b, release="value", edges=(edge, 1.0)),)
    ).log_probabilities()
    for k in range(4):
        rate = 1 / s + k / b
        logs = rate * edge - np.sum(levels[:k]) / b - (k + 2) * math.log(2.0) - math.log(s) + (edge - levels[k]) / b
        expected = logs + math.log(1 / rate - 1 / (rate + 1 / b))
        assert found[3 * k] == pytest.approx(expected, rel=accuracy, abs=1e-13)


def test_equal_noises_are_a_race():
    # Two branches a query at the threshold itself: each is one more runner, and the n-th wins with 1 / (n (n + 1)).
    branch = Branch(scale=2.0)
    found = FirstHitLaw(threshold_scale=2.0, levels=np.zeros(3), branches=(branch, branch)).log_probabilities()
    np.testing.assert_allclose(np.exp(found), [1 / 2, 1 / 6, 1 / 12, 1 / 20, 1 / 30, 1 / 42, 1 / 7], rtol=1e-14)


@given(x=st.floats(-900, 900), width=st.floats(1e-6, 900))
def test_windows_are_right_in_both_tails(x, width):
    y = x + width
    if x >= 0 or y <= 0:
        near, far = (x, y) if x >= 0 else (-y, -x)
        assert log_window(x, y) == pytest.approx(-near - math.log(2) + math.log(-math.expm1(near - far)), abs=1e-9)
    else:
        assert log_window(x, y) == pytest.approx(math.log(1 - math.exp(x) / 2 - math.exp(-y) / 2), abs=1e-9)
    assert log_window(-math.inf, x) == pytest.approx(log_window(-x, math.inf), abs=1e-14)


# Naive twin


def below(x):
    return 0.5 * math.exp(x) if x < 0 else 1 - 0.5 * math.exp(-x)


def naive(subject, number):
    """The same integral, one threshold at a time."""
    hit, s = subject.outcome(number), subject.threshold_scale

    def density(z):
        value = math.exp(-abs(z) / s) / (2 * s)
        for level in subject.levels[: None if hit is None else hit[0]]:
            value *= math.prod(below((z + each.offset - level) / each.scale) for each in subject.branches)
        if hit is None:
            return value
        query, which, bin_ = hit
        level, branch = subject.levels[query], subject.branches[which]
        for each in subject.branches[:which]:
            value *= below((z + each.offset - level) / each.scale)
        lower, upper = branch.ends(bin_)
        if branch.release == "fresh":
            chance = below((upper - level) / branch.fresh_scale) - below((lower - level) / branch.fresh_scale)
            return value * chance * (1 - below((z + branch.offset - level) / branch.scale))
        if branch.release == "gap":
            lower, upper = z + lower, z + upper
        lower = max(lower, z + branch.offset)
        return value * max(0.0, below((upper - level) / branch.scale) - below((lower - level) / branch.scale))

    kinks = {0.0}
    for branch in subject.branches:
        kinks |= {level - each for level in subject.levels for each in (branch.offset, *branch.edges)}
        kinks |= {edge - branch.offset for edge in branch.edges}
    ends = (
        [min(kinks) - reach * s for reach in (40, 8, 2)] + sorted(kinks) + [max(kinks) + reach * s for reach in (8, 40)]
    )
    return sum(quad(density, a, b, epsabs=0, epsrel=1e-9)[0] for a, b in pairwise(ends))


@pytest.mark.parametrize("name", BRANCHES)
def test_probabilities_agree_with_scipy_quadrature(name):
    subject = law(name)
    found = np.exp(subject.log_probabilities())
    expected = [naive(subject, number) for number in range(found.size)]
    assert found.size == 4 * subject.marks + 1
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    # The comparison would see a scale that is one in a million too large.
    off = FirstHitLaw(threshold_scale=1.5 * (1 + 1e-6), levels=subject.levels, branches=subject.branches)
    assert np.abs(np.exp(off.log_probabilities()) / expected - 1).max() > 1e-7


# An independent law


@given(levels=LEVELS, threshold_scale=st.floats(0.2, 5.0))
def test_without_bins_it_is_the_stopping_law(levels, threshold_scale):
    mine = law("nothing", levels=levels, threshold_scale=threshold_scale)
    other = StoppingLaw(noise="laplace", threshold_scale=threshold_scale, query_scale=2.0, levels=np.array(levels))
    allowed = mine.log_errors() + other.log_errors()
    assert np.all(np.abs(mine.log_probabilities() - other.log_probabilities()) <= allowed)
    assert allowed.max() < 1e-8


def test_three_hundred_queries_far_in_the_tail():
    levels = np.where(np.arange(300) % 3 == 0, 400.0, -300.0)
    mine = law("nothing", levels=levels)
    other = StoppingLaw(noise="laplace", threshold_scale=1.5, query_scale=2.0, levels=levels)
    assert mine.log_probabilities().min() < -200
    np.testing.assert_allclose(mine.log_probabilities(), other.log_probabilities(), atol=1e-9)


def test_kinks_a_hair_apart_make_no_difference():
    for name in BRANCHES:
        found, expected = law(name, levels=(5e-324, 1.0)), law(name, levels=(0.0, 1.0))
        np.testing.assert_allclose(found.log_probabilities(), expected.log_probabilities(), atol=1e-13)


def test_the_estimate_of_the_quadrature_is_in_the_errors(monkeypatch):
    subject = law("gap")
    moving, starts = np.array([True]), np.array([0, 3])
    arguments = (1.5, subject.levels, np.zeros(1), np.full(1, 2.0), moving, starts, np.array([0.5, 2.0, 7.0]))
    kinks = np.unique([0.0, *(level - edge for level in subject.levels for edge in (0.0, 0.5, 2.0, 7.0))])
    logs, relative = integrate(*arguments, kinks)
    np.testing.assert_array_equal(logs, subject.log_probabilities())
    assert relative.max() < 1e-12
    # Panels far too long do badly, and the estimate tells.
    monkeypatch.setattr(first_hit_quadrature, "_CHANGE", 100.0)
    poor, relative = integrate.py_func(*arguments, kinks)
    assert np.all(np.abs(poor - logs) <= relative + 1e-13)
    assert np.abs(poor - logs).max() > 1e-9
    monkeypatch.setattr(first_hit, "integrate", lambda *_: (logs, np.full(logs.size, 1e-3)))
    assert np.all(law("gap").log_errors() >= 1e-3)


# Properties


@given(name=st.sampled_from(sorted(BRANCHES)), levels=LEVELS, threshold_scale=st.floats(0.2, 5.0))
def test_probabilities_sum_to_one_and_bins_to_their_branch(name, levels, threshold_scale):
    subject = law(name, levels=levels, threshold_scale=threshold_scale)
    logs = subject.log_probabilities()
    assert np.all(np.isfinite(logs))
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-10)
    assert subject.log_errors().max() < 1e-8
    bare = FirstHitLaw(
        threshold_scale=threshold_scale,
        levels=subject.levels,
        branches=tuple(Branch(scale=each.scale, offset=each.offset) for each in subject.branches),
    ).log_probabilities()
    rows, at = logs[:-1].reshape(len(levels), -1), 0
    for which, branch in enumerate(subject.branches):
        whole = logsumexp(rows[:, at : at + branch.bins], axis=1)
        np.testing.assert_allclose(whole, bare[:-1].reshape(len(levels), -1)[:, which], atol=1e-9)
        at += branch.bins
    assert logs[-1] == pytest.approx(bare[-1], abs=1e-9)


@given(name=st.sampled_from(sorted(BRANCHES)), levels=LEVELS, data=st.data())
def test_fewer_bins_never_tell_more(name, levels, data):
    moved = [level + data.draw(st.sampled_from([-1.0, 0.0, 1.0])) for level in levels]
    fine, coarse = (
        [
            FirstHitLaw(
                threshold_scale=1.5,
                levels=np.array(each),
                branches=tuple(
                    Branch(
                        scale=b.scale,
                        offset=b.offset,
                        release=b.release,
                        edges=b.edges[::step],
                        fresh_scale=b.fresh_scale,
                    )
                    for b in BRANCHES[name]
                ),
            )
            for each in (levels, moved)
        ]
        for step in (1, 2)
    )
    for first, second in ((0, 1), (1, 0)):
        one, other = coarse[first].against(coarse[second]), fine[first].against(fine[second])
        for measure in ("epsilon", "delta", "renyi"):
            argument = {"epsilon": 0.0, "delta": 0.3, "renyi": 3.0}[measure]
            assert getattr(one, measure)(argument).lower <= getattr(other, measure)(argument).upper


@pytest.mark.parametrize("name", BRANCHES)
def test_an_outcome_by_its_number_is_where_its_mass_is(name):
    subject = law(name)
    seen = [subject.outcome(number) for number in range(4 * subject.marks + 1)]
    expected = [
        (query, which, bin_)
        for query in range(4)
        for which, branch in enumerate(subject.branches)
        for bin_ in range(branch.bins)
    ]
    assert seen == [*expected, None]


# Pairs


def test_a_pair_is_a_lower_bound_and_says_so():
    p, q = law(levels=(1.0, 1.0, -2.0)), law(levels=(2.0, 2.0, -1.0))
    pair = p.against(q)
    assert pair.enclosure(PURE) is None
    with pytest.raises(UnsupportedError):
        pair.tradeoff([0.5])
    for measure in (
        Measure(kind="delta", argument=0.1, claimed=1.0),
        Measure(kind="epsilon", argument=0.1, claimed=1.0),
        Measure(kind="renyi", argument=2.0, claimed=1.0),
        Measure(kind="mu", claimed=1.0),
    ):
        assert pair.prove(measure) is None


@pytest.mark.parametrize("name", BRANCHES)
def test_a_proof_contains_the_float_in_both_directions(name):
    pair = law(name).against(law(name, levels=(2.0, 2.0, -1.0, -0.5)))
    for side in (pair, pair.swap()):
        ratio = side.p.log_probabilities() - side.q.log_probabilities()
        for measure in (PURE, Measure(kind="renyi", argument=math.inf, claimed=1.0)):
            proof = side.prove(measure)
            assert proof is not None
            assert proof.proved
            assert proof.error < 1e-14
            assert abs(proof.value - ratio.max()) < 1e-10
            assert abs(proof.value - side.epsilon(0.0).value) <= side.epsilon(0.0).error


def test_svt3_gives_every_move_away():
    # Ten moves of 1 at half an epsilon each: five times the claim, and no more by any outcome.
    epsilon = 0.1
    branch = Branch(scale=2 / epsilon, release="value", edges=(-20.0, 0.0, 20.0))
    p, q = (
        FirstHitLaw(threshold_scale=2 / epsilon, levels=np.full(10, level), branches=(branch,)) for level in (0.0, 1.0)
    )
    proof = p.against(q).prove(PURE)
    assert proof is not None
    assert proof.lower <= 10 * epsilon / 2 <= proof.upper
    assert proof.error < 1e-15


# Refusals


def test_bad_input_is_refused():
    for wrong in (
        {"scale": 0.0},
        {"scale": 1.0, "offset": math.inf},
        {"scale": 1.0, "release": "all"},
        {"scale": 1.0, "release": "fresh"},
        {"scale": 1.0, "fresh_scale": 1.0},
        {"scale": 1.0, "edges": (0.0,)},
        {"scale": 1.0, "edges": (2.0, 1.0)},
        {"scale": 1.0, "release": "value", "edges": (-math.inf, 0.0)},
        {"scale": 1.0, "release": "value", "edges": (0.0, math.nan)},
    ):
        with pytest.raises(InputError):
            Branch(**wrong)
    for wrong in ({"threshold_scale": 0.0}, {"levels": []}, {"levels": [math.nan]}, {"branches": ()}):
        with pytest.raises(InputError):
            FirstHitLaw(**{"threshold_scale": 1.0, "levels": [0.0], "branches": BRANCHES["gap"], **wrong})


def test_laws_on_other_outcomes_are_not_compared():
    for other in (
        law("gap"),
        law(levels=(1.0, 2.0)),
        StoppingLaw(noise="laplace", threshold_scale=1.0, query_scale=1.0, levels=np.zeros(4)),
    ):
        with pytest.raises(UnsupportedError):
            law("value").against(other)
    assert law().against(law(threshold_scale=2.0)).epsilon(0.0).value > 0


@pytest.mark.parametrize(
    "other",
    [
        Branch(scale=2.0, edges=(1.0, 3.0)),
        Branch(scale=2.0, release="value", edges=(1.0, 2.0)),
        Branch(scale=2.0, release="fresh", edges=(1.0, 2.0), fresh_scale=1.0),
    ],
    ids=["edges", "value", "fresh"],
)
def test_as_many_bins_of_something_else_are_not_compared(other):
    gap, another = (
        FirstHitLaw(threshold_scale=1.5, levels=np.zeros(2), branches=(branch,))
        for branch in (Branch(scale=2.0, edges=(1.0, 2.0)), other)
    )
    assert gap.log_probabilities().size == another.log_probabilities().size
    for one, two in ((gap, another), (another, gap)):
        with pytest.raises(UnsupportedError, match="the same bins"):
            one.against(two)
