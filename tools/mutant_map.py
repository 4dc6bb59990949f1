"""Which tests execute each line of methods, verifiers and readers, for `tools/mutants.py`.

Kernels are mapped as plain Python, with the tests marked `kernel`; the rest with kernels compiled. The tests in
EXPENSIVE, slow tests, tests that do not pass, and processes that tests start are not in the map.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path

import coverage
import pytest

#: The folders of each group under src/covey; those that do not exist are passed over.
GROUPS = {"methods": ["methods"], "verifiers": ["verify", "kernels/verify"], "readers": ["io"]}
EXPENSIVE = [f"--ignore=tests/{folder}" for folder in ("spark", "web", "docs", "packaging")]
#: What pytest is given to map the tests of a mode, and to run some of them.
MAPPED = {"compiled": ["-m", "not slow", *EXPENSIVE], "plain": ["-m", "kernel and not slow", *EXPENSIVE, "tests"]}
OPTIONS = {"compiled": [], "plain": ["--hypothesis-profile", "plain"]}
PYTEST = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:schemathesis", "-o", "timeout=0"]
#: hypothesis is imported before pytest can look at its assertions.
PYTEST += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]


def record(root: Path, state: Path, mode: str) -> None:
    """Run the tests of a mode under coverage, in a copy of the tree, and write the map."""
    with copied(root, mode) as tree:
        folders = sorted({str(Path(file).parent) for file in files(root)})
        measured = coverage.Coverage(f"{tree}/.coverage", source=folders, config_file=False)
        measured.set_option("run:relative_files", True)
        recorder = Recorder(measured)
        measured.start()
        code = pytest.main([*PYTEST, *OPTIONS[mode], *MAPPED[mode]], plugins=[recorder])
        measured.stop()
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            sys.exit(f"The tests did not run; pytest ended with {code}.")
        noted = recorder.summary(measured.get_data())
    (state / f"{mode}.json").write_text(json.dumps({"sources": digest(root), **noted}), encoding="utf-8")
    for outdated in state.glob("run-*"):
        outdated.unlink()


class Recorder:
    """A pytest plugin that switches coverage to the running test and notes the CPU time of each that passes."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured, self.contexts = measured, [""]
        self.seconds: dict[str, float] = {}
        self.users: defaultdict[str, list[str]] = defaultdict(list)
        self.not_passed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Note the lines and the CPU time of a test."""
        started = sum(os.times()[:4])
        with self._context(item.nodeid):
            result = yield
        if item.nodeid not in self.not_passed:
            self.seconds[item.nodeid] = round(sum(os.times()[:4]) - started, 2)
            for name in item.fixturenames:
                self.users[name].append(item.nodeid)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """Note what a fixture that several tests share executes: it counts for each of them."""
        if fixturedef.scope == "function":
            return (yield)
        with self._context(f"fixture {fixturedef.argname} {fixturedef.baseid}"):
            return (yield)

    def pytest_runtest_logreport(self, report):
        """Note what fails or is skipped."""
        if not report.passed:
            self.not_passed.add(report.nodeid)

    @contextmanager
    def _context(self, name: str) -> Iterator[None]:
        self.contexts.append(name)
        self.measured.switch_context(name)
        try:
            yield
        finally:
            self.contexts.pop()
            self.measured.switch_context(self.contexts[-1])

    def summary(self, data: coverage.CoverageData) -> dict[str, object]:
        """Return the tests with their CPU seconds, fastest first, and the places in that list of those on each line."""
        tests = sorted(self.seconds.items(), key=itemgetter(1, 0))
        place = {test: place for place, (test, _) in enumerate(tests)}
        lines = {
            file: {
                line: sorted({place[test] for context in contexts for test in self._tests_of(context)})
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            for file in data.measured_files()
        }
        return {"tests": tests, "lines": lines, "not_passed": sorted(self.not_passed)}

    def _tests_of(self, context: str) -> list[str]:
        if not context.startswith("fixture "):
            return [context] if context in self.seconds else []
        _, name, base = context.split(" ", 2)
        return [test for test in self.users[name] if test.startswith(base)]


def files(root: Path) -> dict[str, str]:
    """Return the files that faults are planted in, with their groups."""
    found = [(group, root / "src/covey" / folder) for group, folders in GROUPS.items() for folder in folders]
    return {str(file.relative_to(root)): group for group, folder in found for file in sorted(folder.rglob("*.py"))}


def digest(root: Path) -> str:
    """Return a digest of all sources and tests, by which an outdated map is recognised."""
    parts = [root / "src", root / "tests"]
    content = b"\0".join(file.read_bytes() for part in parts for file in sorted(part.rglob("*.py")))
    return hashlib.sha256(content).hexdigest()


@contextmanager
def copied(root: Path, mode: str) -> Iterator[Path]:
    """Copy a tree with its caches and work there; times are kept, so that compiled kernels stay valid."""
    with tempfile.TemporaryDirectory() as scratch:
        tree, temporary = Path(scratch, "tree"), Path(scratch, "tmp")
        shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".*", "site", "dist", "build"))
        temporary.mkdir()
        os.environ |= {"PYTHONPATH": f"{tree}/src", "TMPDIR": str(temporary)}
        os.environ["NUMBA_DISABLE_JIT"] = str(int(mode == "plain"))
        sys.path.insert(0, f"{tree}/src")
        os.chdir(tree)
        tempfile.tempdir = None  # look at TMPDIR again
        yield tree
        os.chdir(root)
