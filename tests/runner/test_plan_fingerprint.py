"""A plan's fingerprint: the same wherever the same bits come out, and another one where they may not."""

import dataclasses

from dpverify.core.plugins import registry
from dpverify.datasets import files
from dpverify.runner.plan import suite_plan
from dpverify.runner.plan_fingerprint import fingerprint
from dpverify.runner.regressions import Regression, save


def planned(**words):
    given = {"suite": "core", "profile": "quick", "seed": 0, "confidence": 0.999, "trials": 1000, **words}
    return suite_plan(registry(), **given).only("laplace")


def others(one, two):
    """The names under which two fingerprints differ."""
    return {name for name in {*one, *two} if one.get(name) != two.get(name)}


def test_the_same_words_give_the_same_one_and_cores_are_no_part_of_it():
    found = fingerprint(planned())
    assert found == fingerprint(planned())
    assert not {"cores", "cpu"} & found.keys()
    assert all(isinstance(value, str) for value in found.values())


def test_budget_seed_and_methods_are_the_plans():
    own = fingerprint(planned())
    for words in ({"trials": 2000}, {"seed": 1}, {"confidence": 0.9}, {"methods": ("event",)}):
        assert others(own, fingerprint(planned(**words))) == {"plan"}


def test_other_claims_are_another_plan():
    plan = planned()
    assert others(fingerprint(plan), fingerprint(dataclasses.replace(plan, units=()))) == {"plan"}


def test_saved_failures_are_named(tmp_path):
    own = fingerprint(planned(regressions=str(tmp_path)))
    assert own["saved failures"] == "none"
    save([Regression(claim="laplace", auditor="event", d0=[0.0], d1=[1.0])], tmp_path)
    assert others(own, fingerprint(planned(regressions=str(tmp_path)))) == {"saved failures"}


def test_data_sets_that_are_not_there_are_missed(tmp_path, monkeypatch):
    plan, (own, *_) = planned(), [name for name, one in registry().datasets.items() if one.available()]
    assert own in fingerprint(plan)["data sets"]
    monkeypatch.setenv(files.VARIABLE, str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    there = [name for name, one in registry().datasets.items() if one.available()]
    assert fingerprint(plan)["data sets"] == ", ".join(there)
