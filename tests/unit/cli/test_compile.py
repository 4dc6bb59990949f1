"""`covey compile`, and the commands that it runs."""

import json
import os
import subprocess
import sys

import pytest

from covey.cli.compile import GUARANTEES, all_series, series_of_methods
from covey.registry import METHODS


def test_runs_every_method_guarantee_and_kind():
    made = {commands[0].rpartition(" -o ")[2] for commands in series_of_methods()}
    assert made == {f"{one.name}-{one.data}-{name}" for one in METHODS for name in one.guarantees}
    assert {name for one in METHODS for name in one.guarantees} == set(GUARANTEES)
    assert all(line.split()[0] == "covey" for commands in all_series() for line in commands)


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
