"""The commands: where each one is, and what it does in one line; only the one that is asked for is imported.

The text of ``dpverify --help`` is made from this table, without any other import.
"""

from __future__ import annotations

from dpverify import __version__

SUMMARY = "Audit differential-privacy claims: is a claim true?"

COMMANDS = {
    "run": (
        "Audit the claims of your own package, or a built-in suite, and compare the verdicts with the expected ones."
    ),
    "audit": "Audit one callable or program on neighbours made from one example data set, or on one pair.",
    "audit-library": "Audit every claim that an installed library makes, and show one table.",
    "init": "Write a first dpverify.toml for a package, from its functions' signatures and docstrings.",
    "scores": "Test a claim with an attack's scores: of many trainings, or of one with canaries.",
    "frontier": "Measure one's own trainer at claimed and audited epsilon, beside references at the same price.",
    "sampler": "Tell which sampling scheme a data loader follows, and what it costs beside what was accounted for.",
    "check-training": "Check one training step: clipping, independence of records, divisor, noise, account, loader.",
    "audit-accountant": "Search for answers of a privacy accountant that contradict each other, or a lower bound.",
    "account": "Compute the privacy cost of a composition by every accountant.",
    "ledger": "Show every claim of the papers with its verdict.",
    "reproduce": "Measure figures and tables of the papers again, and judge what they say about them.",
    "history": "Show the past runs in a store; with --claim, how a bound changed from run to run.",
    "recheck": "Compute every bound again from the counts in its record, without drawing.",
    "check-proof": (
        "Check the certificate of a proof without the code that made it: every rule, and the cost, are applied again."
    ),
    "replay": "Audit saved failures again, each on its own pair, and say which still fail.",
    "compare": "Show which verdicts, bounds and claims changed between two runs.",
    "report": "Make the reports of finished runs from their records; nothing is audited again.",
    "dossier": "Answer the questions of NIST SP 800-226, the OpenDP registry and W3C from records and declarations.",
    "gallery": "Show real bugs of real releases, and find each again.",
    "list": "List what is registered.",
    "warmup": "Compile what audits need, and say where it is kept and how large it is.",
}
"""By name, in the order of ``--help``: the first sentence of its function's docstring."""

COMPLETION = {
    "--install-completion": "Let your shell complete commands and options.",
    "--show-completion": "Print the script that does so.",
}
OPTIONS = {"--version": "Print the version.", **COMPLETION, "--help": "Show this message and exit."}
"""Of ``dpverify`` itself."""


def place_of(command: str) -> tuple[str, str]:
    """The module of a command, and its function there: both are called as it is, where Python lets them."""
    name = command.replace("-", "_")
    return ("dpverify.cli.listing", "list_") if name == "list" else (f"dpverify.cli.{name}", name)


def version_text() -> str:
    """The text of ``dpverify --version``."""
    return f"dpverify {__version__}\n"


def help_text(width: int = 80) -> str:
    """The text of ``dpverify --help`` for a terminal of this width."""
    import textwrap

    wide = max(min(width, 80) - 2, 48)

    def table(rows: dict[str, str]) -> list[str]:
        left = max(map(len, rows)) + 4
        return [
            textwrap.fill(line, wide, initial_indent=f"  {name}".ljust(left), subsequent_indent=" " * left)
            for name, line in rows.items()
        ]

    return "\n".join(
        [
            "Usage: dpverify [OPTIONS] COMMAND [ARGS]...",
            "",
            textwrap.fill(SUMMARY, wide, initial_indent="  ", subsequent_indent="  "),
            "",
            "Options:",
            *table(OPTIONS),
            "",
            "Commands:",
            *table(COMMANDS),
            "",
        ]
    )
