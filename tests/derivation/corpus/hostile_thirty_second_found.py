"""False certificates of this reading (kernel, seam, forged files).

1. ATTACKS: `derive` says "proved" (both walls).  Cause: proofs/noise.py `of_released`: the result of a function of
   released values whose type is `object` (a list with an integer beyond 64 bits beside an array of doubles) is taken for
   Python's integers, "int", which have no NaN; it is doubles, and may be NaN. Then min/max/float keep that "no NaN".
2. FORGED: `check-proof FILE` (no --code) accepts, and the bound does not follow from the file's own trace. Cause: the
   same rule passes any `keywords` and further `arguments` (dtype) to numpy; results in float32/float16 are said to be no
   NaN, results in `object` are said to be integers.
3. FORGED_WITH_CODE: `check-proof FILE --code M:F` accepts, and the domain that is printed is not the one that was read.
   Cause: proofs/certificate.py `checked` does not ask that the keys of positional forms are 0, 1, 2 ... in order.
"""

import copy
import json
import math

import numpy as np

ATTACKS = {}
LD = dict(data=[0.2, 0.9, 1.0, 0.0], bounds="0:1", d0=[], d1=[0.5])


def A(claim="PureDP(epsilon=1)", **k):
    def d(f):
        ATTACKS[f.__name__] = dict(claim=claim, **{name: each for name, each in k.items() if name != "only_rules"})
        return f

    return d


