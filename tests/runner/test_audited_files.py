"""Which files an audit is of: found without an import, named without the machine."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from dpverify.reporting.read_records import schema
from dpverify.runner.audited_files import MOST, digests, module_files, program_files, subject_version, version_text


@pytest.fixture
def here(tmp_path):
    (tmp_path / "mymodule.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "pack" / "deep").mkdir(parents=True)
    for name in ("__init__", "sums", "deep/__init__", "deep/counts"):
        (tmp_path / "pack" / f"{name}.py").write_text(f"raise SystemExit('{name}')\n")
    (tmp_path / "noisy").write_text("#!/bin/sh\n")
    return tmp_path


WHOLE = ["pack/__init__.py", "pack/deep/__init__.py", "pack/deep/counts.py", "pack/sums.py"]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("mymodule:f", ["mymodule.py"]),
        ("mymodule.f", ["mymodule.py"]),
        ("pack:f", WHOLE),
        ("pack.sums:f", WHOLE),
        ("pack.deep.counts.f", WHOLE),
        ("nothere:f", []),
        ("sys:exit", []),
    ],
)
def test_files_of_a_module(here, name, files):
    assert list(module_files(name, [here])) == files


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("pack.sums:f", "pack/sums.py"),
        ("pack.deep.counts.f", "pack/deep/counts.py"),
        ("pack.deep:f", "pack/deep/__init__.py"),
        ("pack:f", "pack/__init__.py"),
    ],
)
def test_of_a_large_package_only_the_modules_own(here, name, own):
    (here / "pack" / "many").mkdir()
    for number in range(MOST):
        (here / "pack" / "many" / f"m{number}.py").touch()
    assert list(module_files(name, [here])) == [own]


def test_files_of_a_program(here):
    assert program_files("./noisy {data} {seed}", here) == {"noisy": here / "noisy"}
    assert program_files("sh noisy", here) == {"noisy": here / "noisy"}
    assert program_files("cat 'x", here) == {}


def test_digests_are_of_the_bytes_and_leave_out_what_is_gone(here):
    found = digests({"noisy": here / "noisy", "gone": here / "gone"})
    assert found == {"noisy": hashlib.sha256(b"#!/bin/sh\n").hexdigest()}


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="no git here")


def git(folder, *words):
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", folder, *name, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "noisy.py").write_text("x = 1\n")
    (tmp_path / "other.py").write_text("x = 1\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


@needs_git
def test_the_commit_of_a_tracked_file(repository):
    files = {"noisy.py": repository / "noisy.py"}
    assert subject_version(files) == {"commit": git(repository, "rev-parse", "HEAD")}
    (repository / "other.py").write_text("x = 2\n")  # a change of what is not audited
    assert subject_version(files) == {"commit": git(repository, "rev-parse", "HEAD")}
    (repository / "noisy.py").write_text("x = 2\n")
    assert subject_version(files) == {"commit": git(repository, "rev-parse", "HEAD") + ", with changes"}


@needs_git
def test_a_file_that_no_commit_has_is_told_from_a_changed_one(repository):
    new = repository / "new.py"
    new.write_text("x = 1\n")
    assert subject_version({"new.py": new})["commit"].endswith(", which has none of these files")
    both = {"noisy.py": repository / "noisy.py", "new.py": new}
    assert subject_version(both)["commit"].endswith(", with changes")
    (repository / ".gitignore").write_text("ignored.py\n")
    (repository / "ignored.py").write_text("x = 1\n")
    assert subject_version({"ignored.py": repository / "ignored.py"}) == {}


@needs_git
def test_a_name_with_a_line_break_counts_as_one_file(repository):
    odd = repository / "a\nb.py"
    odd.write_text("x = 1\n")
    assert subject_version({"odd": odd})["commit"].endswith(", which has none of these files")


@needs_git
def test_another_repository_in_the_environment_is_not_asked(repository, tmp_path_factory, monkeypatch):
    other = tmp_path_factory.mktemp("other")
    git(other, "init", "-q")
    git(other, "commit", "-q", "--allow-empty", "-m", "theirs")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert subject_version({"noisy.py": repository / "noisy.py"})["commit"] != git(other, "rev-parse", "HEAD")


def test_outside_a_repository_and_without_git(tmp_path, monkeypatch):
    alone = tmp_path / "alone.py"
    alone.write_text("x = 1\n")
    assert subject_version({"alone.py": alone}) == {}
    monkeypatch.setenv("PATH", str(tmp_path))
    assert subject_version({"alone.py": alone}) == {}
    assert subject_version({}) == {}


def test_an_installed_package_has_its_version_also_where_it_is_called_otherwise():
    import sklearn

    found = subject_version(module_files("sklearn.svm:SVC", []))
    assert found == {"package": f"scikit-learn {sklearn.__version__}"}


def test_words():
    commit = "a" * 40
    assert version_text({"package": "p 1", "commit": commit}) == f"p 1, commit {commit[:12]}"
    assert version_text({"commit": f"{commit}, with changes"}) == f"commit {commit[:12]} with changes"
    assert version_text({}) == ""


def test_paths_may_be_relative(monkeypatch, repository):
    monkeypatch.chdir(repository)
    if shutil.which("git"):
        assert subject_version({"noisy.py": Path("noisy.py")})["commit"] == git(repository, "rev-parse", "HEAD")


@needs_git
@pytest.mark.parametrize("state", ["committed", "changed", "new"])
def test_every_commit_that_is_told_is_one_that_a_record_may_have(repository, state):
    path = repository / "noisy.py"
    if state == "changed":
        path.write_text("x = 2\n")
    elif state == "new":
        path = repository / "new.py"
        path.write_text("x = 1\n")
    told = subject_version({path.name: path})
    assert set(told) == {"commit"}
    pattern = schema()["properties"]["subject_version"]["properties"]["commit"]["pattern"]
    assert re.match(pattern, told["commit"])
    assert "  " not in version_text(told) and told["commit"][:12] in version_text(told)
