"""A forked command is what `subprocess.run` gives: status, texts, arguments, environment, folder, session."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests import forked

ABOUT = (
    "import json, os, sys; print(json.dumps([sys.argv, os.getcwd(), os.environ.get('MINE'), sys.path[0], "
    "os.environ.get('HOME'), sys.stdin.read(), sys.stderr.line_buffering, __name__]))"
)


def both(command, **how):
    """What a forked process and a new one print, and their statuses."""
    cold = {"capture_output": True, "text": True, "check": False, "stdin": subprocess.DEVNULL}
    return forked.run(command, **how), subprocess.run(command, **how, **cold)


def same(one, other):
    return (one.returncode, one.stdout, one.stderr) == (other.returncode, other.stdout, other.stderr)


def test_it_sees_what_a_new_process_sees(tmp_path):
    found, cold = both([sys.executable, "-c", ABOUT, "a b", "c"], cwd=tmp_path, env={"MINE": "1", "PATH": "/bin"})
    argv, folder, mine, _, home, text, buffered, name = json.loads(found.stdout)
    assert (argv, folder, mine, home) == (["-c", "a b", "c"], str(tmp_path), "1", None)
    assert (text, buffered, name) == ("", True, "__main__")
    _, *rest = json.loads(cold.stdout)
    assert rest[:2] == [folder, mine] and rest[3:] == [home, text, buffered, name]


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.exit(7)",
        "import sys; sys.exit('no')",
        "import sys; sys.exit()",
        "print('out'); import sys; print('err', file=sys.stderr)",
        "import os; os._exit(3)",
        "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "import atexit; atexit.register(print, 'late')",
        "import threading, time; threading.Thread(target=lambda: (time.sleep(0.1), print('later'))).start()",
        "import sys, os; sys.stderr.write('kept'); sys.stderr.write(' line\\n'); os._exit(0)",
    ],
)
def test_it_ends_as_a_new_process_does(code):
    assert same(*both([sys.executable, "-c", code]))


def test_what_is_not_caught_is_a_traceback_and_status_1():
    found = forked.run([sys.executable, "-c", "1 / 0"])
    assert found.returncode == 1
    assert found.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_a_script_is_run_and_finds_what_lies_beside_it(tmp_path):
    (tmp_path / "beside.py").write_text("VALUE = 5\n")
    (tmp_path / "script.py").write_text("import sys, beside\nprint(beside.VALUE, sys.argv[1:], __name__)\n")
    found, cold = both([sys.executable, tmp_path / "script.py", "x"])
    assert found.stdout == "5 ['x'] __main__\n"
    assert same(found, cold)


def test_the_command_line_is_the_same(tmp_path):
    assert same(*both([sys.executable, "-m", "dpverify", "audit", "gone:f"], cwd=tmp_path))
    assert same(*both([sys.executable, "-m", "dpverify", "list", "definitions"], cwd=tmp_path))


def test_nothing_of_one_command_is_left_for_the_next(tmp_path):
    (tmp_path / "mine.py").write_text("VALUE = 1\n")
    code = "import os, mine; print(mine.VALUE, os.environ.get('LEFT')); os.environ['LEFT'] = 'x'"
    assert forked.run([sys.executable, "-c", code], cwd=tmp_path).stdout == "1 None\n"
    (tmp_path / "mine.py").write_text("VALUE = 22\n")
    assert forked.run([sys.executable, "-c", code], cwd=tmp_path).stdout == "22 None\n"


def test_a_session_of_its_own_is_killed_at_the_timeout():
    code = "import os, time; print(os.getpid() == os.getsid(0), flush=True); time.sleep(600)"
    with pytest.raises(subprocess.TimeoutExpired):
        forked.run([sys.executable, "-c", code], timeout=1.0)
    assert forked.run([sys.executable, "-c", code.replace("600", "0")]).stdout == "True\n"


def test_what_is_read_at_the_start_makes_a_cold_start():
    code = "import sys; print(sys.flags.hash_randomization, 'tests.forked' in sys.modules or 'numba' in sys.modules)"
    found = forked.run([sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": "0"})
    assert found.stdout == "0 False\n"


def test_a_failure_is_raised_where_it_is_asked_for():
    with pytest.raises(subprocess.CalledProcessError):
        forked.run([sys.executable, "-c", "raise SystemExit(2)"], check=True)
    with pytest.raises(ValueError, match="not a command of this Python"):
        forked.run(["ls"])
