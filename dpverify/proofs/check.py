"""``dpverify check-proof FILE``: the rules and the cost again, and, with the code, the code itself beside the proof.

The code runs on data sets of its own: no record, one, two, three, 17 and 200; corners of the domain, ties, NaN where it
may be, and the numbers that the proof compares records with. Same random numbers, same output, or the proof is refused.
"""

from __future__ import annotations

import copy
import hashlib
import inspect
import itertools
import math
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpverify.core import declared_noise
from dpverify.core.callable_name import place_of
from dpverify.core.numpy_random import NOISE, standing_in_numpy
from dpverify.proofs.certificate import CheckedPath, checked
from dpverify.proofs.coupled import check_coupled
from dpverify.proofs.every_way import EveryWay
from dpverify.proofs.held_ranges import check_public
from dpverify.proofs.moved import check_moved
from dpverify.proofs.node import values
from dpverify.proofs.operations import PYTHON_INT, TEXT, ProofError
from dpverify.proofs.points import Point
from dpverify.proofs.record_search import RecordSearch, all_over
from dpverify.proofs.replay import Evaluation, key_of, known_alike, returned_value, same, unit_of

SIZES = (0, 1, 2, 3, 17, 200)
REPEATS = 4

COUPLED = 6
"""Data sets of one record, beside others, whose outputs are compared at the same released values."""

MANY = 200
"""Records whose part in the releases is measured; under ``replace`` all pairs of them."""

FAR_CONSTANT = 1e100

MOST_CONSTANTS = 50

HUGE = 0.2
"""The share of integers that no double holds, where they may be."""


def check(told: Mapping[str, Any], function: Callable[..., Any] | None = None) -> float:
    """The parameter of the claim that the proof supports; ProofError where it does not hold, or is not of this code."""
    paths, upper = checked(told)
    if function is not None:
        try:
            check_code(told, function)
            _run(told, paths, function)
        except ProofError:
            raise
        except Exception as problem:  # noqa: BLE001 - what the evaluation meets there, the proof did not foresee
            raise ProofError(f"it cannot be run: {type(problem).__name__}: {problem}") from None
    return upper


def check_code(told: Mapping[str, Any], function: Callable[..., Any]) -> None:
    """ProofError for another function, or where a file that it was read from has changed.

    No module is imported for a proof's word.
    """
    if told["code"].get("function") != (name := place_of(function)):
        raise ProofError(f"the proof is of {told['code'].get('function')}, and this is {name}")
    for each in told["code"]["files"]:
        if not isinstance(each, Mapping) or not {"module", "sha256"} <= set(each):
            raise ProofError("the files of its code are not in their form")
        module = sys.modules.get(str(each["module"]))
        if module is None or not getattr(module, "__file__", None):
            raise ProofError(f"the proof is of code in {each['module']}, which this code does not use")
        text = Path(str(module.__file__)).read_bytes()
        if hashlib.sha256(text).hexdigest() != each["sha256"]:
            raise ProofError(f"the file of {each['module']} is not the one that was read")


def _run(told: Mapping[str, Any], paths: tuple[CheckedPath, ...], function: Callable[..., Any]) -> None:
    declared_noise.begin()
    rng, names = np.random.default_rng(20_26), set(inspect.signature(function).parameters)
    fields, replaced = told["domain"]["fields"], told["relation"] == "replace"

    def call(data: Any, own: np.random.Generator) -> Any:
        given = {"rng": own, "size": 1}
        with np.errstate(all="ignore"), standing_in_numpy(_of_numpy(own)), declared_noise.standing_in(own):
            return function(data, **{key: each for key, each in given.items() if key in names})

    taken: dict[int, Point] = {}
    for sizes in [(each,) * COUPLED for each in (1, 17)] if replaced else [(0, *(1,) * COUPLED, 2, 3, 17)]:
        columns = [{name: _column(each, size, rng, paths) for name, each in fields.items()} for size in sizes]
        made = [partial(_container, told["domain"], each, size) for each, size in zip(columns, sizes, strict=True)]
        taken |= check_coupled(paths, list(zip(columns, sizes, made, strict=True)), call, rng, _between(paths))
    check_moved(paths, {name: _column(each, MANY, rng, paths) for name, each in fields.items()}, MANY)
    special = sorted({0.0, 0.5, 1.0, -1.0, *_constants(paths), *_between(paths)})
    search = RecordSearch(fields, _texts(paths), special, rng)
    EveryWay(paths, search, taken, partial(_container, told["domain"]), call).check()
    for size in SIZES:
        for _ in range(REPEATS if size or not replaced else 0):
            records = {name: _column(field, size, rng, paths) for name, field in fields.items()}
            data = _container(told["domain"], records, size)
            before, seed = copy.deepcopy(data), int(rng.integers(2**62))
            try:
                output = call(data, np.random.default_rng(seed))
            except Exception as problem:  # noqa: BLE001 - an exception is output
                raise ProofError(f"the code raises {type(problem).__name__} for {size} records: {problem}") from None
            if not same(before, data) and repr(before) != repr(data):
                raise ProofError("the code changes its data")
            _compare(paths, records, size, seed, output)


def _of_numpy(rng: np.random.Generator) -> dict[str, Callable[..., Any]]:
    """Draw what `numpy.random` draws from the generator whose numbers the proof takes; it is each unseeded one, too."""
    made = np.random.default_rng

    def generator(seed: Any = None) -> np.random.Generator:
        return rng if seed is None else made(seed)

    return {"default_rng": generator, **{name: getattr(rng, name) for name in NOISE}}


