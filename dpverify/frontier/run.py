"""``dpverify.utility_frontier``: a trainer's utility at claimed and audited epsilon, beside calibrated references."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from dpverify.adapters.time_limit import Interrupted
from dpverify.code_key.key import CodeKey
from dpverify.code_key.values import Walk
from dpverify.core.callable_name import callable_name
from dpverify.core.errors import InputError
from dpverify.core.note import SMALL_LOOP, Kind, Note
from dpverify.core.relation_names import DEFAULT_RELATION
from dpverify.core.verdict import Status
from dpverify.core.watchdog_page import handle_ctrl_c_here, listening
from dpverify.frontier.asked import AGAINST, AUDIT_SECONDS, DELTA, EPSILONS, PER_CALL, SHARE, SPLITS, FrontierSettings
from dpverify.frontier.audited import FrontierPlan, audited, planned
from dpverify.frontier.labelled_data import raw_data
from dpverify.frontier.result import FrontierResult, differences, dominated, gates, points_of
from dpverify.frontier.trainer import global_generators_kept
from dpverify.frontier.work import Bench, CallLimit, Told, Workshop
from dpverify.neighbourhood.redact import hiding
from dpverify.runner.journal import Journal
from dpverify.runner.key_apart import key_apart
from dpverify.runner.thread_limits import one_thread

UNITS = "frontier.units.jsonl"
"""The file of finished units in its folder."""


@global_generators_kept()
def utility_frontier(
    trainer: Any,
    data: Any,
    *,
    label: str | None = None,
    epsilons: Sequence[float] = EPSILONS,
    delta: float = DELTA,
    relation: str = DEFAULT_RELATION,
    against: Sequence[str] = AGAINST,
    metric: str = "accuracy",
    at_least: float | Mapping[float | None, float] | None = None,
    splits: int = SPLITS,
    test_share: float = SHARE,
    canary_norm: float = 1.0,
    confidence: float = 0.999,
    audit_seconds: float = AUDIT_SECONDS,
    audit_trials: int | None = None,
    few_records: bool = False,
    max_seconds_per_call: float = PER_CALL,
    seed: int = 0,
    name: str | None = None,
) -> FrontierResult:
    """Measure a trainer at each claimed epsilon, audit it there, and do the same work with references.

    Parameters
    ----------
    trainer : callable or estimator
        ``train(table, epsilon, delta, rng)``, or an estimator with ``fit``, ``predict`` and a setting ``epsilon``.
        A function returns a weight vector (one a column), ``(weights, intercept)``, an object with ``predict``, or a
        function of features.
    data : str, Table or (features, labels)
        A registered name, a .csv, .parquet or .npy file (`label` is its label's column), or records.
    epsilons, delta, relation
        What the trainer claims: (epsilon, delta)-DP under ``add-remove`` or ``replace``.
    against : sequence of str
        Registered algorithms, calibrated to each price.
    metric : "accuracy", "auc" or "loss"
        On the test parts.
    at_least : float, mapping of epsilon to float, or None
        The mean that is demanded of the trainer: at every epsilon, or at those of the mapping.
    splits : int
        Independent random splits, shared by all arms.
    canary_norm : float
        L2 norm of the canary. The data's rows are scaled to norm 1 at most; a trainer that clips rows or gradients may
        be shown longer ones.
    confidence : float
        One-sided, of all audited bounds together; divided evenly before the first run.
    audit_seconds, audit_trials
        About so long the audits may take, or how many counted runs a side there are at each epsilon.
    few_records : bool
        Audit on tables of a few records, too. Under ``add-remove`` a trainer whose noise or steps follow the number of
        records shows it there, which most trainers take as public.

    Returns
    -------
    FrontierResult

    Raises
    ------
    InputError
        One line for whatever does not fit: data, trainer, prices that no accountant certifies, a trainer that raises,
        returns no model, or whose weights are the same at very different epsilons.

    Notes
    -----
    The audited number is a lower bound on the trainer's epsilon, never above the truth but for the error probability
    1 - confidence. A claim that is not refuted is not proved: other records may show more.
    """
    asked = FrontierSettings(
        trainer=trainer,
        name=name or called(trainer),
        data=data,
        label=label,
        epsilons=tuple(map(float, epsilons)),
        delta=delta,
        relation=relation,
        against=tuple(against),
        metric=metric,
        splits=splits,
        share=test_share,
        norm=canary_norm,
        confidence=confidence,
        seconds=audit_seconds,
        trials=audit_trials,
        few=few_records,
        per_call=max_seconds_per_call,
        seed=seed,
    )
    return measured(asked, at_least=at_least)


def _tried(bench: Bench, limit: CallLimit) -> None:
    """A few trainings, in another process."""
    limit.reopen()
    bench.pairs()


def called(trainer: Any) -> str:
    """Return the name of a trainer for messages."""
    return trainer if isinstance(trainer, str) else callable_name(trainer)


def measured(
    asked: FrontierSettings,
    *,
    at_least: float | Mapping[float | None, float] | None = None,
    jobs: int = 1,
    folder: Path | None = None,
    resume: bool = False,
    tell: Told = lambda _doing, _share: None,
    say: Callable[[str], None] = lambda _line: None,
) -> FrontierResult:
    """The frontier of `asked`; with a folder, finished units are kept there, and `resume` goes on with them."""
    demanded = _demanded(asked, at_least)
    limit = CallLimit(asked.per_call)
    known: list[Any] = []  # what no error may print
    with hiding(known), one_thread(), limit, listening(), handle_ctrl_c_here(f"the trainer {asked.name}", Interrupted):
        bench = Bench(asked, limit)
        if (raw := raw_data(asked.data)) is not None:
            known += [raw, bench.table.features, bench.table.labels]
        _certified(bench)
        code = CodeKey("")
        if folder is not None:
            code = key_apart(bench.trainer.subject, calls=partial(_tried, bench, limit), seconds=None)
        if code.unknown:
            say(f"nothing is kept in {folder}, nor taken from it: nothing tells if the code changes: {code.unknown}")
            folder = None
        settings = Walk().told([asked.told(), bench.table.sha256, bench.table.rows], "settings")
        journal = Journal(folder and folder / UNITS, settings=settings, code=code.text, name=asked.name, resume=resume)
        shop = Workshop(bench, journal, jobs=jobs, tell=tell)
        plan = planned(bench, shop)
        say(_announced(asked, plan))
        values = _values(bench, shop)
        lines = shop.done([["ceiling", place] for place in range(asked.splits)], doing="ceiling")
        audits = audited(bench, shop, plan)
    return FrontierResult(found=_found(bench, plan, values, lines, audits, demanded))


def _demanded(
    asked: FrontierSettings, at_least: float | Mapping[float | None, float] | None
) -> dict[float | None, float]:
    if at_least is None:
        return {}
    if asked.metric == "loss":
        raise InputError(
            "at least with the metric 'loss', which is better where it is smaller", allowed="accuracy, auc"
        )
    found: dict[float | None, float] = {None: at_least} if not isinstance(at_least, Mapping) else {**at_least}
    for epsilon, wanted in found.items():
        if epsilon is not None and epsilon not in asked.epsilons:
            raise InputError(
                f"at least {wanted:g} at epsilon {epsilon:g}", allowed=", ".join(f"{e:g}" for e in asked.epsilons)
            )
        if not 0 <= wanted <= 1:
            raise InputError(f"at least {wanted:g}", allowed=f"a number in [0, 1], as the {asked.metric} is")
    return found


def _certified(bench: Bench) -> None:
    """Every reference at every price, before any work: a price that cannot be certified is said here."""
    rows = bench.training_rows
    for reference in bench.references.values():
        for epsilon in bench.asked.epsilons:
            reference.at(epsilon, rows)


def _announced(asked: FrontierSettings, plan: FrontierPlan) -> str:
    each = f", about {plan.runs.seconds:.2g} s a run" if plan.runs.seconds else ""
    return (
        f"audit: {plan.runs.trials} counted runs a side at each of {len(asked.epsilons)} epsilons{each} "
        f"(--audit-trials {plan.runs.trials} repeats this), false-alarm probability {asked.alpha:.2g} each"
    )


def _values(bench: Bench, shop: Workshop) -> dict[str, dict[float, list[float]]]:
    """The metric by arm, epsilon and split."""
    asked = bench.asked
    arms = [asked.name, *asked.against]
    cells = [
        (arm, epsilon, repetition) for repetition in range(asked.splits) for arm in arms for epsilon in asked.epsilons
    ]
    found = shop.done([["worth", *each] for each in cells], doing=f"{asked.metric} on {asked.splits} splits")
    values: dict[str, dict[float, list[float]]] = {arm: {each: [] for each in asked.epsilons} for arm in arms}
    for (arm, epsilon, _), cell in zip(cells, found, strict=True):
        values[arm][epsilon].append(float(cell["value"]))
    return values


def _found(
    bench: Bench,
    plan: FrontierPlan,
    values: Mapping[str, Mapping[float, Sequence[float]]],
    lines: Sequence[Mapping[str, float]],
    audits: list[dict[str, Any]],
    demanded: Mapping[float | None, float],
) -> dict[str, Any]:
    asked, larger = bench.asked, bench.metric.larger
    points = points_of(values, {each["epsilon"]: each for each in audits}, asked.name)
    dominated(points, larger=larger)
    return {
        "format": "dpverify frontier 1",
        "trainer": asked.name,
        "table": {
            "name": bench.table.name,
            "rows": bench.table.rows,
            "columns": bench.table.columns,
            "classes": bench.classes,
            "source": bench.table.source,
            "prepared": bench.prepared,
            "training_rows": bench.training_rows,
        },
        "settings": asked.told(),
        "metric": asked.metric,
        "larger_is_better": larger,
        "references": [_reference(bench, name) for name in asked.against],
        "ceiling": sum(each["ceiling"] for each in lines) / len(lines),
        "floor": sum(each["floor"] for each in lines) / len(lines),
        "points": points,
        "audits": audits,
        "differences": differences(points, asked.name, larger=larger),
        "gates": gates(points, asked.name, demanded),
        "reproducible": plan.follows.reproducible,
        "notes": _notes(bench, plan, audits),
    }


def _reference(bench: Bench, name: str) -> dict[str, Any]:
    reference = bench.references[name]
    prices = []
    for epsilon in bench.asked.epsilons:
        made = reference.at(epsilon, bench.training_rows)
        prices.append({"epsilon": epsilon, "certified": float(made.epsilon), "accountant": str(made.accountant)})
    settings = reference.settings(bench.training_rows)
    return {"name": name, "settings": settings, "chosen": reference.chosen, "prices": prices}


def _notes(bench: Bench, plan: FrontierPlan, audits: Sequence[Mapping[str, Any]]) -> list[str]:
    found = []
    if not plan.follows.reproducible:
        found.append(
            f"{bench.asked.name} does not repeat itself with the same seed, so its numbers cannot be made again, and "
            "whether it changes with epsilon was not looked at"
        )
    if plan.follows.unseen:
        unseen = f"{bench.asked.name} could not be seen to change with epsilon (looked at {plan.follows.unseen})"
        found.append(str(Note(Kind.WARNING, f"{unseen}: see that it uses it")))
    if bench.prepared:
        found.append(f"data: {bench.prepared}")
    if any(each["verdict"] == Status.INCONCLUSIVE for each in audits):
        found.append(str(Note(Kind.SHRINK, f"some audits could have seen too little; {SMALL_LOOP}")))
    return found
