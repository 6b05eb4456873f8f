"""The keys and labels of a mechanism's output stand in the event of every format."""

import html
import json

import pytest

MODULE = """
def stats(data, rng):
    return {"count": len(data) + rng.laplace(scale=9.0), "mean": sum(data) + rng.laplace(scale=0.2)}


def answer(data, rng):
    return "yes" if rng.random() < (0.95 if sum(data) > 1 else 0.05) else "no"
"""


@pytest.mark.parametrize(("name", "told"), [("stats", "output['mean'] "), ("answer", "the output is '")])
def test_the_event_is_told_in_words_everywhere(name, told, tmp_path, call):
    (tmp_path / "worded.py").write_text(MODULE)
    words = ["audit", f"worded:{name}", "--claim", "PureDP(epsilon=1)", "--d0", "[1,1]", "--d1", "[1,0]"]
    status, out, _ = call(*words, "--trials", 4000, "--json", "one.json")
    out = " ".join(out.split())
    assert status == 1 and f"event {told}" in out and "output[1]" not in out and "labels" not in out
    (item,) = json.loads((tmp_path / "one.json").read_text())
    assert told in item["witness"]["event"]
    (tmp_path / "one.json").write_text(json.dumps([item | {"expectation": "stands", "surprise": "refuted"}]))
    assert call("report", "one.json", "--out", "report", "--format", "html,json,md,sarif,junit")[0] == 0
    pages = {each.name: each.read_text() for each in (tmp_path / "report").iterdir() if each.is_file()}
    for page in ("results.json", "report.md", "report.sarif", "junit.xml", "report.html"):
        assert told in html.unescape(pages[page]), page


def test_json_on_standard_output_has_its_conclusion_beside_it(tmp_path, call):
    (tmp_path / "worded.py").write_text(MODULE)
    words = [
        "audit",
        "worded:answer",
        "--claim",
        "PureDP(epsilon=1)",
        "--d0",
        "[1,1]",
        "--d1",
        "[1,0]",
        "--trials",
        2000,
    ]
    status, out, err = call(*words, "--json", "-")
    assert status == 1 and json.loads(out)[0]["verdict"] == "refuted"
    assert err.splitlines()[-1] == "dpverify: The claim is false."
    assert "claim is false" not in call(*words, "--json", "-", "--quiet")[2]
    assert "claim is false" not in call(*words, "--json", "one.json")[2]
    err = call("report", "one.json", "--out", "report", "--json", "-")[2]
    assert "dpverify: The claim is false." in err.splitlines()
