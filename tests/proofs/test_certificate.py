"""A file of a proof that was changed is refused."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest

from dpverify.definitions.claims import guarantee_of
from dpverify.derivation.derive import derive
from dpverify.proofs.certificate import checked, read
from dpverify.proofs.check import check
from dpverify.proofs.operations import ProofError
from tests.derivation.corpus.right import RIGHT

CASES = {case.name: case for case in RIGHT}
CHANGED = ("mean_if", "hist_elif", "vec_sum2", "sum_loop_if", "rows_dicts", "two_stage")


def told(name: str) -> dict:
    case = CASES[name]
    found = derive(case.function, claim=guarantee_of(case.claim), data=case.data, **case.domain)
    return json.loads(json.dumps(found.certificate()))


def places(value, at=()):
    """Every leaf of a JSON value, by the way to it."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from places(each, (*at, key))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from places(each, (*at, place))
    else:
        yield at


def changed(value, at, new):
    value = copy.deepcopy(value)
    inner = value
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = new
    return value


def other(rng, value):
    """Another value of the same form, that means something else."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + int(rng.choice([-2, -1, 1, 2]))
    if isinstance(value, float):
        return value * float(rng.choice([0.5, 0.99, 1.01, 2.0, -1.0])) if value else 1.0
    swaps = {"add": "subtract", "minimum": "maximum", "less": "less_equal", "laplace": "normal", "sum": "take"}
    return swaps.get(value, "nothing of this kind") if isinstance(value, str) else "nothing of this kind"


SAID = ("text", "assumptions", "format")
"""What is read by people: changed, it changes no proof."""


def test_random_corruptions_are_refused():
    """By the rules, or beside the code.

    What passes is the proof of a domain or a claim that holds as well, of a public number that no path's cost rests on,
    or of one that names the same number otherwise.
    """
    rng, refused, passed = np.random.default_rng(1), 0, 0
    for name in CHANGED:
        whole, function = told(name), CASES[name].function
        leaves = [at for at in places(whole) if not set(at) & set(SAID) and at[-1] not in ("sha256", "module")]
        for _ in range(45):
            at = leaves[int(rng.integers(len(leaves)))]
            inner = whole
            for key in at:
                inner = inner[key]
            worse = changed(whole, at, other(rng, inner))
            try:
                upper = check(worse, function)
            except ProofError:
                refused += 1
            else:
                passed += 1
                assert at[0] in ("domain", "claim") or upper == pytest.approx(whole["upper"], rel=1e-9), at
    assert refused >= 200, (refused, passed)


BY_HAND = {
    "a smaller number": (("upper",), 0.5),
    "a smaller claim": (("claim", "parameters", "epsilon"), 0.9),
    "another kind of claim": (("claim", "kind"), "GDP"),
    "an unknown kind": (("claim", "kind"), "Privacy"),
    "another relation": (("relation",), "replace"),
    "no relation": (("relation",), "some"),
    "no path": (("paths",), []),
    "NaN for a number": (("upper",), math.nan),
    "a text for a number": (("upper",), "one"),
    "an infinite claim": (("upper",), math.inf),
    "no nodes": (("paths", 0, "nodes"), []),
    "no domain": (("domain",), {}),
}


@pytest.mark.parametrize("why", BY_HAND)
def test_corruptions_by_hand_are_refused(why):
    at, new = BY_HAND[why]
    with pytest.raises(ProofError):
        check(changed(told("mean_if"), at, new), CASES["mean_if"].function)


@pytest.mark.parametrize("place", range(2))
def test_a_path_less_is_refused(place):
    whole = told("mean_if")
    del whole["paths"][place]
    with pytest.raises(ProofError, match="no path takes"):
        checked(whole)


def nodes(whole, op):
    return [(at, node) for at, node in enumerate(whole["paths"][0]["nodes"]) if node["op"] == op]


def test_a_draw_used_twice_is_refused():
    whole = told("hist_elif")
    releases = nodes(whole, "release")
    releases[1][1]["in"][1] = releases[0][1]["in"][1]
    with pytest.raises(ProofError, match="twice"):
        checked(whole)


def test_a_private_value_that_is_returned_is_refused():
    whole = told("sum_loop_if")
    (at, _), *_ = nodes(whole, "sum")
    whole["paths"][0]["returned"] = {"kind": "node", "value": at}
    with pytest.raises(ProofError, match="not released"):
        checked(whole)


def test_a_release_without_noise_is_refused():
    whole = told("sum_loop_if")
    (_, release), *_ = nodes(whole, "release")
    release["in"][1] = release["in"][0]
    with pytest.raises(ProofError, match="noise"):
        checked(whole)


def test_a_smaller_scale_is_refused_by_the_cost():
    whole = told("count_if")
    (_, draw), *_ = nodes(whole, "draw")
    whole["paths"][0]["nodes"][draw["in"][0]]["params"]["value"] = 0.9
    with pytest.raises(ProofError, match="supports"):
        checked(whole)


def test_another_narrowing_is_refused_beside_the_code():
    whole = told("sum_loop_if")
    constants = [node for _, node in nodes(whole, "constant") if node["params"]["value"] == 1.0]
    constants[0]["params"]["value"] = 0.9
    with pytest.raises(ProofError):
        check(whole, CASES["sum_loop_if"].function)


def test_a_file_that_is_none_is_refused(tmp_path):
    path = tmp_path / "proof.json"
    with pytest.raises(ProofError, match="cannot be read"):
        read(path)
    path.write_text("{}")
    with pytest.raises(ProofError, match="is no"):
        read(path)
    path.write_text("[" * 100_000)
    with pytest.raises(ProofError, match="cannot be read"):
        read(path)


def test_paths_that_ask_different_questions_are_refused():
    whole = told("mean_if")
    (at, _), *_ = [each for each in nodes(whole, "constant") if each[1]["params"]["value"] == 1]
    whole["paths"][1]["nodes"][at]["params"]["value"] = 2
    with pytest.raises(ProofError, match="different questions"):
        checked(whole)
