"""Mechanisms and plug-ins that harm the process they run in, and what they leave behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from dpverify.runner.process_tree import with_descendants
from tests.attack.attack import Attack, Outcome
from tests.attack.command import Ran, command, dpverify
from tests.attack.hostile_place import PAIR, audited, with_plugin

LINE = "one line, exit status 3"
VERDICT = "the verdict, as if nothing had been"


def one_line(ran: Ran, status: int, said: str) -> bool:
    """Nothing else was printed, and nobody is left."""
    return ran.status == status and not ran.out and ran.err.count("\n") == 1 and said in ran.err and ran.clean


def ends(function: str, said: str, status: int, folder: Path) -> Outcome:
    """The audit comes to no result, and says so."""
    ran = audited(folder, function)
    return Outcome(happened=ran.told, held=one_line(ran, status, said), lost="nothing")


def stands(function: str, folder: Path) -> Outcome:
    """The audit comes to its result, whole and once, in the place that was asked for, and nobody is left."""
    ran = audited(folder, function, "--json", "out.json")
    found = json.loads((folder / "out.json").read_text()) if (folder / "out.json").exists() else []
    tables, verdicts = ran.out.count("not refuted"), [item["verdict"] for item in found]
    held = ran.status == 0 and tables == 1 and verdicts == ["not_refuted"] and ran.clean
    return Outcome(happened=f"status {ran.status}, {tables} table, {ran.left} processes left", held=held)


def printed_below(folder: Path) -> Outcome:
    """Standard output holds the result alone."""
    ran = audited(folder, "prints_below", "--json", "-")
    (item,) = json.loads(ran.out)
    return Outcome(
        happened=f"status {ran.status}, {item['verdict']}", held=item["verdict"] == "not_refuted" and ran.clean
    )


def at_import(line: str, said: str, status: int, folder: Path) -> Outcome:
    """A module that ends the process when it is imported."""
    (folder / "hostile_module.py").write_text(f"import asyncio, os, sys\n{line}\n")
    ran = dpverify("audit", "hostile_module:f", *PAIR, folder=folder)
    return Outcome(happened=ran.told, held=one_line(ran, status, said))


def plugin_at_import(how: str, words: tuple[str, ...], folder: Path) -> Outcome:
    """A plug-in that ends the process when it is loaded."""
    ran = with_plugin(folder, *words, at_import=how)
    held = ran.status == 3 and not ran.out and "Traceback" not in ran.err and not ran.left and bool(ran.line)
    return Outcome(happened=ran.told, held=held)


def raising(backend: str, folder: Path) -> Outcome:
    """Each claim's own; asked again with --resume, too."""
    words = ("run", "raising", "--backend", backend, "--jobs", "2", "--out", "out", "--method", "looks")
    first = with_plugin(folder, *words)
    records = {item["id"]: item["verdict"] for item in json.loads((folder / "out" / "results.json").read_text())}
    again = with_plugin(folder, *words, "--resume")
    rest = {name: verdict for name, verdict in records.items() if name != "steady-beside"}
    whole = records["steady-beside"] == "not_refuted" and set(rest.values()) == {"error"} and len(rest) == 5
    return Outcome(
        happened=f"status {first.status}, resumed {again.status}: {len(rest)} errors beside {records['steady-beside']}",
        held=first.status == again.status == 3 and whole and first.clean and again.clean,
        lost="nothing" if whole else "a claim's row",
    )


def leaving(backend: str, folder: Path) -> Outcome:
    """A fork, a thread and a daemon."""
    words = ("run", "leaving", "--backend", backend, "--jobs", "2", "--out", "out", "--method", "looks", "--quiet")
    ran = with_plugin(folder, *words)
    records = json.loads((folder / "out" / "results.json").read_text())
    verdicts = {item["verdict"] for item in records}
    return Outcome(
        happened=f"status {ran.status}, {len(records)} claims {verdicts}, {ran.left} left, {ran.seconds:.0f} s",
        held=ran.status == 0 and verdicts == {"not_refuted"} and ran.clean and not ran.out,
    )


def ending(folder: Path) -> Outcome:
    """In threads there is one process for all claims."""
    ran = with_plugin(folder, "run", "ending", "--backend", "threads", "--jobs", "1", "--method", "looks", "--quiet")
    return Outcome(happened=ran.told, held=ran.status == 3 and "died (exit status 0)" in ran.err and ran.clean)


def started(folder: Path, *words: str, ready: Callable[[int], bool]) -> subprocess.Popen[str]:
    """A command that is at work; `ready` looks at its process."""
    temporary = folder / ".tmp"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen(
        [sys.executable, "-m", "dpverify", *words],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(folder / ".hostile")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.default_int_handler),
    )
    until = time.monotonic() + 60.0
    while not ready(process.pid) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    return process


