"""The tests that a change calls: by imports, the nearest first, and the contract tests for what is registered."""

from pathlib import Path

import pytest

from tests.quick.affected import affected, importers, module_of

FILES = {
    "dpverify/__init__.py": "",
    "dpverify/low.py": "X = 1",
    "dpverify/middle.py": "from dpverify.low import X",
    "dpverify/high.py": "def f():\n    from dpverify import middle\n    return middle",
    "reference_impls/one.py": "import dpverify.high",
    "auditors/two.py": "",
    "tests/dpverify/test_low.py": "from dpverify.low import X",
    "tests/dpverify/test_high.py": "from dpverify.high import f",
    "tests/dpverify/conftest.py": "",
    "tests/reference_impls/test_one.py": "from reference_impls.one import dpverify",
    "tests/contracts/test_all.py": "",
    "README.md": "",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def called(root: Path, *changed: str) -> list[str]:
    return [str(path.relative_to(root)) for path in affected(changed, importers(root), root)]


def test_a_file_is_named_as_it_is_imported():
    assert module_of(Path("a/b.py")) == "a.b"
    assert module_of(Path("a/__init__.py")) == "a"


def test_the_nearest_come_first_through_inner_imports_too(root):
    assert called(root, "dpverify/low.py") == [
        "tests/dpverify/test_low.py",
        "tests/dpverify/test_high.py",
        "tests/reference_impls/test_one.py",
    ]
    assert called(root, "dpverify/middle.py") == ["tests/dpverify/test_high.py", "tests/reference_impls/test_one.py"]


def test_what_is_registered_calls_the_contracts(root):
    assert called(root, "auditors/two.py") == ["tests/contracts/test_all.py"]
    assert called(root, "reference_impls/one.py") == [
        "tests/reference_impls/test_one.py",
        "tests/contracts/test_all.py",
    ]


def test_a_changed_test_calls_itself_and_shared_fixtures_all_beside_them(root):
    assert called(root, "tests/dpverify/test_low.py") == ["tests/dpverify/test_low.py"]
    assert called(root, "tests/dpverify/conftest.py") == ["tests/dpverify/test_high.py", "tests/dpverify/test_low.py"]


def test_prose_and_files_that_are_gone_call_nothing(root):
    assert called(root, "README.md", "dpverify/gone.py") == []
