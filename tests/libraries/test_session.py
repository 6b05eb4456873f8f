"""A table of a library: what each row is called, the share of the false-alarm probability, resuming, exit status."""

import re
from dataclasses import replace
from functools import partial

import pytest

from dpverify.core.errors import InputError, exit_status
from dpverify.core.plugins import registry
from dpverify.definitions.grammar import parse_guarantee
from dpverify.libraries import session as sessions
from dpverify.libraries.session import FALSE_ALARM_RATE, LibrarySession, audit_there, record_of, word_of, words_of
from dpverify.libraries.tables import coverage, markdown, text, write_table
from dpverify.runner.recheck import recheck
from tests.libraries.fake import FakeLibrary, constant, failing, right, right_single, twin, wrong
from tests.libraries.page import read_table


@pytest.fixture
def fake(monkeypatch):
    """Installs a fake library and gives its session."""

    def install(*claims, **asked):
        library = FakeLibrary(*claims)
        monkeypatch.setattr(sessions, "find_library", lambda name: library)
        sessions._offers.cache_clear()
        sessions._by_id.cache_clear()
        return LibrarySession(library="fake", version="1.0", trials=20_000, **asked)

    yield install
    sessions._offers.cache_clear()
    sessions._by_id.cache_clear()


def records(session):
    asked = session.asked()
    ids = tuple(each.id for each in session.chosen())
    found = [audit_there("fake", session.profile, ids, asked, place) for place in range(len(ids))]
    return [record_of(session, each, made, "", asked) for each, made in zip(session.chosen(), found, strict=True)]


def table(session, made):
    offers = session.offers()
    return sessions.LibraryResult(
        session=session,
        records=tuple(made),
        not_examined=offers.not_examined,
        aside=offers.aside,
        constructors=offers.constructors,
        seconds=1.0,
        recorded="recorded: numpy's generator",
    )


def test_a_right_one_stands_a_wrong_one_is_refuted_and_its_twin_is_found(fake):
    session = fake(right(), wrong(), twin(), failing(), constant())
    made = records(session)
    assert [word_of(each) for each in made] == ["stands", "refuted", "found", "error", "inconclusive"]
    assert exit_status(words_of(made)) == 1
    assert exit_status(words_of([made[0], made[2]])) == 0
    assert exit_status(words_of([made[0], made[3]])) == 3
    assert made[1]["bound"] > 1.0
    assert [each["report"] for each in made] == [None, "fake/fake#7", None, None, None]
    assert "no release today" in made[3]["reason"]
    shown = text(table(session, made))
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "refuted: wrong" in shown
    assert "constructors examined: 4 of 5 (80 %)" in shown
    assert "mystery: no values are known for its parameter x" in shown
    view = table(session, made).view()
    assert list(view.dots.rows) == [(each["id"], (each["claimed"], each["bound"])) for each in made]
    assert made[1]["claimed"] < made[1]["bound"]
    page = markdown(table(session, made))
    assert "**refuted** `wrong`" in page
    assert "fake 1.0" in page


def test_a_twin_that_is_not_found_is_missed_and_fails(fake):
    session = fake(right(), right().__class__(**{**_fields(right()), "id": "t", "twin": "nothing was broken"}))
    made = records(session)
    assert word_of(made[1]) == "MISSED"
    assert exit_status(words_of(made)) == 1


def test_a_refutation_that_single_calls_do_not_repeat_is_no_refutation(fake):
    (made,) = records(fake(wrong(single=right_single)))
    assert word_of(made) == "inconclusive"
    assert re.match(r"refuted once \(epsilon >= [12]\.\d+\), and not again with fresh draws", made["reason"])
    assert made["bound"] < 1.0  # the evidence is the second audit's, and can be rechecked
    read = partial(parse_guarantee, definitions=dict(registry().definitions.items()))
    assert recheck(made, read=read, auditors=dict(registry().auditors.items())).says == "agrees"


def test_the_share_of_the_false_alarm_probability_is_that_of_the_whole_table(fake):
    session = fake(right(), wrong(), twin(), only="right")
    assert [each.id for each in session.chosen()] == ["right"]
    assert session.asked().alpha == FALSE_ALARM_RATE / 3


