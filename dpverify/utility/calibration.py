"""The least noise for a budget, by a sound accountant or as a paper accounted; and what a setting really costs.

Every class of training algorithms has a :class:`~dpverify.utility.calibration_family.Family`, which says which field is
the noise and what one training costs: steps for the accountants, or a closed form. Here the sound accountants are asked
(`dpverify.utility.one_sided`) and the field is searched.

Sides: with ``accounted="now"`` the epsilon of a result is never below the truth, and at most the one asked for; with
``"then"`` it is a paper's own number, which may be below the truth: `Calibrated.true_epsilon` is the bound.

Assumption everywhere: the number of records is public (`rows`), also where a record is added or removed; settings that
an algorithm would take from the table (a divisor, a rate) are fixed at this number where it has fields for that.

Not to be confused with the calibration of auditors (how often they refute what is true).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import Any, Generic, TypeVar, cast

from dpverify.core.composition import Bracket
from dpverify.core.errors import InputError, UnsupportedError, one_line
from dpverify.core.plugins import registry
from dpverify.core.relation_names import PRICED
from dpverify.core.rules import OPEN_UNIT, POSITIVE
from dpverify.utility.calibration_family import FIRST_SLOPE, STEPS, Accounted, Asked, Family, NoPrivacy, found_knob
from dpverify.utility.one_sided import greatest_lower, least_upper, upper

T = TypeVar("T")

RELATIONS = (*PRICED, "labels")
FAR, NEAR = 0.25, 0.97
"""The parts of the budget below which rough costs are not told apart, and at which the search by them ends."""
PATIENCE = 8
"""Sharp costs after which a value within the budget is taken, where bounds jump with the noise; twice as many rough."""
NOISIEST = 1e9
"""The noise at which floors are read off, as a multiple of the algorithm's own, or one over the budget."""
LARGEST_EPSILON = 1e4
"""The largest budget that is calibrated to, in nats."""
_SMALL = 1e-3  # the epsilon that floors are looked for from
_FLOOR_STEP = 1e-4  # of the logarithm of a budget, where small ones are refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated(Generic[T]):
    """An algorithm at the least noise for a budget."""

    algorithm: T
    """Of the same class as was calibrated, with the same settings, but for the noise and for what takes the public
    number of records from a field."""
    accountant: str
    """Who certified it; for ``then`` the paper's account, which certifies nothing."""
    epsilon: float
    """What the accountant makes of it, nats; at most the asked one."""
    delta: float
    relation: str
    rows: int
    """`delta`, `relation`, `rows`: as asked."""
    noise: tuple[str, float]
    """The field that was set, and its value."""
    accounted: Accounted
    """By a sound accountant, or as the paper accounted."""

    @property
    def true_epsilon(self) -> Bracket:
        """Bounds on the least epsilon that holds; the upper end is +inf where no sound accountant knows one."""
        return true_epsilon(self.algorithm, delta=self.delta, relation=self.relation, rows=self.rows)

    def text(self) -> str:
        """Return one line."""
        name, value = self.noise
        line = (
            f"{type(self.algorithm).__name__}({name}={value:.6g}): epsilon = {self.epsilon:.4g} at delta = "
            f"{self.delta:g}, {self.relation}, {self.rows} records, by {self.accountant}"
        )
        if self.accounted == "now":
            return line
        true = self.true_epsilon
        known = f"true epsilon <= {true.upper:.4g}" if math.isfinite(true.upper) else f"no sound bound ({true.note})"
        return f"{line}, which is no bound; {known}"


def calibrated(
    algorithm: T, *, epsilon: float, delta: float, relation: str, rows: int, accounted: Accounted = "now"
) -> Calibrated[T]:
    """The algorithm at the least noise that is within (epsilon, delta).

    Parameters
    ----------
    epsilon, delta : float
        The budget: finite > 0, and in (0, 1).
    relation : str
        ``add-remove``, ``replace``, or ``labels`` for rankings.
    rows : int
        Number of records, public.
    accounted : "now" or "then"
        By the sound accountants, the best of them; or by the paper's own account.

    Raises
    ------
    InputError
        Bad numbers, an algorithm that has no privacy, a relation under which no bound is known, and an epsilon that no
        noise reaches (with the least one that some noise does).
    """
    asked = _asked(algorithm, epsilon, delta, relation, rows)
    if accounted not in ("now", "then"):
        raise InputError(f"accounted = {accounted!r}", allowed="now, then")
    try:
        found = _cached(algorithm, asked, accounted)
    except TypeError as problem:  # settings that have no hash, arrays say
        if "unhashable" not in str(problem):
            raise
        found = _calibrated(algorithm, asked, accounted)
    return cast(Calibrated[T], found)


