"""The files that people look for: complete, true of this version, and able to fail here when they are not."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

import dpverify
from dpverify.cli.commands import COMMANDS
from dpverify.core.plugins import registry

ROOT = Path(dpverify.__file__).parents[1]
if not (ROOT / "CITATION.cff").is_file():
    pytest.skip("an installed package has no such files beside it", allow_module_level=True)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
TEMPLATES = [path for path in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")) if path.stem != "config"]
DATA = (".csv", ".xz", ".gz", ".bz2", ".zip", ".npy", ".npz", ".parquet", ".idx", ".mat", ".h5", ".data")


def words(text):
    return re.sub(r"\W+", " ", text).lower().strip()


def test_the_citation_names_this_version_and_all_papers_of_the_ledger():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (cited["version"], cited["license"]) == (dpverify.__version__, PROJECT["license"])
    assert {"cff-version", "message", "title", "authors"} <= cited.keys()
    for each in cited["references"]:
        assert {"type", "title", "authors"} <= each.keys()
    noted = {each["notes"].partition(" ")[0]: each for each in cited["references"]}
    papers = {}
    for path in (ROOT / "reference_impls/papers").glob("*/claims.toml"):
        if "paper" in (found := tomllib.loads(path.read_text())):
            papers[found["paper"]["name"]] = found["paper"]["title"]
    assert noted.keys() == papers.keys()
    for name, title in papers.items():
        if name != "DISS":  # whose title the ledger does not have
            assert words(noted[name]["title"]) in words(title)
        for author in noted[name]["authors"] if " 20" in title.partition(",")[0] else ():
            assert author["family-names"] in title


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_an_issue_template_has_the_command_that_makes_a_record(path):
    form = yaml.safe_load(path.read_text())
    assert {"name", "description", "body"} <= form.keys()
    fields = {each.get("id"): each for each in form["body"]}
    assert any(each.get("validations", {}).get("required") for each in form["body"])
    commands = re.findall(r"^dpverify ([\w-]+) .*$", fields["record"]["attributes"]["value"], re.MULTILINE)
    assert any(each in COMMANDS for each in commands)
    assert all(each in COMMANDS or each.startswith("--") for each in commands)
    assert re.search(r"--json|--out", fields["record"]["attributes"]["value"])


def test_there_are_three_templates():
    assert {path.stem for path in TEMPLATES} == {"claim", "library", "verdict"}
    options = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/verdict.yml").read_text())["body"][0]["attributes"][
        "options"
    ]
    assert {each.value.replace("_", " ") for each in dpverify.Status} <= set(options)


def test_the_workflow_runs_what_anybody_runs_on_every_python_that_is_promised():
    jobs = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
    steps = jobs["everything"]["steps"]
    assert [each["run"] for each in steps if "run" in each] == [".ci/run"]
    (given,) = [each["with"]["python-version"].split() for each in steps if "with" in each]
    named = [each.rpartition(" ")[2] for each in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", each)]
    assert sorted(given) == sorted(named)
    assert named[0] == PROJECT["requires-python"].removeprefix(">=")
    assert given[-1] == named[0]  # the last is `python3`, by which `make` installs
    others = re.search(r"for version in ([\d. ]+); do", (ROOT / ".ci/run").read_text())
    assert others is not None
    assert others[1].split() == named[1:]
    for each in jobs["elsewhere"]["steps"]:
        for file in re.findall(r"python (\S+\.py)", each.get("run", "")):
            assert (ROOT / file).is_file()


def test_the_page_on_licences_has_every_data_set_and_no_data_set_is_here():
    page = (ROOT / "docs/reference/licences.md").read_text()
    rows = {
        name: (source, licence)
        for name, source, licence in re.findall(r"^\| `([\w-]+)` \| (.+) \| (.+) \|$", page, re.M)
    }
    assert rows == {name: (each.source, each.licence) for name, each in registry().datasets.items()}
    if (ROOT / ".git").exists():
        done = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True)
        assert [name for name in done.stdout.splitlines() if name.endswith(DATA)] == []


def test_security_says_what_is_promised_what_is_not_and_how_to_report():
    text = (ROOT / "SECURITY.md").read_text()
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert heads == ["What is promised", "What is not promised", "Which versions are mended", "How to report"]
    assert "private vulnerability report" in text
    for name in re.findall(r"issue template \*([^*]+)\*", text + (ROOT / "docs/readers/authors.md").read_text()):
        assert name in {yaml.safe_load(path.read_text())["name"] for path in TEMPLATES}


def test_the_page_on_checks_has_the_numbers_of_the_reports():
    page = (ROOT / "docs/why/checked.md").read_text()
    rendered = {path.stem: path.read_text() for path in (ROOT / "reports/rendered").glob("*.md")}
    if not rendered:
        pytest.skip("a source archive has no pages of the reports")
    cells, audits, failed = re.findall(
        r"^(\d+) cells, (\d+) audits, .*; (\d+) cells fail", rendered["calibration"], re.M
    )[0]
    assert f"{audits} audits at the exact boundary of a true claim, in {cells} cells" in page
    assert f"| {failed} cells fail |" in page
    found = re.findall(r"^(\d+) mechanisms, (\d+) mutants: (.+)\.$", rendered["mutants"], re.M)[0]
    assert f"{found[1]} mutants of {found[0]} mechanisms | {found[2]} |" in page
    went = re.findall(r"^(\d+) of (\d+) attacks went as they must", rendered["reliability"], re.M)[0]
    assert f"{went[1]} attacks: " in page
    assert f"| {went[0]} went as they must |" in page
    reports, refuted, rest = re.findall(
        r"^(\d+) reports, .*: (\d+) claims refuted, (\d+) not refuted", rendered["gallery"], re.M
    )[0]
    assert f"{reports} public reports" in page
    assert f"| {refuted} refuted, {rest} not refuted |" in page
