"""The code of a proof, read and run again: a file written by hand may leave out a branch that runs do not meet."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.derive import beside_its_code, judged_ways
from dpverify.derivation.domain import Domain
from dpverify.derivation.stop import NotDerivedError
from dpverify.proofs.check import check_code
from dpverify.proofs.operations import ProofError
from dpverify.proofs.replay import key_of


def fault_of_code(told: Mapping[str, Any], function: Callable[..., Any]) -> str:
    """Say why the code does not do what its certificate says, in each way of a call; empty where it does."""
    about, claim = told["domain"], told["claim"]
    layout = {key_of(key): (name, array) for key, name, array in about["layout"]}
    parameters = ", ".join(f"{name}={each!r}" for name, each in claim["parameters"].items())
    guarantee = guarantee_of(f"{claim['kind']}({parameters})")
    domain = Domain(about["form"], about["fields"], layout, about["text"])
    try:
        check_code(told, function)
        ways = judged_ways(function, domain, told["relation"], told["records"], guarantee)
        found = ways[0][1]
        if found.outcome != "proved" or json.loads(json.dumps(found.certificate()))["paths"] != told["paths"]:
            return "the code is read otherwise here: derive it again"
        beside_its_code(ways, function)
    except (ProofError, NotDerivedError) as problem:
        return str(problem)
    return ""
