"""Time as generated data grows, beside rivals in the same run and what no program could do without.

Times are CPU seconds of this process, all threads together, best of two runs. Baskets have ten of 10,000 items on
average; ratings are random answers to 20 issues, the hardest case.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.data.derived import derive_taxonomy
from covey.guarantees.k_eps_l import KEpsL
from covey.io import write
from covey.synth import quest
from covey.synth.survey import survey
from covey.verify.k_eps_l import examine
from ratios import cpu_seconds, main, measured, report, rival, scaled, with_random_sensitive

SIZES = tuple(scaled(rows) for rows in (100_000, 300_000, 1_000_000))
REPEAT = 2

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Stage:
    """Data of one size, and the files made of it."""

    rows: int
    folder: Path
    data: Any
    marked: Any = None

    @classmethod
    def of_baskets(cls, rows: int, folder: Path) -> Stage:
        """Generate baskets, and write them as FIMI, as CSV and as a release."""
        data = quest(transactions=rows, items=10_000, patterns=10_000, seed=1)
        write(data, folder / "rows.dat")
        write(data, folder / "rows.csv")
        marked = with_random_sensitive(data, 20, 0, p=50)
        covey.publish(marked, folder / "release", "degree(p=10)", "cahd", seed=0)
        covey.publish(data, folder / "sets", "k-anonymity(k=20)", "pattern-ka", seed=0)
        return cls(rows, folder, data, marked)

    def read_bytes(self, name: str) -> Work:
        """Read every byte of a file or folder once."""
        path = self.folder / name
        files = [path] if path.is_file() else list(path.iterdir())
        return lambda: [np.frombuffer(file.read_bytes(), np.uint8).max(initial=0) for file in files]

    def read_entries(self) -> Work:
        """Read every entry in memory once."""
        return lambda: (self.data.indices.max(), self.data.indptr.max())

    def count_pairs(self) -> Work:
        """Count by scipy how many transactions every two items share."""
        matrix = self.data.to_scipy().astype(np.int32)
        return lambda: matrix.T @ matrix

    def mine_closed_sets(self) -> Work | None:
        """Mine closed frequent sets with Borgelt's pyfim."""
        if (pyfim := rival("fim", package="pyfim")) is None:
            return None
        data = self.data
        rows = [data.indices[data.indptr[t] : data.indptr[t + 1]].tolist() for t in range(data.n)]
        return lambda: pyfim.fim(rows, target="c", supp=-20)

    def read_with_pyarrow(self) -> Work:
        """Read the CSV file as a pyarrow table, on one thread."""
        from pyarrow import csv

        return lambda: csv.read_csv(self.folder / "rows.csv", read_options=csv.ReadOptions(use_threads=False))

    def anonymize(self, guarantee: str, method: str, *, marked: bool = False, **options: Any) -> Work:
        """Anonymize a fresh object, which remembers nothing of an earlier run."""
        data = self.marked if marked else self.data
        return lambda: covey.anonymize(replace(data), guarantee, method, seed=0, **options)


@dataclass(frozen=True, slots=True)
class Task:
    """What covey does, what a rival does at one size, and what must be done in any case at the largest."""

    name: str
    ours: Callable[[Stage], Work]
    rival: str = ""
    theirs: Callable[[Stage], Work | None] = field(default=lambda stage: None)
    limit: Callable[[Stage], Work] = Stage.read_entries
    #: The size at which the rival is timed; most of them finish soon only at the smallest.
    rows: int = SIZES[0]
    #: The rival's time over covey's, at least.
    least: float | None = None
    #: The time per row at the largest size over that at the smallest, at most.
    growth: float | None = None


