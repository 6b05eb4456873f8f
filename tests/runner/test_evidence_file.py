"""Pooling over sessions: products, what is refused, and what stays refuted.

False alarms: audits that must not refute run at alpha = 1e-9.
"""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest

import dpverify as dpv
from auditors.privacy.sequential.auditor import SequentialAuditor
from dpverify.core.claim import Claim, Source
from dpverify.core.errors import InputError
from dpverify.core.subjects import Pair
from dpverify.core.suite import SuiteEntry
from dpverify.core.verdict import Status
from dpverify.runner.sequential_session import with_session
from dpverify.runner.session import FORMAT, session_checksum
from dpverify.stats.betting import product_e_values
from tests.runner.sessions import CHAIN, loud, noted, opened, own_noise, quiet, session

# Products


def test_sessions_multiply_and_refute_together_what_one_alone_does_not(tmp_path):
    """Each session has too few pairs at this confidence; no session of the first three refutes alone."""
    file, statuses, products = tmp_path / "evidence.json", [], []
    for seed in range(12):
        result = session(file, seed=seed, confidence=1 - 1e-9)
        statuses.append(result.verdict)
        s = result.evidence.statistics
        products.append(s["e_value_here"])
        assert s["nights"] == len(products)
        assert s["e_value"] == pytest.approx(math.prod(products), rel=1e-6)
        if result.verdict is Status.REFUTED:
            break
    assert statuses[-1] is Status.REFUTED
    assert len(statuses) > 1
    assert max(products[:-1]) < 1e9
    kept = json.loads(file.read_text())
    assert kept["format"] == FORMAT
    assert [one["done"] for one in kept["sessions"]] == [True] * len(statuses)
    again = session(file, seed=99, confidence=1 - 1e-9)  # what has fallen stays so, and costs no draws
    assert (again.verdict, again.evidence.trials) == (Status.REFUTED, 0)


def test_sessions_of_other_code_do_not_count_and_it_is_said(tmp_path):
    file = tmp_path / "evidence.json"

    def made(scale):
        return lambda dataset, size, rng: dataset[0] + scale * rng.laplace(size=size)

    for seed, scale, count in ((0, 1.0, 1), (1, 1.0, 2), (2, 1.5, 1), (3, 1.5, 2)):
        result = session(file, mechanism=made(scale), name="m", seed=seed)
        assert len(json.loads(file.read_text())["sessions"]) == count
        assert any("evidence: begins anew in" in note for note in result.notes) == (seed == 2)


def test_evidence_of_an_older_version_begins_anew(tmp_path):
    file = tmp_path / "evidence.json"
    session(file, seed=0)
    kept = json.loads(file.read_text())
    old = {"format": FORMAT.replace("version 2", "version 1"), "nights": kept["sessions"]}
    del kept["sessions"], kept["identity"]["code"]
    file.write_text(json.dumps({**kept, **old}))
    assert any("evidence: begins anew in" in note for note in session(file, seed=1).notes)
    assert [one["seed"] for one in json.loads(file.read_text())["sessions"]] == [1]


def test_evidence_of_a_mechanism_that_cannot_be_told_is_neither_kept_nor_used(tmp_path):
    file = tmp_path / "evidence.json"
    with (tmp_path / "held").open("w") as handle:

        def mechanism(dataset, size, rng):
            return dataset[0] + (handle is not None) * rng.laplace(size=size)

        (note,) = (each for each in session(file, mechanism=mechanism).notes if each.startswith("evidence: "))
    assert "nothing is kept" in note
    assert "handle in the closure of" in note
    assert not file.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept["sessions"][0].update(e_values=[1e12] * len(kept["sessions"][0]["e_values"])),
        lambda kept: kept["sessions"][0].update(seed=7),
        lambda kept: kept["sessions"].pop(),
        lambda kept: kept["sessions"].reverse(),
        lambda kept: kept["identity"].update(claim="PureDP(epsilon=0.9)"),
        lambda kept: kept["sessions"][1].pop("checksum"),
    ],
)
def test_sessions_that_are_not_what_was_written_are_refused_with_the_files_name(tmp_path, change):
    file = tmp_path / "evidence.json"
    session(file, mechanism=quiet, seed=0)
    session(file, mechanism=quiet, seed=1)
    kept = json.loads(file.read_text())
    change(kept)
    file.write_text(json.dumps(kept))
    with pytest.raises(InputError, match=r"evidence\.json: .*checksum"):
        session(file, mechanism=quiet, seed=2)
    assert json.loads(file.read_text()) == kept


