"""The thirty-sixth reading: one cause, and only in files written by hand.

FORGED_WITH_CODE: `check-proof FILE --code M:F` accepts, and what is printed is false of the data that the words are of.
Cause: the types of fields are not held against the container (proofs/layout.py `names_of`, proofs/rules.py `field`,
proofs/certificate.py `checked`): an *array* whose type is ``int``, Python's integers without end, is taken. Nobody has
such an array but one of dtype object, which `derive` refuses (derivation/domain.py `DTYPES`). The rules then say that
nothing wraps round, and the code is run on arrays of dtype object (proofs/check.py `_column`), where nothing does.
"""

import json

import numpy as np

ATTACKS = {}


class NoNoise:
    """The value before noise."""

    def laplace(self, loc=0.0, scale=1.0, size=None):
        return 0.0 if size is None else np.zeros(size)


def square_below_zero(data, rng):
    return np.sum(np.where(data * data < 0, 1000.0, 1.0)) + rng.laplace(scale=1.0)


def square_of_a_column_below_zero(data, rng):
    k = data["k"]
    return np.sum(np.where(k * k < 0, 1000.0, 1.0)) + rng.laplace(scale=1.0)


def square_of_y_below_zero(data, rng):
    X, y = data
    return np.sum(np.where(y * y < 0, 1000.0, 1.0)) + rng.laplace(scale=1.0)


INT = {"shape": [], "type": "int", "low": 0.0, "high": 2.0**32, "nan": False, "norm": None}
UNIT = {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None}


def _forged(function, form, fields, layout):
    from dpverify.definitions.claims import guarantee_of
    from dpverify.derivation.derive import judged_ways
    from dpverify.derivation.domain import Domain

    domain = Domain(form, fields, {key: (name, array) for key, name, array in layout}, "")
    found = judged_ways(function, domain, "add-remove", 1, guarantee_of("PureDP(epsilon=1)"))[0][1]
    return json.loads(json.dumps(found.certificate())), function


def array_of_pythons_integers():
    """[] gives 0, np.array([3037000500]) gives 1000: a loss of 1000 where 1 is certified."""
    return _forged(square_below_zero, "array", {"": INT}, [["", "", True]])


def column_of_pythons_integers():
    return _forged(square_of_a_column_below_zero, "columns", {"k": INT}, [["k", "k", True]])


def y_of_pythons_integers():
    return _forged(
        square_of_y_below_zero, "tuple", {"X": {**UNIT, "shape": [2]}, "y": INT}, [[0, "X", True], [1, "y", True]]
    )


FORGED_WITH_CODE = {
    f.__name__: f for f in (array_of_pythons_integers, column_of_pythons_integers, y_of_pythons_integers)
}
"""Each makes a file and the function that `holds` and `fault_of_code` must not both accept."""


def exponential_of_a_loose_condition():
    """FORGED, without --code: the trace puts np.exp(True), a float16 of 2.71875, and 2.718281828459 is stated.

    Cause: `loose` of a condition is a ``number`` (proofs/operations.py `type_of`), so that the check which refuses
    roots and exponentials of conditions ("the result is no double") does not see one.
    """
    from dpverify.proofs.cost import cost_of
    from dpverify.proofs.node import type_name  # noqa: F401
    from dpverify.proofs.program import ProofProgram
    from dpverify.proofs.told import assumptions_of

    fields = {"": {"shape": [], "type": "bool", "low": 0.0, "high": 1.0, "nan": False, "norm": None}}
    program = ProofProgram("add-remove", fields)
    part = program.append("exp", program.append("loose", program.append("field", name="")))
    noise = program.append("draw", program.constant(1.0), law="laplace", shape=[])
    out = program.append("release", program.append("sum", part), noise)
    upper = cost_of(program).pure
    nodes = [
        {"op": each.op, "in": [program.places[one] for one in each.inputs], "params": dict(each.params)}
        for each in program.nodes
    ]
    returned = {"kind": "node", "value": program.places[out]}
    paths = [{"nodes": nodes, "conditions": [], "ways": [], "returned": returned}]
    return {
        "format": "dpverify proof 1",
        "claim": {"kind": "PureDP", "parameters": {"epsilon": upper}},
        "upper": upper,
        "relation": "add-remove",
        "records": 1,
        "domain": {"form": "array", "fields": fields, "layout": [["", "", True]], "text": ""},
        "code": {"function": "a:f", "files": []},
        "assumptions": assumptions_of(paths),
        "paths": paths,
    }


FORGED = {"exponential_of_a_loose_condition": exponential_of_a_loose_condition}
"""Each makes a file that `holds` must not accept: by the product's own evaluation a record costs more."""
