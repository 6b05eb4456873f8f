import numpy as np
import pytest

from dpverify.core.errors import InputError
from dpverify.frontier.asked import FrontierSettings
from dpverify.frontier.audited import follows_epsilon
from dpverify.frontier.work import Bench, CallLimit
from tests.frontier.trainers import constant, ignores, majority, sound, two_clouds

DATA = two_clouds()


def look(trainer, *epsilons):
    asked = FrontierSettings(trainer=trainer, name="train", data=DATA, epsilons=epsilons)
    bench = Bench(asked, CallLimit(None))
    return follows_epsilon(bench, bench.pairs()[0])


def signs(table, epsilon, delta, rng):
    return np.sign(ignores(table, epsilon, delta, rng))


def clamped(table, epsilon, delta, rng):
    return sound(table, min(epsilon, 1.0), delta, rng)


def particular(table, epsilon, delta, rng):
    if epsilon != 1.0:
        raise ValueError("another price")
    return sound(table, epsilon, delta, rng)


@pytest.mark.parametrize(("trainer", "epsilons"), [(sound, (1.0,)), (sound, (0.5, 1.0)), (clamped, (1.0, 2.0))])
def test_a_trainer_of_weights_is_seen_to_change(trainer, epsilons):
    found = look(trainer, *epsilons)
    assert (found.reproducible, found.unseen) == (True, "")


@pytest.mark.parametrize("epsilons", [(0.01, 0.011), (0.01,), (1.0, 1.1)])
def test_a_majority_label_is_seen_to_change_at_a_far_epsilon_or_at_another_seed(epsilons):
    """Unseen by chance below 1e-2, for the seed that is fixed here; a false refusal is impossible, as labels are 2."""
    found = look(majority, *epsilons)
    assert (found.reproducible, found.unseen) == (True, "")


@pytest.mark.parametrize("trainer", [constant, signs])
def test_coarse_models_that_never_change_are_a_warning_and_no_refusal(trainer):
    assert look(trainer, 0.5, 1.0).unseen == "0.005, 0.5, 1, 100"


def test_weights_that_are_the_same_at_very_different_epsilons_are_refused():
    with pytest.raises(InputError, match=r"one seed gave the same model at 0\.005, 0\.5, 1, 100"):
        look(ignores, 0.5, 1.0)


def test_one_price_alone_is_a_warning():
    assert look(particular, 1.0).unseen == "1"