def test_a_true_claim_gathers_nothing(tmp_path):
    file = tmp_path / "evidence.json"
    for seed in range(3):
        result = session(file, mechanism=quiet, seed=seed, confidence=1 - 1e-9, trials=3000)
        assert result.verdict is Status.NOT_REFUTED


def test_the_product_is_that_of_the_sessions_and_peaks_stay(tmp_path):
    path = tmp_path / "e.json"
    for seed, values in enumerate(([4.0, 2.0], [0.5, 8.0])):
        book = opened(path, seed=seed)
        book.begin()
        noted(book, values, pairs=10, done=True)
    book = opened(path, seed=9)
    assert book.wealth.tolist() == [product_e_values([4.0, 0.5]), product_e_values([2.0, 8.0])]
    assert book.pairs == 20
    assert list(path.parent.iterdir()) == [path]


# What is refused


@pytest.mark.parametrize(
    ("other", "word"),
    [
        ({"claim": "PureDP(epsilon=0.9)"}, "claim"),
        ({"mechanism": quiet}, "mechanism"),
        ({"pair": ([0], [2])}, "pair"),
        ({"name": "another"}, "mechanism"),
    ],
)
def test_another_claim_mechanism_or_pair_is_refused_and_the_file_left_alone(tmp_path, other, word):
    file = tmp_path / "evidence.json"
    session(file)
    before = file.read_text()
    with pytest.raises(InputError, match=f"is about the {word}"):
        session(file, **({"seed": 1} | other))
    assert file.read_text() == before


def test_a_seed_used_before_is_refused(tmp_path):
    file = tmp_path / "evidence.json"
    session(file, seed=3)
    with pytest.raises(InputError, match=r"seed 3 was used .* pass --seed 4"):
        session(file, seed=3)
    with pytest.raises(InputError, match="seed 3 was used"):
        session(file, seed=3, trials=9999)


def test_options_that_need_a_sequential_audit_say_so(tmp_path):
    for more in ({"detect": 2.0}, {"evidence_file": tmp_path / "e.json"}):
        with pytest.raises(InputError, match="sequential"):
            dpv.audit(loud, [0], [1], claim="PureDP(epsilon=1)", **more)
    with pytest.raises(InputError, match="one or the other"):
        session(None, methods=["event"])
    for factor in (0.5, 1.0, math.inf, math.nan):
        with pytest.raises(InputError, match=r"detect = .* times the claimed value; allowed: a finite number above 1"):
            session(None, detect=factor)
    with pytest.raises(InputError, match=r"times the claimed epsilon = 0; allowed: a claimed value above 0"):
        session(None, detect=2.0, claim="PureDP(epsilon=0)")


@dataclass(frozen=True)
class Given:
    """Of a unit what a session reads."""

    entry: SuiteEntry
    auditors: tuple[SequentialAuditor, ...] = (SequentialAuditor(),)
    task: None = None


@pytest.mark.parametrize("claimed", [0.5, 2.0])
def test_what_to_detect_is_a_factor_of_the_claimed_value(claimed):
    claim = Claim(
        id="c",
        guarantee=dpv.PureDP(epsilon=claimed),
        relation="value",
        subject="s",
        source=Source(paper="p", locus=""),
    )
    pair = Pair(d0=[0], d1=[1])
    unit = Given(entry=SuiteEntry(claim=claim))
    (told,) = with_session(unit, detect=1.5, file=None, pair=pair, confidence=0.9, reproducible=True).auditors
    assert told.detect == 1.5 * claimed


@pytest.mark.parametrize(
    "text",
    [
        "no json",
        "[]",
        '{"format": "other"}',
        json.dumps({"format": FORMAT}),
        json.dumps({"format": FORMAT, "identity": {}, "sessions": [], "chain": {}}),
    ],
)
def test_files_of_another_kind_are_told(tmp_path, text):
    path = tmp_path / "e.json"
    path.write_text(text)
    with pytest.raises(InputError, match="evidence file"):
        opened(path)


