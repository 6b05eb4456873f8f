"""What users write: records, releases, public values and primitives, and a replay that gives the same bits."""

from __future__ import annotations

import dataclasses
import functools

import numpy as np
import pytest

import dpverify as dpv
from dpverify.adapters.recorded_callable import RecordedCallable
from dpverify.core.errors import InputError
from dpverify.core.transcript import Transcript
from dpverify.recording.compare_runs import compare, same_bits
from dpverify.recording.user_hooks import Recording
from dpverify.sampling.streams import stream

DATA = np.array([0.25, 0.5, 1.0])


def recorded(function, data=DATA) -> Transcript:
    with dpv.record(stream(0, "door", function.__name__)) as recording:
        recording.run(function, data)
    return recording.transcript


def replayed(function, transcript, data=DATA, *, held=False, traced=True) -> Transcript:
    with Recording(replay=dataclasses.replace(transcript, held=held), traced=traced) as recording:
        recording.run(function, data)
    return recording.transcript


def kinds(transcript: Transcript) -> list[tuple[str, str]]:
    return [(step.kind, step.name) for step in transcript.steps]


def everything(data, rng):
    """One draw of each kind that a generator has."""
    batch = rng.permutation(5)
    total = dpv.release("total", data.sum() + rng.laplace(scale=2.0))
    number = dpv.public("number", len(data))
    vector = dpv.release("vector", np.arange(3.0) + rng.normal(size=3))
    coin = rng.random() < 0.5
    drawn = [rng.integers(9), rng.choice(5), rng.binomial(4, 0.5), rng.geometric(0.3), rng.exponential(), rng.gumbel()]
    order = [1, 2, 3]
    rng.shuffle(order)
    child = rng.spawn(1)[0].standard_normal()
    return {"a": total / number, "b": float(vector.sum()), "c": [coin, *drawn, *order, child, *batch.tolist()]}


def test_a_replay_on_the_same_data_gives_the_same_bits() -> None:
    first = recorded(everything)
    for held in (False, True):
        again = replayed(everything, first, held=held)
        assert kinds(again) == kinds(first)
        for one, other in zip(first.steps, again.steps, strict=True):
            assert same_bits(one.value, other.value)
            assert same_bits(one.clean, other.clean)
            assert same_bits(one.scale, other.scale)
    assert same_bits(replayed(everything, first, traced=False).result, first.result)


def test_outside_of_a_recording_nothing_happens() -> None:
    assert dpv.public("number", 3) == 3
    assert dpv.release("total", 2.5) == 2.5
    assert isinstance(everything(DATA, np.random.default_rng(0))["a"], float)


def test_what_each_line_becomes() -> None:
    def mechanism(data, rng):
        dpv.public("number", len(data))
        total = dpv.release("total", data.sum() + rng.laplace(scale=2.0))
        assert isinstance(total, float)
        return 2.0 * total + rng.normal(0.0, 3.0)

    transcript = recorded(mechanism)
    shown = [step for step in transcript.steps if step.kind == "noisy"]
    assert [(step.name, step.law, step.scale.tolist()) for step in shown] == [
        ("total", "laplace", [2.0]),
        ("result", "gaussian", [3.0]),
    ]
    assert shown[0].clean.tolist() == [1.75]
    assert shown[1].clean == pytest.approx(2.0 * shown[0].value)
    assert shown[0].where.startswith("tests/recording/test_user_hooks.py:")
    assert not [step for step in transcript.steps if step.kind == "coin"]


def test_held_values_come_back_whatever_the_data() -> None:
    def mechanism(data, rng):
        first = dpv.release("first", data.sum() + rng.laplace())
        second = dpv.release("second", np.array([first, data.sum()]) + rng.normal(size=2))
        return float(first + second.sum())

    first = recorded(mechanism)
    second = replayed(mechanism, first, DATA[:2], held=True)
    values = [[step.value.tolist() for step in run.steps if step.kind == "noisy"] for run in (first, second)]
    cleans = [[step.clean.tolist() for step in run.steps if step.kind == "noisy"] for run in (first, second)]
    assert values[0] == values[1]
    assert same_bits(first.result, second.result)
    assert cleans[0][0] != cleans[1][0]
    assert cleans[0][1][0] == cleans[1][1][0]  # what depends on the release alone
    loose = replayed(mechanism, first, DATA[:2])
    assert next(step.value.tolist() for step in loose.steps if step.kind == "noisy") != values[0][0]


def test_noise_that_is_shown_twice_is_known() -> None:
    def mechanism(data, rng):
        noise = rng.laplace()
        return [data.sum() + noise, data.max() - 2.0 * noise]

    transcript = recorded(mechanism)
    (known,) = [step for step in transcript.steps if step.kind == "public" and step.slack > 0]
    (shown,) = [step.value for step in transcript.steps if step.kind == "noisy"]
    assert known.value == pytest.approx(1.0 + 2.0 * 1.75 - 2.0 * shown[0])
    assert [step.clean.tolist() for step in transcript.steps if step.kind == "noisy"] == [[1.75]]


def test_sums_of_noise() -> None:
    def gaussian(data, rng):
        return data.sum() + rng.normal(scale=3.0) + 4.0 * rng.standard_normal()

    def laplace(data, rng):
        return data.sum() + rng.laplace() + rng.laplace()

    def shared(data, rng):
        noise, more = rng.normal(), rng.normal()
        return [data.sum() + noise + more, data.max() + noise]

    assert [(step.law, step.scale.tolist()) for step in recorded(gaussian).steps if step.kind == "noisy"] == [
        ("gaussian", [5.0])
    ]
    assert [step.law for step in recorded(laplace).steps if step.kind == "noisy"] == ["other"]
    assert [step.law for step in recorded(shared).steps if step.kind == "noisy"] == ["gaussian", "other"]


