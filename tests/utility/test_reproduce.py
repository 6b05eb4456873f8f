"""Running experiments: the same bits in threads, in processes and after a kill; names; time left."""

from __future__ import annotations

import pytest

from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.utility import reproduce as module
from dpverify.utility.cells_to_do import seconds_left
from dpverify.utility.measured import DesignRun
from dpverify.utility.reproduce import How, chosen, reproduce
from tests.utility.designs import plain

NAME = "adpsgd-fig-1"


def values(found):
    return {name: plain(row.verdict.evidence[0].statistics["values"]) for name, row in found.rows.items()}


def test_threads_and_processes_give_the_same_bits(tmp_path):
    one = reproduce(registry(), [NAME], How(store=tmp_path / "a", backend="threads", jobs=2))
    two = reproduce(registry(), [NAME], How(store=tmp_path / "b", backend="processes", jobs=2))
    assert values(one) == values(two)
    assert one.left == 0


def test_what_is_finished_is_not_done_again(tmp_path, monkeypatch):
    whole = reproduce(registry(), [NAME], How(store=tmp_path / "whole"))
    made, real = [], module.done

    def breaks(words, picked, place):
        if len(made) == 3:
            raise KeyboardInterrupt
        made.append(place)
        return real(words, picked, place)

    monkeypatch.setattr(module, "done", breaks)
    cut = reproduce(registry(), [NAME], How(store=tmp_path / "cut"))
    assert cut.left > 0
    assert cut.rows == {}
    monkeypatch.setattr(
        module, "done", lambda words, picked, place: (made.append(place), real(words, picked, place))[1]
    )
    rest = reproduce(registry(), [NAME], How(store=tmp_path / "cut", resume=True))
    assert values(rest) == values(whole)
    assert len(made) == len(set(made)) == cut.left + 3


@pytest.mark.parametrize("how", ["a cell raises", "an arm has no noise"])
def test_what_fails_is_an_error_of_its_experiment_and_the_others_go_on(tmp_path, monkeypatch, how):
    known, broken, said = registry(), "adpsgd-table-2", "no noise"
    real, faults = module.done, DesignRun.faults
    if how == "a cell raises":
        said = "repetition 0: ValueError: no"

        def raises(words, picked, place):
            if module.work_of(words)[place].experiment == broken:
                raise ValueError("no")
            return real(words, picked, place)

        monkeypatch.setattr(module, "done", raises)
    else:
        monkeypatch.setattr(DesignRun, "faults", lambda run: [said] if run.design.name == broken else faults(run))
    found = reproduce(known, [broken, NAME], How(store=tmp_path))
    assert set(found.runs) == {NAME}
    status = {name: row.verdict.status.value for name, row in found.rows.items()}
    ids = [each.id for each in known.experiments.get(broken).statements]
    assert ids and {status.pop(name) for name in ids} == {"error"}
    assert set(status.values()) == {"not_refuted"}
    assert [found.rows[name].verdict.reason for name in ids if said not in found.rows[name].verdict.reason] == []


def test_names():
    known = registry()
    assert chosen(known, [NAME]) == [NAME]
    assert chosen(known, ["U-AP-FIG-1-FALLS"]) == [NAME]
    assert NAME in chosen(known, ["ADPSGD"])
    assert set(chosen(known, ["adpsgd-*"])) == set(chosen(known, ["ADPSGD"]))
    assert set(chosen(known, [])) == set(known.experiments)
    with pytest.raises(InputError, match="no experiment 'fig'"):
        chosen(known, ["fig"])


@pytest.mark.parametrize(("wrong", "said"), [({"profile": "long"}, "quick, full"), ({"backend": "mpi"}, "threads")])
def test_what_how_refuses(tmp_path, wrong, said):
    with pytest.raises(InputError, match=said):
        How(store=tmp_path, **wrong)


def test_nothing_to_resume(tmp_path):
    with pytest.raises(InputError):
        reproduce(registry(), [NAME], How(store=tmp_path, resume=True))


def test_seconds_left():
    assert seconds_left({}, {"a": 3}, jobs=2) is None
    assert seconds_left({"a": [1.0, 3.0]}, {"a": 4, "b": 2}, jobs=2) == pytest.approx((4 * 2 + 2 * 2) / 2)
