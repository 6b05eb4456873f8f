"""Reports made from records: whole, escaped, and saying what the words mean."""

import hashlib
import json
import re
from base64 import b64encode

from rich.console import Console

from dpverify.core.plugins import registry
from dpverify.reporting.benchmark_table import benchmark_table
from dpverify.reporting.formatting import confidence_text, count, draws, limits, number, tally
from dpverify.reporting.html_writer import HtmlWriter
from dpverify.reporting.json_writer import JsonWriter
from dpverify.reporting.ledger_table import ledger_table
from dpverify.reporting.markdown_writer import MarkdownWriter
from dpverify.reporting.read_records import schema
from dpverify.reporting.schema_check import schema_fault
from dpverify.reporting.terminal import closing_table, one_result
from dpverify.runner.atomic_files import safe_name

EVIL = "<script>alert('x')</script>|"


def made(**changes):
    evidence = {
        "auditor": "event",
        "version": "1",
        "says": "not_refuted",
        "statistics": {"k1": 10},
        "witness": {},
        "picture": {
            "claimed": {"alpha": [0, 0.5, 1], "beta": [1, 0.4, 0]},
            "rectangle": {"fpr_low": 0.3, "fpr_high": 0.4, "fnr_low": 0.5, "fnr_high": 0.6},
        },
    }
    given = {
        "schema": 1,
        "id": "laplace/epsilon=1",
        "source": "Dwork 2006",
        "statement": "The Laplace mechanism is epsilon-DP.",
        "guarantee": "PureDP(epsilon=1)",
        "subject": "laplace",
        "parameters": {"epsilon": 1.0},
        "relation": "one-query",
        "verdict": "not_refuted",
        "reason": "",
        "method": "event",
        "measure": "epsilon",
        "bound": 0.98,
        "claimed": 1.0,
        "tightness": 0.98,
        "excess": -0.01,
        "confidence": 0.99999,
        "error": None,
        "proved": False,
        "estimate": 0.991,
        "detectable": 1.02,
        "ceiling": 12.0,
        "witness": {"event": "output >= 1", "d0": [0.0], "d1": [1.0]},
        "trials": 1_000_000,
        "seconds": 1.23,
        "seed": 0,
        "reproduce": "dpverify run core --only laplace",
        "expectation": "stands",
        "surprise": None,
        "evidence": [evidence],
        "environment": {"python": "3.11"},
    }
    return {**given, **changes}


def test_json_is_an_array_and_one_file_a_record(tmp_path):
    path = JsonWriter().write([made(), made(id="b")], tmp_path, title="t")
    assert [item["id"] for item in json.loads(path.read_text())] == ["laplace/epsilon=1", "b"]
    assert sorted(item.name for item in (tmp_path / "records").iterdir()) == [
        "b.json",
        f"{safe_name('laplace/epsilon=1')}.json",
    ]


def test_html_is_self_contained_and_has_a_picture(tmp_path):
    text = HtmlWriter().write([made()], tmp_path, title="run").read_text()
    assert not re.search(r"(src|href)=[\"'](?!#)", text)
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text
    assert "false-negative rate" in text
    assert "would have detected epsilon ≥ 1.02 with 80 % power" in text


def test_html_escapes_whatever_a_record_says(tmp_path):
    item = made(id="evil", statement=EVIL, reason=EVIL, witness={"d0": EVIL}, parameters={"p": EVIL}, surprise=EVIL)
    text = HtmlWriter().write([item], tmp_path, title=EVIL).read_text()
    assert text.count("<script") == 1
    assert text.count("&lt;script&gt;") >= 5


def test_bars_are_not_told_to_be_a_curve_and_hidden_data_are_explained(tmp_path):
    bars = made(evidence=[made()["evidence"][0] | {"picture": {}}], reproduce="dpverify audit m:f --data EXAMPLE")
    text = HtmlWriter().write([bars], tmp_path, title="t").read_text()
    assert "<figure>" in text
    assert "claimed curve refutes" not in text
    assert "EXAMPLE stands for the data set that was given" in text
    assert "claimed curve refutes" in HtmlWriter().write([made()], tmp_path, title="t").read_text()


