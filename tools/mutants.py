"""Measure which small faults in methods, verifiers and readers the tests notice.

    python tools/mutants.py map            run the tests once and record which of them execute each line
    python tools/mutants.py run --seed 7   plant 300 faults, one at a time, and run the tests that execute them

A fault (`tools/faults.py`) is planted in a copy of the tree, in a line that tests of the map (`tools/mutant_map.py`)
execute. Both commands take `--root DIR` to measure another checkout. Files may move between two measurements: functions
that stay the same keep most of their faults, on the same version of Python.
"""

from __future__ import annotations

import argparse
import compileall
import json
import math
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import accumulate
from operator import itemgetter
from pathlib import Path

import pytest
from faults import Fault, faults_of, replaced, sample
from mutant_map import OPTIONS, PYTEST, copied, digest, files, record

#: Imported once, and inherited by the process of each fault.
WARM = "hypothesis", "numba", "numpy", "pandas", "pyarrow.parquet", "scipy.sparse"
#: The most that the process of a fault may take: only endless loops reach this many times the CPU time of its tests.
MEMORY, START_SECONDS, TIMES_MAPPED = 8 << 30, 30, 4
STOPPED = {0: "", -signal.SIGXCPU: "time limit", -signal.SIGKILL: "time limit"}
FORK = multiprocessing.get_context("fork")


@contextmanager
def planted(tree: Path, fault: Fault) -> Iterator[None]:
    """Put a fault in its file; afterwards the folder is as it was, compiled kernels included."""
    file, kept = tree / fault.file, tree.parent / "kept"
    shutil.copytree(file.parent, kept)
    file.write_text(replaced(fault.tree, fault.old, fault.new), encoding="utf-8")
    yield
    shutil.rmtree(file.parent)
    kept.rename(file.parent)


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
    limit = math.ceil(START_SECONDS + TIMES_MAPPED * mapped)
    process = FORK.Process(target=run_tests, args=(tests, mode, note, limit, options))
    process.start()
    process.join(60 * limit)  # in case it waits for something
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
    wanted = sorted({test.split("::")[0] for test in tests})
    os._exit(pytest.main([*PYTEST, *OPTIONS[mode], *options, *wanted], plugins=[Witness(tests, note)]))


def tests_of(fault: Fault, noted: dict) -> list[tuple[str, float]]:
    """Return the tests that execute the line of a fault, with their CPU seconds, fastest first."""
    return [noted["tests"][place] for place in noted["lines"].get(fault.file, {}).get(str(fault.old.lineno), [])]


def work(root: Path, mode: str, faults: dict[int, Fault], noted: dict, budget: float, journal: Path) -> None:
    """Plant faults of one mode, one after the other, and note which test fails first."""
    with copied(root, mode) as tree, journal.open("a", encoding="utf-8", buffering=1) as notes:
        compileall.compile_dir(tree / "src", quiet=2)
        for name in WARM:
            import_module(name)
        for number, fault in faults.items():
            started, executing = time.monotonic(), tests_of(fault, noted)
            sums = list(accumulate(seconds for _, seconds in executing))
            several = max(1, bisect_right(sums, budget))
            chosen = [test for test, _ in executing[:several]]
            with planted(tree, fault):
                code, failed = tested(chosen, mode, sums[several - 1], "-x")
            killer = failed[0] if failed else STOPPED.get(code, f"exit code {code}")
            verdict = "killed" if failed or code < 0 else "unclear" if code else "survived"
            facts = {"number": number, **fault.described(), "verdict": verdict, "killer": killer}
            facts |= {"tests": len(chosen), "of": len(executing), "seconds": round(time.monotonic() - started, 1)}
            notes.write(json.dumps(facts) + "\n")
        failing = {entry["killer"] for entry in entries(journal) if entry.get("mode") == mode}
        if killers := {test: seconds for test, seconds in noted["tests"] if test in failing}:
            _, failed = tested(list(killers), mode, sum(killers.values()))
            notes.write(json.dumps({"fails_anyway": failed}) + "\n")


def run(root: Path, state: Path, seed: int, count: int, budget: float) -> dict[str, object]:
    """Examine a sample of faults, going on where an earlier run stopped."""
    maps = {mode: json.loads((state / f"{mode}.json").read_text(encoding="utf-8")) for mode in OPTIONS}
    if any(noted["sources"] != digest(root) for noted in maps.values()):
        sys.exit("The map is of other sources. Make it again: python tools/mutants.py map")
    faults = {root / file: list(faults_of(root, file, group)) for file, group in files(root).items()}
    drawn, executed = sample(faults, lambda fault: tests_of(fault, maps[fault.mode]), seed, count)
    journal = state / f"run-{seed}-{count}-{budget:g}.jsonl"
    done = {entry.get("number") for entry in entries(journal)}
    left = {number: fault for number, fault in enumerate(drawn) if number not in done}
    by_mode = {mode: {n: fault for n, fault in left.items() if fault.mode == mode} for mode in OPTIONS}
    side_by_side(work, *((root, mode, by_mode[mode], maps[mode], budget, journal) for mode in OPTIONS))
    anyway = {test for entry in entries(journal) for test in entry.get("fails_anyway", [])}
    mutants = sorted((entry for entry in entries(journal) if "number" in entry), key=itemgetter("number"))
    for mutant in mutants:
        if mutant["killer"] in anyway:
            mutant["verdict"] = "unclear"
    return {"seed": seed, "budget": budget, "groups": table(mutants, executed), "mutants": mutants}


def table(mutants: list[dict], executed: dict[str, float]) -> dict[str, dict[str, float]]:
    """Return for each group how many faults had which verdict, and which shares were executed and noticed."""
    groups = {}
    for group, share in executed.items():
        verdicts = Counter(mutant["verdict"] for mutant in mutants if mutant["group"] == group)
        killed = verdicts["killed"] / max(verdicts["killed"] + verdicts["survived"], 1)
        shares = {"killed_share": killed, "executed_share": share, "noticed_share": killed * share}
        groups[group] = {**verdicts, **{name: round(value, 3) for name, value in shares.items()}}
    return groups


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
        sys.exit("A process failed; see above. Run the command again to go on.")


def main() -> None:
    """Map, or run and write the result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["map", "run"])
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[1], help="the checkout to measure")
    parser.add_argument("--state", type=Path, help="where maps and verdicts are kept (ROOT/.mutants)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=100, help="faults per group")
    parser.add_argument("--budget", type=float, default=12, help="CPU seconds of tests per fault, as mapped")
    parser.add_argument("--output", type=Path, help="the JSON file with all faults (STATE/mutants.json)")
    given = parser.parse_args()
    root, state = given.root.resolve(), (given.state or given.root / ".mutants").resolve()
    state.mkdir(exist_ok=True)
    if given.command == "map":
        side_by_side(record, *((root, state, mode) for mode in OPTIONS))
        return
    result = run(root, state, given.seed, given.count, given.budget)
    (given.output or state / "mutants.json").write_text(json.dumps(result, indent=1), encoding="utf-8")
    for group, facts in result["groups"].items():
        print(group, *(f"{name} {value}" for name, value in facts.items()), sep="  ")


if __name__ == "__main__":
    main()
