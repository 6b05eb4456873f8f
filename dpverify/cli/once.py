"""A command that takes each option with a value once: of two values, one would be dropped without a word."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dpverify.cli.grouped_help import GroupedHelp
from dpverify.core.errors import InputError


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
