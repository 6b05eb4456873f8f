"""Score files: every format gives the same numbers back, and what is wrong with a file is one line."""

import json

import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.scores.recorded_scores import read_scores

IN, OUT = [1.5, 2.5, 3.0], [0.25, -1.0]
SCORE, INCLUDED = [1.0, -2.0, 0.5], [1, 0, 1]


def write(path, kind):
    columns = {"in": IN, "out": OUT} if kind == "in/out" else {"score": SCORE, "included": INCLUDED}
    if path.suffix == ".json":
        path.write_text(json.dumps(columns))
    elif path.suffix == ".npz":
        np.savez(path, **columns)
    elif path.suffix == ".npy":
        np.save(path, np.column_stack([SCORE, INCLUDED]))
    elif kind == "in/out":
        path.write_text("in,out\n1.5,0.25\n2.5,-1\n3.0,\n")
    else:
        path.write_text("included, score\ntrue,1.0\nfalse,-2.0\n1,0.5\n")
    return path


@pytest.mark.parametrize("suffix", [".csv", ".json", ".npz"])
def test_in_and_out(tmp_path, suffix):
    found = read_scores(write(tmp_path / f"scores{suffix}", "in/out"))
    assert (found.kind, found.first.tolist(), found.second.tolist()) == ("in/out", IN, OUT)


@pytest.mark.parametrize("suffix", [".csv", ".json", ".npz", ".npy"])
def test_score_and_included(tmp_path, suffix):
    found = read_scores(write(tmp_path / f"scores{suffix}", "score/included"))
    assert (found.kind, found.first.tolist(), found.second.tolist()) == ("score/included", SCORE, INCLUDED)


def test_a_list_of_objects_and_a_table_with_names(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([{"score": 1.0, "included": True}, {"score": 0.0, "included": False}]))
    assert read_scores(path).second.tolist() == [1, 0]
    table = np.array([(1.0, 1), (0.0, 0)], dtype=[("score", float), ("included", int)])
    np.save(tmp_path / "named.npy", table)
    assert read_scores(tmp_path / "named.npy").first.tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("none.csv", None, "no file"),
        ("scores.txt", "in,out\n1,2\n", "not a score file"),
        ("a.csv", "x,y\n1,2\n", "columns x, y"),
        ("b.csv", "in,out\n", "1 lines"),
        ("c.csv", "in,out\n1,two\n", "'two' in column 'out' on line 2"),
        ("d.csv", "score,included\n1,1\n2,\n", "different lengths"),
        ("e.csv", "score,included\n1,1\n2,0.5\n", "inclusions"),
        ("f.csv", "in,out\n1,\n", "out"),
        ("g.json", "{", "cannot be read"),
        ("h.json", "3", "a int"),
        ("i.json", '{"in": [1]}', "columns in"),
        ("j.json", '{"in": "abc", "out": [1]}', "not all numbers"),
        ("k.json", '[{"score": 1, "included": 1}, {"score": 1}]', "cannot be read"),
        ("l.npz", "no archive", "cannot be read"),
        ("m.npy", "no array", "cannot be read"),
        ("o.csv", f"in,out\n1,{'9' * 400}\n", "below 1.8e308"),
        ("p.json", f'{{"in": [1], "out": [{"9" * 400}]}}', "an integer of 400 digits"),
        ("q.csv", "score,included\n1,1\n2,1e30\n", "inclusions"),
        ("r.csv", "in,in,out\n1,2,3\n", "each name once"),
        ("s.json", '{"in": [1], "in": [2], "out": [1]}', "each name once"),
        ("t.csv", "score,scores,included\n1,2,1\n2,2,0\n", "two columns"),
        ("u.csv", "in,out,score,included\n1,2,1,1\n1,2,1,0\n", "not both"),
        ("n.csv", "\xff\xfe", "lines"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, name, text, words):
    path = tmp_path / name
    if text is not None:
        path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_scores(path)
    assert "\n" not in str(caught.value)


def test_a_plain_table_of_three_columns_is_refused(tmp_path):
    np.save(tmp_path / "three.npy", np.zeros((4, 3)))
    with pytest.raises(InputError, match="shape"):
        read_scores(tmp_path / "three.npy")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(InputError, match="cannot be read"):
        read_scores(tmp_path / "objects.npy")
