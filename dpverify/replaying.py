"""``dpverify.audit_replay(f, d0, d1, claim=...)``: a grey-box audit, which records a run on d0 and replays it on d1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpverify.audits.audit import audit
from dpverify.audits.audit_result import AuditResult
from dpverify.core.subjects import Guarantee


def audit_replay(
    function: Callable[..., Any],
    d0: Any,
    d1: Any,
    *,
    claim: Guarantee | str,
    relation: str | None = None,
    seed: int = 0,
    max_seconds: float | None = None,
    max_seconds_per_call: float | None = None,
) -> AuditResult:
    """Audit a callable on one neighbouring pair by record and replay: a few runs, and fresh ones behind a refutation.

    Parameters
    ----------
    function : callable
        ``f(dataset, rng)``; without an rng its randomness is its own, and it is not replayed. Generators that it makes
        inside from that rng (``numpy.random.RandomState(int(rng.integers(2**32)))``) are followed. Inside,
        ``dpverify.public`` and ``dpverify.release`` say what an observer sees beside the result, and
        ``dpverify.noise_primitive`` declares functions that add noise.
    d0, d1 : object
        The two data sets; each run gets its own copy.
    claim, relation : as for ``dpverify.audit``
    seed : int
        Same seed, same runs.
    max_seconds, max_seconds_per_call : as for ``dpverify.audit``
        A call is one run of the function, recorded or replayed.

    Returns
    -------
    AuditResult
        ``refuted`` at an error of 1e-9, by up to 4096 fresh and independent runs a side, for the function may draw what
        no recorder sees; ``inconclusive`` where the claim is exceeded if all randomness comes from the rng but fresh
        runs do not bear it out (large epsilons, excesses of little), where a declared sensitivity is exceeded, or
        where the function does not repeat itself (a clock, a generator of its own); else ``not_refuted``.
        ``evidence.statistics["hidden_coin"]`` says where nothing more can be said by replay.

    Raises
    ------
    InputError
        As ``dpverify.audit``.
    """
    return audit(
        function,
        d0,
        d1,
        claim=claim,
        relation=relation,
        seed=seed,
        methods=["replay"],
        trials=1,
        max_seconds=max_seconds,
        max_seconds_per_call=max_seconds_per_call,
    )