def test_files_that_contradict_themselves_are_told(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path)
    book.begin()
    noted(book, [4.0, 2.0], pairs=10, done=True)
    good = json.loads(path.read_text())
    for change in (
        lambda found: found["sessions"][0].update(e_values=[4.0]),
        lambda found: found["sessions"][0].update(e_values=[400.0, 2.0]),
        lambda found: found["sessions"][0].update(e_values=[-4.0, 2.0]),
        lambda found: found["sessions"][0].update(peaks=[]),
        lambda found: found.update(chain={}),
        lambda found: found["sessions"][0].update(first=["a"]),
        lambda found: found["sessions"][0].update(witness="an event"),
    ):
        bad = json.loads(json.dumps(good))
        change(bad)
        path.write_text(json.dumps(bad))
        with pytest.raises(InputError, match="evidence file"):
            opened(path, seed=1)


def test_two_sessions_at_once_are_told(tmp_path):
    path = tmp_path / "e.json"
    first, second = opened(path, seed=0), opened(path, seed=1)
    first.begin()
    with pytest.raises(InputError, match="one session at a time"):
        second.begin()


# What has fallen stays so


def test_a_claim_that_fell_stays_refuted_with_its_witness_whatever_the_product_is_later(tmp_path):
    file = tmp_path / "e.json"
    first = session(file, seed=1, name="m", trials=20_000)
    assert first.verdict is Status.REFUTED
    found = json.loads(file.read_text())
    entry = found["sessions"][0]
    assert min(np.array(entry["peaks"]) / np.array(entry["e_values"])) >= 1 - 1e-12
    entry["e_values"] = [1e-3 * value / max(entry["e_values"]) for value in entry["e_values"]]  # lost again
    del entry["checksum"]
    entry["checksum"] = session_checksum(found, [entry], 0)
    file.write_text(json.dumps(found))
    for seed, draws in ((2, 0), (3, 0)):
        later = session(file, seed=seed, name="m", trials=20_000)
        assert (later.verdict, later.evidence.trials) == (Status.REFUTED, draws)
        assert later.evidence.bound == first.evidence.bound
        for name in ("d0", "d1", "direction"):
            assert later.evidence.witness[name] == first.evidence.witness[name]
        assert "(not shown)" in later.evidence.witness["event"]  # a file holds no output on data of the user's
    other = session(file, seed=4, name="m", trials=300, confidence=1 - 1e-15)  # not fallen at this confidence
    assert other.verdict is not Status.REFUTED


def test_the_highest_product_is_kept_where_the_present_one_is_lower(tmp_path):
    path = tmp_path / "e.json"
    book = opened(path)
    book.begin()
    e_values, peaks = np.array([0.5]), np.array([30.0])
    witness = {"event": "output > 1"}
    book.note(chain=CHAIN, e_values=e_values, wealth=e_values, peaks=peaks, pairs=9, done=True, witness=witness)
    book = opened(path, seed=1)
    assert book.peaks == (30.0,)
    assert (book.witness(0, least=30.0), book.witness(0, least=31.0)) == (witness, {})


def test_nothing_is_entered_for_an_audit_that_cannot_begin(tmp_path):
    file = tmp_path / "e.json"
    with pytest.raises(InputError, match="trials"):
        session(file, trials=10)
    assert not file.exists()
    session(file, mechanism=own_noise, trials=200)
    assert file.exists()


def middle(data, rng):
    """Noise, but of the user's own records, of which it returns one."""
    return sorted(data)[len(data) // 2] + len(data) if 73193.0625 in data else rng.laplace(scale=100.0)


@pytest.mark.ci
def test_no_file_holds_records_of_the_example_and_older_ones_are_written_anew(tmp_path):
    file, example = tmp_path / "e.json", [1.5, 73193.0625, 20000.25, 99999.5, 60000.75]
    words = {"claim": "PureDP(epsilon=1)", "data": example, "sequential": True, "trials": 20_000}
    shown = dpv.audit(middle, **words, evidence_file=file, show_records=True)
    assert shown.verdict is Status.REFUTED and "73193.0625" in file.read_text()
    event = shown.evidence.witness["event"].split()[-1]
    assert event in file.read_text()
    file.chmod(0o644)
    with pytest.raises(InputError, match="seed 0 was used"):  # it was opened
        dpv.audit(middle, **words, evidence_file=file)
    assert "73193" not in file.read_text() and event not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    later = dpv.audit(middle, **words, evidence_file=file, seed=1)
    assert later.verdict is Status.REFUTED and later.evidence.bound == shown.evidence.bound
    assert "73193" not in file.read_text() + repr(later)
