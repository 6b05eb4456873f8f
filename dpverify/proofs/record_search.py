"""Records of the domain that go a way of the code, found at public values that are known."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpverify.proofs.node import Node, values
from dpverify.proofs.operations import PYTHON_INT, TEXT
from dpverify.proofs.replay import Evaluation
from dpverify.proofs.solved import edges, solve
from dpverify.proofs.ways import Condition, apart, met_by

RECORDS = 400

FARTHEST = 2.0**62

PLAIN = (0.0, 0.5, 1.0, -1.0, 2.0, 1e308, -1e308, 1e-308, math.inf, -math.inf)


def all_over(low: float, high: float, size: int, rng: np.random.Generator) -> Any:
    """Numbers from all over a domain with two ends, half of them of any magnitude; without ends there are none."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return np.full(size, math.nan)
    magnitude = np.exp(rng.uniform(0.0, math.log1p(max(abs(low), abs(high))), size)) * rng.choice([-1.0, 1.0], size)
    even = low + (high / 2 - low / 2) * rng.uniform(0.0, 2.0, size)
    found = np.where(rng.random(size) < 0.5, magnitude, even)
    return np.clip(found, low, high)


@dataclass
class RecordSearch:
    """Turns points into records of the domain, and looks for those that go a way."""

    fields: Mapping[str, Mapping[str, Any]]
    texts: Sequence[str]
    special: Sequence[float]
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.names = list(self.fields)
        self.widths = [math.prod(self.fields[name]["shape"]) for name in self.names]

    @property
    def width(self) -> int:
        """The length of a record as a point."""
        return sum(self.widths)

    def made(self, points: Any) -> dict[str, Any]:
        """Columns of records that lie in the domain."""
        found, at = {}, 0
        for name, width in zip(self.names, self.widths, strict=True):
            found[name] = self._column(self.fields[name], np.asarray(points)[:, at : at + width])
            at += width
        return found

    def _column(self, field: Mapping[str, Any], numbers: Any) -> Any:
        shape, kind = tuple(field["shape"]), str(field["type"])
        if kind == TEXT:
            pool = field.get("texts") or ["", "another text", *self.texts]
            places = np.nan_to_num(numbers.reshape(-1), nan=0.0, posinf=0.0, neginf=0.0)
            return np.array([pool[int(abs(each)) % len(pool)] for each in places], dtype=object)
        low, high = (
            np.broadcast_to(values(field[end], "float64").astype(float), shape).ravel() for end in ("low", "high")
        )
        numbers = np.where(np.isnan(numbers) & (not field["nan"]), 0.0, numbers)
        numbers = np.clip(numbers, low, high).reshape(len(numbers), *shape)
        if field.get("norm"):
            norms = np.linalg.norm(numbers.astype(float), axis=-1, keepdims=True)
            numbers = numbers * np.minimum(1.0, float(field["norm"]) * (1 - 1e-15) / np.maximum(norms, 1e-300))
        if kind == PYTHON_INT:
            numbers = np.clip(np.nan_to_num(np.floor(numbers)), -FARTHEST, FARTHEST)
            return np.array([*(int(each) for each in numbers.ravel()), None], dtype=object)[:-1]
        if np.dtype(kind).kind in "iu":
            ends = np.iinfo(kind)
            numbers = np.clip(np.floor(numbers), max(float(ends.min), -FARTHEST), min(float(ends.max), FARTHEST))
        return (numbers >= 0.5 if kind == "bool" else numbers).astype(kind)

    def starts(self) -> Any:
        """Points all over the domain: its ends, what the proof compares with, and anything between."""
        columns = []
        for name, width in zip(self.names, self.widths, strict=True):
            field = self.fields[name]
            if str(field["type"]) == TEXT:
                columns.append(self.rng.integers(0, 64, size=(RECORDS, width)).astype(float))
                continue
            ends = [
                np.broadcast_to(values(field[end], "float64").astype(float), tuple(field["shape"])).ravel()
                for end in ("low", "high")
            ]
            for low, high in zip(*(each.tolist() for each in ends), strict=True):
                pool = [each for each in (low, high, *self.special, *PLAIN) if low <= each <= high]
                pool += [math.nan] if field["nan"] else []
                between = self.rng.uniform(max(low, -10.0), max(min(high, 10.0), max(low, -10.0)), RECORDS)
                far = all_over(low, high, RECORDS, self.rng)
                between = np.where((self.rng.random(RECORDS) < 0.5) & ~np.isnan(far), far, between)
                own = np.where(
                    self.rng.random(RECORDS) < 0.5, self.rng.choice(np.asarray([*pool, low]), RECORDS), between
                )
                columns.append(own[:, None])
        found = np.concatenate(columns, axis=1)
        return np.concatenate([np.zeros((1, self.width)), found])

    def first(self, way: Sequence[Condition], public: Evaluation, points: Any) -> int | None:
        """The place of the first point whose record goes a way."""
        met, _ = self._asked(way, public)(points, 0)
        goes = np.flatnonzero(met.all(axis=1))
        return int(goes[0]) if len(goes) else None

    def of_way(self, way: Sequence[Condition], public: Evaluation, starts: Any) -> Any:
        """A point whose record goes a way; None where none was found."""
        return solve(self._asked(way, public), starts, self.special, range(self.width))

    def edges(self, way: Sequence[Condition], public: Evaluation, bases: Any) -> Any:
        """Records beside each other of which one meets a condition and the other does not."""
        return edges(self._asked(way, public), bases, self.special, range(self.width))

    def _asked(self, way: Sequence[Condition], public: Evaluation) -> Any:
        known = {node: value for node, value in public.known.items() if node.level == "public"}

        way = apart(way)

        def asked(points: Any, m: int) -> tuple[Any, Any]:
            found = OfRecords(self.made(points), len(points), public, known)
            met = np.zeros((len(points), len(way)), dtype=bool)
            sign = np.full(len(points), math.nan)
            with np.errstate(all="ignore"):
                for place, each in enumerate(way):
                    met[:, place], own = met_by(found, each, 1)
                    if place == m:
                        sign = np.broadcast_to(own, (len(points),))
            return met, sign

        return asked


class OfRecords(Evaluation):
    """The values of some records, at public values that are known."""

    def __init__(self, records: Mapping[str, Any], size: int, public: Evaluation, known: Mapping[Node, Any]) -> None:
        self.records, self.size, self.public, self.known = records, size, public, dict(known)

    def of(self, node: Node) -> Any:
        """The value of a record's node, or of a public one."""
        return self.public.of(node) if node.level == "public" else super().of(node)
