"""The questions: whole, of looks that there are, and with no quotation but of a text that was read."""

from __future__ import annotations

import pytest

from dpverify.core.errors import AuditError
from dpverify.dossier.question import LOOKS, keys, read_text_file, texts


def test_each_text_says_what_of_it_was_read():
    assert [text.name for text in texts()] == ["nist_sp_800_226", "opendp_registry", "w3c_note"]
    for text in texts():
        assert text.read
        assert text.address.startswith("https://")


def test_only_the_hazards_of_the_draft_are_quoted():
    nist, *others = texts()
    quoted = [question for question in nist.questions if question.quote]
    assert len(quoted) == 24
    assert all(question.place.startswith("draft, section ") for question in quoted)
    assert all("draft" not in question.place for question in nist.questions if not question.quote)
    assert not any(question.quote for text in others for question in text.questions)


def test_tiers_are_those_of_the_registry():
    of = {text.name: [question.tier for question in text.questions] for text in texts()}
    assert sorted(set(of["opendp_registry"])) == [1, 2, 3]
    assert set(of["nist_sp_800_226"] + of["w3c_note"]) == {0}


def test_each_key_is_explained_once_and_each_look_is_asked_for():
    for key, asked in keys().items():
        assert sum(bool(question.hint) for _, question in asked) == 1, key
        assert sum(bool(question.choices) for _, question in asked) <= 1, key
    assert {name for text in texts() for question in text.questions for name in question.evidence} == set(LOOKS)


def test_what_evidence_cannot_settle_is_said_wherever_a_person_is_asked_more():
    """Without `left`, evidence answers the whole: only facts of the record itself may."""
    whole = {question.id for text in texts() for question in text.questions if question.evidence and not question.left}
    assert whole == {"bounded-or-unbounded", "variant"}


@pytest.mark.parametrize(
    "text",
    [
        "title = 'a'",
        "title='a'\nedition='b'\naddress='c'\nread='d'\n[[question]]\nid='x'\nplace='p'\nasks='q?'",
        "title='a'\nedition='b'\naddress='c'\nread='d'\n"
        "[[question]]\nid='x'\nplace='p'\nasks='q?'\ndeclaration='k'\nevidence=['mind-reading']",
        "title='a'\nedition='b'\naddress='c'\nread='d'\n"
        "[[question]]\nid='x'\nplace='p'\nasks='q?'\ndeclaration='k'\nkwote='z'",
    ],
)
def test_a_file_that_is_no_text_is_refused(tmp_path, text):
    (tmp_path / "a.toml").write_text(text)
    with pytest.raises(AuditError, match=r"a\.toml"):
        read_text_file(tmp_path / "a.toml")
