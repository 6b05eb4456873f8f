"""The steps of `make release`, apart from the builds, which `make rehearse` makes."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import dpverify
from tests.release import __main__ as release
from tests.release.__main__ import ROOT, ReleaseError, different, section, sums

CHANGELOG = """# Changelog

## 0.3.0 (unreleased)

- Next.

## 0.2.0 (2026-12-01)

- This.
- `that`.

## 0.1.0 (2026-01-01)
"""


def test_a_section_is_taken_whole_and_alone():
    assert section(CHANGELOG, "0.2.0", dated=True) == "## 0.2.0 (2026-12-01)\n\n- This.\n- `that`.\n"
    assert section(CHANGELOG, "0.3.0", dated=False) == "## 0.3.0 (unreleased)\n\n- Next.\n"


@pytest.mark.parametrize(
    ("version", "said"), [("0.3.0", "not the day"), ("0.4.0", "no section"), ("0.1.0", "no section")]
)
def test_a_section_that_is_not_ready_is_refused(version, said):
    with pytest.raises(ReleaseError, match=said):
        section(CHANGELOG, version, dated=True)


def test_one_version_stands_in_one_place():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "dpverify/__init__.py"
    assert section((ROOT / "CHANGELOG.md").read_text(), dpverify.__version__, dated=False)
    named = re.findall(r"@v(\d+\.\d+\.\d+)", "".join(path.read_text() for path in (ROOT / "docs").rglob("*.md")))
    assert set(named) == {dpverify.__version__}
    assert f"version: {dpverify.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_a_file_that_differs_is_named():
    assert different({"a": b"1", "b": b"2"}, {"a": b"1", "b": b"3", "c": b""}) == ["b", "c"]


def test_digests_are_those_that_sha256sum_checks(tmp_path):
    (tmp_path / "a.whl").write_bytes(b"wheel")
    (tmp_path / "SHA256SUMS").write_text(sums([tmp_path / "a.whl"]))
    command = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "a.whl").write_bytes(b"Wheel")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).returncode == 1


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A repository of two files in the place of ours."""
    (tmp_path / "dpverify").mkdir()
    (tmp_path / "dpverify" / "__init__.py").write_text('__version__ = "0.3.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return tmp_path


def test_a_change_that_is_not_committed_stops_a_release(checkout, capsys):
    (checkout / "CHANGELOG.md").write_text(CHANGELOG + "\n")
    assert release.main(["--rehearse"]) == 1
    assert "not committed" in capsys.readouterr().err


def test_a_changelog_without_a_day_stops_a_release(checkout, capsys):
    assert release.main([]) == 1
    assert "not the day" in capsys.readouterr().err
    assert not (checkout / "dist").exists()


def test_tests_that_fail_stop_a_release(checkout, capsys):
    (checkout / "CHANGELOG.md").write_text(CHANGELOG.replace("0.3.0 (unreleased)", "0.3.0 (2026-12-24)"))
    (checkout / ".ci").mkdir()
    (checkout / ".ci" / "run").write_text("#!/bin/sh\nexit 1\n")
    (checkout / ".ci" / "run").chmod(0o755)
    who = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    for words in (["add", "."], [*who, "commit", "-qm", "more"]):
        subprocess.run(["git", "-C", checkout, *words], check=True)
    assert release.main([]) == 1
    assert "tests of the clean clone fail" in capsys.readouterr().err


def _builds(monkeypatch, *made):
    """The builds of both clones, in the place of the builder's: the files of each, by name."""
    turns = iter(made)

    def built(clone: Path, epoch: str) -> list[Path]:
        (clone / "dist").mkdir()
        for name, text in next(turns).items():
            (clone / "dist" / name).write_bytes(text)
        return sorted((clone / "dist").iterdir())

    monkeypatch.setattr(release, "_built", built)


def test_builds_that_differ_stop_a_release(checkout, monkeypatch, capsys):
    _builds(monkeypatch, {"a.whl": b"1"}, {"a.whl": b"2"})
    monkeypatch.setattr(release, "files_of", lambda path: {"inner": path.read_bytes()})
    assert release.main(["--rehearse"]) == 1
    assert "a.whl is built twice and differs: inner" in capsys.readouterr().err
    assert not (checkout / "dist").exists()


def test_a_fault_of_the_contents_stops_a_release(checkout, monkeypatch, capsys):
    _builds(monkeypatch, {"a.whl": b"1"}, {"a.whl": b"1"})
    monkeypatch.setattr(release, "files_of", lambda path: {"inner": path.read_bytes()})
    assert release.main(["--rehearse"]) == 1
    assert "a.whl: it has 0 files of metadata" in capsys.readouterr().err
