"""A command that takes each option with a value once: of two values, one would be dropped without a word."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand

from dpverify.core.errors import InputError

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


class Once(GroupedHelp):
    """A command of ours; options that are lists may be repeated, and so may flags, which say the same again."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as ever, or raise InputError for a repeated option."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(order).items():
            name, flag = max(option.opts, key=len), getattr(option, "is_flag", True)
            if times > 1 and not (flag or option.multiple):
                raise InputError(f"{name} is given {times} times", allowed="one value", remedy=f"leave one {name}")
        return super().parse_args(ctx, args)
