"""What an audit of a callable does before its draws."""

import time

from dpverify.audits.question import Question
from dpverify.audits.settle import settle


def hangs(data, rng):
    time.sleep(1e6)


def test_the_calls_for_the_key_end_at_the_limit_of_a_call():
    """What hangs is told by the audit; without the limit its key would take a minute, and be none."""
    words = {"claim": "PureDP(epsilon=1)", "data": [0.2, 0.9], "max_seconds_per_call": 0.2}
    code = settle(Question(hangs, **words)).code_key()
    assert code.text
    assert code.unknown == ""
