"""Keys of mechanisms in files, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

KEYS = """
import importlib, json, os, sys
import numpy as np
import dpverify
from dpverify.code_key.key import code_digest, code_key
code_digest()

def key(said):
    sys.path.append(".")
    module, _, text = said.partition(":")
    loaded = importlib.import_module(module)
    mechanism = eval(text, vars(loaded) | {"loaded": loaded})
    for seed in range(2):
        mechanism([1.0], np.random.default_rng(seed))
    return code_key(mechanism, [1.0])

for folder, said, variables in json.load(sys.stdin):
    sys.stdout.flush()
    if os.fork() == 0:
        try:
            os.chdir(folder)
            os.environ.update(variables)
            print(repr(key(said)))
        except BaseException as problem:
            print(repr(problem))
        sys.stdout.flush()
        os._exit(0)
    os.wait()
"""
Asked = tuple[str, dict[str, str | bytes], dict[str, str]]


def keys(place: Path, asked: list[Asked], *, seed: int = 0) -> list[str]:
    """Of mechanisms in these files, each in a process of its own, which is forked from one that has just started."""
    cases = []
    for number, (said, files, variables) in enumerate(asked):
        for name, text in files.items():
            path = place / f"case{number}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        cases.append([str(place / f"case{number}"), said, variables])
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    words = [sys.executable, "-c", KEYS]
    given = json.dumps(cases)
    done = subprocess.run(words, input=given, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()
