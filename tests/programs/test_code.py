"""What a program's outputs follow from: its files and the code beside them, and nothing that it writes there."""

import sys

import dpverify
from dpverify.code_key.key import code_key


def test_code_beside_a_program_counts_and_what_it_writes_does_not(tmp_path):
    def key(said=f"{sys.executable} worker.py", folder="one"):
        return code_key(dpverify.command(said, folder=tmp_path / folder))

    for folder in ("one", "two"):
        (tmp_path / folder / "deep").mkdir(parents=True)
        (tmp_path / folder / "worker.py").write_text("import deep.helper")
        (tmp_path / folder / "deep" / "helper.py").write_text("S = 1")
    before = key()
    assert not before.unknown
    assert key(folder="two") == before
    (tmp_path / "one" / "results.json").write_text("[1]")
    assert key() == before
    assert key(f"{sys.executable} worker.py --fast") != before
    (tmp_path / "one" / "deep" / "helper.py").write_text("S = 2")
    assert key() != before


def test_a_module_that_python_runs_counts(tmp_path):
    (tmp_path / "own_worker.py").write_text("S = 1")
    command = dpverify.command(f"{sys.executable} -m own_worker", folder=tmp_path)
    before = code_key(command)
    (tmp_path / "own_worker.py").write_text("S = 2")
    assert code_key(command) != before


def test_a_script_on_the_search_path_may_be_any_code(tmp_path, monkeypatch):
    (tmp_path / "mytool").write_text("#!/usr/bin/env python\nimport anything\n")
    (tmp_path / "mytool").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code_key(dpverify.command("mytool")).unknown == "mytool is a script, which may load any code"


def test_among_very_many_files_a_program_is_not_known(tmp_path, monkeypatch):
    monkeypatch.setattr("dpverify.programs.code.MOST", 3)
    for number in range(5):
        (tmp_path / f"{number}.py").write_text("")
    assert "more than 3 files" in code_key(dpverify.command(f"{sys.executable} 0.py", folder=tmp_path)).unknown
