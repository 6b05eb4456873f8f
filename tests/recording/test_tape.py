"""The tape: what it draws, remembers and reads back."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpverify.core.errors import InputError
from dpverify.core.transcript import Draw, Transcript
from dpverify.recording.tape import Tape
from dpverify.sampling import fill
from dpverify.sampling.permutation import shuffle_start
from dpverify.sampling.poisson_subset import poisson_subset, skip_scale
from dpverify.sampling.streams import as_state, state_from, stream
from dpverify.sampling.xoshiro import integer_below

VECTORS = ("normal", "laplace", "uniform", "exponential", "gumbel")


def fresh(*, keep: bool = True) -> Tape:
    return Tape.recording(stream(0, "tape"), keep=keep)


def everything(tape: Tape) -> list[np.ndarray]:
    """One draw of each kind, and one more of the first."""
    drawn = [getattr(tape, kind)(kind, 5) for kind in VECTORS]
    drawn.append(tape.poisson_subset("batch", 50, 0.3))
    drawn.append(tape.subset("sample", 20, 4))
    drawn.append(tape.permutation("order", 9))
    drawn.append(np.array([tape.index("index", 1000)]))
    drawn.append(tape.normal("normal", 3))
    return drawn


def same(one: Transcript, two: Transcript) -> bool:
    assert [(draw.name, draw.kind) for draw in one.draws] == [(draw.name, draw.kind) for draw in two.draws]
    return one.state == two.state and all(
        np.array_equal(a.values, b.values) for a, b in zip(one.draws, two.draws, strict=True)
    )


# ---- draws ----


def test_draws_are_the_register_generators_in_the_order_of_the_calls() -> None:
    """What a kernel gets that draws in the same order from the same state."""
    state = state_from(stream(0, "tape"))
    expected = []
    for kind in VECTORS:
        out = np.empty(5)
        state = as_state(getattr(fill, f"fill_{kind}")(out, *state))
        expected.append(out)
    rows = np.empty(50, dtype=np.int64)
    count, *words = poisson_subset(rows, skip_scale(0.3), *state)
    expected.append(rows[:count])
    state = as_state(words)
    for size, number in ((4, 20), (9, 9)):
        order = np.empty(number, dtype=np.int64)
        state = as_state(shuffle_start(order, size, *state))
        expected.append(order[:size])
    value, *words = integer_below(1000, *state)
    expected.append(np.array([value]))
    last = np.empty(3)
    fill.fill_normal(last, *as_state(words))
    expected.append(last)
    for found, wanted in zip(everything(fresh()), expected, strict=True):
        assert np.array_equal(found, wanted)


def test_without_keeping_the_numbers_are_the_same_and_nothing_is_remembered() -> None:
    kept, light = fresh(), fresh(keep=False)
    for one, two in zip(everything(kept), everything(light), strict=True):
        assert np.array_equal(one, two)
    for tape in (kept, light):
        tape.perturb("value", [1.0], law="gaussian", scale=1.0)
        tape.iterate([1.0])
        tape.publish("budget", 1.0)
    one, two = kept.transcript([0.0]), light.transcript([0.0])
    assert one.state == two.state
    assert (two.draws, two.perturbed, dict(two.public), two.iterates.size) == ((), (), {}, 0)
    assert len(one.draws) == 11


def test_what_it_draws_is_not_asked_for_twice() -> None:
    """Entries are the draws one by one: five and then three are the first eight."""
    tape, whole = fresh(), fresh().normal("noise", 8)
    assert np.array_equal(np.concatenate([tape.normal("noise", 5), tape.normal("noise", 3)]), whole)


@pytest.mark.parametrize("size", [-1, 21])
def test_samples_of_impossible_sizes_are_refused(size: int) -> None:
    with pytest.raises(InputError, match=r"0\.\.20"):
        fresh().subset("sample", 20, size)
    with pytest.raises(InputError, match="bound >= 1"):
        fresh().index("index", 0)


# ---- replay ----


def test_a_replay_gives_the_same_bits() -> None:
    tape = fresh()
    drawn = everything(tape)
    recorded = tape.transcript([0.0])
    again = Tape.replaying(recorded)
    for one, two in zip(drawn, everything(again), strict=True):
        assert np.array_equal(one, two)
    assert same(recorded, again.transcript([0.0]))
    assert not again.overran


def test_a_replay_goes_by_name_and_in_order() -> None:
    tape = fresh()
    first, second, other = tape.normal("a", 2), tape.normal("a", 2), tape.normal("b", 2)
    again = Tape.replaying(tape.transcript([0.0]))
    assert np.array_equal(again.normal("b", 2), other)
    assert np.array_equal(again.normal("a", 2), first)
    assert np.array_equal(again.normal("a", 2), second)


def test_draws_past_the_recording_go_on_from_its_end() -> None:
    tape = fresh()
    first = tape.normal("noise", 4)
    recorded = tape.transcript([0.0])
    following = tape.normal("noise", 3)
    for calls in ([7], [4, 3], [2]):
        again = Tape.replaying(recorded)
        drawn = np.concatenate([again.normal("noise", size) for size in calls])
        assert np.array_equal(drawn, np.concatenate([first, following])[: sum(calls)])
        assert again.overran == (sum(calls) > 4)


@pytest.mark.parametrize(
    ("draw", "ask"),
    [
        (lambda tape: None, lambda tape: tape.index("x", 5)),
        (lambda tape: tape.index("x", 1000), lambda tape: tape.index("x", 1)),
        (lambda tape: None, lambda tape: tape.permutation("x", 5)),
        (lambda tape: None, lambda tape: tape.poisson_subset("x", 5, 0.5)),
    ],
)
def test_it_says_where_a_replay_had_to_draw(draw, ask) -> None:
    tape = fresh()
    draw(tape)
    again = Tape.replaying(tape.transcript([0.0]))
    ask(again)
    assert again.overran
    assert not tape.overran


def test_indices_that_the_data_lacks_are_left_out() -> None:
    tape = fresh()
    batch, sample, order = tape.poisson_subset("b", 30, 0.5), tape.subset("s", 30, 12), tape.permutation("o", 30)
    recorded = tape.transcript([0.0])
    for rows in (20, 30, 33):
        again = Tape.replaying(recorded)
        assert again.poisson_subset("b", rows, 0.5).tolist() == [i for i in batch if i < rows]
        assert again.subset("s", rows, 12).tolist() == [i for i in sample if i < rows]
        assert again.permutation("o", rows).tolist() == [i for i in order if i < rows] + list(range(30, rows))


def test_another_kind_under_one_name_is_refused() -> None:
    tape = fresh()
    tape.normal("noise", 2)
    with pytest.raises(InputError, match="laplace draws called 'noise' where normal draws were recorded"):
        Tape.replaying(tape.transcript([0.0])).laplace("noise", 2)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 4)), max_size=12))
def test_any_order_of_names_replays(calls: list[tuple[str, int]]) -> None:
    """A name's draws keep their order whatever came between; asked by name alone, they come back."""
    tape = fresh()
    drawn = [(name, tape.normal(name, size)) for name, size in calls]
    again = Tape.replaying(tape.transcript([0.0]))
    for name, values in sorted(drawn, key=lambda each: each[0]):
        assert np.array_equal(again.normal(name, values.size), values)
    assert not again.overran


