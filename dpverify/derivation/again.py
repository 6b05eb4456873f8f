"""The code of a proof, read again: a certificate written by hand may leave out a branch that its runs do not meet."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from dpverify.derivation.calls import all_ways
from dpverify.derivation.domain import Domain
from dpverify.derivation.stop import NotDerivedError
from dpverify.derivation.written import path_written
from dpverify.proofs.replay import key_of


def read_otherwise(told: Mapping[str, Any], function: Callable[..., Any]) -> str:
    """Why the certificate does not say what the code does, as it is read here; empty where it does."""
    about = told["domain"]
    layout = {key_of(key): (name, array) for key, name, array in about["layout"]}
    try:
        (_, paths), *_ = all_ways(function, Domain(about["form"], about["fields"], layout, ""), told["relation"])
    except NotDerivedError as stop:
        return f"the code is not read so here: {stop}"
    written = json.loads(json.dumps([path_written(each) for each in paths]))
    return "" if written == told["paths"] else "the code is read otherwise here: derive it again"