def lives(pid: int) -> bool:
    """Whether there is more of it than a zombie."""
    try:
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def left_of(pids: list[int], folder: Path) -> tuple[int, list[str]]:
    """Processes and folders three seconds later, at most."""
    until = time.monotonic() + 3.0
    while True:
        alive = [pid for pid in pids if lives(pid)]
        folders = [path.name for path in (folder / ".tmp").iterdir()]
        if not (alive or folders) or time.monotonic() > until:
            return len(alive), folders
        time.sleep(0.05)


def killed_audit(number: signal.Signals, status: int, folder: Path) -> Outcome:
    """While a mechanism hangs that has a daemon, and a grandchild that ignores signals."""
    shutil.copy(Path(__file__).parents[1] / "hostile.py", folder)
    words = ("audit", "hostile:leaves_a_family_and_hangs", *PAIR)
    process = started(folder, *words, ready=lambda pid: len(with_descendants(pid)) >= 5 and hanging(pid))
    found = with_descendants(process.pid)[1:]
    process.send_signal(number)
    process.communicate(timeout=60)
    alive, folders = left_of(found, folder)
    return Outcome(
        happened=f"status {process.returncode}; {len(found)} processes before, {alive} after",
        held=process.returncode == status and len(found) >= 4 and not alive and not folders,
    )


