"""A derivation as a file that `dpverify.proofs.check` checks."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path as File
from typing import TYPE_CHECKING, Any

from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.values import Public
from dpverify.proofs.certificate import FORMAT
from dpverify.proofs.node import plain, type_name
from dpverify.proofs.program import ProofProgram
from dpverify.proofs.told import assumptions_of

if TYPE_CHECKING:
    from dpverify.derivation.domain import Domain
    from dpverify.derivation.paths import Path


def certificate(
    function: str, domain: Domain, relation: str, records: int, claim: Any, upper: float, paths: Sequence[Path]
) -> dict[str, Any]:
    """The proof, as JSON has it."""
    written = [path_written(each) for each in paths]
    return {
        "format": FORMAT,
        "claim": claim,
        "upper": upper,
        "relation": relation,
        "records": records,
        "domain": {
            "form": domain.form,
            "fields": domain.fields,
            "layout": [[list(key) if isinstance(key, tuple) else key, *told] for key, told in domain.layout.items()],
            "text": domain.text,
        },
        "code": {
            "function": function,
            "files": [_file(each) for each in sorted({name for path in paths for name in path.modules})],
        },
        "assumptions": assumptions_of(written),
        "paths": written,
    }


def path_written(path: Path) -> dict[str, Any]:
    """One path, as JSON has it."""
    return {
        "nodes": _nodes(path.program),
        "conditions": [[path.program.places[node], truth] for node, truth in path.conditions],
        "ways": _ways(path),
        "returned": _returned(path.returned, path.program),
    }


def _file(module: str) -> dict[str, str]:
    path = getattr(sys.modules.get(module), "__file__", None)
    if path is None:
        raise NotDerivedError(f"the module {module} has no file")
    return {"module": module, "sha256": hashlib.sha256(File(path).read_bytes()).hexdigest()}


def _nodes(program: ProofProgram) -> list[Mapping[str, Any]]:
    return [
        {"op": node.op, "in": [program.places[each] for each in node.inputs], "params": dict(node.params)}
        for node in program.nodes
    ]


def _ways(path: Path) -> list[list[list[Any]]]:
    """The conditions of each way of one record, each way once."""
    told = [[[path.program.places[node], truth] for node, truth in way] for way in path.ways if way]
    return list({json.dumps(each): each for each in told}.values())


def _returned(value: Any, program: ProofProgram) -> dict[str, Any]:
    if isinstance(value, Public):
        return {"kind": "node", "value": program.places[value.node]}
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "value": [_returned(each, program) for each in value]}
    if isinstance(value, dict):
        return {"kind": "dict", "value": [[plain(key), _returned(each, program)] for key, each in value.items()]}
    if value is None or isinstance(value, str):
        return {"kind": "plain", "value": value}
    return {"kind": "number", "value": plain(value), "type": type_name(value)}
