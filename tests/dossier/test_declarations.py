"""The declarations file: every fault is one line with its line number, the nearest word, and what is allowed."""

from __future__ import annotations

import hashlib

import pytest

from dpverify.core.errors import InputError
from dpverify.dossier.first_file import first_file
from tests.dossier.made import SIGNED, TODAY, declared, record


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[singed]\nname = 'Ada'", "d.toml:1: unknown key 'singed' of the declarations file; allowed: signed, claim"),
        ("[singed]", "did you mean signed?"),
        (SIGNED + "[answers]\ntrust-modell = 'x'", "d.toml:6: no question is called 'trust-modell'; allowed: the"),
        (SIGNED + "[answers]\ntrust-modell = 'x'", "did you mean trust-model?"),
        (SIGNED + "[answers]\ntrust-model = 3", "d.toml:6: trust-model = 3; allowed: a text, or a table"),
        (SIGNED + "[answers]\ndeployment-model = 'centrl'", "d.toml:6: deployment-model = 'centrl'; allowed: Local, "),
        (SIGNED + "[answers]\ndeployment-model = 'centrl'", "did you mean Central?"),
        (SIGNED + "[answers.access]\nanswer = 'x'\nname = 'Bob'", "d.toml:5: [answers.access] has no role, but"),
        (SIGNED + "[answers.access]\nname = 'Bob'", "d.toml:5: [answers.access] without answer"),
        (SIGNED + "[answers.access]\nanswer = 'x'\nnote = 'y'", "d.toml:7: unknown key 'note' of [answers.access]"),
        ("[answers]\naccess = 'x'", "d.toml:1: [signed] has no name, but something is declared"),
        (SIGNED.replace("Ada", " ") + "[answers]\naccess = 'x'", "d.toml:2: [signed] name = ' '; allowed: a text"),
        (SIGNED.replace("2026-11-25", "2026-11-27") + "[answers]\naccess = 'x'", "d.toml:4: date = 2026-11-27, which"),
        (SIGNED.replace("2026-11-25", "'26.11.2026'") + "[answers]\naccess = 'x'", "d.toml:4: date = '26.11.2026'"),
        (SIGNED.replace("2026-11-25", "2026-13-01"), "d.toml: "),
        (SIGNED + "[[claim]]\nguarantee = 'PureDP(epsilon=1)'", "d.toml:5: [[claim]] without id"),
        (SIGNED + "[[claim]]\nid = 'a'\nunti = 'record'", "d.toml:7: unknown key 'unti' of [[claim]]"),
        (SIGNED + "[[claim]]\nid = 'a'\nunit = ''", "d.toml:7: unit = ''; allowed: a text that is not empty"),
        (SIGNED + "[claim]\nid = 'a'", "d.toml:5: claim = {'id': 'a'}; allowed: a table [[claim]]"),
        ("answers = 3", "d.toml:1: answers = 3; allowed: a table [answers]"),
        (SIGNED + "signature = 'no'\n[answers]\naccess = 'x'", "d.toml:5: signature = 'no': No such file"),
        (SIGNED + "signature-sha256 = '12'\n[answers]\naccess = 'x'", "d.toml:5: signature-sha256 = '12'; allowed: 64"),
    ],
)
def test_a_fault_is_one_line(tmp_path, text, said):
    with pytest.raises(InputError) as caught:
        declared(tmp_path, text)
    told = str(caught.value).replace("declarations.toml", "d.toml")
    assert said in told
    assert "\n" not in told


def test_an_empty_answer_is_none_and_needs_nobody(tmp_path):
    made = declared(tmp_path, "[signed]\nname = ''\n[answers]\naccess = ''\ntrust-model = '  '\n")
    assert made.answers == {}


def test_an_answer_is_of_the_file_or_has_a_signer_of_its_own(tmp_path):
    text = SIGNED + "[answers]\ntrust-model = 'Central.'\n"
    text += "[answers.access]\nanswer = 'Two.'\nname = 'Bob'\nrole = 'officer'\ndate = '2026-01-02'\n"
    made = declared(tmp_path, text)
    assert [(each.answer, each.signer.name, each.signer.date) for each in made.answers.values()] == [
        ("Central.", "Ada", "2026-11-25"),
        ("Two.", "Bob", "2026-01-02"),
    ]
    assert made.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_what_is_checked_of_a_signature_is_said(tmp_path):
    (tmp_path / "d.sig").write_bytes(b"signed")
    digest = hashlib.sha256(b"signed").hexdigest()
    answers = "[answers]\naccess = 'Two.'\n"
    both = declared(tmp_path, f"{SIGNED}signature = 'd.sig'\nsignature-sha256 = '{digest.upper()}'\n{answers}")
    told = both.answers["access"].signer.checked
    assert digest in told
    assert told.endswith("as declared: the file is there; whether it is valid is not checked")
    alone = declared(tmp_path, f"{SIGNED}signature-sha256 = '{digest}'\n{answers}")
    assert "its file was not at hand" in alone.answers["access"].signer.checked
    for content, said in ((b"other", "has the SHA-256 digest"), (b"", "is empty")):
        (tmp_path / "d.sig").write_bytes(content)
        with pytest.raises(InputError, match=said):
            declared(tmp_path, f"{SIGNED}signature = 'd.sig'\nsignature-sha256 = '{digest}'\n{answers}")


def test_the_first_file_can_be_read_and_leaves_out_controls(tmp_path):
    records = [record(relation="replace by user"), record(id="known", expectation="broken")]
    text = first_file(records, today=TODAY)
    with pytest.raises(InputError, match=r"declarations\.toml:\d+: \[signed\] name = ''"):
        declared(tmp_path, text)
    made = declared(tmp_path, text.replace('name = ""', 'name = "Ada"', 1).replace('role = ""', 'role = "x"', 1))
    assert [(each.id, each.relation, each.unit) for each in made.claims] == [("sum", "replace", "user")]
    assert made.answers == {}
    assert max(map(len, text.splitlines())) <= 130
    assert declared(tmp_path, first_file([], today=TODAY)).claims == ()
