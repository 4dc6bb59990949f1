"""`covey compile`, and the commands that it runs."""

import json
import os
import subprocess
import sys
from itertools import chain

import pytest

from covey.cli import walk
from covey.registry import METHODS


def test_journeys_meet_every_method_guarantee_and_kind():
    more = list(chain(*walk.more_journeys()))
    made = [command for command in chain(*walk.journeys()) if command[0] == "anonymize" and command not in more]
    met = {(c[c.index("--method") + 1], c[c.index("-g") + 1].partition("(")[0], kind_of(c)) for c in made}
    assert met == {(m.name, name, m.data) for m in METHODS for name in m.guarantees}


def kind_of(command):
    return next(kind for kind, (data, _) in reversed(walk.READING.items()) if command[1 : 1 + len(data)] == data)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_second_run_compiles_nothing(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    counts = []
    for _ in range(2):
        command = [sys.executable, "-m", "covey", "compile", "--json"]
        ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=1200)
        counts.append(json.loads(ran.stdout)["kernels"])
    assert counts[0] > 100
    # Two processes that compile the same kernel for different arguments may overwrite each other's index.
    assert counts[1] < counts[0] / 20
