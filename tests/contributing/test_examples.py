"""The examples of CONTRIBUTING.md in a copy of the repository: they pass the checks, the contract tests, the recheck.

A block of code belongs to the path in backquotes above it: a new file, or, with ``in NAME`` and ``at the end``, lines
to be added. Shell blocks that begin with ``dpverify`` are run in the order of the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"^(?:`(?P<path>[^`]+)`(?P<where>[^\n]*)\n\n)?```(?P<kind>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
TOOLS = Path(sys.executable).parent
LIBRARY = "otherlib_audits"


def blocks() -> list[re.Match[str]]:
    return list(BLOCK.finditer(PAGE))


def commands() -> list[str]:
    shell = "".join(block["text"] for block in blocks() if not block["path"] and not block["kind"])
    return [line.partition("#")[0].strip() for line in shell.splitlines() if line.startswith("dpverify")]


def typed(copy: Path) -> list[str]:
    """Write every block where it belongs; the paths that are Python, below the copy."""
    written = []
    for block in blocks():
        if not block["path"]:
            continue
        path, where = copy / block["path"], block["where"].strip()
        if where == ", in `[lemmas]`":
            before, found, after = path.read_text(encoding="utf-8").partition("[lemmas]\n")
            assert found
            path.write_text(before + found + block["text"] + after, encoding="utf-8")
        elif where.startswith(", in "):
            imports, _, lines = block["text"].partition("\n\n")
            before = f"{where.split('`')[1]} = {{\n"
            text = path.read_text(encoding="utf-8").replace(before, f"{before}{lines}", 1)
            path.write_text(re.sub(r"^from auditors", f"{imports}\nfrom auditors", text, count=1, flags=re.MULTILINE))
            subprocess.run([TOOLS / "ruff", "check", "--quiet", "--select", "I", "--fix", path], cwd=copy, check=True)
        elif where == ", at the end":
            path.write_text(path.read_text(encoding="utf-8") + "\n" + block["text"], encoding="utf-8")
        elif where == "of that package":
            entry = re.findall(r"^(\w+) = \"(\S+:\w+)\"", block["text"], re.MULTILINE)
            metadata = copy / f"{LIBRARY}-1.0.dist-info"
            metadata.mkdir()
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {LIBRARY}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[dpverify.plugins]\n{entry[0][0]} = {entry[0][1]}\n")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"], encoding="utf-8")
        if path.suffix == ".py":
            written.append(block["path"])
    return written


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The repository with every example in it."""
    copy = tmp_path_factory.mktemp("contributing") / "copy"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file() and not name.startswith("reports/rendered"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
    if (ROOT / ".mypy_cache").exists():  # `make check` has made it
        shutil.copytree(ROOT / ".mypy_cache", copy / ".mypy_cache")
    for package in ("dpverify", "auditors", "reference_impls", "tests"):  # bytecode and kernels, where there are any
        for compiled in (ROOT / package).rglob("__pycache__/*"):
            if compiled.suffix in (".pyc", ".nbi", ".nbc", ".json"):  # not what another worker is just writing
                (copy / compiled.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(compiled, copy / compiled.relative_to(ROOT))
    yield copy
    shutil.rmtree(copy)


@pytest.fixture(scope="module")
def examples(copy: Path) -> list[str]:
    return typed(copy)


def run(copy: Path, *words: str | Path, status: int = 0) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # several processes import the copy
    done = subprocess.run(list(map(str, words)), cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def test_the_page_has_an_example_of_each_kind() -> None:
    paths = [block["path"] for block in blocks() if block["path"]]
    for folder in (
        "reference_impls/mechanisms",
        "reference_impls/optimizers",
        "auditors/privacy",
        "dpverify/loaders/schemes",
        "reference_impls/papers/accounting/lemmas",
        LIBRARY,
    ):
        assert any(path.startswith(f"{folder}/") for path in paths), folder
    assert len(commands()) == 5


@pytest.mark.types
def test_the_examples_pass_the_checks(copy: Path, examples: list[str]) -> None:
    run(copy, TOOLS / "ruff", "check", *examples)
    run(copy, TOOLS / "ruff", "format", "--check", *examples)
    run(copy, TOOLS / "mypy", *(path for path in examples if not path.startswith("tests/")))
    run(copy, TOOLS / "lint-imports")


@pytest.mark.ci
def test_the_contract_tests_take_them_up(copy: Path, examples: list[str]) -> None:
    assert examples
    chosen = "middle or full-batch-descent or full_batch_descent or warner or pure_as_gaussian"
    pytest_ = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0")
    contracts = [f"tests/contracts/test_{name}.py" for name in ("auditors", "training", "house")]
    rows = ("tests/reference_impls/papers/test_every_lemma.py", "tests/ledger/test_rows.py")
    chosen += " or ACC-PURE-ZCDP or rows_are or belongs_to_one"
    told = run(copy, *pytest_, *contracts, "tests/auditors/privacy/test_rechecks.py", *rows, "-rp", "-k", chosen)
    assert re.search(r"\d{2,} passed", told), told
    assert len(re.findall(r"^PASSED .*(?:ACC-PURE-ZCDP|rows_are|belongs_to_one)", told, re.MULTILINE)) >= 4, told


@pytest.mark.ci
def test_the_commands_of_the_page_do_what_they_say(copy: Path, examples: list[str]) -> None:
    assert examples
    told = {
        command: run(
            copy, TOOLS / "python", "-m", *command.replace("'", "").split(), status=3 if "recheck" in command else 0
        )
        for command in commands()
    }
    first, recheck, families, ledger, library = told.values()
    assert "warner" in first
    assert "certified" in first
    assert "warner" in recheck
    assert "full-batch-descent" in families.partition("\noptimizers\n")[2].partition("\n\n")[0]
    assert "not refuted" in ledger
    assert "otherlib-bounded-sum" in library


@pytest.mark.ci
def test_what_an_auditor_lacks_is_asked_for(copy: Path, examples: list[str]) -> None:
    """The example's recheck case taken away again: the contract says where it belongs."""
    assert examples
    path = copy / "tests" / "auditors" / "privacy" / "recheck_cases.py"
    whole = path.read_text(encoding="utf-8")
    try:
        path.write_text(re.sub(r'^    "middle": .*\n', "", whole, flags=re.MULTILINE), encoding="utf-8")
        words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "tests/contracts/test_auditors.py")
        told = run(copy, sys.executable, *words, "-k", "middle", status=1)
    finally:
        path.write_text(whole, encoding="utf-8")
    assert "the auditor 'middle' has no small audit in tests/auditors/privacy/recheck_cases.py: add one" in told