def test_rows_of_one_id_have_anchors_of_their_own(tmp_path):
    text = HtmlWriter().write([made(id="a"), made(id="a", verdict="refuted")], tmp_path, title="two runs").read_text()
    assert sorted(re.findall(r'<details class="row" id="([^"]*)"', text)) == ["a", "a~2"]


def test_the_one_claim_that_is_refuted_stands_open(tmp_path):
    def opened(*records):
        text = HtmlWriter().write(records, tmp_path, title="x").read_text()
        return re.findall(r'<details class="row" id="([^"]*)"[^>]* open>', text)

    stands = made(id="stands", verdict="not_refuted")
    fallen = [made(id=name, verdict="refuted", expectation=None, surprise=None) for name in ("one", "two")]
    assert opened(stands, fallen[0]) == ["one"]
    assert opened(stands, *fallen) == opened(stands) == []


def test_a_claim_of_nothing_that_falls_has_a_full_bar_and_an_expected_one_is_grey(tmp_path):
    rows = [made(id="a", verdict="refuted", tightness=None), made(id="b", verdict="refuted", expectation="broken")]
    text = HtmlWriter().write(rows, tmp_path, title="t").read_text()
    ours, broken = text.split("Claims that were expected to fall")
    assert '<rect y="2" width="104.0" height="10" fill="#d1571f"/>' in ours
    assert 'height="10" fill="#808080"/>' in broken
    assert 'height="10" fill="#d1571f"/>' not in broken


def test_markdown_escapes_pipes(tmp_path):
    text = MarkdownWriter().write([made(id="a|b", measure="c|d")], tmp_path, title="run").read_text()
    assert "| <code>a&#124;b</code> | not refuted | c&#124;d ≥ 0.98 |" in text
    assert "1 not refuted." in text


def test_every_registered_writer_writes_the_same_records(tmp_path):
    for name, writer in registry().writers.items():
        path = writer.write([made(), made(id="b", verdict="refuted")], tmp_path / name, title="run")
        assert path.is_file()
        assert "laplace/epsilon=1" in path.read_text()


def test_the_table_fits_eighty_columns():
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    names = ["noisy-btls-gaussian/RDP-with-a-long-name", "b"]
    closing_table([made(id=name, surprise="missed") for name in names], console)
    text = console.export_text()
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "not refuted !" in text
    assert "≥0.98" in text
    console.file.close()


