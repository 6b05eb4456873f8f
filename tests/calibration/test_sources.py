"""The digest of deciding sources: which files are followed, what changes it, and what does not."""

from __future__ import annotations

import pytest

from auditors.privacy.event.auditor import EventAuditor
from auditors.privacy.one_run.auditor import OneRunAuditor
from dpverify.core.plugins import registry
from tests.calibration import sources
from tests.calibration.boundaries import boundaries
from tests.calibration.harness import statistical_auditors


@pytest.fixture
def tree(tmp_path):
    """An auditor that imports a part of its own inside a function, statistics, and a protocol; and one it does not."""
    for name, text in {
        "auditors/__init__.py": "",
        "auditors/one.py": '"""Prose."""\nfrom dpverify.stats import tails\ndef f():\n    from auditors import part\n',
        "auditors/part.py": "LEVEL = 1\n",
        "auditors/other.py": "LEVEL = 1\n",
        "dpverify/stats/__init__.py": "",
        "dpverify/stats/tails.py": "from dpverify.core import claim\nLEVEL = 1\n",
        "dpverify/core/claim.py": "import auditors.other\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def digest(tree, *words):
    for remembered in (sources.reached, sources._path, sources._imports, sources._code):
        remembered.cache_clear()
    return sources.digest(["auditors.one"], *words, root=tree)


def test_imports_are_followed_through_deciding_packages_only(tree):
    found = sources.reached(("auditors.one",), tree)
    assert found == {"auditors", "auditors.one", "auditors.part", "dpverify.stats", "dpverify.stats.tails"}


@pytest.mark.parametrize("name", ["auditors/one.py", "auditors/part.py", "dpverify/stats/tails.py"])
def test_code_changes_it_and_prose_does_not(tree, name):
    before, path = digest(tree), tree / name
    text = path.read_text()
    path.write_text(f'"""Other words."""\n# A comment.\n\n{text}\n\n"""And more."""\n')
    assert digest(tree) == before
    path.write_text(text + "MORE = 2\n")
    assert digest(tree) != before
    path.write_text(text)
    assert digest(tree) == before


def test_what_is_not_reached_does_not_matter(tree):
    before = digest(tree)
    (tree / "auditors/other.py").write_text("LEVEL = 2\n")
    (tree / "dpverify/core/claim.py").write_text("LEVEL = 2\n")
    assert digest(tree) == before


def test_words_matter_and_are_told_apart(tree):
    assert len({digest(tree), digest(tree, "ab"), digest(tree, "a", "b"), digest(tree, "b", "a")}) == 4


def test_a_cell_hangs_on_its_auditor_its_subject_and_its_claim():
    known = {boundary.name: boundary for boundary in boundaries()}
    found = {
        sources.deciding(auditor, known[name])
        for auditor in (EventAuditor(), OneRunAuditor(), OneRunAuditor(guesses=((10, 10),)))
        for name in ("laplace", "gaussian", "gaussian-mu", "canaries")
    }
    assert len(found) == 12
    again = {boundary.name: boundary for boundary in boundaries()}
    assert sources.deciding(EventAuditor(), again["laplace"]) == sources.deciding(EventAuditor(), known["laplace"])


def test_nothing_that_decides_is_told_by_its_place_in_memory():
    """Else each run would find all cells stale."""
    for auditor in statistical_auditors(registry()):
        assert " at 0x" not in repr(auditor)
    for boundary in boundaries():
        assert " at 0x" not in repr((boundary.subject, boundary.guarantee, boundary.neighbors, boundary.space))
        assert " at 0x" not in repr(boundary.parameters)


def test_the_auditors_own_sources_are_reached():
    found = sources.reached((EventAuditor.__module__,))
    assert {"auditors.privacy.event.select", "auditors.privacy.goal", "dpverify.stats.intervals"} <= found
    assert not any(name.startswith(("dpverify.core", "dpverify.runner", "dpverify.reporting")) for name in found)
