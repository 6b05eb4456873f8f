"""What tests of sessions share: mechanisms, a session on the command of the API, and evidence files written by hand."""

import numpy as np

import dpverify as dpv
from dpverify.core.subjects import Pair
from dpverify.runner.evidence_file import EvidenceFile
from dpverify.runner.session import BettingSession, Identity

PAIR = Pair(d0=[0], d1=[1])
IDENTITY = Identity.of(claim="PureDP(epsilon=1)", relation="replace", mechanism="m", pair=PAIR, method="sequential 1")
CHAIN = {"kind": "epsilon"}


def loud(dataset, size, rng):
    return dataset[0] + 0.8 * rng.laplace(size=size)


def quiet(dataset, size, rng):
    return dataset[0] + rng.laplace(size=size)


def own_noise(dataset):
    return dataset[0] + np.random.default_rng().laplace()


def session(
    file, *, mechanism=loud, seed=0, trials=1500, confidence=0.999, claim="PureDP(epsilon=1)", pair=([0], [1]), **more
):
    return dpv.audit(
        mechanism,
        *pair,
        claim=claim,
        sequential=True,
        evidence_file=file,
        seed=seed,
        trials=trials,
        confidence=confidence,
        **more,
    )


def opened(path, *, seed=0, trials=100, reproducible=True, identity=IDENTITY):
    asked = BettingSession(seed=seed, trials=trials, confidence=0.9)
    return EvidenceFile.open(path, identity, asked=asked, reproducible=reproducible)


def noted(book, values, *, pairs, done=False):
    before = book.wealth if book.wealth.size else np.ones(len(values))
    wealth = before * np.array(values)
    found = {"e_values": np.array(values), "wealth": wealth, "peaks": wealth, "witness": {}}
    book.note(chain=CHAIN, pairs=pairs, done=done, **found)