def true_epsilon(algorithm: object, *, delta: float, relation: str, rows: int) -> Bracket:
    """Bounds on the least epsilon of one training at these settings.

    The upper end is that of the best sound accountant, +inf with a note where none knows a bound. The lower end, 0
    where none is known, is of records that move each release as far as clipping allows, seen in every iterate.

    Raises
    ------
    InputError
        Bad numbers, an algorithm that has no privacy.
    """
    asked = _asked(algorithm, 1.0, delta, relation, rows)
    family = family_of(algorithm)
    if reason := _refusal(family, algorithm, asked):
        return Bracket(note=reason)
    try:
        settled = family.public(algorithm, asked)
        upper = least_upper(family.priced(settled, asked), asked.delta)
        lower = max((greatest_lower(cost, asked.delta) for cost in family.attained(settled, asked)), default=0.0)
    except InputError as problem:
        return Bracket(note=one_line(str(problem)))
    return Bracket(lower=min(lower, upper[0]), upper=upper[0], note=family.accountant(upper[1], algorithm, asked))


def floor(algorithm: object, *, delta: float, relation: str, rows: int, accounted: Accounted = "then") -> float:
    """The least epsilon that the account certifies whatever the noise: ln(1 / delta) / 32 for 32 moments, say.

    InputError as `calibrated` does.
    """
    asked = _asked(algorithm, _SMALL, delta, relation, rows)
    family = family_of(algorithm)
    if accounted == "then":
        family = family.by_print()
    elif reason := _refusal(family, algorithm, asked):
        raise cannot(algorithm, reason)
    return _floor(family, family.settled(algorithm, asked), asked, accounted)


@lru_cache(maxsize=1024)
def _cached(algorithm: object, asked: Asked, accounted: Accounted) -> Calibrated[Any]:
    return _calibrated(algorithm, asked, accounted)


def _calibrated(algorithm: Any, asked: Asked, accounted: Accounted) -> Calibrated[Any]:
    family = family_of(algorithm)
    if accounted == "then":
        family = family.by_print()
    elif reason := _refusal(family, algorithm, asked):
        raise cannot(algorithm, reason)
    settled = family.settled(algorithm, asked)
    who = family.then

    tried: list[tuple[float, float]] = []  # logarithms of knob and cost

    def cost(value: float, rough: float = 0.0) -> float:
        nonlocal who
        try:
            at = family.with_knob(settled, value)
            if accounted == "then":
                return upper(family.printed(at, asked), asked.delta)[0]
            found, who = least_upper(family.priced(at, asked), asked.delta, rough)
        except (InputError, OverflowError):  # so little noise that its square is no double, say
            return math.inf
        if 0 < found < math.inf:
            tried.append((math.log(value), math.log(found)))
        return found

    start, budget, slope = family.start(settled, asked), asked.epsilon, FIRST_SLOPE
    patience = STEPS
    try:
        if accounted == "now":
            start, _ = found_knob(
                lambda at: cost(at, FAR * budget),
                budget,
                start=start,
                rising=family.budget,
                enough=NEAR,
                patience=2 * PATIENCE,
            )
            slope, patience = _slope(tried), PATIENCE
        value, epsilon = found_knob(cost, budget, start=start, rising=family.budget, slope=slope, patience=patience)
    except UnsupportedError:
        least = _floor(family, settled, asked, accounted)
        account = f"the paper's account ({family.then})" if accounted == "then" else "a sound accountant"
        raise InputError(
            f"{type(algorithm).__name__}: epsilon = {asked.epsilon:g} at delta = {asked.delta:g}",
            allowed=f"more than {least:.6g}, which is the least that {account} certifies whatever the noise"
            if math.isfinite(least)
            else "settings that some noise makes private",
        ) from None
    ready = family.with_knob(settled, value)
    if accounted == "now":
        who = family.accountant(who, ready, asked)
    return Calibrated(
        algorithm=ready,
        accountant=who,
        epsilon=epsilon,
        delta=asked.delta,
        relation=asked.relation,
        rows=asked.rows,
        noise=(family.knob, float(getattr(ready, family.knob))),
        accounted=accounted,
    )


