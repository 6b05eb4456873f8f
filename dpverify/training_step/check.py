"""``dpverify.check_training_step``: is one step clipped, noisy and divided as its claim says?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from dpverify.adapters.time_limit import Interrupted, TimeLimit
from dpverify.audits.finding import Finding
from dpverify.audits.judges import Known, judged
from dpverify.core.callable_name import callable_name
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.relation_names import DEFAULT_RELATION
from dpverify.core.rules import POSITIVE
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import handle_ctrl_c_here, listening
from dpverify.frontier.trainer import global_generators_kept
from dpverify.runner.plan import check_confidence
from dpverify.training_step.account import TrainingAccount, account_row
from dpverify.training_step.growth import accumulation, divisor
from dpverify.training_step.loader_row import loader_row
from dpverify.training_step.neighbours import Neighbours, cancels, empty_batch, reproducible
from dpverify.training_step.noise import draws_by_size, reuse, scale
from dpverify.training_step.non_finite import non_finite
from dpverify.training_step.records import TrainingBatch
from dpverify.training_step.result import StepClaim, TrainingStepResult
from dpverify.training_step.step_row import StepRow, could_not
from dpverify.training_step.step_runner import Returns, StepRunner

CONFIDENCE = 1 - 1e-6
SCALES = (1e-6, 0.1, 1.0, 10.0, 1e6)
PER_CALL = 60.0
RECORDS = 6
"""Records whose parts are looked at, spread over the batch."""

EXACT = ("norm", "independence", "accumulation", "divisor")
OWN_DRAWS = "draw nothing but the noise (turn dropout and augmentation off), and the noise whatever the batch"


def check_training_step(
    step: Callable[..., Any],
    parameters: Any,
    batch: Any,
    *,
    clip: float,
    noise_multiplier: float,
    batch_size: float,
    returns: Returns = "sum",
    learning_rate: float | None = None,
    empty_batches: bool = True,
    scales: Sequence[float] = SCALES,
    rounding: float | None = None,
    account: TrainingAccount | None = None,
    loader: Any = None,
    confidence: float = CONFIDENCE,
    max_seconds_per_call: float = PER_CALL,
    seed: int = 0,
    name: str | None = None,
) -> TrainingStepResult:
    """Check one training step: clipping, independence of records, divisor, noise, account, loader.

    The step is called some hundred to some thousand times. With the same seed its noise is the same, so that the
    difference of two sums is exactly what the records between them do.

    Parameters
    ----------
    step : callable
        ``step(parameters, batch, rng)``: one noisy step on a batch of any size. It draws from `rng`, a NumPy
        generator, or from the global generators of NumPy, Python and torch, which are seeded before each call.
    parameters : array, or lists, tuples and dicts of arrays
        Copied for each call. Zero parameters hide gradients: trained or random ones show more.
    batch : array, tuple or dict of arrays whose first axis is the records, or list of records
        Two records or more; six of them are looked at.
    clip : float
        The claimed bound of the Euclidean norm of a record's gradient.
    noise_multiplier : float
        Noise on each number of the sum is claimed to be Gaussian with standard deviation noise_multiplier * clip.
    batch_size : float
        The expected batch size: the claimed divisor of a mean.
    returns : "sum", "mean" or "parameters"
        What the step returns: the noisy sum of clipped gradients; that over `batch_size`; or the new parameters after
        one step of plain gradient descent (returned, or changed in place), with `learning_rate`. A step with momentum
        is at its first one; of Adam and its like return the sum or mean.
    empty_batches : bool
        Whether batches without records occur, as they do in Poisson sampling.
    scales : sequence of float
        Factors of floating-point inputs at which clipping is looked at. ``(1.0,)`` for inputs that are bounded before.
    rounding : float or None
        Unit roundoff of the step's arithmetic; None reads it off the dtypes and the outputs. Mixed precision needs
        it: ``2**-8`` for bfloat16, ``2**-11`` for float16.
    account : TrainingAccount or None
        What the accountant of the training holds or reports, and what ran; None asks nothing.
    loader : object or None
        What `audit_sampler` takes, or a dict of its arguments (``{"loader": ..., "records": 60_000}``): it must draw
        Poisson samples, at the rate of `account` where that is given.
    confidence : float
        1 - the probability that noise (and a loader) which is as claimed is refuted.
    max_seconds_per_call : float
        Limit of one call.
    seed : int
        Same seed, same result.
    name : str or None
        In messages and results, instead of the step's own.

    Returns
    -------
    TrainingStepResult

    Raises
    ------
    InputError
        One line for wrong arguments, and for a step that raises or hangs on the batch as it was given, or returns
        something else than numbers.

    Notes
    -----
    A row that is not refuted is no proof: records, parameters and batches other than those that were tried may show
    more. The sensitivity is that of adding or removing one record.
    """
    begun = time.perf_counter()
    check_confidence(confidence)
    for word, number in (("clip", clip), ("noise_multiplier", noise_multiplier), ("batch_size", batch_size)):
        POSITIVE.checked(word, number)
    if returns not in get_args(Returns):
        raise InputError(f"returns = {returns!r}", allowed=", ".join(get_args(Returns)))
    if (returns == "parameters") != (learning_rate is not None):
        raise InputError(
            f"learning_rate = {learning_rate!r} with returns = {returns!r}",
            allowed="a learning rate where the new parameters are returned, and none otherwise",
        )
    if not callable(step):
        raise InputError(f"a step that is a {type(step).__name__}", allowed="step(parameters, batch, rng)")
    if not isinstance(account, TrainingAccount | None):
        raise InputError(f"an account that is a {type(account).__name__}", allowed="a dpverify.TrainingAccount")
    for each in (
        *scales,
        *(() if rounding is None else (rounding,)),
        *(() if learning_rate is None else (learning_rate,)),
    ):
        POSITIVE.checked("each of scales, rounding and learning_rate", each)
    called = name or callable_name(step)
    held = TrainingBatch(batch)
    limit = TimeLimit(per_call=max_seconds_per_call)
    runner = StepRunner(
        step=step,
        name=called,
        parameters=parameters,
        batch=held,
        clip=float(clip),
        noise_multiplier=float(noise_multiplier),
        batch_size=float(batch_size),
        returns=returns,
        learning_rate=learning_rate,
        seed=seed,
        limit=limit,
        rounding=rounding,
    )
    with global_generators_kept():
        with limit, listening(), handle_ctrl_c_here(f"the step {called}", Interrupted):
            rows = _rows(runner, scales=tuple(scales) or (1.0,), empty=empty_batches, alpha=1.0 - confidence)
        rows += (account_row(account, runner.noise_multiplier), loader_row(loader, account, 1.0 - confidence, seed))
    claim = Claim(
        id="-".join(called.split()),
        guarantee=StepClaim(clip=runner.clip, noise_multiplier=runner.noise_multiplier, batch_size=runner.batch_size),
        relation=DEFAULT_RELATION,
        subject=called,
        source=Source(paper="user", locus=""),
    )
    found = {row.verdict for row in rows}
    status = next((each for each in (Status.REFUTED, Status.INCONCLUSIVE) if each in found), Status.NOT_REFUTED)
    reason = next((f"{row.name}: {row.words}" for row in rows if row.verdict is status), "")
    finding = Finding.without_evidence(
        SuiteEntry(claim=claim, suites=()),
        status,
        "" if status is Status.NOT_REFUTED else reason,
        seed=seed,
        seconds=time.perf_counter() - begun,
    )
    return TrainingStepResult(
        finding=judged(finding, Known()),
        rows=rows,
        confidence=confidence,
        rounding=runner.unit,
        calls=runner.calls,
    )


def _rows(runner: StepRunner, *, scales: tuple[float, ...], empty: bool, alpha: float) -> tuple[StepRow, ...]:
    """Return all rows, those that explain the others first."""
    count = runner.batch.count
    records = list(dict.fromkeys(int(each) for each in np.linspace(0, count - 1, min(RECORDS, count))))
    if not runner.anew(records).finite:
        problem = f"{runner.name} gives numbers that are not finite on the batch as it was given"
        raise InputError(problem, allowed="a batch and parameters on which it gives finite ones")
    _refuse_signs(runner, records)
    same, none = reproducible(runner, records), empty_batch(runner, asked=empty)
    without = empty and none.verdict is Status.NOT_REFUTED
    base = () if without else (records[0],)
    known = Neighbours(runner, records, base, scales)
    why = same.words if same.verdict is not Status.NOT_REFUTED else cancels(runner, base, known.records)
    if why:
        exact = [could_not(each, why, same.change or OWN_DRAWS) for each in EXACT]
        finite = could_not("non-finite", why, same.change or OWN_DRAWS)
    else:
        known.look()
        independence = known.independence()
        exact = [known.norm(), independence, accumulation(known), divisor(known)]
        finite = non_finite(known)
    draws = draws_by_size(runner, records, base)
    noise = scale(known, draws, alpha)
    mask = draws[0].noisy if draws else np.zeros(runner.width, dtype=bool)
    again = reuse(runner, base, mask, alpha)
    if why and base and again.number is not None and abs(again.number) < 1.0:  # other draws go together, too
        again = could_not(again.name, why, same.change or OWN_DRAWS)
    return (same, none, *exact, noise, again, finite)


def _refuse_signs(runner: StepRunner, records: Sequence[int]) -> None:
    """Refuse parameters that all moved by one size, as the first step of Adam moves them."""
    if runner.returns != "parameters":
        return
    moved = np.abs(runner.anew(records).values)
    moved = moved[moved > 0] / runner.batch_size
    if moved.size >= 4 and bool(np.all(np.abs(moved - 1.0) < 1e-2)):
        raise InputError(
            f"{runner.name} moves every parameter by the learning rate, as Adam does",
            allowed="a step of plain gradient descent where parameters are returned",
            remedy="return the noisy sum or mean that the optimizer is given (returns='sum' or 'mean')",
        )
