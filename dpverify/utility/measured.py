"""An experiment as a subject of audits: it measures its arms, tunes what is not printed, and keeps every cell.

Each series of cells is a chunk series (`dpverify.core.auditing`), so finished cells are kept by whatever store is at
work, and are the same for any number of workers.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from dpverify.core.auditing import Chunks, Task
from dpverify.core.comparing import Grid, Series, series_key, sign
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.sampling.streams import stream
from dpverify.utility.cell import Slot, cell
from dpverify.utility.checks import OTHER_COINS, OTHER_LABELS, faults, needs_checks
from dpverify.utility.experiment import EVERY, Arm, DataFree, Design

LEARNT = 0.2
"""Share of the way from the floor to the ceiling that an arm must come for its robustness to mean anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Subject of an experiment's statements."""

    design: Design

    @property
    def statements(self) -> int:
        """Statements of all experiments that are installed: one false-alarm probability is for all of them."""
        return all_statements(registry())

    def lacks(self) -> str:
        """Names and sources of the data sets, where none is here."""
        if here(self.design):
            return ""
        known = registry().datasets
        return "; ".join(f"{name} ({known.get(name).source})" for name in self.design.data)

    def series(self, arms: Sequence[str], metrics: Sequence[str], task: Task) -> Series:
        """All series of these arms; the floor and the ceiling give the ranges."""
        profile = "full" if task.effort > 1 else "quick"
        return DesignRun(design=self.design, profile=profile, seed=task.seed, chunks=task.chunks).series(arms, metrics)


def all_statements(known: Registry) -> int:
    """Count the statements."""
    return max(sum(len(each.statements) for _, each in known.experiments.items()), 1)


def resampled(design: Design, data: Sequence[str]) -> float:
    """Size of the test part over that of the training part; 0 where repetitions are no splits of one table."""
    return 0.0 if design.tests or tuple(data) in ((), (DataFree,)) else design.test / (1.0 - design.test)


def here(design: Design) -> tuple[str, ...]:
    """The data sets that are here (none is looked into)."""
    known = registry().datasets
    return tuple(
        name
        for name in design.data
        if name == DataFree
        or (known.get(name).available() and all(known.get(other).available() for other in _beside(design, name)))
    )


def _beside(design: Design, name: str) -> list[str]:
    """Further data sets that measurements on one need: its test set, and what it is tuned on."""
    found = [design.tests[name]] if name in design.tests else []
    tuned = design.tuning is not None and any(arm.space for arm in design.arms)
    if tuned and design.tuning is not None and design.tuning.rule == "other":
        found.append(design.tuning.on[name])
    return found


@cache
def trials(label: str, space: tuple[tuple[str, tuple[Any, ...]], ...], count: int) -> tuple[dict[str, Any], ...]:
    """The points of a space that are tried: a random subset that never changes."""
    names = [name for name, _ in space]
    points = list(itertools.product(*(values for _, values in space)))
    picked = stream(0, "utility", "trials", label).permutation(len(points))[:count]
    return tuple(dict(zip(names, points[place], strict=True)) for place in sorted(picked))