def hanging(pid: int) -> bool:
    """Whether the daemon is there."""
    for each in with_descendants(pid):
        try:
            if b"sleep" in Path(f"/proc/{each}/cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


def killed_run(number: signal.Signals, early: bool, folder: Path) -> Outcome:
    """While its workers start, or are at work."""
    with_plugin(folder, "--version")
    words = ("run", "working", "--jobs", "2", "--method", "looks", "--quiet")
    most = 4 if early else 5
    process = started(folder, *words, ready=lambda pid: len(with_descendants(pid)) >= most)
    if not early:
        time.sleep(3.0)
    found = with_descendants(process.pid)[1:]
    process.send_signal(number)
    process.communicate(timeout=60)
    alive, folders = left_of(found, folder)
    return Outcome(
        happened=f"status {process.returncode}; {len(found)} processes before, {alive} after; folders {folders}",
        held=process.returncode == -number and not alive and not folders,
    )


def deleted_directory(folder: Path) -> Outcome:
    """Every command from a directory that is gone."""
    words = " && ".join(("mkdir gone", "cd gone", "rmdir ../gone", f"{sys.executable} -m dpverify run core --quiet"))
    ran = command(["bash", "-c", words], folder, 60.0, {}, None)
    return Outcome(happened=ran.told, held=one_line(ran, 2, "directory"))


def output(shell: str, status: int, said: str, folder: Path) -> Outcome:
    """Of a command that prints something."""
    words = f"{sys.executable} -m dpverify list relations {shell}"
    ran = command(["bash", "-c", words], folder, 60.0, {}, None)
    held = ran.status == status and said in ran.err and "Traceback" not in ran.err and ran.err.count("\n") <= 1
    return Outcome(happened=ran.told, held=held and ran.clean)


def broken_import(folder: Path) -> Outcome:
    """A module of the command line's that cannot be imported."""
    (folder / "sitecustomize.py").write_text("import sys\nsys.modules['typer'] = None\n")
    ran = dpverify("list", "relations", folder=folder, environment={"PYTHONPATH": str(folder)})
    return Outcome(happened=ran.told, held=ran.status == 3 and ran.err.count("\n") == 1 and not ran.out)


_ENDS = [
    ("ends with os._exit(0)", "ends_with_zero", "died (exit status 0)", 3),
    ("ends the process from a thread", "ends_from_a_thread", "died (exit status 0)", 3),
    ("has a segmentation fault", "faults", "SIGSEGV", 3),
    ("aborts", "aborts", "SIGABRT", 3),
    ("kills itself", "kills_itself", "SIGKILL", 3),
    ("kills its process group", "kills_its_group", "SIGKILL", 3),
    ("kills the watchdog", "kills_its_watchdog", "its watchdog died", 3),
    ("stops the watchdog", "stops_its_watchdog", "the watchdog was stopped", 3),
    ("closes every descriptor", "closes_everything", "left no result", 3),
    ("calls sys.exit(0)", "exits", "SystemExit", 2),
    ("raises CancelledError", "cancels", "CancelledError", 3),
    ("raises KeyboardInterrupt", "interrupts", "KeyboardInterrupt", 3),
    ("sends itself Ctrl-C", "signals_itself", "KeyboardInterrupt", 3),
    ("raises GeneratorExit", "leaves_a_generator", "GeneratorExit", 3),
    ("raises BrokenPipeError", "breaks_its_pipe", "BrokenPipeError", 2),
]
_STANDS = [
    ("closes standard output and error", "closes_output"),
    ("puts a file in the place of standard output", "steals_output"),
    ("forks three times and comes back", "forks_and_comes_back"),
    ("leaves a thread of ten minutes", "leaves_a_thread"),
    ("leaves work for the interpreter's end", "leaves_work_for_the_end"),
    ("leaves a daemon and a deaf grandchild", "leaves_a_family"),
    ("changes directory, umask and recursion limit", "moves_away"),
    ("ignores all signals", "sets_all_signals"),
]
_IMPORTS = [
    ("os._exit(0)", "died (exit status 0)", 3),
    ("sys.exit(0)", "SystemExit", 2),
    ("raise KeyboardInterrupt", "KeyboardInterrupt", 3),
    ("raise asyncio.CancelledError", "CancelledError", 3),
]
_LOADS = [
    ("exits", ("run", "core", "--only", "laplace")),
    ("ends", ("run", "core", "--only", "laplace")),
    ("interrupts", ("list", "claims")),
    ("cancels", ("ledger",)),
    ("exits", ("run", "--help")),
    ("ends", ("account", "gaussian(sigma=1)")),
]

ATTACKS = [
    *(
        Attack(
            name=f"a mechanism that {name}",
            wanted=LINE if status == 3 else "one line, exit status 2",
            run=partial(ends, function, said, status),
            quick=function in ("ends_with_zero", "cancels", "stops_its_watchdog"),
        )
        for name, function, said, status in _ENDS
    ),
    *(
        Attack(
            name=f"a mechanism that {name}",
            wanted=VERDICT,
            run=partial(stands, function),
            quick=function == "forks_and_comes_back",
        )
        for name, function in _STANDS
    ),
    Attack(name="a mechanism that prints below Python", wanted="JSON alone", run=printed_below, quick=False),
    *(
        Attack(
            name=f"a module that runs {line} when imported",
            wanted=f"one line, exit status {status}",
            run=partial(at_import, line, said, status),
        )
        for line, said, status in _IMPORTS
    ),
    *(
        Attack(
            name=f"a plug-in that {how} when loaded, by `dpverify {words[0]}`",
            wanted="a line, exit status 3",
            run=partial(plugin_at_import, how, words),
        )
        for how, words in _LOADS
    ),
    *(
        Attack(
            name=f"claims that raise what is no Exception, in {backend}",
            wanted="each an error of its own, the others as ever, exit status 3; resumed the same",
            run=partial(raising, backend),
            quick=False,
        )
        for backend in ("processes", "threads")
    ),
    *(
        Attack(
            name=f"claims that fork, and leave a thread and a daemon, in {backend}",
            wanted="every verdict, nobody left, exit status 0",
            run=partial(leaving, backend),
            quick=False,
        )
        for backend in ("processes", "threads")
    ),
    Attack(name="a claim that ends the process, in threads", wanted="a line, exit status 3", run=ending, quick=False),
    *(
        Attack(
            name=f"{number.name} to an audit whose mechanism hangs beside a daemon and a deaf grandchild",
            wanted="nobody and no folder left",
            run=partial(killed_audit, number, status),
            quick=False,
        )
        for number, status in ((signal.SIGTERM, -15), (signal.SIGKILL, -9), (signal.SIGINT, 130))
    ),
    *(
        Attack(
            name=f"{number.name} to a run {'whose workers start' if early else 'at work'}",
            wanted="nobody and no folder left",
            run=partial(killed_run, number, early),
            quick=False,
        )
        for number in (signal.SIGTERM, signal.SIGKILL)
        for early in (True, False)
    ),
    Attack(name="a deleted working directory", wanted="one line, exit status 2", run=deleted_directory),
    Attack(
        name="nobody reads standard output",
        wanted="exit status 141",
        run=partial(output, "| true; exit ${PIPESTATUS[0]}", 141, ""),
    ),
    Attack(name="standard output is closed", wanted=LINE, run=partial(output, ">&-", 3, "is closed")),
    Attack(name="standard output is a full disk", wanted=LINE, run=partial(output, "> /dev/full", 3, "No space")),
    Attack(name="standard output and error are closed", wanted="exit status 3", run=partial(output, ">&- 2>&-", 3, "")),
    Attack(name="a package that dpverify needs cannot be imported", wanted=LINE, run=broken_import),
]