def _slope(tried: list[tuple[float, float]]) -> float:
    """Return how cost follows the knob between the last two of these, or about so."""
    if len(tried) < 2 or abs(tried[-1][0] - tried[-2][0]) < 1e-3:
        return FIRST_SLOPE
    return min(max(abs((tried[-1][1] - tried[-2][1]) / (tried[-1][0] - tried[-2][0])), 0.5), 20.0)


def _floor(family: Family, settled: Any, asked: Asked, accounted: Accounted) -> float:
    """The cost of the quietest setting that the algorithm takes, up to `NOISIEST`; infinite where it takes none."""

    def cost(log_quiet: float) -> float:
        quiet = math.exp(log_quiet)
        try:
            at = family.with_knob(settled, start / quiet if family.budget else start * quiet)
            if accounted == "then":
                return upper(family.printed(at, asked), asked.delta)[0]
            return least_upper(family.priced(at, asked), asked.delta)[0]
        except InputError:  # a budget that pays for nothing
            return math.inf

    start = family.start(settled, asked)
    quietest = math.log(NOISIEST)
    if math.isfinite(found := cost(quietest)):
        return found
    taken, refused = 0.0, quietest
    while not math.isfinite(cost(taken)):  # the asked budget pays for nothing either
        taken, refused = taken - math.log(2.0), taken
        if taken < -quietest:
            return math.inf
    while refused - taken > _FLOOR_STEP:
        middle = (taken + refused) / 2
        taken, refused = (middle, refused) if math.isfinite(cost(middle)) else (taken, middle)
    return cost(taken)


def _checked_epsilon(name: str, epsilon: object) -> float:
    found = float(POSITIVE.checked(f"{name}: epsilon", epsilon))
    if found > LARGEST_EPSILON:
        raise InputError(f"{name}: epsilon = {found:g}", allowed=f"at most {LARGEST_EPSILON:g}, which hides nothing")
    return found


def _asked(algorithm: object, epsilon: object, delta: object, relation: object, rows: object) -> Asked:
    name = type(algorithm).__name__
    if isinstance(rows, bool) or not isinstance(rows, Integral) or rows < 1:
        raise InputError(f"{name}: rows = {rows!r}", allowed="a whole number of records >= 1")
    if relation not in RELATIONS:
        raise InputError(f"{name}: relation = {relation!r}", allowed=", ".join(RELATIONS))
    return Asked(
        epsilon=_checked_epsilon(name, epsilon),
        delta=float(OPEN_UNIT.checked(f"{name}: delta", delta)),
        relation=str(relation),
        rows=int(rows),
    )


def _refusal(family: Family, algorithm: object, asked: Asked) -> str | None:
    """Why no bound is known, or None."""
    if asked.relation not in family.relations:
        others = " or ".join(family.relations)
        return f"no bound is known under {asked.relation}; one is under {others}" if others else family.never
    return family.refuses(algorithm, asked)


def family_of(algorithm: object) -> Family:
    """Return the family by which an algorithm is calibrated.

    InputError for one that has no privacy, and for a class that nobody has said it of.
    """
    found = found_family(type(algorithm))
    if isinstance(found, NoPrivacy):
        raise cannot(algorithm, found.reason)
    if found is None:
        raise InputError(
            f"{type(algorithm).__name__} cannot be calibrated: nobody has said what it costs",
            allowed="a class that has a family, or one of its own package",
            remedy="give the class an attribute `family` (dpverify.utility.calibration_family); where a run costs what "
            "its base's does, that is family_of(base)",
        )
    return found


def found_family(kind: type) -> Family | NoPrivacy | None:
    """Return a class's own attribute `family`, or what is registered for it or the nearest of its bases.

    A registered family prices classes of its own package only: another's class of the same name, or one that is derived
    from ours, may do anything. None where nothing is known.
    """
    known = registry().calibrations
    for base in kind.__mro__:
        own = base.__dict__.get("family")
        if isinstance(own, Family | NoPrivacy):
            return own
        if base.__name__ in known:
            found = cast("Family | NoPrivacy", known.get(base.__name__))
            alike = len({_package(each) for each in (kind, base, type(found))}) == 1
            return found if alike or isinstance(found, NoPrivacy) else None
    return None


def _package(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def cannot(algorithm: object, reason: str) -> InputError:
    """The error that says why an algorithm has no price."""
    return InputError(f"{type(algorithm).__name__}: {reason}", allowed="an algorithm whose privacy is known")
