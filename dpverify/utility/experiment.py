"""An experiment: the arms of one figure or table of a paper, what is plotted, and what the paper says about it.

`Design` holds what decides numbers (and is what a record's digest covers); `Experiment` adds the words. An experiment
is written as a file (`dpverify.utility.experiment_file`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dpverify.core.errors import InputError
from dpverify.core.fields import Checked
from dpverify.core.relation_names import REPLACE
from dpverify.core.rules import Count, OpenUnit, Positive

Price = Literal["one", "own", "none", "then"]
"""What an arm pays: the experiment's one price, certified by a sound accountant; what its own settings say; nothing,
for it is not private; the same price as its paper's own formula accounted for it then."""

Settings = Mapping[str, Any]

EVERY = "*"
"""The arm of a setting that all arms have."""

DataFree = "none"
"""The data set of arms that compute and take no data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One curve of a figure."""

    label: str
    """Its name on the page and in statements."""
    make: Callable[..., Any]
    """Makes the algorithm of its settings; where it `computes`, a function ``make(x=, rng=, **settings) ->
    metrics``."""
    settings: Settings = field(default_factory=dict)
    """On top of the design's."""
    space: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Values to choose from, by setting; empty where there is nothing to choose."""
    price: Price = "one"
    """See `Price`."""
    epsilon: float | None = None
    """Its own, where epsilon is not the axis; None for the design's."""
    computes: bool = False
    """Whether it takes no data."""
    like: str = ""
    """Label of the arm whose chosen settings it is given, where it has no space; empty for none."""
    prepare: tuple[Callable[..., Any], ...] = ()
    """Each is given both parts of the data, record by record: rows of norm 1 for algorithms that need them, say."""

    def takes(self) -> dict[str, Any] | None:
        """The settings that it takes, with their defaults; None where it takes any."""
        known = inspect.signature(self.make).parameters.values()
        if any(each.kind is each.VAR_KEYWORD for each in known):
            return None
        return {each.name: each.default for each in known}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning(Checked):
    """The choice of settings that the paper does not print: the same number of trials for every arm that has any."""

    rule: Literal["other", "oracle"] = "other"
    """Best on another data set, which costs no privacy of this one; or best on this one's test part, labelled as
    such."""
    on: Mapping[str, str] = field(default_factory=dict)
    """For the rule ``other``: the data set that each one's settings are chosen on."""
    metric: str = "accuracy"
    """What is best."""
    trials: Count = 4
    """Points of an arm's space that are tried: a random subset, always the same."""
    at: float | None = None
    """The one place at which settings are chosen for all places; None for each by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort(Checked):
    """The effort that a profile spends."""

    repetitions: Count
    """Independent splits, for each place."""
    xs: tuple[float, ...] = ()
    """The places; empty for all."""
    tuned: Count = 1
    """Repetitions of each trial of the tuning; each place is tuned by itself, with `once` only the middle one."""
    once: bool = False
    moved: int = 0
    """Repetitions at each other value of a setting that is not printed; 0 for none."""
    rows: int = 0
    """Most records of either part, at random; 0 for all."""
    settings: Settings = field(default_factory=dict)
    """Of the arms that take them, on top of all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A setting that the paper does not print, and the values that the verdict is looked at with."""

    arm: str
    """Whose it is; ``*`` where all arms have it, and are moved together."""
    setting: str
    used: Any
    """The value that is used."""
    others: tuple[Any, ...] = ()
    """Those that it is moved to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design(Checked):
    """All that decides an experiment's numbers."""

    name: str
    """Of the experiment; random streams are named after it."""
    data: tuple[str, ...]
    """Registered data sets, the ones that are not here included; ``none`` for arms that compute."""
    axis: str = "epsilon"
    """What x is: ``epsilon``, ``rows`` (of the training part), ``trajectory`` (the places in one run), ``point`` (one
    place), ``train_as`` (its argument), or the name of a setting of the arms."""
    xs: tuple[float, ...]
    """Places, increasing."""
    epsilon: Positive | None = None
    delta: OpenUnit = 1e-8
    relation: str = REPLACE
    """`epsilon`, `delta`, `relation`: the price of the arms at one price (epsilon where it is not the axis)."""
    arms: tuple[Arm, ...]
    settings: Settings = field(default_factory=dict)
    evaluate: Callable[..., Mapping[str, Any]] | None = None
    """``evaluate(algorithm, result, train, test) -> mapping of str to float``."""
    prepare: tuple[Callable[..., Any], ...] = ()
    """Each is given a whole data set and returns one; in order."""
    train_as: Callable[..., Any] | None = None
    """Makes what algorithms are given from the training part: ``train_as(train, rng=)``, with `x` on the axis
    ``train_as``."""
    test: OpenUnit = 0.2
    """Share of the records in the test part."""
    tests: Mapping[str, str] = field(default_factory=dict)
    """Data sets that have a test set of their own, by name."""
    metrics: tuple[str, ...]
    floor: str = ""
    ceiling: str = ""
    """`floor`, `ceiling`: labels of the arms that the recoverable range lies between; empty for none."""
    chance: Mapping[str, float] = field(default_factory=dict)
    """Metrics, of which 1 is best, that an arm has which learns nothing; where there is no floor and no ceiling."""
    tuning: Tuning | None = None
    moved: tuple[Moved, ...] = ()
    quick: Effort
    full: Effort

    def called(self) -> str:
        """A message calls it ``experiment 'rsgd-fig-1'``."""
        return f"experiment {self.name!r}"

    def validate(self) -> None:
        """Labels are known, and there is a price where arms pay one."""
        labels = [arm.label for arm in self.arms]
        if len(set(labels)) < len(labels):
            raise InputError(f"{self.called()} with two arms of one label", allowed="a label for each arm")
        likes = [arm.like for arm in self.arms]
        for label in (self.floor, self.ceiling, *likes, *(each.arm for each in self.moved)):
            if label not in ("", EVERY, *labels):
                raise InputError(f"{self.called()} speaks of an arm {label!r}", allowed=", ".join(labels))
        if list(self.xs) != sorted(set(self.xs)) or not self.xs:
            raise InputError(f"{self.called()}: xs = {self.xs}", allowed="numbers, strictly increasing")
        paid = [arm.label for arm in self.arms if arm.price in ("one", "then")]
        if paid and self.axis != "epsilon" and self.epsilon is None:
            raise InputError(f"{self.called()} without a price for {paid[0]}", allowed="epsilon, or axis = 'epsilon'")
        for effort in (self.quick, self.full):
            if not set(effort.xs) <= set(self.xs):
                raise InputError(f"{self.called()}: xs of a profile {effort.xs}", allowed="some of the design's xs")
        for arm in self.arms:
            self._check_space(arm)

    def _check_space(self, arm: Arm) -> None:
        if arm.like and (arm.space or not self.arm(arm.like).space):
            raise InputError(
                f"{self.called()}: {arm.label} like {arm.like}", allowed="no space of its own, and an arm that has one"
            )
        points = 1
        for values in arm.space.values():
            points *= len(values)
        if arm.space and self.tuning is None:
            raise InputError(f"{self.called()}: {arm.label} with a space", allowed="[tuning] that says how to choose")
        if arm.space and self.tuning and points != self.tuning.trials:
            raise InputError(
                f"{self.called()}: a space of {points} points for {arm.label}",
                allowed=f"{self.tuning.trials}, the number of trials of every arm",
            )

    def arm(self, label: str) -> Arm:
        """The arm of this label; InputError where there is none."""
        for arm in self.arms:
            if arm.label == label:
                return arm
        raise InputError(f"no arm {label!r} in {self.called()}", allowed=", ".join(arm.label for arm in self.arms))

    def effort(self, profile: str) -> Effort:
        """Return the effort of the profile ``quick`` or ``full``."""
        return self.quick if profile == "quick" else self.full

    def places(self, profile: str) -> tuple[float, ...]:
        """The places of a profile."""
        return self.effort(profile).xs or self.xs


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence as a claim: its id in the ledger, what it says in our words, and as a guarantee."""

    id: str
    says: str
    guarantee: Any
    reading: str = ""
    """How the sentence is read, where it can be read in several ways."""
    against: bool = False
    """Whether it speaks against the paper: then its success is none of the paper's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """A design with its words."""

    design: Design
    paper: str
    item: str
    """`paper`, `item`: which paper, and where in it (figure or table, page)."""
    title: str
    """What the figure shows, in a line."""
    sentences: tuple[str, ...]
    """The paper's own, word for word."""
    statements: tuple[Statement, ...]
    subject: Callable[..., Any]
    """Makes what measures the design (`dpverify.utility.measured.Measured`)."""
    unprinted: Mapping[str, str] = field(default_factory=dict)
    """Why each setting that the paper does not print has the value that is used, by ``arm: setting``."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """What is needed for data that are not here."""
    note: str = ""
    """What else to know: substitutes, what was cut."""
    papers: tuple[str, ...] = ()
    """The paper's data; empty for those of the design and of `needs`."""
    cut: str = ""
    """What even the full profile leaves out, in a few words."""
    x: str = "epsilon"
    """What the horizontal axis is, in words."""
    log_x: bool = True

    @property
    def name(self) -> str:
        """The design's name."""
        return self.design.name

    def data_of_paper(self) -> tuple[str, ...]:
        """The paper's data sets; none where nothing is trained."""
        own = (name for name in (*self.design.data, *self.needs) if name != DataFree)
        return self.papers or tuple(dict.fromkeys(own))

    def statement(self, id: str) -> Statement:
        """The statement of this id."""
        return next(each for each in self.statements if each.id == id)