def test_results_say_what_they_could_not_have_seen():
    console = Console(width=80, record=True, quiet=True)
    one_result(made(), console, notes=["a note"])
    ledger_table([made(), made(verdict="unsupported", method=None, bound=None, claimed=None)], console)
    text = console.export_text()
    assert "private" not in text
    console = Console(width=200, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    one_result(made(), console)
    assert "would have detected" in console.export_text()
    console.file.close()


def test_words():
    assert (number(None), number("inf"), number(0.123456)) == ("-", "∞", "0.1235")
    assert (count(1_000_000), count(2_500), count(0)) == ("1M", "2.5k", "-")
    assert confidence_text(made()) == "confidence 1 - 1e-05"
    assert confidence_text(made(confidence=None, error=1e-12, proved=True)) == "error 1e-12 (proved)"
    assert limits(made(verdict="refuted")) == ""
    assert tally([made(), made(verdict="refuted")]) == "1 refuted, 1 not refuted"


def led_by_exact(verdict="not_refuted", **sampling):
    exact = {"auditor": "exact", "version": "1", "says": verdict, "confidence": None, "trials": 0}
    drawn = {"auditor": "event", "version": "1", "says": "not_refuted", "confidence": 0.99999, "trials": 400_000}
    drawn["measure"] = {"kind": "epsilon", "argument": 0.0, "claimed": 0.1}
    parts = [part | {"statistics": {}, "witness": {}, "picture": {}} for part in (exact, drawn | sampling)]
    says = {"method": "exact", "confidence": None, "error": 1e-12, "estimate": None, "ceiling": None, "trials": 0}
    return made(verdict=verdict, detectable=0.10000000001, evidence=parts, **says)


def test_a_certificate_says_what_it_is_of():
    """Records of a stranger may lack any of it."""
    item = led_by_exact("certified", detectable=0.19)
    item["evidence"][0]["statistics"] = {"pairs": 12, "sampler": {"inputs": 4, "draws": 100_000, "finds": 0.0121}}
    told = limits(item)
    assert told.startswith("is of the stated law, on all 12 pairs; 100k draws on each of 4 inputs follow it: another")
    assert "output in 0.0121 of the runs would have been found" in told
    item["evidence"][0]["statistics"]["sampler"] = "the subject states a law and draws nothing"
    assert limits(item).startswith("is of the stated law, on all 12 pairs; the subject states a law and draws nothing;")


def test_a_row_led_by_an_exact_method_says_what_its_sampling_would_have_caught(tmp_path):
    said = "sampled with 400k draws a side: would have detected epsilon ≥ 0.19 with 80 % power"
    said += ", if all of it shows at the tested event"
    assert limits(led_by_exact(detectable=0.19)).endswith(f"at the points it visited; {said}")
    assert limits(led_by_exact("certified", detectable=0.19)) == said
    assert limits(led_by_exact("refuted", detectable=0.19)) == ""
    assert limits(led_by_exact(detectable="inf")).endswith("could not have detected anything at the tested event")
    assert limits(led_by_exact(detectable=None)).endswith("not known")
    assert "sampled with" not in limits(made())
    for name in ("html", "md"):
        assert (
            said in registry().writers.get(name).write([led_by_exact(detectable=0.19)], tmp_path, title="").read_text()
        )


def test_trials_are_those_of_the_sampling_beside_an_exact_method():
    assert draws(led_by_exact()) == 400_000
    assert draws(made()) == 1_000_000
    assert draws(led_by_exact() | {"evidence": []}) == 0
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    closing_table([led_by_exact()], console)
    text = console.export_text()
    assert " 400k " in text
    assert "a dash: nothing drawn" in " ".join(text.split())
    console.file.close()


def without_one(value):
    """The value, each time without another of the names in it."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield {key: each for key, each in value.items() if key != name}
            yield from ({**value, name: each} for each in without_one(part))
    elif isinstance(value, list) and value:
        yield from ([each, *value[1:]] for each in without_one(value[0]))


def test_no_writer_fails_on_a_record_that_the_schema_allows(tmp_path):
    """Statistics, witness and picture are each auditor's own; what the schema does not ask for may be missing."""
    (evidence,) = made()["evidence"]
    measure = {"kind": "epsilon", "argument": 0.0, "claimed": 1.0}
    counts = {"k1": 10, "n1": 100, "k2": 9, "n2": 100, "alpha": 0.01, "region": {"kind": "joint", "share": 0.5}}
    place = {"measure": "epsilon", "size": 1, "ratio": 1.0, "exceeded": False, "parameters": {"epsilon": 1.0}}
    part = {"from": 0.0, "to": 1.0, "points": 2, "failed": 1, "worst": 1.5}
    search = {"own": place, "worst": place, "smallest": place, "map": {"epsilon": [part]}, "looked": 2, "failed": 1}
    evidence |= {"measure": measure, "bound": 0.5, "excess": -0.1, "confidence": 0.99, "error": None, "trials": 100}
    evidence |= {"estimate": None, "seconds": 1.0, "proved": False, "coverage": "search"}
    evidence["statistics"] = {**counts, **search}
    whole = made(
        evidence=[evidence],
        published={"truth": 0.1, "bound": 0.2, "tool": "T", "seconds": 1, "due": 50.0},
        space={"parameters": {"epsilon": [0.0, 1.0]}},
    )
    assert not schema_fault(whole, schema())
    records = [item for item in without_one(whole) if not schema_fault(item, schema())]
    records += [made(evidence=[], method=None, bound=None, witness=None)]
    assert len(records) > 60
    for name, writer in registry().writers.items():
        for place, item in enumerate(records):
            assert writer.write([item], tmp_path / name / str(place), title="run").is_file()
    for item in records:
        console = Console(width=80, quiet=True)
        one_result(item, console)
        closing_table([item], console)
        benchmark_table([item], console)