DEGREE = "degree(p=10)"
BASKETS = (
    Task(
        "read a FIMI file",
        lambda stage: lambda: covey.read(stage.folder / "rows.dat"),
        "numpy.fromstring, which forgets the rows",
        lambda stage: lambda: np.fromstring((stage.folder / "rows.dat").read_text(), np.int32, sep=" "),
        limit=lambda stage: stage.read_bytes("rows.dat"),
        rows=SIZES[-1],
        least=0.775,
    ),
    Task(
        "read a CSV file",
        lambda stage: lambda: covey.read(stage.folder / "rows.csv"),
        "pyarrow on one thread, which makes no baskets",
        Stage.read_with_pyarrow,
        limit=lambda stage: stage.read_bytes("rows.csv"),
        rows=SIZES[-1],
        least=0.75,
    ),
    Task("anonymize: degree(p=10), cahd", lambda stage: stage.anonymize(DEGREE, "cahd", marked=True), growth=3),
    Task("anonymize: degree(p=10), matched", lambda stage: stage.anonymize(DEGREE, "matched", marked=True), growth=1.3),
    Task(
        "anonymize: k-anonymity(k=20), pattern-ka",
        lambda stage: stage.anonymize("k-anonymity(k=20)", "pattern-ka"),
        "pyfim's closed sets, which anonymize nothing",
        Stage.mine_closed_sets,
    ),
    Task(
        "anonymize: km-anonymity(k=5, m=2), mhghs along a derived tree",
        lambda stage: stage.anonymize("km-anonymity(k=5, m=2)", "mhghs", taxonomy=derive_taxonomy(stage.data)),
        "scipy's count of all pairs of items, once",
        Stage.count_pairs,
    ),
    Task(
        "anonymize: km-anonymity(k=5, m=2), disassociation",
        lambda stage: stage.anonymize("km-anonymity(k=5, m=2)", "disassociation"),
        growth=1.5,
    ),
    Task(
        "derive a taxonomy",
        lambda stage: lambda: derive_taxonomy(stage.data),
        "scipy's count of all pairs of items, once",
        Stage.count_pairs,
    ),
    Task(
        "verify a release",
        lambda stage: lambda: covey.verify(stage.folder / "release", replace(stage.marked)),
        limit=lambda stage: stage.read_bytes("release"),
    ),
    Task("verify a release of sets", lambda stage: lambda: covey.verify(stage.folder / "sets", replace(stage.data))),
    Task(
        "evaluate a release",
        lambda stage: lambda: covey.evaluate(stage.folder / "release", replace(stage.marked)),
        limit=lambda stage: stage.read_bytes("release"),
    ),
    Task("inspect: risk by known items", lambda stage: lambda: covey.inspect(replace(stage.data))),
)


def check_ratings(stage: Stage, algorithm: str = "auto") -> Work:
    """Decide (20, 1, 1)-anonymity of a survey."""
    return lambda: examine(KEpsL(20, 1, 1), stage.data, algorithm=algorithm)


RATINGS = Task(
    "check ratings: k-eps-l(20, 1, 1), 20 issues",
    check_ratings,
    "slicing, as published",
    lambda stage: check_ratings(stage, "slicing"),
    limit=lambda stage: stage.data.codes.max,
    rows=SIZES[0] // 10,
    least=20,
)


def growth() -> None:
    """Measure baskets and ratings."""
    measure(BASKETS, SIZES, Stage.of_baskets)
    sizes = (SIZES[0] // 10, *SIZES)
    measure((RATINGS,), sizes, lambda rows, folder: Stage(rows, folder, survey(respondents=rows, profiles=0, seed=1)))


def measure(tasks: tuple[Task, ...], sizes: tuple[int, ...], make: Callable[[int, Path], Stage]) -> None:
    """Measure tasks size after size, print them and their bounds."""
    took: dict[str, dict[int, float]] = {task.name: {} for task in tasks}
    rivals: dict[str, dict[str, tuple[int, float]]] = {task.name: {} for task in tasks}
    limits: dict[str, float] = {}
    for rows in sizes:
        with tempfile.TemporaryDirectory() as scratch:
            stage = make(rows, Path(scratch))
            for task in tasks:
                work = task.ours(stage)
                if rows == sizes[0]:
                    work()  # the first run may compile
                took[task.name][rows] = cpu_seconds(work, 1 if task.rows < rows == sizes[-1] else REPEAT)
                if rows == task.rows and (theirs := task.theirs(stage)) is not None:
                    rivals[task.name][task.rival] = rows, cpu_seconds(theirs, REPEAT)
                if rows == sizes[-1]:
                    limits[task.name] = cpu_seconds(task.limit(stage))
    for task in tasks:
        spent, limit = took[task.name], limits[task.name]
        found = {"name": task.name, "sizes": list(spent.items()), "rivals": rivals[task.name], "limit": limit}
        measured["tasks"].append(found)
        print(f"      {task.name}: " + ", ".join(f"{cpu:.3g} s at {rows:,}" for rows, cpu in spent.items()), flush=True)
        for name, (rows, theirs) in rivals[task.name].items():
            report(
                f"{task.name}: {name}, its time over ours",
                theirs / spent[rows],
                least=task.least,
                note=f"{rows:,} rows",
            )
        if task.growth is not None:
            grown = spent[sizes[-1]] / spent[sizes[0]] * sizes[0] / sizes[-1]
            report(f"{task.name}: growth of the time per row", grown, most=task.growth)


PARTS = {"growth": growth}

if __name__ == "__main__":
    main(PARTS)
