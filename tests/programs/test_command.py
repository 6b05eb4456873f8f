"""Programs that do what they should not: each is one error in a few words, and nothing of them is left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.programs.command import Command
from dpverify.programs.failure import ProgramError

RNG = np.random.default_rng


def worker(loop):
    """A worker in the shell: `loop` is what it does with each request, whose count is $n."""
    text = f'while read -r line; do n=${{line#*count\\":}}; n=${{n%%,*}}; {loop}; done'
    return Command(["sh", "-c", text])


ANSWER = 'i=0; while [ $i -lt $n ]; do echo "$i.5"; i=$((i + 1)); done'


@pytest.fixture(autouse=True)
def nothing_is_left():
    before = children()  # of other files that ran in this process: pools of workers, fork servers
    yield
    assert not [name for child, name in children().items() if child not in before and "resource_tracker" not in name]


def children():
    found = {}
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        for child in (task / "children").read_text().split():
            found[child] = Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")
    return found


def test_a_worker_answers_many_requests_in_one_process():
    program = worker(f"echo $$ >&2; {ANSWER}")
    assert [program([1.0], n, RNG(0)) for n in (1, 3, 2)] == [[0.5], [0.5, 1.5, 2.5], [0.5, 1.5]]
    one = program._live.program
    program([2.0], 1, RNG(0))
    assert program._live.program is one
    program.close()


def test_a_worker_sees_the_request_as_the_specification_writes_it():
    program = worker('printf "%s" "$line" | sed "s/\\"/\\\\\\\\\\"/g; s/.*/\\"&\\"/"; echo')
    (seen,) = program([0.25, "x y"], 1, RNG(5))
    assert seen == f'{{"seed":{int(RNG(5).integers(2**53))},"count":1,"data":[0.25,"x y"]}}'
    program.close()


def test_a_worker_that_ends_with_0_after_an_answer_is_started_again():
    program = Command(["sh", "-c", "read -r line; echo 2.5"])
    assert [program([1.0], 1, RNG(0)) for _ in range(3)] == [[2.5]] * 3
    program.close()


@pytest.mark.parametrize(
    ("loop", "said"),
    [
        ("exit 3", "ended with exit status 3 after 0 outputs"),
        ("echo boom >&2; echo 1; exit 3", "exit status 3 after 1 outputs .*it said: boom"),
        ("kill -9 $$", r"was ended by signal 9 \(SIGKILL\)"),
        (f"{ANSWER}; echo 7", "printed more than"),
        ("echo hello", "no JSON value"),
        ("yes 1", "more than the 2 lines"),
        ("yes 1 | tr -d '\\n'", "a line of more than"),
        ("printf '\\377\\n1\\n'", "no UTF-8"),
        ("exec >&-; sleep 60", "closed its output"),
        ("sleep 60", "printed nothing for 0.5 s, after 0 outputs .a worker must flush"),
        ("yes >&2", "printed nothing for 0.5 s"),
        ("kill -STOP $$", "printed nothing for 0.5 s"),
    ],
)
def test_a_bad_worker_is_one_error_and_is_ended(loop, said):
    program = worker(loop)
    program.silence = 0.5
    begun = time.monotonic()
    with pytest.raises(ProgramError, match=said):
        program([1.0], 2, RNG(0))
    assert time.monotonic() - begun < 15.0


def test_a_line_too_much_that_comes_late_is_noticed_before_the_next_request(tmp_path):
    heard = tmp_path / "heard"  # made once the answer is here: else both lines may come together
    program = worker(f"{ANSWER}; case $line in *2.0*) until [ -e {heard} ]; do sleep 0.01; done; echo 9;; esac")
    program([1.0], 1, RNG(0))
    program([2.0], 1, RNG(0))
    heard.touch()
    time.sleep(0.3)
    with pytest.raises(ProgramError, match=r"more than (the 1 lines that )?it was asked for"):
        program([1.0], 1, RNG(0))


def test_started_for_each_request(tmp_path):
    (tmp_path / "rows.sh").write_text('cat "$1"; echo "$2 $3 $#" >&2; exit 4\n')
    program = Command("sh rows.sh {data:csv} {seed} {count}", folder=tmp_path)
    with pytest.raises(ProgramError, match=r"ended with exit status 4 after its outputs; it said: [0-9]+ 2 3$"):
        program([0.5, 1.5], 2, RNG(0))
    inline = Command(["sh", "-c", "echo 1; echo {data:inline}"])
    assert inline.batches is False
    with pytest.raises(ProgramError, match="more than the 1 lines"):
        inline([1.0])
    assert Command("sh -c 'cat' {seed}")([1.0, 2.0], rng=RNG(0)) == [1.0, 2.0]  # the data set on standard input
    program.close()


def test_without_a_count_the_program_is_started_for_each_output():
    program = Command("echo {seed}")
    found = program([1.0], 3, RNG(0))
    assert len(set(found)) == 3
    assert found == [float(each) for each in RNG(0).integers(2**53, size=3)]


def test_its_children_end_with_it(tmp_path):
    mark = tmp_path / "mark"
    program = Command(["sh", "-c", f"(sleep 0.7; echo late > {mark}) & sleep 30 & echo 1; true {{seed}}"])
    begun = time.monotonic()
    assert program([1.0], rng=RNG(0)) == 1.0
    assert time.monotonic() - begun < 10.0  # their copies of the pipe are not waited for
    time.sleep(1.0)
    assert not mark.exists()


def test_it_has_no_terminal_and_cannot_hurt_the_next_call():
    program = Command(["sh", "-c", "(echo x > /dev/tty) 2>/dev/null && echo 1 || echo 0; rm {data}; mkdir {data}"])
    assert [program([1.0], rng=RNG(0)) for _ in range(2)] == [0.0, 0.0]
    program.close()


def test_memory_is_limited():
    program = Command(["perl", "-e", '$x = "a" x 500_000_000; print "1\\n"', "{seed}"], max_memory=0.1)
    with pytest.raises(ProgramError, match=r"ended|signal"):
        program([1.0], rng=RNG(0))


def test_a_program_that_cannot_be_started_is_bad_input(tmp_path):
    (tmp_path / "plain.txt").write_text("")
    for word, said in (("no-such-program-here", "no such program"), (f"{tmp_path}/plain.txt", "executed")):
        with pytest.raises(InputError, match=said):
            Command(word).check()
    with pytest.raises(InputError, match="cannot be started"):
        Command(str(tmp_path / "plain.txt"))([1.0], 1, RNG(0))
    Command("sh {seed}").check()


def test_doubles():
    program = Command(["sh", "-c", "printf '\\0\\0\\0\\0\\0\\0\\370\\77'; true {seed}"], outputs="doubles")
    assert program([1.0], rng=RNG(0)) == 1.5
    short = Command(["sh", "-c", "printf '\\0'; true {seed}"], outputs="doubles")
    with pytest.raises(ProgramError, match="after 0 outputs"):
        short([1.0], rng=RNG(0))