def test_the_same_seed_gives_the_same_row(fake):
    session = fake(right())
    first, second = records(session), records(session)
    for each in (*first, *second):
        each["seconds"] = 0.0
        each["cpu_seconds"] = 0.0
        for item in each["evidence"]:
            item["seconds"] = 0.0
    assert first == second


def test_a_pattern_that_matches_nothing_is_one_line(fake):
    with pytest.raises(InputError, match=r"--only 'none\*' matches no claim of fake 1.0; allowed: .*right"):
        fake(right(), only="none*").chosen()


def test_a_library_without_what_it_needs_is_one_line(fake, monkeypatch):
    def offers(library, profile):
        raise ModuleNotFoundError("No module named 'torch'")

    monkeypatch.setattr(FakeLibrary, "offers", offers)
    with pytest.raises(InputError, match=r"fake 1.0 cannot be imported here: .*'torch'; allowed: .*pip install fake"):
        fake(right()).offers()


class Here:
    """A pool without processes, which would not know the fake library."""

    def __init__(self, work, **_):
        self.work = work

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run(self, places, deadline=None):
        return ((place, self.work(place), "") for place in places)


def test_finished_claims_are_kept_for_the_same_question_alone(fake, tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "Pool", Here)
    session, kept, seen = fake(right()), tmp_path / "fake.jsonl", []
    sessions.run(session, kept=kept, seen=lambda made, done, total: seen.append(made["id"]))
    again = sessions.run(session, kept=kept, resume=True, seen=lambda made, done, total: seen.append(made["id"]))
    assert seen == ["right"] and again.records[0]["verdict"] == "not_refuted"
    with pytest.raises(InputError, match=r"fake\.jsonl is of other settings"):
        sessions.run(fake(right(), seed=9), kept=kept, resume=True)
    real = sessions.folder_key
    monkeypatch.setattr(sessions, "folder_key", lambda package: "other")
    with pytest.raises(InputError, match=r"the code of fake has changed since .*fake\.jsonl was begun"):
        sessions.run(session, kept=kept, resume=True)
    monkeypatch.setattr(sessions, "folder_key", real)
    kept.write_text(kept.read_text().replace("not_refuted", "refuted", 1))
    with pytest.raises(InputError, match=r"fake\.jsonl: the unit right is not what was written"):
        sessions.run(fake(right()), kept=kept, resume=True)


def test_the_command_of_a_row_names_it(fake):
    session = fake(right(), seed=3)
    (made,) = records(session)
    assert made["reproduce"] == "dpverify audit-library fake --only right --seed 3 --trials 20000"
    assert coverage(table(session, [made])) == "constructors examined: 1 of 2 (50 %)"


def _fields(offered):
    return {name: getattr(offered, name) for name in offered.__slots__}


def test_what_a_session_does_not_come_to_is_unfinished_and_no_missed_twin(fake):
    session = fake(right(), twin())
    asked = session.asked()
    made = [record_of(session, each, {"unfinished": True}, "", asked) for each in session.chosen()]
    assert [word_of(each) for each in made] == ["unfinished", "unfinished"]
    assert exit_status(words_of(made)) == 3
    told = " ".join(text(table(session, made)).split())
    assert "1 claims: 1 unfinished; 0 of 1 twins found, 1 unfinished." in told  # a twin is no claim


def test_a_kept_table_makes_the_same_page(fake, tmp_path):
    session = fake(right(), twin())
    asked = session.asked()
    made = table(session, [record_of(session, each, {"unfinished": True}, "", asked) for each in session.chosen()])
    write_table(made, tmp_path)
    assert markdown(read_table(tmp_path, "fake")) == markdown(made)


def test_the_order_of_a_loop_of_ours_is_looked_at_in_few_draws(fake):
    """A library's calls are slow, and the loop around them was half of a claim's time."""
    drawn = []

    def noisy(data, size, rng):
        drawn.append(size)
        return data + rng.laplace(size=size)

    session = fake(replace(right(), build=lambda: noisy))
    (made,) = records(session)
    assert word_of(made) == "stands"
    assert sum(drawn) < 20_000
