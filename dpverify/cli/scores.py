"""`dpverify scores`: a claim against the scores of an attack, from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpverify.cli.options import Json, Quiet, Seed, claim_option, data_option, search_option
from dpverify.cli.output import check_target, emit_records, print_result, prints_to_stderr, record_command, warn
from dpverify.core.errors import InputError, exit_status
from dpverify.core.relation_names import DEFAULT_RELATION

if TYPE_CHECKING:
    from dpverify.scores.recorded_scores import ScoreFile


def scores(
    claim: Annotated[str, claim_option(help="For example 'ApproxDP(epsilon=1, delta=1e-5)'.")],
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="CSV, JSON, NPZ or NPY: in and out, or score, included.")
    ] = None,
    scores_in: Annotated[
        Path | None,
        data_option(metavar="FILE", help="Instead: scores of trainings with the record (CSV, NPY, Parquet, JSON)."),
    ] = None,
    scores_out: Annotated[Path | None, data_option(metavar="FILE", help="Scores of trainings without it.")] = None,
    trainings: Annotated[
        bool, data_option("--trainings", help="Every line of score, included is a separate training, not a canary.")
    ] = False,
    choose: Annotated[str, search_option(help="How thresholds are chosen: ranks or split (many trainings).")] = "ranks",
    threshold: Annotated[
        float | None, search_option(help="One threshold, fixed before the scores were seen (many trainings).")
    ] = None,
    guesses: Annotated[
        str | None, search_option(metavar="IN+OUT,...", help="Such as 100+100,20+20, fixed beforehand (one training).")
    ] = None,
    relation: Annotated[str | None, claim_option(help="Default: add-remove.")] = None,
    confidence: Annotated[float, claim_option(help="One-sided.")] = 0.999,
    seed: Seed = 0,
    quiet: Quiet = False,
    json: Json = None,
) -> None:
    """Test a claim with an attack's scores: of many trainings, or of one with canaries.

    Exits with 1 when refuted, and with 3 when there are too few scores to refute the claim.
    """
    from dpverify.core.note import Telling
    from dpverify.runner.record import record
    from dpverify.scores.audit import audit_one_run, audit_scores

    found, called = _read(file, scores_in, scores_out)
    check_target(json)
    many = found.kind == "in/out" or trainings
    _fits(many, found.kind, trainings=trainings, choose=choose, threshold=threshold, guesses=guesses)
    with prints_to_stderr():
        if many:
            sides = found.first, found.second
            if found.kind == "score/included":
                sides = found.first[found.second == 1], found.first[found.second == 0]
            result = audit_scores(
                *sides,
                claim=claim,
                confidence=confidence,
                method="split" if choose == "split" else "ranks",
                threshold=threshold,
                relation=relation or DEFAULT_RELATION,
                seed=seed,
                name=called,
            )
        else:
            result = audit_one_run(
                found.first,
                found.second,
                claim=claim,
                guesses=None if guesses is None else _pairs(guesses),
                values=2 if found.first.ndim == 1 else found.first.shape[1],
                confidence=confidence,
                relation=relation,
                seed=seed,
                name=called,
            )
    notes = list(result.notes)
    if result.posterior is not None:
        low, high, level = (result.posterior[name] for name in ("low", "high", "level"))
        event = result.posterior["event"]
        notes.append(
            f"posterior of this attack at '{event}': epsilon {low:.3g} to {high:.3g} ({level:.0%} credible, no bound)"
        )
    notes += [result.attack.text()] if result.attack is not None else []
    item = record(result.row) | {"reproduce": record_command(), "notes": notes}
    if result.attack is not None:
        item["attack"] = result.attack.plain()
    tell = Telling(quotes=True)
    if emit_records(json, [item], quiet=True, tell=tell) and not quiet:
        print_result(item, notes=notes, tell=tell)
    warn(tell.faults)
    raise typer.Exit(exit_status([item["verdict"]]))


def _read(file: str | None, inside: Path | None, outside: Path | None) -> tuple[ScoreFile, str]:
    """The scores of one file, or of two, and what records call them."""
    from dpverify.samples.sample_files import read_samples
    from dpverify.scores.recorded_scores import ScoreFile, numbers, read_scores

    if (file is None) == (inside is None and outside is None):
        raise InputError(
            "no scores" if file is None else f"{file} beside --scores-in or --scores-out",
            allowed="one FILE, or --scores-in FILE --scores-out FILE",
        )
    if file is not None:
        return read_scores(Path(file)), Path(file).name
    if inside is None or outside is None:
        raise InputError("one of --scores-in and --scores-out", allowed="both")
    sides = [
        numbers(read_samples(path, option), f"{option} {path}")
        for option, path in (("--scores-in", inside), ("--scores-out", outside))
    ]
    return ScoreFile(kind="in/out", first=sides[0], second=sides[1]), f"{inside.name}-{outside.name}"


def _fits(many: bool, kind: str, *, trainings: bool, choose: str, threshold: float | None, guesses: str | None) -> None:
    if choose not in ("ranks", "split"):
        raise InputError(f"--choose {choose!r}", allowed="ranks, split")
    if trainings and kind == "in/out":
        raise InputError(
            "--trainings with columns in and out", allowed="with columns score and included; in and out already say it"
        )
    if many and guesses is not None:
        raise InputError("--guesses for many trainings", allowed="for one training with canaries")
    if not many and (threshold is not None or choose != "ranks"):
        raise InputError(
            "--threshold or --choose for one training",
            allowed="for many trainings",
            remedy="pass --trainings if every line is a training of its own, else --guesses",
        )


def _pairs(text: str) -> list[tuple[int, int]]:
    try:
        pairs = [tuple(int(part) for part in piece.split("+")) for piece in text.split(",")]
    except ValueError:
        pairs = [()]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError(f"--guesses {text!r}", allowed="IN+OUT, such as 100+100, or several with commas")
    return [(pair[0], pair[1]) for pair in pairs]
