"""The account of a training beside what ran: is every step charged for, with its noise and its sampling?

A step of the history is enough for one that ran where it has no more noise and no lower sample rate: it then costs no
less. Where histories are not so ordered, and for an epsilon that is reported, our own accounting decides, each time by
the end of its bracket that may be relied on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dpverify.accounting.side_by_side import CROSSING, DEFAULT_DELTA, account
from dpverify.core.composition import Bracket
from dpverify.core.errors import InputError
from dpverify.core.rules import NON_NEGATIVE, OPEN_UNIT, POSITIVE, SHARE
from dpverify.core.verdict import Status
from dpverify.training_step.step_row import StepRow, could_not, passed

NAME = "account"
SHOWN = "the steps that ran"
CHARGE = "let the accountant step once for each step that runs, with the noise multiplier and the sample rate of it"
REPORT = "report an upper bound of the epsilon of all steps that ran"
Charged = tuple[float, float, int]

WIDE = 1.1
"""An epsilon within a bracket whose ends are further apart than by this factor is not decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingAccount:
    """An accountant's view of a training, and what ran: Gaussian noise on Poisson samples of the records.

    Parameters
    ----------
    steps : int
        Steps that ran, all as the one that is checked. Where noise or rate changes, each part has its own check.
    sample_rate : float
        The probability that a record is in a batch: the expected batch size over the number of records.
    history : sequence of (noise multiplier, sample rate, steps), or None
        What the accountant holds after these steps, such as ``accountant.history`` of Opacus; more may be in it.
    epsilon, delta : float or None
        What the accountant reports for these steps, and at which delta.
    noise_multiplier : float or None
        Of all that the step releases, where that is more than the sum (adaptive clipping releases a count, too); None
        is the step's own.

    Raises
    ------
    InputError
        For numbers out of range, and where neither a history nor an epsilon is given.
    """

    steps: int
    sample_rate: float
    history: Sequence[Charged] | None = None
    epsilon: float | None = None
    delta: float | None = None
    noise_multiplier: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.steps, bool) or not isinstance(self.steps, int) or self.steps < 1:
            raise InputError(f"steps = {self.steps!r}", allowed="a whole number >= 1")
        SHARE.checked("sample_rate", self.sample_rate)
        if self.history is None and self.epsilon is None:
            raise InputError("an account without history and epsilon", allowed="one of the two, or both")
        if self.epsilon is not None and self.delta is None:
            raise InputError("an epsilon without its delta", allowed="both")
        for rule, word, number in (
            (NON_NEGATIVE, "epsilon", self.epsilon),
            (OPEN_UNIT, "delta", self.delta),
            (POSITIVE, "noise_multiplier of the account", self.noise_multiplier),
        ):
            if number is not None:
                rule.checked(word, number)
        if not isinstance(self.history, list | tuple | None):
            raise InputError(f"a history that is a {type(self.history).__name__}", allowed="a list")
        for each in self.history or ():
            if not isinstance(each, tuple | list) or len(each) != 3:
                raise InputError(f"a history with {each!r}", allowed="(noise multiplier, sample rate, steps)")
            for word, number in zip(("noise multiplier", "sample rate", "steps"), each, strict=True):
                NON_NEGATIVE.checked(f"{word} in the history", number)


def account_row(given: TrainingAccount | None, noise_multiplier: float) -> StepRow:
    """Hold the history, and the epsilon that is reported, against what ran."""
    if given is None:
        return StepRow(name=NAME, verdict=Status.UNSUPPORTED, words="not asked for (no account was given)")
    sigma = given.noise_multiplier or noise_multiplier
    rows = [
        *([] if given.history is None else [_of_history(given, sigma)]),
        *([] if given.epsilon is None else [_of_epsilon(given, sigma)]),
    ]
    for verdict in (Status.REFUTED, Status.INCONCLUSIVE):
        if worse := [row for row in rows if row.verdict is verdict]:
            return worse[0]
    return passed(NAME, "; ".join(row.words for row in rows), rows[0].number)


