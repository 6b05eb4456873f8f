"""The hooks: options, the fixture, the marker, and the summary at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from dpverify.pytest_plugin.settings import (
    AUDITS,
    MARKER,
    PROPERTY,
    SETTINGS,
    SUITE_FILE,
    TOLD,
    add_options,
    settings_of,
)

SUITE_FILES = ("dpverify.toml", "pyproject.toml")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Register ``--dp-*`` and the ini keys."""
    add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings, so that a bad one stops the session before any test."""
    config.addinivalue_line(
        "markers",
        f"{MARKER}(claim, data=EXAMPLE, **settings): what dp_audit(mechanism) audits in this test, such as "
        '"PureDP(epsilon=1)"; settings are those of dpverify.audit',
    )
    settings = config.stash[SETTINGS] = settings_of(config)
    if settings.asked.evidence is not None and settings.asked.evidence.is_dir():
        from dpverify.core.errors import InputError
        from dpverify.neighbourhood.evidence_folder import refuse_damaged

        try:
            refuse_damaged(settings.asked.evidence)
        except InputError as problem:
            raise pytest.UsageError(f"dpverify: {problem}") from None
    if config.getini(SUITE_FILE) and config.args_source is config.ArgsSource.TESTPATHS:
        from dpverify.suite_file.find import suite_file_in

        config.args += [str(path) for path in [suite_file_in(config.rootpath)] if path is not None]
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from dpverify.reporting.github_job import enter_job

        enter_job()  # what the tests start is inside this session


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """The audits of a suite file that is named, or of any that is met where the ini key has them collected."""
    if file_path.name not in SUITE_FILES:
        return None
    from dpverify.suite_file.find import declares, suite_file_in

    met = parent.config.getini(SUITE_FILE) and suite_file_in(file_path.parent) == file_path
    if not (met or (parent.session.isinitpath(file_path) and declares(file_path))):
        return None
    from dpverify.pytest_plugin.suite_items import SuiteFileCollector

    return SuiteFileCollector.from_parent(parent, path=file_path)


@pytest.fixture
def dp_audit(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``dp_audit(mechanism, claim=..., data=EXAMPLE)``: fails the test where the claim is refuted.

    Returns the `dpverify.AuditResult`, or a list of them where the test has several ``dp_claim`` markers. Arguments are
    those of `dpverify.audit`; what the marker says need not be said again.
    """
    from dpverify.pytest_plugin.audits import Audits

    return Audits(item=request.node, settings=request.config.stash[SETTINGS])


@pytest.fixture
def dp_utility(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """``dp_utility(train, data=..., at_least=0.82, epsilon=1.0)``: fails where epsilon is refuted, or it is worse.

    Returns a ``FrontierResult``. Arguments are those of `dpverify.utility_frontier`, with one epsilon (or several) and
    no references unless `against` names some.
    """
    from dpverify.pytest_plugin.utility import Utilities

    return Utilities(item=request.node, settings=request.config.stash[SETTINGS])


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """A marker on a test that never audits is a mistake."""
    done = yield
    if pyfuncitem.get_closest_marker(MARKER) is not None and not pyfuncitem.stash.get(AUDITS, []):
        pytest.fail(
            f"dpverify: the marker {MARKER} on a test that never audits: call dp_audit(mechanism), or take it off",
            pytrace=False,
        )
    return done


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what each audit found, what it could have caught, and the sum of the false-alarm rates."""
    for line in terminalreporter.config.stash.get(TOLD, []):
        terminalreporter.write_line(f"dpverify: {line}")
    reports = [
        report for group in terminalreporter.stats.values() for report in group if hasattr(report, "user_properties")
    ]
    found = [
        (report, value)
        for report in reports
        if getattr(report, "when", "call") == "call"
        for name, value in report.user_properties
        if name == PROPERTY
    ]
    if not found:
        return
    from dpverify.pytest_plugin.summary import write_summary

    audits = [(report.nodeid, value) for report, value in found]
    write_summary(terminalreporter, audits, terminalreporter.config.stash[SETTINGS])
    if os.environ.get("GITHUB_ACTIONS") == "true":
        from dpverify.pytest_plugin.summary import show_in_job

        show_in_job(found)