# ---- the log ----


@pytest.mark.parametrize(("law", "kind"), [("gaussian", "normal"), ("laplace", "laplace")])
def test_perturb_adds_scaled_draws_and_logs_both_parts(law, kind) -> None:
    tape, unit = fresh(), getattr(fresh(), kind)("sum", 3)
    clean = np.array([1.0, 2.0, 3.0])
    noisy = tape.perturb("sum", clean, law=law, scale=2.5, sensitivity=0.5, released=False)
    assert np.array_equal(noisy, clean + 2.5 * unit)
    clean[0] = 99.0  # the log has its own copy
    (logged,) = tape.transcript(noisy).perturbed
    assert logged.clean.tolist() == [1.0, 2.0, 3.0]
    assert np.array_equal(logged.noise, 2.5 * unit)
    assert np.array_equal(logged.value, noisy)
    assert (logged.law, logged.scale, logged.sensitivity, logged.released) == (law, 2.5, 0.5, False)


def test_no_law_draws_nothing_and_no_scale_draws_all_the_same() -> None:
    for law, scale, draws in (("none", 7.0, 0), ("gaussian", 0.0, 1)):
        tape = fresh()
        assert tape.perturb("value", 4.0, law=law, scale=scale).tolist() == [4.0]
        transcript = tape.transcript([0.0])
        assert len(transcript.draws) == draws
        assert transcript.perturbed[0].scale == 0.0
        assert math.isnan(transcript.perturbed[0].sensitivity)


def test_points_and_public_values_are_copied_and_stacked() -> None:
    tape, point = fresh(), np.zeros(2)
    for step in range(3):
        point += step
        tape.iterate(point)
        tape.publish("step-size", 0.5**step)
        tape.publish("answer", step == 2)
    transcript = tape.transcript(point)
    assert transcript.iterates.tolist() == [[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]
    assert transcript.step_sizes.tolist() == [1.0, 0.5, 0.25]
    assert transcript.answers.tolist() == [False, False, True]
    assert transcript.budgets.size == 0


def test_the_state_is_the_generators_after_the_last_draw() -> None:
    tape = fresh()
    everything(tape)
    transcript = tape.transcript([0.0])
    following = np.empty(4)
    fill.fill_normal(following, *as_state(transcript.state))
    assert np.array_equal(tape.normal("more", 4), following)


def test_draws_can_be_given() -> None:
    """A recording may come from a file, or from an auditor who sets the noise."""
    tape = Tape(state_from(stream(1, "x")), draws=[Draw(name="noise", kind="normal", values=np.array([1.0, -1.0]))])
    assert tape.normal("noise", 2).tolist() == [1.0, -1.0]
    assert len(list(itertools.chain(tape.transcript([0.0]).draws))) == 1