def trials_of(design: Design, arm: Arm) -> tuple[dict[str, Any], ...]:
    """The trials of an arm; one without settings where there is nothing to choose."""
    if not arm.space or design.tuning is None:
        return ({},)
    return trials(arm.label, tuple(sorted(arm.space.items())), design.tuning.trials)


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRun:
    """The measurement of one design in one profile."""

    design: Design
    profile: str
    """"quick" or "full"."""
    seed: int
    chunks: Chunks
    """Makes or remembers cells."""
    picked: Mapping[str, int] | None = None
    """The trials that arms were given, by the name of the slot; None looks at the tuning's cells."""

    def at(self, arm: Arm, x: float) -> float | None:
        """The place of an arm's slot: None where all places have the same numbers, or come from one run."""
        free = self.design.axis == "epsilon" and arm.price in ("none", "own") and not arm.computes
        fixed = self.design.axis in arm.settings
        return None if free or fixed or self.design.axis in ("trajectory", "point") else x

    def tuning_slots(self) -> list[Slot]:
        """All slots of the tuning, with the trials of every arm that has any."""
        found = []
        for data in self._tuned_on():
            for x in self._tuned_at():
                for arm in self.design.arms:
                    several = trials_of(self.design, arm)
                    if len(several) > 1:
                        at = self.at(arm, x)
                        found += [
                            Slot(stage="tune", data=data, arm=arm.label, x=at, choice=i) for i in range(len(several))
                        ]
        return list(dict.fromkeys(found))

    def check_slots(self) -> list[Slot]:
        """Two slots for each private arm, on the first data set at the last place."""
        data, x = here(self.design)[:1], self.design.places(self.profile)[-1]
        return [
            Slot(stage="check", data=name, arm=arm.label, x=self.at(arm, x), choice=choice)
            for name in data
            for arm in self.design.arms
            if needs_checks(self.design, arm)
            for choice in (OTHER_COINS, OTHER_LABELS)
        ]

    def faults(self) -> list[str]:
        """Say what is wrong with the arms, a line each; empty where nothing is."""
        found = []
        for coins, labels in batched_pairs(self.check_slots()):
            own = self.cells(replace(coins, stage="run", choice=-1))[0]
            other, changed = self.cells(coins)[0], self.cells(labels)[0]
            found += faults(self.design.arm(coins.arm), own, other, changed, majority=changed["majority"])
        return found

    def slots(self, arms: Sequence[str] | None = None) -> list[Slot]:
        """All slots of the measurement itself, moved settings included."""
        wanted = [arm for arm in self.design.arms if arms is None or arm.label in arms]
        found = []
        for data in here(self.design):
            for x in self.design.places(self.profile):
                found += [Slot(stage="run", data=data, arm=arm.label, x=self.at(arm, x)) for arm in wanted]
                if self.design.effort(self.profile).moved:
                    found += [
                        Slot(stage="moved", data=data, arm=arm.label, x=self.at(arm, x), choice=place)
                        for place, (label, setting, _) in enumerate(self.moves())
                        for arm in (*wanted, *self._reference())
                        if moves_with(arm, label, setting)
                    ]
        return list(dict.fromkeys(found))

    def _reference(self) -> tuple[Arm, ...]:
        """The arm without noise, with which a moved setting is looked at, too."""
        return (self.design.arm(self.design.ceiling),) if self.design.ceiling else ()

    def moves(self) -> list[tuple[str, str, Any]]:
        """(arm, setting, value) of everything that is moved."""
        return [(each.arm, each.setting, value) for each in self.design.moved for value in each.others]

    def count(self, slot: Slot) -> int:
        """Return the repetitions of a slot."""
        effort = self.design.effort(self.profile)
        return {"run": effort.repetitions, "tune": effort.tuned, "moved": effort.moved, "check": 1}[slot.stage]

    def given(self, slot: Slot) -> dict[str, Any]:
        """The settings that a slot's arm has on top of its own: chosen ones, a trial's, a moved one."""
        arm = self.design.arm(slot.arm)
        if slot.stage == "tune":
            return trials_of(self.design, arm)[slot.choice]
        chosen = self.chosen(slot)
        if slot.stage == "moved":
            _, setting, value = self.moves()[slot.choice]
            return {**chosen, setting: value}
        return chosen

    def chosen(self, slot: Slot) -> dict[str, Any]:
        """Return what the tuning gave the arm of a slot, or the one that it is like."""
        arm = self.design.arm(slot.arm)
        if arm.like:
            twin = self.design.arm(arm.like)
            at = slot.x if slot.x is None else self.at(twin, slot.x)
            return self.chosen(Slot(stage="run", data=slot.data, arm=twin.label, x=at))
        several = trials_of(self.design, arm)
        return several[0] if len(several) == 1 else several[self.choice(slot)]

    def choice(self, slot: Slot) -> int:
        """The best trial for a slot's arm at its place, on the data set that the tuning rule names."""
        if self.picked is not None:
            return self.picked[slot.name]
        arm, tuning = self.design.arm(slot.arm), self.design.tuning
        if tuning is None:
            return 0
        on = slot.data if tuning.rule == "oracle" else tuning.on[slot.data]
        at = slot.x
        if at is not None and at not in self._tuned_at():
            at = self._tuned_at()[0]
        found = []
        for place in range(len(trials_of(self.design, arm))):
            rows = self.cells(Slot(stage="tune", data=on, arm=arm.label, x=at, choice=place))
            best = [np.asarray(row[tuning.metric], dtype=np.float64).ravel()[-1] for row in rows]
            found.append(sign(tuning.metric) * float(np.mean(best)))
        return int(np.argmax(found))

    def cells(self, slot: Slot) -> list[dict[str, Any]]:
        """All repetitions of a slot."""
        return list(self.chunks(slot.name, self.count(slot), partial(self.one, slot)))

    def one(self, slot: Slot, repetition: int) -> dict[str, Any]:
        """One repetition of a slot."""
        effort = self.design.effort(self.profile)
        return cell(self.design, slot, repetition, effort=effort, seed=self.seed, given=self.given(slot))

    def series(self, arms: Sequence[str], metrics: Sequence[str]) -> Series:
        """Return what was measured of these arms."""
        design, data = self.design, here(self.design)
        wanted = dict.fromkeys(arms)
        values: dict[str, list[float]] = {}
        prices: dict[str, Any] = {}
        settings: dict[str, Any] = {}
        for name in data:
            for label in wanted:
                arm = design.arm(label)
                if not arm.computes:
                    prices.setdefault(label, {"kind": arm.price, "relation": design.relation, "delta": design.delta})
                for x in design.places(self.profile):
                    slot = Slot(stage="run", data=name, arm=label, x=self.at(arm, x))
                    rows = self.cells(slot)
                    for metric in (each for each in metrics if each in rows[0]):
                        values[series_key(name, label, metric, x)] = [
                            _number(row[metric], design.xs.index(x)) for row in rows
                        ]
                    if arm.price != "none" and not arm.computes:
                        prices[label].setdefault(name, {})[f"{x:.6g}"] = rows[0]["price"]
                    if arm.space or arm.like:
                        settings.setdefault(label, {}).setdefault(name, {})[f"{x:.6g}"] = self.given(slot)
        known = registry().datasets
        missing = {name: f"{known.get(name).source}" for name in design.data if name not in data and name != DataFree}
        return Series(
            values=values,
            grid=Grid(data=data, xs=design.places(self.profile)),
            ranges=self.ranges(data, metrics),
            levels=self.levels(data, metrics),
            exact=all(design.arm(label).computes for label in wanted) and design.effort(self.profile).repetitions == 1,
            prices=prices,
            moved=[each for each in self._moved(list(wanted), data, metrics) if each["values"]],
            missing=missing,
            settings=settings,
            resampled=resampled(design, data),
        )

    def ranges(self, data: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
        """Return ranges from the floor's mean to the ceiling's, by ``data|metric``."""
        return {key: abs(high - low) for key, (low, high) in self._ends(data, metrics).items()}

    def levels(self, data: Sequence[str], metrics: Sequence[str]) -> dict[str, float]:
        """Return the levels above which an arm has learnt, by ``data|metric``: `LEARNT` of the way from the floor."""
        chance = self.design.chance
        ends = {f"{name}|{metric}": (chance[metric], 1.0) for name in data for metric in metrics if metric in chance}
        return {key: low + LEARNT * (high - low) for key, (low, high) in {**ends, **self._ends(data, metrics)}.items()}

    def _ends(self, data: Sequence[str], metrics: Sequence[str]) -> dict[str, tuple[float, float]]:
        """The floor's mean and the ceiling's."""
        if not (self.design.floor and self.design.ceiling):
            return {}
        found = {}
        last = self.design.places(self.profile)[-1]
        place = self.design.xs.index(last)
        for name in data:
            ends = []
            for label in (self.design.floor, self.design.ceiling):
                arm = self.design.arm(label)
                ends.append(self.cells(Slot(stage="run", data=name, arm=label, x=self.at(arm, last))))
            for metric in metrics:
                if all(metric in row for rows in ends for row in rows):
                    low, high = (float(np.mean([_number(row[metric], place) for row in rows])) for rows in ends)
                    found[f"{name}|{metric}"] = (low, high)
        return found

    def _moved(self, arms: Sequence[str], data: Sequence[str], metrics: Sequence[str]) -> list[dict[str, Any]]:
        if not self.design.effort(self.profile).moved:
            return []
        found = []
        for place, (label, setting, value) in enumerate(self.moves()):
            values = {}
            for arm in (self.design.arm(each) for each in arms):
                if not moves_with(arm, label, setting):
                    continue
                for name in data:
                    for x in self.design.places(self.profile):
                        rows = self.cells(
                            Slot(stage="moved", data=name, arm=arm.label, x=self.at(arm, x), choice=place)
                        )
                        for metric in metrics:
                            key = series_key(name, arm.label, metric, x)
                            values[key] = [_number(row[metric], self.design.xs.index(x)) for row in rows]
            told = {"arm": label, "setting": setting, "value": value, "values": values}
            found.append({**told, "ruined": True} if self._ruined(place, data, metrics) else told)
        return found

    def _ruined(self, place: int, data: Sequence[str], metrics: Sequence[str]) -> bool:
        """Tell whether the arm without noise learns nothing on some data set with a moved setting that it takes."""
        _, setting, _ = self.moves()[place]
        last = self.design.places(self.profile)[-1]
        levels = self.levels(data, metrics)
        for arm in self._reference():
            if not moves_with(arm, self.moves()[place][0], setting):
                continue
            for name, metric in itertools.product(data, metrics):
                slot = Slot(stage="moved", data=name, arm=arm.label, x=self.at(arm, last), choice=place)
                mean = float(np.mean([_number(row[metric], self.design.xs.index(last)) for row in self.cells(slot)]))
                if sign(metric) * mean <= sign(metric) * levels[f"{name}|{metric}"]:
                    return True
        return False

    def _tuned_on(self) -> tuple[str, ...]:
        tuning = self.design.tuning
        if tuning is None:
            return ()
        names = here(self.design)
        return tuple(dict.fromkeys(name if tuning.rule == "oracle" else tuning.on[name] for name in names))

    def _tuned_at(self) -> tuple[float, ...]:
        xs, tuning = self.design.places(self.profile), self.design.tuning
        if tuning is not None and tuning.at is not None:
            return (tuning.at,)
        return (xs[len(xs) // 2],) if self.design.effort(self.profile).once else xs


def moves_with(arm: Arm, label: str, setting: str) -> bool:
    """Tell whether a moved setting is this arm's: its own, or one of all arms that take it."""
    if label != EVERY:
        return label == arm.label
    taken = arm.takes()
    return taken is None or setting in taken


def batched_pairs(slots: Sequence[Slot]) -> list[tuple[Slot, Slot]]:
    """Return each two neighbours."""
    return list(zip(slots[::2], slots[1::2], strict=True))


def _number(value: Any, place: int) -> float:
    """A metric at a place: of a list, the place's entry."""
    return float(value[place] if isinstance(value, list) else value)
