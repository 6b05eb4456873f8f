"""The reference of the commands, from the commands themselves."""

import re
from typing import Any

import typer

from dpverify.cli.command_line import application
from dpverify.cli.commands import COMMANDS

HEAD = """# Commands

Every command takes `--json [FILE]`, and `dpverify COMMAND --help` shows what stands here.

| exit status | meaning |
|---|---|
| 0 | every verdict is as expected |
| 1 | a claim that should hold was refuted, or a known-broken one was not |
| 2 | the input is invalid; one line says what was wrong, what is allowed, and how to mend it |
| 3 | an audit or a computation could not be completed, or could have seen nothing where that was demanded |
| 130 | interrupted |
| 141 | the reader of the output has gone away |

The same seed gives the same numbers to the bit, for any `--jobs` and any back end.

"""


def pages() -> dict[str, str | bytes]:
    """One page."""
    return {"commands.md": HEAD + "\n".join(_command(name) for name in COMMANDS)}


def _command(name: str) -> str:
    command: Any = typer.main.get_command(application([name]))
    command = command.commands[name] if hasattr(command, "commands") else command
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden]
    places = "".join(f" {_place(each)}" for each in arguments)
    text = [f"## dpverify {name}", "", f"`dpverify {name}{places} [OPTIONS]`", ""]
    text += [_paragraphs(command.help), ""]
    if options:
        text += ["| option | meaning |", "|---|---|"]
        text += [f"| {_flags(each)} | {_cell(each.help or '')}{_default(each)} |" for each in options]
    return "\n".join(text) + "\n"


def _place(argument: Any) -> str:
    name = argument.make_metavar(None) if argument.metavar is None else argument.metavar
    return name.strip()


def _flags(option: Any) -> str:
    names = ", ".join(f"`{each}`" for each in [*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} {_cell(option.metavar or _kind(option))}"


def _kind(option: Any) -> str:
    return {"integer": "N", "float": "X", "text": "TEXT", "path": "PATH", "file": "FILE"}.get(option.type.name, "TEXT")


def _default(option: Any) -> str:
    if option.default in (None, False, (), [], "") or callable(option.default) or option.is_flag:
        return ""
    return f" (default {_cell(str(option.default))})"


def _paragraphs(text: str | None) -> str:
    return _prose(" \n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text or "")))


def _cell(text: str) -> str:
    return _prose(" ".join(text.split())).replace("|", "\\|")


def _prose(text: str) -> str:
    """Text of a docstring as Markdown: its literals stay, all else is no markup."""
    pieces = re.split(r"(``.+?``|`.+?`)", text.replace("\b", ""))
    return "".join(p if p.startswith("`") else re.sub(r"([*_<>\[\]{}$])", r"\\\1", p) for p in pieces)