def test_noise_beside_noise_that_was_shown_is_noise() -> None:
    """A number with a second noise in it is not known from the first: neither at once nor in a later release."""

    def at_once(data, rng):
        noise, more = rng.laplace(), rng.laplace()
        return [data.sum() + noise, data.max() + noise + more]

    def in_turn(data, rng):
        noise, more = rng.laplace(), rng.laplace()
        dpv.release("first", data.sum() + noise)
        return data.max() + noise + more

    for function in (at_once, in_turn):
        steps = recorded(function).steps
        assert not [step for step in steps if step.slack > 0 and step.kind == "public"]
        assert [step.law for step in steps if step.kind == "noisy"] == ["laplace", "other"]


@pytest.mark.parametrize("factor", [1 / 3, 1e8, 1e-8])
def test_numbers_known_from_noise_that_was_shown_are_known_up_to_rounding(factor) -> None:
    """On the same data a held run of plain numbers' own values agrees, whatever the noise was scaled by."""

    def mechanism(data, rng):
        noise = rng.laplace()
        noisy = data.sum() / 7.0 + noise
        return [noisy, factor * noisy + data.max() / 3.0, factor * noise / 7.0 + data.max(), noisy / 3.0 * 3.0]

    callable_ = RecordedCallable(mechanism, "mechanism")
    for seed in range(200):
        shown = callable_.observed(DATA, rng=stream(seed, "seen"))
        assert False not in callable_.explained(DATA, shown, rng=stream(seed, "held"))


@pytest.mark.parametrize(
    "hidden",
    [
        lambda data, rng: int(np.argmax(data + rng.laplace(size=3))),
        lambda data, rng: data.sum() + rng.laplace() > 1,
        lambda data, rng: rng.choice(data),
        lambda data, rng: data[rng.random(3) < 0.5].sum() + rng.laplace(),
        lambda data, rng: np.array([data.sum() + rng.laplace()], dtype=np.float64),
        lambda data, rng: float(rng.bit_generator.random_raw()),
    ],
)
def test_hidden_coins_are_told(hidden) -> None:
    assert "coin" in [step.kind for step in recorded(hidden).steps]


def shared_helper(data, rng):
    return float(data.sum() + rng.laplace())


def calls_a_helper(data, rng, *, factor=1.0):
    number = factor * shared_helper(data, rng)
    assert isinstance(number, float)
    return np.asarray(data, dtype=float).sum() + float(number)


def test_float_keeps_the_account_in_a_twin() -> None:
    for function in (calls_a_helper, functools.partial(calls_a_helper, factor=2.0)):
        function.__name__ = "twin"
        assert [step.kind for step in recorded(function).steps] == ["public", "public", "noisy"]
    assert type(calls_a_helper(DATA, np.random.default_rng(0))) is np.float64


# ---- primitives ----


@dpv.noise_primitive(law="laplace", sensitivity_arg="sensitivity")
def add_laplace(value, scale, sensitivity, rng):
    return value + rng.laplace(scale=scale, size=np.shape(value))


@dpv.noise_primitive(law="gaussian", value_arg="x", scale_arg="sigma")
def odd_noise(x, sigma, rng):
    return x + sigma * (rng.random(12).sum() - 6.0)  # not looked into: taken as declared


def test_primitives_are_taken_as_declared() -> None:
    def mechanism(data, rng):
        counts = add_laplace(np.array([1.0, 2.0]), 3.0, 1.0, rng)
        return {"counts": counts, "sum": float(odd_noise(data.sum(), 0.5, rng))}

    transcript = recorded(mechanism)
    query, *rest = [step for step in transcript.steps if step.kind in ("query", "noisy")]
    assert (query.clean.tolist(), query.sensitivity) == ([1.0, 2.0], 1.0)
    assert [(step.law, step.clean.tolist(), step.scale.tolist()) for step in rest if step.kind == "noisy"] == [
        ("laplace", [1.0, 2.0], [3.0, 3.0]),
        ("gaussian", [1.75], [0.5]),
    ]
    assert not [step for step in transcript.steps if step.kind == "coin"]
    assert add_laplace(1.0, 1.0, 1.0, np.random.default_rng(0)) == 1.0 + np.random.default_rng(0).laplace()


def test_bad_primitives_are_refused() -> None:
    with pytest.raises(InputError, match="no parameter called scale"):
        dpv.noise_primitive(law="laplace")(lambda value, rng: value)
    with pytest.raises(InputError, match="cauchy"):
        dpv.noise_primitive(law="cauchy")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(InputError, match="unfinished"):
        _ = dpv.record(np.random.default_rng(0)).transcript


# ---- comparing ----


def test_the_same_runs_are_not_apart_and_others_are() -> None:
    def mechanism(data, rng):
        dpv.release("sum", data.sum() + rng.laplace())
        return len(data)

    first = recorded(mechanism)
    for data, apart in ((DATA, False), (DATA[:2], True)):
        found = compare(first, replayed(mechanism, first, data, held=True))
        assert (found.apart is not None) == apart
    assert found.apart is not None
    assert (found.apart.first, found.apart.second, found.apart.released) == ((3,), (2,), 1)


def test_nothing_is_compared_after_a_hidden_coin() -> None:
    def mechanism(data, rng):
        rng.integers(2)
        return len(data)

    first = recorded(mechanism)
    found = compare(first, replayed(mechanism, first, DATA[:2], held=True))
    assert found.apart is None
    assert found.coin is not None
    assert "integers" in found.coin.name
