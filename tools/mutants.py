"""Measure which small faults in methods, verifiers and readers the tests notice.

    python tools/mutants.py map                        record which tests call each function; once per commit
    python tools/mutants.py run --seed 7 --count 300   plant faults one at a time, and run the tests that call them

Both work in copies of the tree (`--root DIR`: of another checkout), two at a time. A fault (`tools/faults.py`) is
noticed when one of the tests that call its function fails: those of tests/unit, contract and forge, from the fastest
on, up to `--budget` CPU seconds. Kernels run as plain Python, with the tests marked `kernel`. An interrupted run
continues.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import math
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import accumulate
from pathlib import Path

import pytest
from faults import GROUPS, MODES, Fault, faults_of, functions_of, replaced, sample

TESTS = ("tests/unit", "tests/contract", "tests/forge")
MARKED = {"compiled": "not slow", "plain": "kernel and not slow"}
PYTEST = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "timeout=0"]
#: hypothesis is imported before pytest can look at its assertions.
PYTEST += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]
#: Imported once, and inherited by the process of each fault. numba is not: its mode is chosen when it is imported.
WARM = ("hypothesis", "numpy", "pandas", "pyarrow.parquet", "scipy.sparse")
#: The most memory of a fault's tests, and their CPU seconds: to start and compile, and per second as mapped.
MEMORY, START_SECONDS, TIMES_MAPPED = 8 << 30, {"compiled": 60, "plain": 15}, 4
FORK = multiprocessing.get_context("fork")
#: Where functions note in the copy that they were called.
NOTES = "covey._called"


def files(root: Path) -> dict[str, str]:
    """Return the files that faults are planted in, with their groups."""
    found = [(group, file) for group, folder in GROUPS.items() for file in (root / "src/covey" / folder).rglob("*.py")]
    return {str(file.relative_to(root)): group for group, file in sorted(found)}


def digest(root: Path) -> str:
    """Return a digest of all sources and tests, by which an outdated map is recognised."""
    sources = sorted(file for part in ("src", "tests") for file in (root / part).rglob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in sources)).hexdigest()


@contextmanager
def copied(root: Path) -> Iterator[Path]:
    """Copy a tree with its caches and work there; times are kept, so that compiled kernels stay valid."""
    with tempfile.TemporaryDirectory() as scratch:
        tree, temporary = Path(scratch, "tree"), Path(scratch, "tmp")
        shutil.copytree(root, tree, symlinks=True, ignore=shutil.ignore_patterns(".*", "site", "dist", "build"))
        temporary.mkdir()
        os.environ |= {"PYTHONPATH": f"{tree}/src", "TMPDIR": str(temporary)}
        sys.path.insert(0, f"{tree}/src")
        os.chdir(tree)
        tempfile.tempdir = None  # look at TMPDIR again
        yield tree
        os.chdir(root)


def pytest_words(mode: str, tests: Iterable[str]) -> list[str]:
    """Return what pytest is called with, after choosing how kernels run."""
    os.environ["NUMBA_DISABLE_JIT"] = str(int(mode == "plain"))
    profile = ["--hypothesis-profile", "plain"] if mode == "plain" else []
    return [*PYTEST, *profile, "-m", MARKED[mode], *tests]


class Recorder:
    """A pytest plugin that notes the CPU time of each test that passes, and the functions that it calls."""

    def __init__(self, called: set[str]) -> None:
        self.called = called
        self.seconds: dict[str, float] = {}
        self.functions: dict[str, set[str]] = {}
        self.fixtures: dict[str, list[str]] = {}
        self.shared: defaultdict[str, dict[str, set[str]]] = defaultdict(dict)
        self.not_passed: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item):
        """Note the functions and the CPU time of a test."""
        self.called.clear()
        started = sum(os.times()[:4])
        result = yield
        if item.nodeid not in self.not_passed:
            self.seconds[item.nodeid] = round(sum(os.times()[:4]) - started, 2)
            self.functions[item.nodeid] = set(self.called)
            self.fixtures[item.nodeid] = list(item.fixturenames)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef):
        """Note the functions of a fixture that several tests share: they count for each of them."""
        if fixturedef.scope == "function":
            return (yield)
        before = set(self.called)
        self.called.clear()
        try:
            return (yield)
        finally:
            self.shared[fixturedef.argname][fixturedef.baseid] = set(self.called)
            self.called |= before

    def pytest_runtest_logreport(self, report):
        """Note what fails or is skipped."""
        if not report.passed:
            self.not_passed.add(report.nodeid)

    def by_function(self) -> dict[str, list[tuple[float, str]]]:
        """Return the tests of each function with their CPU seconds, fastest first."""
        found: defaultdict[str, list[tuple[float, str]]] = defaultdict(list)
        for seconds, test in sorted((seconds, test) for test, seconds in self.seconds.items()):
            shared = (self.shared[name].items() for name in self.fixtures[test])
            calls = self.functions[test].union(*(c for one in shared for base, c in one if test.startswith(base)))
            for function in calls:
                found[function].append((seconds, test))
        return found


def record(root: Path, state: Path, mode: str, tests: list[str]) -> None:
    """Run the tests of a mode in a copy whose functions note that they are called, and write the map."""
    with copied(root) as tree:
        (tree / "src" / f"{NOTES.replace('.', '/')}.py").write_text("called = set()\n", encoding="utf-8")
        for file in files(root):
            (tree / file).write_text(noting(root / file, file, mode), encoding="utf-8")
        words = pytest_words(mode, tests)
        recorder = Recorder(import_module(NOTES).called)
        code = pytest.main(words, plugins=[recorder])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            sys.exit(f"The tests did not run; pytest ended with {code}.")
    found = {"sources": digest(root), "tests": recorder.by_function(), "not_passed": sorted(recorder.not_passed)}
    (state / f"{mode}.json").write_text(json.dumps(found), encoding="utf-8")
    for outdated in state.glob("run-*"):
        outdated.unlink()


def noting(path: Path, file: str, mode: str) -> str:
    """Return the source of a file whose functions note their calls; compiled kernels cannot."""
    tree = ast.parse(path.read_bytes())
    for name, function, its_mode in functions_of(tree):
        if its_mode == mode or mode == "plain":
            note = ast.parse(f"_called.add('{file}::{name}')").body[0]
            function.body.insert(ast.get_docstring(function) is not None, note)
    future = [isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body]
    first = 1 + max((at for at, is_future in enumerate(future) if is_future), default=0)
    tree.body[first:first] = ast.parse(f"from {NOTES} import called as _called").body
    return ast.unparse(tree)


class Witness:
    """A pytest plugin that runs the chosen tests in their order, and writes down what fails."""

    def __init__(self, tests: list[str], note: Path) -> None:
        self.place, self.note = {test: place for place, test in enumerate(tests)}, note

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        """Keep the chosen tests."""
        items[:] = sorted((i for i in items if i.nodeid in self.place), key=lambda item: self.place[item.nodeid])

    def pytest_runtest_logreport(self, report):
        """Write down a failure, also one to import a module of tests."""
        if report.failed:
            with self.note.open("a", encoding="utf-8") as stream:
                stream.write(f"{report.nodeid}\n")

    pytest_collectreport = pytest_runtest_logreport


def tested(tests: list[str], mode: str, mapped: float, *options: str) -> tuple[int, list[str]]:
    """Run tests, mapped with so many CPU seconds, in a process of their own; return its exit code and what failed."""
    note = Path(os.environ["TMPDIR"], "failed")
    note.write_text("", encoding="utf-8")
    limit = math.ceil(START_SECONDS[mode] + TIMES_MAPPED * mapped)
    process = FORK.Process(target=run_tests, args=(tests, mode, note, limit, options))
    process.start()
    process.join(10 * limit)  # in case it waits for something
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # also what tests started
    process.join()
    return process.exitcode, note.read_text(encoding="utf-8").splitlines()


def run_tests(tests: list[str], mode: str, note: Path, limit: int, options: tuple[str, ...]) -> None:
    """Run tests within limits, and end this process."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for stream in (1, 2):
        os.dup2(os.open(note.with_name("output"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), stream)
    words = pytest_words(mode, sorted({test.split("::")[0] for test in tests}))
    os._exit(pytest.main([*words, *options], plugins=[Witness(tests, note)]))


@contextmanager
def planted(tree: Path, fault: Fault) -> Iterator[None]:
    """Put a fault in its file; afterwards the folder is as it was, compiled kernels included."""
    file, before = tree / fault.file, tree.parent / "before"
    shutil.copytree(file.parent, before)
    file.write_text(replaced(fault.tree, fault.old, fault.new), encoding="utf-8")
    yield
    shutil.rmtree(file.parent)
    before.rename(file.parent)


def work(root: Path, faults: dict[int, Fault], maps: dict[str, dict], budget: float, journal: Path) -> None:
    """Plant faults one after the other, and note which test fails first."""
    with copied(root) as tree, journal.open("a", encoding="utf-8", buffering=1) as notes:
        for name in WARM:
            import_module(name)
        for number, fault in faults.items():
            started, callers = time.monotonic(), maps[fault.mode]["tests"][fault.key]
            sums = list(accumulate(seconds for seconds, _ in callers))
            several = max(1, sum(total <= budget for total in sums))
            chosen = [test for _, test in callers[:several]]
            with planted(tree, fault):
                code, failed = tested(chosen, fault.mode, sums[several - 1], "-x")
                if failed or code < 0:
                    verdict, killer = "killed", failed[0] if failed else "time limit"
                else:
                    verdict, killer = ("unclear", f"exit code {code}") if code else ("survived", "")
            facts = {"number": number, **fault.described(), "verdict": verdict, "killer": killer, "tests": len(chosen)}
            facts |= {"of": len(callers), "seconds": round(time.monotonic() - started, 1)}
            notes.write(json.dumps(facts) + "\n")
        mine = [entry for entry in entries(journal) if entry.get("number") in faults]
        for mode in MODES:
            if killers := [entry["killer"] for entry in mine if entry["mode"] == mode and "::" in entry["killer"]]:
                _, failed = tested(killers, mode, budget * len(killers))
                notes.write(json.dumps({"fails_anyway": failed}) + "\n")


def run(root: Path, state: Path, seed: int, count: int, budget: float) -> dict[str, object]:
    """Examine a sample of faults, continuing where an earlier run stopped."""
    maps = {mode: json.loads((state / f"{mode}.json").read_text(encoding="utf-8")) for mode in MODES}
    if any(found["sources"] != digest(root) for found in maps.values()):
        sys.exit("The map is of other sources. Make it again: python tools/mutants.py map")
    possible = [fault for file, group in files(root).items() for fault in faults_of(root, file, group)]
    called = [fault for fault in possible if fault.key in maps[fault.mode]["tests"]]
    drawn = sample(called, seed, count)
    journal = state / f"run-{seed}-{budget:g}.jsonl"
    done = {entry.get("number") for entry in entries(journal)}
    left = [(number, fault) for number, fault in enumerate(drawn) if number not in done]
    side_by_side(work, *((root, dict(left[at::2]), maps, budget, journal) for at in range(2)))
    anyway = {test for entry in entries(journal) for test in entry.get("fails_anyway", [])}
    mutants = [entry for entry in entries(journal) if entry.get("number", count) < count]
    for mutant in mutants:
        if mutant["killer"] in anyway:
            mutant["verdict"] = "unclear"
    sizes = [Counter(fault.group for fault in faults) for faults in (possible, called)]
    groups = {}
    for group in GROUPS:
        verdicts = Counter(mutant["verdict"] for mutant in mutants if mutant["group"] == group)
        killed = verdicts["killed"] / max(verdicts["killed"] + verdicts["survived"], 1)
        share = sizes[1][group] / max(sizes[0][group], 1)
        shares = {"killed_share": killed, "called_share": share, "noticed_share": killed * share}
        groups[group] = {**verdicts, **{name: round(value, 3) for name, value in shares.items()}}
    return {"seed": seed, "budget": budget, "groups": groups, "mutants": mutants}


def entries(journal: Path) -> list[dict]:
    """Return what has been noted so far."""
    return [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()] if journal.exists() else []


def side_by_side(function: Callable[..., None], *calls: tuple[object, ...]) -> None:
    """Run the calls in processes of their own; fail if one of them fails."""
    processes = [FORK.Process(target=function, args=call) for call in calls]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    if any(process.exitcode for process in processes):
        sys.exit("A process failed; see above. Run the command again to continue.")


def main() -> None:
    """Map, or run and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["map", "run"])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the checkout to measure")
    parser.add_argument("--state", type=Path, help="where maps and verdicts are kept (ROOT/.mutants)")
    parser.add_argument("--tests", nargs="+", default=TESTS, help="files and folders of the tests to map")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=300, help="faults in all, the groups by turns")
    parser.add_argument("--budget", type=float, default=12, help="CPU seconds of tests per fault, as mapped")
    given = parser.parse_args()
    root, state = given.root.resolve(), (given.state or given.root / ".mutants").resolve()
    state.mkdir(exist_ok=True)
    if given.command == "map":
        side_by_side(record, *((root, state, mode, given.tests) for mode in MODES))
        return
    result = run(root, state, given.seed, given.count, given.budget)
    (state / "mutants.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    for group, facts in result["groups"].items():
        print(group, *(f"{name} {value}" for name, value in facts.items()), sep="  ")


if __name__ == "__main__":
    main()
