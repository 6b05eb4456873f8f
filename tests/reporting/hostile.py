"""Texts that somebody means harm with, and a record that has one of them everywhere."""

from hypothesis import strategies as st

from tests.reporting.test_writers import made

NASTY = [
    "<script>alert(1)</script>",
    "</script></style></title></pre></svg><img src=x onerror=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "' onmouseover='alert(1)",
    '" onmouseover="alert(1)',
    "]]>",
    "<!-- x",
    "--><b>",
    "<![CDATA[",
    "<!DOCTYPE a [<!ENTITY b 'c'>]>&b;",
    "&amp;&lt;&#60;",
    "a|b",
    "a\\|b",
    "\\",
    "`",
    "``` x",
    "`a` <b>",
    "**x** _y_ ~~z~~ $w$",
    "[x](javascript:alert(1))",
    "![x](http://x.example/y.png)",
    "[x]: http://x.example",
    "<http://x.example>",
    "javascript:alert(1)",
    "@everyone #1 GH-1 https://x.example www.x.example",
    "# x",
    "- x",
    "> x",
    "1. x",
    "    x",
    "---",
    "===",
    "\x1b[2J\x1b[31mx\x1b]0;t\x07",
    "\x9b2Jx\x90x\x9c",
    "x\x08\x08\x7f",
    "\u202egnp.exe\u2066x\u200f",
    "a\x00b",
    "\ud800",
    "\ufffe\uffff",
    "a\nb\r\nc\rd\u2028e",
    "x\n\n# y\n\n| a |\n|---|\n",
    "[red]x[/red]",
    "[/x]",
    "[link=http://x.example]x[/link]",
    "[[x",
    ":smile:",
    "{{ 7 * 7 }}{% raw %}{#",
    "{0}{",
    "%s%n",
    "é ≥ ∞ 中",
    "../../x",
]

ANY = st.text(st.characters(codec=None, exclude_categories=[]), min_size=1, max_size=40) | st.lists(
    st.sampled_from(NASTY) | st.text(st.sampled_from("<>&|`\\[]()!*_~#@:/.-'\"{} \n\x1b\x00\u202eax1"), max_size=6),
    min_size=1,
    max_size=3,
).map("".join).filter(bool)


WORDS = ("id", "source", "statement", "guarantee", "subject", "relation", "reason", "method", "measure", "reproduce")
WORDS += ("surprise",)


def hostile(text, **changes):
    """A record with `text` wherever a record has a text, a witness's and a picture's neighbours included."""
    (evidence,) = made()["evidence"]
    evidence = evidence | {"auditor": text, "version": text, "confidence": 0.99999}
    own = {"measure": text, "size": 1, "ratio": 1.0, "exceeded": False, "parameters": {text: text}}
    part = {"from": 0.0, "to": 1.0, "points": 2, "failed": 1, "worst": 1.5}
    found = {"own": own, "worst": own, "smallest": own, "map": {text: [part]}, "looked": 2, "failed": 1}
    searched = {"best_ratio": 1.0, "described": {text: [{text: text}]}, **found}
    statistics = {"n": 10, "detectable_rests_on": text, f"s{text}": [text]} | searched
    evidence |= {"statistics": statistics, "witness": {text: text}}
    return made(
        **dict.fromkeys(WORDS, text)
        | {
            "parameters": {f"p{text}": text},
            "space": {"proportional": text},
            "witness": {"event": text, "refutes": text, f"w{text}": [text], "parameters": {text: text}},
            "evidence": [evidence],
            "environment": {f"e{text}": text},
            "remark": {
                **dict.fromkeys(("breaks", "means", "instead"), text),
                "numbers": [{"label": text, "value": 1.0}],
                "holds": True,
            },
        }
        | changes
    )