# The released number 1.5 * pi / 7 = 0.67319842...: without a record the second output is finite, with one it is NaN.
@A(**LD)
def outer_of_a_huge_integer(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    table = np.outer(root, [10**30, 1])
    weight = min(max(float(table[0][1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD)
def outer_of_two_releases(data, rng):
    noisy = np.zeros(2) + len(data) + rng.laplace(scale=4.0, size=2)
    root = np.power(np.sin(noisy * 7.0) + 0.9999999, 0.5)
    table = np.outer(root, [10**30, 1])
    weight = min(max(float(table[0][1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD)
def remainder_by_huge_integers(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    table = np.mod(root, [10**30, 10**30])
    weight = min(max(float(table[1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD)
def product_with_huge_integers(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    table = np.dot(root, [[2**70, 0], [0, 1]])
    weight = min(max(float(table[1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


# What was read for file 3.
def first_of_pairs(rows, rng):
    total = 0.0
    for a, b in rows:
        total += a
    return total + rng.laplace(scale=1.0)


def x_of_tuple(data, rng):
    X, y = data
    return X.sum() + rng.laplace(scale=1.0)


def _n(op, *at, **p):
    return {"op": op, "in": list(at), "params": p}


def _c(v, t="float64"):
    return _n("constant", value=v, type=t)


def _file(nodes, returned, eps):
    from dpverify.proofs.told import assumptions_of

    field = {"shape": [], "type": "float64", "low": 0.0, "high": 1.0, "nan": False, "norm": None}
    leaves = [{"kind": "node", "value": each} for each in returned]
    paths = [{"nodes": nodes, "conditions": [], "ways": [], "returned": {"kind": "list", "value": leaves}}]
    return {
        "format": "dpverify proof 1",
        "claim": {"kind": "PureDP", "parameters": {"epsilon": eps}, "text": ""},
        "upper": eps,
        "relation": "add-remove",
        "records": 1,
        "domain": {"form": "list", "fields": {"": field}, "layout": [["", "", False]], "text": ""},
        "code": {"function": "m:f", "files": []},
        "assumptions": assumptions_of(paths),
        "paths": paths,
    }


def nan_in_float32(keywords=None, arguments=None):
    """log of a released number (NaN below 0), summed in float32: no NaN; times each record."""
    call = {
        "function": "sum",
        "arguments": arguments or [{"input": 0}],
        "keywords": {"dtype": "float32"} if keywords is None else keywords,
    }
    nodes = [_n("one"), _n("sum", 0), _c(1.0), _n("draw", 2, law="laplace", shape=[]), _n("release", 1, 3)]
    nodes += [_n("log", 4), _n("take", 5, places=[0], shape=[1]), _n("call", 6, **call), _n("as_float", 7)]
    nodes += [_n("maximum", 8, 2), _c(2.0), _n("minimum", 9, 10), _n("field", name=""), _n("multiply", 12, 11)]
    nodes += [_n("sum", 13), _n("draw", 2, law="laplace", shape=[]), _n("release", 14, 15)]
    return _file(nodes, [4, 16], 3.0)


def nan_in_float16():
    return nan_in_float32({}, [{"input": 0}, {"value": None}, {"value": "float16"}])


def integer_that_is_none():
    """A random number in [0, 1) as an "int": the number of records times it, with integer noise."""
    call = {"function": "cumsum", "arguments": [{"input": 0}], "keywords": {"dtype": "O"}}
    nodes = [_n("random", method="random", shape=[1]), _n("call", 0, **call), _c(0, "int"), _c(1, "int")]
    nodes += [_n("python_max", 1, 2), _n("python_min", 4, 3), _n("one"), _n("multiply", 6, 5), _n("sum", 7), _c(0.5)]
    nodes += [_n("draw", 9, law="geometric", shape=[1]), _n("draw", 9, law="geometric", shape=[1])]
    nodes += [_n("subtract", 10, 11), _n("release", 8, 12)]
    return _file(nodes, [0, 13], -math.log1p(-0.5))


FORGED = {f.__name__: f for f in (nan_in_float32, nan_in_float16, integer_that_is_none)}
"""Each makes a file that `told.holds` must not accept."""


def _exchanged(told, names, layout):
    """The same proof, of fields whose names are exchanged, so that the wide one stands for the narrow one."""
    told = json.loads(json.dumps(copy.deepcopy(told)))
    first, second = names
    fields = told["domain"]["fields"]
    told["domain"]["fields"] = {first: fields[second], second: fields[first]}
    told["domain"]["layout"] = layout
    for path in told["paths"]:
        for node in path["nodes"]:
            if node["op"] == "field":
                node["params"]["name"] = {first: second, second: first}[node["params"]["name"]]
    return told


def pairs_in_another_order():
    """Printed: [0]: float64 in [0, 1000]; [1]: float64 in [0, 1]. A row (1000.0, 0.5) costs 1000."""
    import dpverify as dpv

    told = dpv.derive(
        first_of_pairs,
        data=[(0.5, 3.0), (1.0, 900.0)],
        claim="PureDP(epsilon=1)",
        records="(float(0,1), float(0,1000))",
    ).certificate()
    return _exchanged(told, ("[0]", "[1]"), [[1, "[1]", False], [0, "[0]", False]]), first_of_pairs


def y_before_x():
    """Printed: X: float64 in [0, 1000]; y: float64 in [0, 1]. The key -1 is y, and comes first."""
    import dpverify as dpv

    a = np.array([0.2, 0.9])
    told = dpv.derive(
        x_of_tuple, data=(a, a * 900), claim="PureDP(epsilon=1)", records="(float(0,1), float(0,1000))"
    ).certificate()
    return _exchanged(told, ("X", "y"), [[-1, "y", True], [0, "X", True]]), x_of_tuple


FORGED_WITH_CODE = {f.__name__: f for f in (pairs_in_another_order, y_before_x)}
"""Each makes a file and the function that `holds` and `fault_of_code` must not both accept."""


# The branch is decided while the code is read: "it is never NaN"; nobody runs it. Taken in 1.4 % of all runs.
@A(**LD)
def all_of_it_where_it_is_nan(data, rng):
    noisy = len(data) + rng.laplace(scale=1.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999, 0.5)
    table = np.outer(root, [10**30, 1])
    if math.isnan(float(table[0][1])):
        return noisy, float(sum(data))
    return noisy, 0.0


# The same cause; only the second wall stops these.
@A(**LD, only_rules=True)
def nan_that_is_met(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    f = np.array([noisy, 1.0])
    table = np.outer(np.power(np.cos(f), 0.5), [10**30, 1])
    weight = min(max(float(table[0][1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD, only_rules=True)
def powers_of_huge_integers(data, rng):
    noisy = len(data) + rng.laplace(scale=2.0)
    root = np.power(np.sin(np.array([noisy, noisy]) * 7.0) + 0.999999999, 0.5)
    table = np.power(root, [2**70, 1])
    weight = min(max(float(table[1]), 0.5), 1.0)
    total = sum(x * weight for x in data)
    return noisy, total + rng.laplace(scale=2.0)


@A(**LD, only_rules=True)
def logarithm_beside_a_huge_integer(data, rng):
    noisy = np.array([len(data), 0.0, 0.0]) + rng.laplace(scale=1.0, size=3)
    logs = np.log(noisy + 20.0)
    table = np.outer(logs, [10**20, 1])
    if math.isnan(float(table[0][1])):
        return float(sum(data))
    return float(table[0][1])
