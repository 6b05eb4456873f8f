import time

import pytest

from dpverify.core.errors import InputError
from dpverify.frontier.work import CallLimit


def test_a_training_that_is_too_long_is_told_in_words_of_a_frontier():
    limit = CallLimit(0.05)
    with pytest.raises(InputError, match="--max-seconds-per-call") as caught, limit, limit.call("train"):
        time.sleep(10)
    assert "call of the trainer train ran longer than its limit of 0.05 s" in str(caught.value)
    assert "a trainer that returns in time" in str(caught.value)
    assert "mechanism" not in str(caught.value)
