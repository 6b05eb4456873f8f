"""What every training algorithm keeps, whatever it is: one definition behind every way to run it.

Over all registered mechanisms whose object, built with its defaults, is a ``Training``. A class whose data set is no
table of -1/+1 records says which kind it takes, in ``data_kind``; DATA has a small one of each kind, and a broken one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from typing import Any, get_args

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.subjects import capabilities
from dpverify.core.transcript import NoiseLaw, Transcript
from dpverify.datasets.sessions import Sessions
from dpverify.datasets.table import Table
from dpverify.sampling.streams import stream
from reference_impls.training.trainer import Training


def binary(rows: int = 12, *, name: str = "small", label: float = 1.0) -> Table:
    """Rows in the unit ball; the labels are -label and +label by turns."""
    features = np.random.default_rng(rows).normal(size=(rows, 3))
    table = Table(features=features, labels=np.where(np.arange(rows) % 2, -label, label), name=name)
    return table.normalised() if rows else table


def classes(rows: int = 12, *, first: int = 0) -> Table:
    """Ten classes."""
    return Table(features=binary(rows).features, labels=(np.arange(rows) % 10 + first).astype(float))


def sessions(number: int = 12, *, lowest: float = 0.0) -> Sessions:
    """Three documents a session."""
    documents = np.random.default_rng(number).uniform(-0.5, 0.5, size=(3 * number, 3))
    return Sessions(documents=documents, labels=lowest + np.arange(3 * number) % 3, offsets=3 * np.arange(number + 1))


DATA: dict[str, tuple[Callable[[], Any], dict[str, Callable[[], Any]]]] = {
    "table": (binary, {"labels": lambda: binary(label=2.0), "no records": lambda: binary(0)}),
    "classes": (classes, {"labels": lambda: classes(first=1), "no records": lambda: classes(0)}),
    "clients": (
        lambda: tuple(binary(rows) for rows in (12, 15, 11)),
        {"labels": lambda: (binary(), binary(label=2.0)), "no clients": tuple},
    ),
    "ranking": (sessions, {"labels": lambda: sessions(lowest=-1.0), "no sessions": lambda: sessions(0)}),
}
"""What `data_kind` names: a small data set, and some that must be refused by name."""


SHORT = {"steps": 4, "epochs": 2, "rounds": 3, "iterations": 20}
"""What stands for a full training here, in whichever of these a class counts."""


@cache
def trainings() -> dict[str, Training]:
    """Every registered training algorithm at its defaults, but few steps."""
    found = {}
    for name, build in (*registry().mechanisms.items(), *registry().lemmas.items()):
        try:
            mechanism = build()
        except TypeError:  # no defaults: none of these
            continue
        if isinstance(mechanism, Training):
            counts = {field.name for field in fields(mechanism)} & set(SHORT)  # type: ignore[arg-type]  # all are
            found[name] = replace(mechanism, **{each: SHORT[each] for each in counts})  # type: ignore[type-var]
    return found


@cache
def recorded(name: str) -> Transcript:
    """One run, which the tests below look at."""
    algorithm = trainings()[name]
    return algorithm.transcript(DATA[kind(algorithm)][0](), rng=stream(0, "contract", name))


def kind(algorithm: Training) -> str:
    return getattr(algorithm, "data_kind", "table")


def test_there_are_some() -> None:
    assert {"dp-sgd", "non-private", "majority"} <= set(trainings())


def test_each_has_data_of_its_kind() -> None:
    assert {kind(algorithm) for algorithm in trainings().values()} <= set(DATA)


CLAIMS = ("guarantee", "composition", "claimed_")
"""How the names of methods begin that say what a training costs."""


@pytest.mark.parametrize("name", trainings())
def test_what_claims_names_a_registered_relation(name: str) -> None:
    algorithm = trainings()[name]
    claims = [each for each in dir(algorithm) if each.startswith(CLAIMS)]
    if claims:
        assert algorithm.relation in registry().neighbors, claims
    else:
        assert not algorithm.relation


def bits(whole: Transcript) -> list[Any]:
    """All of it, to be compared to the last bit."""
    arrays = [whole.result, whole.iterates, *(whole.public[name] for name in sorted(whole.public))]
    arrays += [array for each in whole.perturbed for array in (each.clean, each.noise)]
    arrays += [draw.values for draw in whole.draws]
    names = [*sorted(whole.public), *(each.name for each in whole.perturbed), *(draw.name for draw in whole.draws)]
    return [whole.state, names, *[(array.shape, array.tobytes()) for array in arrays]]


@pytest.mark.parametrize("name", trainings())
def test_train_transcript_and_replay_are_one_run(name: str) -> None:
    algorithm, data = trainings()[name], DATA[kind(trainings()[name])][0]()
    assert {"sample", "transcript"} <= capabilities(algorithm)
    whole = recorded(name)
    result = algorithm.train(data, rng=stream(0, "contract", name))
    assert result.dtype == np.float64
    assert np.isfinite(result).all()
    assert np.array_equal(result, whole.result)
    assert bits(algorithm.replay(data, whole)) == bits(whole)
    assert not whole.iterates.size or whole.iterates.ndim == 2


@pytest.mark.parametrize("name", trainings())
def test_samples_are_independent_runs(name: str) -> None:
    """Of one shape; their first is the run that the same stream gives, up to what a kernel may round otherwise."""
    algorithm, data = trainings()[name], DATA[kind(trainings()[name])][0]()
    out = algorithm.sample(data, 2, rng=stream(0, "contract", name))
    first = recorded(name)
    assert out.shape == (2, first.result.size)
    assert out[0] == pytest.approx(first.result, rel=1e-9, abs=1e-12)
    assert np.array_equal(out[0], out[1]) != bool(first.draws)


@pytest.mark.parametrize("name", trainings())
def test_the_noise_is_what_the_transcript_says(name: str) -> None:
    for each in recorded(name).perturbed:
        assert each.law in get_args(NoiseLaw)
        assert each.clean.shape == each.noise.shape
        if each.scale == 0:
            assert not each.noise.any()
        else:  # beyond 40 scales: never, for any law
            assert each.noise.any()
            assert np.abs(each.noise).max() < 40 * each.scale
            # What goes out noisy is believed to depend on the records; a hidden threshold may not.
            assert each.sensitivity > 0 if each.released else each.sensitivity >= 0


@pytest.mark.parametrize("name", trainings())
def test_data_that_it_cannot_take_is_refused(name: str) -> None:
    algorithm = trainings()[name]
    wrong = {"type": lambda: 3.0, **DATA[kind(algorithm)][1]}
    for what, data in wrong.items():
        with pytest.raises(InputError):
            algorithm.train(data(), rng=stream(0, "bad", name, what))