def _compare(paths: tuple[CheckedPath, ...], records: Mapping[str, Any], size: int, seed: int, output: Any) -> None:
    taken = 0
    for path in paths:
        found = Evaluation(path.program, records, size, np.random.default_rng(seed))
        if all(bool(found.of(node)) is truth for node, truth in path.conditions):
            taken += 1
            check_public(found)
            unit = unit_of((each.law, found.of(each.scale)) for each in path.program.nodes if each.scale is not None)
            proved = returned_value(path.program, path.returned, found)
            if not (same(output, proved, unit) and known_alike(path.returned, output)):
                raise ProofError(f"for {size} records the code returns {output!r:.80}, and the proof something else")
    if taken != 1:
        raise ProofError(f"for {size} records {taken} paths are taken")


def _column(field: Mapping[str, Any], size: int, rng: np.random.Generator, paths: tuple[CheckedPath, ...]) -> Any:
    """Values of a field: corners, ties, what the proof compares with, and anything between."""
    shape, kind = tuple(field["shape"]), str(field["type"])
    if kind == TEXT:
        pool = field.get("texts") or ["", "another text", *_texts(paths)]
        return np.array([pool[int(place)] for place in rng.integers(len(pool), size=size)], dtype=object)
    lows, highs = (np.broadcast_to(values(field[end], "float64").astype(float), shape) for end in ("low", "high"))
    special = [0.0, 0.5, 1.0, -1.0, 2.0, *_constants(paths), *_between(paths)]
    flat = []
    for low, high in zip(lows.ravel().tolist() or [], highs.ravel().tolist() or [], strict=True):
        flat.append(_values(low, high, kind, bool(field["nan"]), special, size, rng))
    array = np.stack(flat, axis=1) if flat else np.zeros((size, 0))
    array = array.reshape((size, *shape))
    if field.get("norm"):
        norms = np.linalg.norm(array.astype(float), axis=-1, keepdims=True)
        array = array * np.minimum(1.0, float(field["norm"]) * (1 - 1e-15) / np.maximum(norms, 1e-300))
    return array.astype(object if kind == PYTHON_INT else kind)


def _values(
    low: float, high: float, kind: str, nan: bool, special: list[float], size: int, rng: np.random.Generator
) -> Any:
    whole = kind == PYTHON_INT or np.dtype(kind).kind in "iub"
    ends = [low, high, 0.9 * low + 0.1 * high, (low + high) / 2] if math.isfinite(low) and math.isfinite(high) else []
    wide = [1e308, -1e308, 1e-308, math.inf, -math.inf] if not whole else [-(2.0**62), 2.0**62]
    pool = [each for each in (*ends, *special, *wide) if low <= each <= high or math.isnan(each)]
    pool += [float(each) for each in rng.uniform(max(low, -10.0), max(min(high, 10.0), max(low, -10.0)), 3)]
    pool += [each for each in all_over(low, high, 6, rng).tolist() if not math.isnan(each)]
    if nan and not whole:
        pool.append(math.nan)
    if whole:
        pool = [float(math.floor(each)) for each in pool if low <= math.floor(each) <= high]
    chosen = [pool[int(place)] for place in rng.integers(len(pool), size=size)]
    if kind == PYTHON_INT:
        huge = [sign * 10**400 for sign in (-1, 1) if (low if sign < 0 else high) * sign == math.inf]
        whole_numbers = [int(each) for each in chosen]
        for place in np.flatnonzero(rng.random(size) < HUGE) if huge else ():
            whole_numbers[place] = huge[int(rng.integers(len(huge)))]
        return np.array([*whole_numbers, None], dtype=object)[:-1]
    return np.array(
        [min(int(each), np.iinfo(kind).max) for each in chosen] if whole and kind != "bool" else chosen, dtype=kind
    )


def _texts(paths: tuple[CheckedPath, ...]) -> list[str]:
    """Texts that the proof compares with."""
    return sorted({str(node.params["text"]) for path in paths for node in path.program.nodes if node.op == "is_text"})


def _between(paths: tuple[CheckedPath, ...]) -> list[float]:
    """Numbers between those that a proof compares with, and beyond them."""
    known = [each for each in _constants(paths) if abs(each) < FAR_CONSTANT]
    return [(a + b) / 2 for a, b in itertools.pairwise([known[0] - 1.0, *known, known[-1] + 1.0])] if known else [0.5]


def _constants(paths: tuple[CheckedPath, ...]) -> list[float]:
    """Numbers that a proof compares with; of many, some from everywhere."""
    nodes = (node for path in paths for node in path.program.nodes if node.op == "constant" and node.shape == ())
    found = sorted({float(node.range.lo) for node in nodes})
    return found[:: len(found) // MOST_CONSTANTS + 1]


def _container(domain: Mapping[str, Any], records: Mapping[str, Any], size: int) -> Any:
    """The data set as the code takes it."""
    form, layout = domain["form"], [(key_of(key), name, array) for key, name, array in domain["layout"]]
    columns = {key: records[name] if array else list(records[name].tolist()) for key, name, array in layout}
    if form in ("array", "list"):
        return columns[""]
    if form == "columns":
        return columns
    if form == "tuple":
        return tuple(columns[place] for place in sorted(columns))
    rows = [{key: columns[key][at] for key in columns} for at in range(size)]
    return rows if form == "dicts" else [tuple(each.values()) for each in rows]
