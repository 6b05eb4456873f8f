"""The house's own rules, checked on the sources: who may know whom, and what loads what."""

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import auditors
import dpverify
from dpverify.core.plugins import registry

HOME = Path(dpverify.__file__).parent
ROOMS = (Path(auditors.__file__).parent, HOME / "runner", HOME / "audits")
BLIND = [path for room in ROOMS for path in room.rglob("*.py")]


def strings(path):
    """String constants that are data: docstrings and f-string pieces of prose aside."""
    tree = ast.parse(path.read_text())
    prose = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    }


def reads(path):
    """Attributes that are read, and names that are imported."""
    tree = ast.parse(path.read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom | ast.Import)]
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {
        alias.name for node in imported for alias in node.names
    }


@pytest.mark.parametrize("path", BLIND, ids=lambda path: str(path.relative_to(HOME.parent)))
def test_no_auditor_and_no_plan_names_a_subject(path):
    known = registry()
    subjects = (
        set(known.mechanisms) | set(known.lemmas) | set(known.known_broken) | set(known.claims) | set(known.entries)
    )
    assert not strings(path) & subjects


@pytest.mark.parametrize("path", [*Path(auditors.__file__).parent.rglob("*.py")], ids=lambda path: path.name)
def test_no_auditor_can_read_an_expectation(path):
    assert not reads(path) & {"expectation", "entries", "SuiteEntry", "Registry.entries", "reference_impls"}
    assert not strings(path) & {"expectation", "stands", "broken"}


@pytest.mark.parametrize("path", BLIND, ids=lambda path: str(path.relative_to(HOME.parent)))
def test_no_auditor_and_no_runner_reads_a_remark_or_a_figure(path):
    """They are words and pictures beside a verdict, and have no part in it."""
    assert not reads(path) & {"remarks", "Remark", "figures", "Figure", "remark_record"}
    assert not strings(path) & {"remarks", "remark", "figures"}


def test_the_search_for_names_finds_them(tmp_path):
    """The two checks above can fail."""
    path = tmp_path / "auditor.py"
    path.write_text('"""laplace"""\nif claim.subject == "above-threshold" and entry.expectation: known.remarks\n')
    assert "above-threshold" in strings(path)
    assert "laplace" not in strings(path)
    assert {"expectation", "remarks"} <= reads(path)


def test_importing_dpverify_loads_nothing_heavy():
    heavy = {"numba", "statsmodels", "sklearn", "matplotlib", "scipy", "hypothesis", "numpy"}
    code = "import sys, dpverify; print(' '.join(sorted(set(sys.modules))))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dpverify" in loaded
    assert not heavy & set(loaded)


def test_sources_name_no_machine_and_no_registry():
    root = HOME.parent
    if not (root / "pyproject.toml").is_file():
        root = HOME
    sources = [
        path for name in ("dpverify", "reference_impls", "auditors") for path in (HOME.parent / name).rglob("*.py")
    ]
    for path in [*sources, *root.glob("*.txt"), *root.glob("*.md")]:
        text = path.read_text()
        for word in ("work", "root", "home"):
            assert f"/{word}/" not in text
        assert "-".join(["index", "url"]) not in text


@pytest.mark.parametrize("package", ["dpverify", "auditors", "reference_impls"])
def test_modules_import_from_where_things_are_and_not_from_the_users_front(package):
    """`dpverify` itself imports from every layer, so an import from it would go around the contracts of layers."""
    home = HOME.parent / package
    for path in home.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "dpverify":
                names = {alias.name for alias in node.names}
                inside = {name for name in names if (HOME / name).is_dir() or (HOME / f"{name}.py").exists()}
                assert names <= inside | {"__version__"}, path


def relation_literals(path):
    """How often a file writes ``"add-remove"`` or ``"replace"``, but for ``errors="replace"`` of text."""
    tree = ast.parse(path.read_text())
    others = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "errors"}
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in others]
    return sum(node.value in ("add-remove", "replace") for node in names)


STEP = "the relation that the bound of this step is proved under"
GENERATOR = "the name that this generator is registered by, and its relation"
PROOF = "the relation that a rule of proofs is for; a proof stands without the registry"
RELATION_WRITTEN = {
    "core/relation_names.py": "the constants",
    "accounting/steps/fixed_size_gaussian.py": STEP,
    "accounting/steps/noisy_btls.py": STEP,
    "accounting/steps/poisson_gaussian.py": STEP,
    "accounting/steps/poisson_laplace.py": STEP,
    "accounting/steps/printed_samples.py": STEP,
    "accounting/steps/random_allocation.py": STEP,
    "accounting/steps/stable_keys.py": STEP,
    "proofs/certificate.py": PROOF,
    "proofs/check.py": PROOF,
    "proofs/cost.py": PROOF,
    "proofs/every_way.py": PROOF,
    "proofs/moved.py": PROOF,
    "proofs/points.py": PROOF,
    "proofs/rules.py": PROOF,
    "derivation/draws.py": "the parameter of a generator's choice",
    "derivation/aggregates.py": PROOF,
    "datasets/neighbors/add_remove.py": GENERATOR,
    "datasets/neighbors/canaries.py": GENERATOR,
    "datasets/neighbors/losses.py": GENERATOR,
    "datasets/neighbors/of_example.py": "its default, in the digest of every row that an example decided",
    "datasets/neighbors/replace.py": GENERATOR,
    "datasets/neighbors/replace_table.py": GENERATOR,
    "datasets/neighbors/table.py": GENERATOR,
}
"""Files of ``dpverify`` that write the name of a relation, and why; the registry says what differs between them."""


def test_what_depends_on_a_relation_is_asked_of_the_registry():
    written = {str(path.relative_to(HOME)) for path in HOME.rglob("*.py") if relation_literals(path)}
    assert written == set(RELATION_WRITTEN)


def test_the_search_for_relations_finds_them(tmp_path):
    path = tmp_path / "switch.py"
    path.write_text('if relation == "replace":\n    text.decode(errors="replace")\n')
    assert relation_literals(path) == 1


WAYS = {
    "in_threads",
    "in_processes",
    "on_dask",
    "dask_cluster",
    "dask_ready_workers",
    "dask_scheduler_check",
    "dask_worker",
}


def test_only_back_ends_know_back_ends():
    """A new one is a file and its name in ``backends.py``, which imports the one that is asked for."""
    for path in [path for path in HOME.rglob("*.py") if path.stem not in WAYS]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = {node.module.rpartition(".")[2], *(alias.name for alias in node.names)}
                assert not (node.module.startswith("dpverify.runner") and imported & WAYS), path


def test_all_pages_extend_one():
    """Its head forbids scripts and fetching, and its styles are those of all."""
    extend = ('{% extends "page.html.jinja" %}', '{% extends "utility_base.html.jinja" %}')
    pages = {path.name: path.read_text() for path in HOME.rglob("*.html.jinja")}
    assert set(pages) >= {"page.html.jinja", "report.html.jinja", "dossier.html.jinja"}
    assert [name for name, text in pages.items() if not text.startswith(extend)] == ["page.html.jinja"]


SAME_NAMES = {"Asked", "Boundary", "Checked", "Limits", "Part", "Point", "Row", "Step"}
"""Names of two classes, of which one is in users' hands or in the digests of records."""


def test_a_class_has_a_name_of_its_own():
    found = Counter(
        node.name
        for path in HOME.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in found.items() if times > 1} == SAME_NAMES