def _of_history(given: TrainingAccount, sigma: float) -> StepRow:
    """Count the steps of the history that cost no less than the one that ran."""
    charged = Counter[tuple[float, float]]()
    for noise, rate, steps in given.history or ():
        charged[float(noise), float(rate)] += int(steps)
    in_all = sum(charged.values())
    noisier = {each: count for each, count in charged.items() if each[0] > sigma * (1 + CROSSING)}
    rarer = {each: count for each, count in charged.items() if each[1] < given.sample_rate * (1 - CROSSING)}
    enough = sum(count for each, count in charged.items() if each not in noisier and each not in rarer)
    ran = f"{given.steps} steps ran at noise multiplier {sigma:g} and sample rate {given.sample_rate:g}"
    if enough >= given.steps:
        more = in_all > given.steps or any(
            noise < sigma * (1 - CROSSING) or rate > given.sample_rate * (1 + CROSSING) for noise, rate in charged
        )
        told = "the history charges for more than ran" if more else "the history charges for what ran"
        return passed(NAME, f"{told}: {ran}, and it has {in_all}", float(enough))
    faults = [
        *([f"it has {in_all} steps"] if in_all < given.steps else []),
        *(
            f"{count} of its steps have noise multiplier {noise:g}, more than is drawn"
            for (noise, _), count in noisier.items()
        ),
        *(f"{count} of its steps have sample rate {rate:g}, a lower one" for (_, rate), count in rarer.items()),
    ]
    words = f"the history charges for too little: {ran}; {'; '.join(faults[:4])}"
    least = all(
        noise >= sigma * (1 - CROSSING) and rate <= given.sample_rate * (1 + CROSSING) for noise, rate in charged
    )
    if least and in_all <= given.steps:  # no part of it costs more, and some cost less
        return _refuted(words, float(enough), CHARGE)
    delta = given.delta or DEFAULT_DELTA
    costs, says = _cost({(sigma, given.sample_rate): given.steps}, delta), _cost(charged, delta)
    between = f"epsilon of what ran is {_told(costs)}, that of the history {_told(says)}, at delta = {delta:g}"
    if costs.lower > says.upper * (1 + CROSSING):
        return _refuted(f"{words}; {between}", costs.lower, CHARGE)
    if costs.upper <= says.lower:
        return passed(NAME, f"the history charges for more than ran, by other steps: {between}", float(enough))
    return could_not(NAME, f"{'; '.join([ran, *faults[:4]])}, and others cost more: {between}", CHARGE)


def _of_epsilon(given: TrainingAccount, sigma: float) -> StepRow:
    """Hold the epsilon that is reported against our own lower bound of what ran."""
    assert given.epsilon is not None and given.delta is not None
    costs = _cost({(sigma, given.sample_rate): given.steps}, given.delta)
    said = f"epsilon = {given.epsilon:.6g} at delta = {given.delta:g} is reported"
    ran = f"{given.steps} steps at noise multiplier {sigma:g} and sample rate {given.sample_rate:g}"
    if costs.lower > given.epsilon * (1 + CROSSING):
        return _refuted(f"{said}, and {ran} cost {costs.lower:.6g} at least", costs.lower, REPORT)
    if given.epsilon < costs.upper and not costs.upper <= WIDE * costs.lower:
        return could_not(NAME, f"{said}, and of {ran} our own accounting says {_told(costs)}", REPORT)
    return passed(NAME, f"{said}; {ran} cost {_told(costs)} by our own accounting", given.epsilon)


def _cost(charged: Counter[tuple[float, float]] | dict[tuple[float, float], int], delta: float) -> Bracket:
    """The epsilon of these steps; each end is the best that may be relied on."""
    steps = {each: count for each, count in charged.items() if count and each[1]}
    if any(noise == 0 for noise, _ in steps):
        return Bracket()
    text = " + ".join(
        f"poisson-gaussian(q={min(rate, 1.0)!r}, sigma={noise!r})*{count}" for (noise, rate), count in steps.items()
    )
    found = account(text or "gaussian(sigma=1)*0", delta=delta)
    low, high = found.highest, found.lowest
    return Bracket(lower=low.bracket.lower if low else 0.0, upper=high.bracket.upper if high else float("inf"))


def _told(costs: Bracket) -> str:
    return f"{costs.lower:.6g} to {costs.upper:.6g}"


def _refuted(words: str, number: float, change: str) -> StepRow:
    return StepRow(name=NAME, verdict=Status.REFUTED, number=number, words=words, shown=SHOWN, change=change)
