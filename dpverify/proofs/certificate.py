"""The file of a proof: read, its rules applied again, and its cost computed anew."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpverify.proofs.cost import Cost, cost_of, upper_bound
from dpverify.proofs.layout import check_types, names_of
from dpverify.proofs.linear import MOST_RECORDS
from dpverify.proofs.node import Node
from dpverify.proofs.operations import ProofError
from dpverify.proofs.program import ProofProgram

FORMAT = "dpverify proof 1"

AT_MOST = 1 + 1e-12
"""A claim that is met with equality is met up to this factor; the number is stated."""

MEASURED = {"PureDP": "epsilon", "ApproxDP": "epsilon", "GDP": "mu", "ZCDP": "rho", "RDP": "epsilon"}
"""The parameter that a proof bounds, by the kind of the claim."""

OTHERS = {"ApproxDP": {"delta"}, "RDP": {"order"}}
"""Its other parameters."""


@dataclass(frozen=True)
class CheckedPath:
    """One path, its rules applied again."""

    program: ProofProgram
    conditions: tuple[tuple[Node, bool], ...]
    returned: Any
    ways: tuple[tuple[tuple[Node, bool], ...], ...] = ()


def read(path: Path | str) -> dict[str, Any]:
    """The file; ProofError where it is none of ours."""
    try:
        told = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ProofError(f"{path} cannot be read: {problem}") from None
    if not isinstance(told, dict) or told.get("format") != FORMAT:
        raise ProofError(f"{path} is no {FORMAT}")
    return told


def checked(told: Mapping[str, Any]) -> tuple[tuple[CheckedPath, ...], float]:
    """The paths, and the parameter of the claim that they support; ProofError where a rule does not hold.

    All answers to each condition must be there: a path for what no path covers would be unproved.
    """
    try:
        names = [str(name) for _, name, _ in told["domain"]["layout"]]
        own = names_of(told["domain"]["form"], told["domain"]["layout"])
        if names != own or sorted(names) != sorted(told["domain"]["fields"]):
            raise ProofError("columns of the data and fields of a record that are not one to one")
        check_types(told["domain"]["layout"], told["domain"]["fields"])
        paths = tuple(_path(told, each) for each in told["paths"])
        if not paths:
            raise ProofError("no path")
        _check_complete([[truth for _, truth in each.conditions] for each in paths])
        _check_same_questions(told["paths"])
        cost = Cost()
        for each in paths:
            cost = cost.most(cost_of(each.program))
        cost = cost.of_group(_group(told))
        kind, parameters = str(told["claim"]["kind"]), dict(told["claim"]["parameters"])
        target = float(_of_claim(kind, parameters).pop(MEASURED[kind]))
        found = upper_bound(cost, kind, **parameters)
        stated = float(told["upper"])
    except ProofError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError, OverflowError) as problem:
        raise ProofError(f"not in its form: {type(problem).__name__}: {problem}") from None
    if not found <= stated * AT_MOST or not stated <= found * (1 + 1e-9):
        raise ProofError(f"the proof supports {found!r}, and {stated!r} is stated")
    if not found <= target * AT_MOST:
        raise ProofError(f"the proof supports {found!r}, and {target!r} is claimed")
    return paths, found


def _of_claim(kind: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The numbers of a claim; ProofError for others than it has, and for such as no claim has."""
    numbers = [each for each in parameters.values() if type(each) in (int, float) and math.isfinite(each)]
    named = set(parameters) == OTHERS.get(kind, set()) | {MEASURED[kind]} and len(numbers) == len(parameters)
    if named and min(numbers) >= 0 and parameters.get("delta", 0) < 1 < parameters.get("order", 2):
        return parameters
    raise ProofError(f"a claim {kind} with {parameters}")


def _group(told: Mapping[str, Any]) -> int:
    """The most records that change together; more than one only where records are added or removed."""
    records = told["records"]
    if (
        type(records) is not int
        or not 1 <= records <= MOST_RECORDS
        or (records > 1 and told["relation"] != "add-remove")
    ):
        raise ProofError(f"a change of {records!r} records under {told['relation']!r}")
    return records


def _path(told: Mapping[str, Any], path: Mapping[str, Any]) -> CheckedPath:
    if told["relation"] not in ("add-remove", "replace"):
        raise ProofError(f"the relation {told['relation']!r}")
    program = ProofProgram(told["relation"], told["domain"]["fields"])
    nodes: list[Node] = []
    for place, each in enumerate(path["nodes"]):
        if not all(type(at) is int and 0 <= at < place for at in each["in"]):
            raise ProofError("an operand that comes later")
        _ = [_place(at) for at, _ in each["params"].get("given", ())]
        nodes.append(program.append(str(each["op"]), *(nodes[at] for at in each["in"]), **each["params"]))
        if program.places[nodes[-1]] != place:
            raise ProofError("an operation that stands twice")
    conditions = tuple((nodes[_place(at)], bool(truth)) for at, truth in path["conditions"])
    if any(node.level != "public" or node.kind != "bool" or node.shape for node, _ in conditions):
        raise ProofError("a branch on what is not released")
    returned = path["returned"]
    for node in _leaves(returned):
        if nodes[_place(node)].level != "public":
            raise ProofError("what is returned is not released")
    ways = tuple(tuple((nodes[_place(at)], bool(truth)) for at, truth in way) for way in path["ways"])
    if any(node.kind != "bool" or node.shape or node.level == "private" for way in ways for node, _ in way):
        raise ProofError("a way of a record by what is no condition of one record")
    return CheckedPath(program, conditions, returned, ways)


def _place(at: Any) -> int:
    """The place of an operation, counted from the first."""
    if type(at) is not int or at < 0:
        raise ProofError(f"the operation at {at!r}")
    return at


def _leaves(returned: Any) -> list[int]:
    """The nodes that are returned."""
    kind, value = returned["kind"], returned["value"]
    if kind == "node":
        return [value]
    if kind in ("list", "tuple"):
        return [node for each in value for node in _leaves(each)]
    return [node for _, each in value for node in _leaves(each)] if kind == "dict" else []


def _check_same_questions(paths: Sequence[Mapping[str, Any]]) -> None:
    """After the same answers, paths ask the same: the operations up to the question are equal."""
    asked: dict[tuple[bool, ...], str] = {}
    for path in paths:
        answers: tuple[bool, ...] = ()
        for at, truth in path["conditions"]:
            question = json.dumps([at, path["nodes"][: at + 1]], sort_keys=True)
            if asked.setdefault(answers, question) != question:
                raise ProofError("paths that ask different questions after the same answers")
            answers = (*answers, bool(truth))


def _check_complete(paths: list[list[bool]]) -> None:
    """Both answers to each condition begin paths that are there."""
    if paths == [[]]:
        return
    for truth in (True, False):
        side = [each[1:] for each in paths if each and each[0] is truth]
        if not side or any(not each for each in paths):
            raise ProofError("an answer to a condition that no path takes")
        _check_complete(side)
