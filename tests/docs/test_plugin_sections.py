"""The page on plug-ins: its relation, library and bug, each one file of a reader's package, are run as ours are."""

import json
from pathlib import Path

import pytest

from dpverify.core.errors import InputError
from dpverify.datasets.neighbors.relation import Relation
from tests.docs.examples import Page, run

PAGE = Path(__file__).parents[2] / "docs/howto/plugins.md"
SUM = "def noisy(data, size, rng):\n    return sum(max(-1, min(x, 1)) for x in data) + rng.laplace(size=size)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("reader")
    Page(PAGE).write_files(made)
    (made / "sums.py").write_text(SUM)
    (told := made / "theirs-1.dist-info").mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    points = "".join(f"{name} = {name}:register\n" for name in ("zero_out", "otherlib", "half_noise"))
    (told / "entry_points.txt").write_text(f"[dpverify.plugins]\n{points}")
    return made


def audit(folder, *words, status=0):
    command = f"dpverify audit sums:noisy --claim 'PureDP(epsilon=1)' --trials 20000 {' '.join(words)} --json one.json"
    ran = run(command, folder)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran.stderr if status == 2 else json.loads((folder / "one.json").read_text())[0]


def test_an_example_is_changed_as_the_relation_says(folder):
    """A record of [-1, 1] that is set to 0 moves the sum by 1 at most; one that is replaced moves it by 2."""
    stands = audit(folder, "--data '[0.2, -1.0, 0.7]' --relation zero-out")
    assert stands["verdict"] == "not_refuted" and stands["relation"] == "zero-out"
    assert audit(folder, "--data '[0.2, -1.0, 0.7]' --relation replace", status=1)["verdict"] == "refuted"


def test_a_pair_is_held_against_the_relation(folder):
    assert audit(folder, "--d0 '[1, 1]' --d1 '[0, 1]' --relation zero-out")["relation"] == "zero-out"
    said = audit(folder, "--d0 '[1, 1]' --d1 '[-1, 1]' --relation zero-out", status=2)
    assert "not neighbours under zero-out" in said and "one record is set to 0" in said


def test_it_is_listed_and_runs_from_a_file(folder):
    assert "one record is set to 0" in run("dpverify list relations", folder).stdout
    (folder / "dpverify.toml").write_text(
        "[[audit]]\nname = 'sums'\nmechanism = 'sums:noisy'\nclaim = 'PureDP(epsilon=0.4)'\n"
        "data = [0.2, -1.0, 0.7]\nrelation = 'zero-out'\ntrials = 20000\n"
    )
    ran = run("dpverify run --out out", folder)
    (folder / "dpverify.toml").unlink()
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "one record is set to 0" in (folder / "out" / "report.html").read_text()


def test_after_a_change_of_the_relation_nothing_kept_is_used_again(folder):
    words = "data=[0.2, -1.0], claim='PureDP(epsilon=1)'"
    (folder / "key.py").write_text(
        "import sums; from dpverify.audits.question import Question; from dpverify.audits.settle import settle\n"
        f"print(settle(Question(sums.noisy, relation='zero-out', {words})).code_key().text)\n"
    )
    code = (folder / "zero_out.py").read_text()
    keys = [run("python key.py", folder).stdout for _ in range(2)]
    (folder / "zero_out.py").write_text(code.replace("0.0", "-0.0"))
    keys.append(run("python key.py", folder).stdout)
    (folder / "zero_out.py").write_text(code)
    assert keys[0] and keys[0] == keys[1] != keys[2]


def test_from_python(folder):
    (folder / "example.py").write_text(
        "import dpverify as dpv, sums\n"
        "claim, data = 'PureDP(epsilon=0.4)', [0.2, -1.0, 0.7]\n"
        "print(dpv.audit(sums.noisy, data=data, claim=claim, relation='zero-out').verdict)\n"
    )
    assert run("python example.py", folder).stdout.split()[-1] == "refuted"


def test_the_library_is_audited_and_listed(folder):
    ran = run("dpverify audit-library otherlib --trials 2000 --json table.json", folder)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert [each["verdict"] for each in json.loads((folder / "table.json").read_text())] == ["not_refuted"]
    assert "otherlib" in run("dpverify audit-library --list", folder).stdout


def test_the_bug_is_found_again_and_listed(folder):
    ran = run("dpverify gallery --run half-noise", folder)
    assert ran.returncode == 0 and "the claim is false" in ran.stdout, ran.stdout + ran.stderr
    assert "half-noise" in run("dpverify gallery", folder).stdout


@pytest.mark.parametrize(
    ("change_one", "said"),
    [
        (lambda records, place, new: records[place].nothing, "cannot change record 1 of 2: AttributeError"),
        (lambda records, place, new: records[1:], "makes 1 records of 2; allowed: as many as before"),
    ],
)
def test_a_faulty_change_is_one_line(change_one, said):
    relation = Relation(name="mine", moved="moved", change_one=change_one)
    with pytest.raises(InputError, match=said):
        relation.changed([0.0, 1.0], [1], 2.0)


def test_a_record_of_another_form_is_one_line(folder):
    said = audit(folder, """--data '{"a": [1.0, 2.0], "b": [0.0, 1.0]}' --relation zero-out""", status=2)
    assert "the relation 'zero-out' makes a record that is a float of another form; allowed: rows as tuples" in said
