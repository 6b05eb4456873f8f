"""The digest of deciding sources: which files are followed, what changes it, and what does not."""

from __future__ import annotations

import ast
import sys
from functools import partial

import pytest

from auditors.privacy.event.auditor import EventAuditor
from dpverify.core.plugins import registry
from dpverify.runner import deciding

CLAIM = 'def register(registry):\n    registry.add(Claim(id="A", statement="{}", parameters={{"c": {}}}))\n'
REMARK = 'def register(registry):\n    registry.add("A", Remark(breaks="{}", shown=shown))\n'


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


def forget():
    for remembered in (deciding.reached, deciding._summed, deciding._path, deciding._imports, deciding._code):
        remembered.cache_clear()


def digest(tree, *words, **how):
    forget()
    return deciding.digest(["auditors.one"], *words, root=tree, **how)


def test_imports_are_followed_through_deciding_packages_only(tree):
    found = deciding.reached(("auditors.one",), root=tree)
    assert found == {"auditors", "auditors.one", "auditors.part", "dpverify.stats", "dpverify.stats.tails"}
    assert deciding.reached(("auditors.one",), ("auditors",), tree) == {"auditors", "auditors.one", "auditors.part"}


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


def test_the_words_of_claims_and_remarks_do_not_change_it_unless_asked_for(tree):
    path = tree / "auditors/part.py"

    def seen(text, **how):
        path.write_text(text)
        return digest(tree, **how)

    assert seen(CLAIM.format("one", 1)) == seen(CLAIM.format("two", 1)) != seen(CLAIM.format("one", 2))
    assert seen(REMARK.format("one")) == seen(REMARK.format("two"))
    assert seen(CLAIM.format("one", 1), wording=True) != seen(CLAIM.format("two", 1), wording=True)
    assert seen(REMARK.format("one"), wording=True) != seen(REMARK.format("two"), wording=True)


def test_what_is_not_reached_does_not_matter(tree):
    before = digest(tree)
    (tree / "auditors/other.py").write_text("LEVEL = 2\n")
    (tree / "dpverify/core/claim.py").write_text("LEVEL = 2\n")
    assert digest(tree) == before


def test_words_matter_and_are_told_apart(tree):
    assert len({digest(tree), digest(tree, "ab"), digest(tree, "a", "b"), digest(tree, "b", "a")}) == 4


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="newer versions have more fields, which are left out")
def test_it_is_told_as_this_python_tells_it():
    """Against ``ast.dump``, on the library's own sources; what holds on this version is what the digest means."""
    for module in ("dpverify.core.claim", "dpverify.runner.plan", "auditors.privacy.exact.search"):
        tree = ast.parse(deciding._path(module, None).read_text())
        for node in ast.walk(tree):
            if isinstance(getattr(node, "body", None), list):
                node.body = [each for each in node.body if not deciding._is_prose(each)]
        assert deciding._told(tree, True) == ast.dump(tree)


def test_the_auditors_own_sources_are_reached_wherever_they_are_installed():
    forget()
    found = deciding.reached((EventAuditor.__module__,))
    assert {"auditors.privacy.event.select", "auditors.privacy.goal", "dpverify.stats.intervals"} <= found
    assert not any(name.startswith(("dpverify.core", "dpverify.runner", "dpverify.reporting")) for name in found)


def test_the_module_of_a_thing():
    assert deciding.module_of(EventAuditor()) == deciding.module_of(EventAuditor) == EventAuditor.__module__
    assert deciding.module_of(partial(partial(digest, 1), 2)) == __name__
    assert deciding.module_of(digest) == __name__


def test_every_subject_of_the_ledger_is_reached():
    """A subject whose factory is written where no source is followed would never be stale."""
    known = registry()
    for _, claim in known.claims.items():
        for single in claim.single():
            module = deciding.module_of(known.subject(single.subject))
            assert module in deciding.reached((module,)), single.id
