"""Shows the options of a long command in groups; the group is the word ``rich_help_panel`` of an option."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

FEW = 8
"""Options that are read without groups."""


class GroupedHelp(TyperCommand):
    """A command whose help has a section for each group of options, in the order of their first options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then a section for each group; ``--help`` stands in the last one."""
        sections: dict[str, list[tuple[str, str]]] = {}
        options = [each for each in self.params if each.param_type_name == "option"]
        group = "Options"
        for each in self.get_params(ctx):
            if each.param_type_name == "option" and len(options) > FEW:
                group = getattr(each, "rich_help_panel", None) or group
            if shown := each.get_help_record(ctx):
                section = "Arguments" if each.param_type_name == "argument" else group
                sections.setdefault(section, []).append(shown)
        for section in sorted(sections, key=lambda name: name != "Arguments"):
            with formatter.section(section):
                formatter.write_dl(sections[section])
