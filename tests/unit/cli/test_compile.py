"""`covey compile`, and the walk that fills numba's cache."""

import io
import json
import os
import subprocess
import sys
from itertools import chain
from typing import ClassVar

import pytest

from covey.cli import walk
from covey.cli.compile import _compile
from covey.errors import CoveyError
from covey.registry import METHODS


def test_the_walk_meets_every_method_with_every_guarantee_and_kind_of_data():
    more = list(chain(*walk.more_journeys()))
    made = [command for command in chain(*walk.journeys()) if command[0] == "anonymize" and command not in more]
    met = {(c[c.index("--method") + 1], c[c.index("-g") + 1].partition("(")[0], walk_kind(c)) for c in made}
    assert met == {(m.name, name, m.data) for m in METHODS for name in m.guarantees}


def walk_kind(command):
    return next(kind for kind, (data, _) in reversed(walk.READING.items()) if command[1 : 1 + len(data)] == data)


class Walker:
    """Stands for a process that walks commands."""

    started: ClassVar[list[str]] = []
    returncode = 0

    def __init__(self, command, **_):
        self.part = command[3]
        self.started.append(self.part)
        self.stdout, self.stderr = self.lines(), io.StringIO("in vain")

    def lines(self):
        yield from ["jit.one jit.two\n", "\n", f"jit.own-{self.part}\n"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_every_process_walks_its_part(monkeypatch):
    monkeypatch.setattr(Walker, "started", [])
    monkeypatch.setattr("subprocess.Popen", Walker)
    assert _compile(3, lambda *_: None) == 5  # two that all of them compiled, and one of each
    assert sorted(Walker.started) == ["0", "1", "2"]


def test_a_process_that_failed_is_told(monkeypatch):
    monkeypatch.setattr(Walker, "lines", lambda self: iter(()))
    monkeypatch.setattr(Walker, "returncode", 1)
    monkeypatch.setattr("subprocess.Popen", Walker)
    with pytest.raises(CoveyError, match="in vain"):
        _compile(2, lambda *_: None)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_second_time_nothing_is_left_to_compile(tmp_path):
    env = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    counts = []
    for _ in range(2):
        command = [sys.executable, "-m", "covey", "compile", "--json"]
        ran = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=1200)
        counts.append(json.loads(ran.stdout)["kernels"])
    assert counts[0] > 100
    # Two processes that compile the same kernel for different arguments may overwrite each other's note of it.
    assert counts[1] < counts[0] / 20
