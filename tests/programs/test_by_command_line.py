"""Programs as users audit them: `dpverify audit --command`, a suite file, pytest, replay; and bad programs."""

from __future__ import annotations

import json
import shlex
import sys
import time
from pathlib import Path

import pytest

from tests import forked

PERL = r"""
use strict; use warnings;
$| = 1;
my $scale = shift // 1;
while (my $line = <STDIN>) {
    my ($seed, $count, $data) = $line =~ /^\{"seed":(\d+),"count":(\d+),"data":\[(.*)\]\}$/ or die "no request\n";
    my $sum = 0;
    $sum += $_ for split /,/, $data;
    srand($seed % 2**32);
    for (1 .. $count) {
        my $size = -$scale * log(1 - rand);
        printf "%.17g\n", $sum + (rand() < 0.5 ? -$size : $size);
    }
}
"""

SUITE = """
[[audit]]
name = "sound"
command = "perl noisy.pl"
claim = "PureDP(epsilon=1)"
data = [0.25, 1.0, 0.5]
trials = 4_000

[[audit]]
name = "broken"
command = "perl noisy.pl 0.4"
claim = "PureDP(epsilon=1)"
data = [0.25, 1.0, 0.5]
trials = 4_000

[[audit]]
name = "dies"
command = "sh -c 'kill -9 $PPID'"
claim = "PureDP(epsilon=1)"
data = [0.25, 1.0, 0.5]
trials = 4_000
"""

PAIR = ("--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1]", "--trials", "4000", "--method", "gate")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "noisy.pl").write_text(PERL)
    (tmp_path / "dpverify.toml").write_text(SUITE)
    return tmp_path


def dpverify(folder, *words):
    return forked.run(
        [sys.executable, "-m", "dpverify", *map(str, words)],
        cwd=folder,
        timeout=300,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "COLUMNS": "80", "HOME": str(folder)},
    )


def test_audit_its_reproduce_line_and_replay(folder):
    found = dpverify(folder, "audit", "--command", "perl noisy.pl 0.4", *PAIR, "--confidence", 1 - 1e-9, "--json")
    assert found.returncode == 1, found.stderr
    (item,) = json.loads(found.stdout)
    assert (item["verdict"], item["id"], item["subject"]) == ("refuted", "perl-noisy.pl-0.4", "perl noisy.pl 0.4")
    (folder / "record.json").write_text(found.stdout)
    (folder / "dpverify.toml").unlink()
    assert dpverify(folder, "recheck", "record.json").returncode == 0
    again = dpverify(folder, *shlex.split(item["reproduce"])[1:], "--json")
    same = json.loads(again.stdout)[0]
    assert [same[key] for key in ("bound", "witness", "trials")] == [
        item[key] for key in ("bound", "witness", "trials")
    ]
    told = dpverify(folder, "replay", "record.json", "--seconds", 2)
    assert told.returncode == 2
    assert "a file alone has nothing imported or run" in told.stderr
    assert "--command 'perl noisy.pl 0.4'" in told.stderr
    named = dpverify(folder, "replay", "record.json", "--seconds", 2, "--command", "perl noisy.pl 0.4")
    assert (named.returncode, named.stdout[:6]) == (1, "FAILED"), named.stdout + named.stderr


def test_a_suite_file_in_the_command_line_and_in_pytest(folder):
    found = dpverify(folder, "run", "--out", "out", "--jobs", 1)
    assert found.returncode == 1, found.stdout + found.stderr
    items = {item["id"]: item for item in json.loads((folder / "out" / "results.json").read_text())}
    assert {name: item["verdict"] for name, item in items.items()} == {
        "sound": "not_refuted",
        "broken": "refuted",
        "dies": "error",
    }
    replayed = dpverify(folder, "replay", "out", "--seconds", 2)  # the suite file says which program it is
    assert replayed.stdout.startswith("FAILED"), replayed.stdout
    tests = forked.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "dpverify.toml", "-k", "not dies"],
        cwd=folder,
        timeout=300,
    )
    assert "1 failed, 1 passed" in tests.stdout, tests.stdout


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("sh -c 'kill -9 $PPID'", 3, "died (signal 9, SIGKILL)"),
        ("no-such-program", 2, "'no-such-program' cannot be started"),
        pytest.param("yes {seed}", 2, "printed more than the 1 lines", marks=pytest.mark.slow),
        ("sh -c 'setsid sh -c \"sleep 4; echo late > mark\" & echo 1; true {count}'", 2, "after 1 outputs"),
    ],
)
def test_bad_programs_are_one_line(folder, command, status, said):
    found = dpverify(folder, "audit", "--command", command, *PAIR)
    assert found.returncode == status, found.stderr
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("dpverify: ")]
    assert said in line
    assert "Traceback" not in found.stderr
    if "mark" in command:
        time.sleep(4.5)
        assert not (folder / "mark").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--command", "perl noisy.pl", "json:loads"), "json:loads beside --command"),
        ((), "nothing to audit"),
        (("json:loads", "--outputs", "doubles"), "without --command"),
        (("--command", "perl noisy.pl", "--call", "batch"), "call 'batch' with a command"),
        (("--command", "perl noisy.pl", "--on-error", "output"), "started for each output"),
        (("--command", "perl noisy.pl", "--outputs", "xml"), "json, doubles"),
    ],
)
def test_bad_options_are_one_line(folder, monkeypatch, capsys, words, said):
    from tests.unwatched import unwatched

    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["dpverify", "audit", *words, *PAIR])
    with pytest.raises(SystemExit) as caught:
        unwatched()
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_faults_of_a_suite_file_have_their_line(folder):
    (folder / "dpverify.toml").write_text(
        '[[audit]]\nname = "a"\ncommand = "no-such-program"\nclaim = "PureDP(epsilon=1)"\ndata = [1, 2]\n'
    )
    found = dpverify(folder, "run")
    assert (found.returncode, found.stderr[:17]) == (2, "dpverify: dpverif")
    assert "dpverify.toml:3: the audit 'a': the program 'no-such-program'" in found.stderr


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('command = "./x"\nmechanism = "a:b"\nname = "n"', "mechanism and command"),
        ('command = "./x"', "a command without a name"),
        ('command = "./x"\nname = "n"\nparameters = {}', "parameters with a command"),
        ('mechanism = "a:b"\noutputs = "doubles"', "outputs with a callable"),
        ('command = "./x"\nname = "n"\noutputs = "text"', "outputs = 'text'"),
    ],
)
def test_contradictions_of_a_suite_file(tmp_path, lines, said):
    from dpverify.suite_file.read import SuiteFileError, read

    path = Path(tmp_path / "dpverify.toml")
    path.write_text(f'[[audit]]\nclaim = "PureDP(epsilon=1)"\ndata = [1]\n{lines}\n')
    with pytest.raises(SuiteFileError, match=said):
        read(path)
