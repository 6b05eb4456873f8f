"""The suites, a line each, below the help of `dpverify run`: what is registered, plug-ins included."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dpverify.cli.once import Once
from dpverify.core.registry import Registry


class ListsSuites(Once):
    """A command whose help ends with the list of suites, which is loaded only for the help."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """List each suite with its description and number of claims."""
        from dpverify.core.plugins import registry

        super().format_epilog(ctx, formatter)
        with formatter.section("Suites"):
            formatter.write_dl(suite_lines(registry()))


def suite_lines(known: Registry) -> list[tuple[str, str]]:
    """Names of the suites, with description and number of claims; the default one first."""
    from dpverify.runner.plan import suites_of_entries

    sizes = Counter(suite for suites in suites_of_entries(known).values() for suite in suites)
    names = sorted(sizes.keys() | dict(known.suites.items()).keys(), key=lambda name: (name != "core", name))
    return [(name, f"{known.suite(name).about} ({sizes[name]} claims)".lstrip()) for name in names]
