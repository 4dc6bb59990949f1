"""Each task at growing size beside rivals and what nobody could do without: the page of speed is made from this.

Times are CPU seconds of this process, all threads together, best of a few runs. Rows of `COVEY_BENCH_ROWS`, such as
100000,300000, instead of the usual sizes make a quick run.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import covey
from covey.data.derived import derive_taxonomy
from covey.guarantees.k_eps_l import KEpsL
from covey.io import write
from covey.synth import quest
from covey.synth.survey import survey
from covey.verify.k_eps_l import examine
from ratios import cpu_seconds, finish, report, report_task, rival, with_random_sensitive

SIZES = tuple(int(rows) for rows in os.environ.get("COVEY_BENCH_ROWS", "100000,300000,1000000").split(","))
#: The smaller ones are repeated; a minute of work shows its time in one run.
REPEAT = 2
SURVEY = KEpsL(20, 1, 1)

Work = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Stage:
    """Data of one size with the files made of it."""

    rows: int
    data: covey.Baskets
    marked: covey.Baskets
    folder: Path

    @classmethod
    def of(cls, rows: int, folder: Path) -> Stage:
        """Generate the data and write it as FIMI and as CSV."""
        data = quest(transactions=rows, items=10_000, patterns=10_000, seed=1)
        write(data, folder / "rows.dat")
        write(data, folder / "rows.csv")
        return cls(rows, data, with_random_sensitive(data, 20, 0, p=50), folder)

    def releases(self) -> Path:
        """A release of this data, made when first asked for."""
        out = self.folder / "release"
        if not out.exists():
            covey.publish(self.marked, out, "degree(p=10)", "cahd", seed=0)
        return out


def bytes_read(*paths: Path) -> Work:
    """Look at every byte of the files once."""
    files = [path for given in paths for path in ([given] if given.is_file() else given.iterdir())]
    return lambda: [np.frombuffer(path.read_bytes(), np.uint8).max(initial=0) for path in files]


def entries_read(data: covey.Baskets) -> Work:
    """Look at every entry in memory once."""
    return lambda: (data.indices.max(), data.indptr.max())


def all_pairs(data: covey.Baskets) -> Work:
    """How many transactions every two items share, by scipy."""
    matrix = data.to_scipy().astype(np.int32)
    return lambda: matrix.T @ matrix


def pyarrow_csv(path: Path) -> Work:
    """The file as a pyarrow table, on one thread."""
    from pyarrow import csv

    return lambda: csv.read_csv(path, read_options=csv.ReadOptions(use_threads=False))


def closed_sets(data: covey.Baskets, k: int) -> Work | None:
    """Closed frequent sets by Borgelt's pyfim."""
    pyfim = rival("fim", package="pyfim")
    if pyfim is None:
        return None
    rows = [data.indices[data.indptr[t] : data.indptr[t + 1]].tolist() for t in range(data.n)]
    return lambda: pyfim.fim(rows, target="c", supp=-k)


def with_tree(data: covey.Baskets) -> Work:
    tree = derive_taxonomy(data)
    return lambda: covey.anonymize(data, "km-anonymity(k=5, m=2)", "mhghs", taxonomy=tree, seed=0)


@dataclass(frozen=True, slots=True)
class Task:
    """What covey does, what rivals do at one size, and what must be done at the largest."""

    name: str
    ours: Callable[[Stage], Work]
    rivals: dict[str, Callable[[Stage], Work | None]]
    limit: tuple[str, Callable[[Stage], Work]]
    #: The size at which rivals are timed; most of them finish soon only at the smallest.
    rows: int = SIZES[0]
    #: What a rival's time over covey's must be.
    least: float | None = None


EVERY_ENTRY = ("every entry read once", lambda stage: entries_read(stage.data))
EVERY_BYTE = ("every byte of the release read once", lambda stage: bytes_read(stage.releases()))
TASKS = (
    Task(
        "read a FIMI file",
        lambda stage: lambda: covey.read(stage.folder / "rows.dat"),
        {
            "numpy.fromstring, which forgets the rows": lambda stage: (
                lambda: np.fromstring((stage.folder / "rows.dat").read_text(), np.int32, sep=" ")
            )
        },
        ("every byte read once", lambda stage: bytes_read(stage.folder / "rows.dat")),
        rows=SIZES[-1],
        least=0.775,
    ),
    Task(
        "read a CSV file",
        lambda stage: lambda: covey.read(stage.folder / "rows.csv"),
        {"pyarrow on one thread, which makes no baskets": lambda stage: pyarrow_csv(stage.folder / "rows.csv")},
        ("every byte read once", lambda stage: bytes_read(stage.folder / "rows.csv")),
        rows=SIZES[-1],
        least=0.75,
    ),
    Task(
        "anonymize: degree(p=10), cahd",
        lambda stage: lambda: covey.anonymize(replace(stage.marked), "degree(p=10)", "cahd", seed=0),
        {},
        EVERY_ENTRY,
    ),
    Task(
        "anonymize: k-anonymity(k=20), pattern-ka",
        lambda stage: lambda: covey.anonymize(stage.data, "k-anonymity(k=20)", "pattern-ka", seed=0),
        {"pyfim's closed sets, which anonymize nothing": lambda stage: closed_sets(stage.data, 20)},
        EVERY_ENTRY,
    ),
    Task(
        "anonymize: km-anonymity(k=5, m=2), mhghs along a derived tree",
        lambda stage: with_tree(stage.data),
        {"scipy's count of all pairs of items, once": lambda stage: all_pairs(stage.data)},
        EVERY_ENTRY,
    ),
    Task(
        "derive a taxonomy",
        lambda stage: lambda: derive_taxonomy(stage.data),
        {"scipy's count of all pairs of items, once": lambda stage: all_pairs(stage.data)},
        EVERY_ENTRY,
    ),
    Task("verify a release", lambda stage: _verifying(stage), {}, EVERY_BYTE),
    Task("verify a release of sets", lambda stage: _verifying_sets(stage), {}, EVERY_ENTRY),
    Task("evaluate a release", lambda stage: _evaluating(stage), {}, EVERY_BYTE),
    Task("inspect: risk by known items", lambda stage: lambda: covey.inspect(replace(stage.data)), {}, EVERY_ENTRY),
)


def _verifying(stage: Stage) -> Work:
    out = stage.releases()
    return lambda: covey.verify(out, replace(stage.marked))


def _verifying_sets(stage: Stage) -> Work:
    out = stage.folder / "sets"
    covey.publish(stage.data, out, "k-anonymity(k=20)", "pattern-ka", seed=0)
    return lambda: covey.verify(out, replace(stage.data))


def _evaluating(stage: Stage) -> Work:
    out = stage.releases()
    return lambda: covey.evaluate(out, replace(stage.marked))  # a fresh object: what is known of it is remembered


def measure_baskets() -> None:
    """Every task on generated baskets, size after size."""
    took: dict[str, dict[int, float]] = {task.name: {} for task in TASKS}
    rivals: dict[str, dict[str, tuple[int, float]]] = {task.name: {} for task in TASKS}
    limits: dict[str, float] = {}
    for rows in SIZES:
        with tempfile.TemporaryDirectory() as scratch:
            stage = Stage.of(rows, Path(scratch))
            for task in TASKS:
                work = task.ours(stage)
                if rows == SIZES[0]:
                    work()  # the first run may compile
                took[task.name][rows] = cpu_seconds(work, 1 if task.rows < rows == SIZES[-1] else REPEAT)
                if rows == task.rows:
                    for name, make in task.rivals.items():
                        theirs = make(stage)
                        if theirs is not None:
                            rivals[task.name][name] = rows, cpu_seconds(theirs, REPEAT)
                if rows == SIZES[-1]:
                    limits[task.name] = cpu_seconds(task.limit[1](stage))
    for task in TASKS:
        limit = task.limit[0], limits[task.name]
        report_task(task.name, took[task.name], rivals=rivals[task.name], limit=limit)
        if task.least is not None:
            for name, (rows, theirs) in rivals[task.name].items():
                report(f"{task.name}: {name}, its time over ours", theirs / took[task.name][rows], least=task.least)


def measure_ratings() -> None:
    """The satisfaction problem on random answers, the hardest case; the paper's algorithm at a tenth of the rows."""
    took: dict[int, float] = {}
    sizes = (SIZES[0] // 10, *SIZES)
    for rows in sizes:
        data = survey(respondents=rows, profiles=0, seed=1)
        if rows == sizes[0]:
            for algorithm in ("auto", "slicing"):
                examine(SURVEY, survey(respondents=2_000, profiles=0, seed=1), algorithm=algorithm)
        # The smallest takes some hundredths of a second, and its first run twice as long as the next.
        took[rows] = cpu_seconds(lambda data=data: examine(SURVEY, data), 5 if rows == sizes[0] else 1)
        if rows == sizes[0]:
            theirs = cpu_seconds(lambda data=data: examine(SURVEY, data, algorithm="slicing"), REPEAT)
        codes = data.codes
    limit = cpu_seconds(lambda: codes.max())
    rivals = {"slicing, as published": (sizes[0], theirs)}
    report_task(
        "check ratings: k-eps-l(20, 1, 1), 20 issues", took, rivals=rivals, limit=("every rating read once", limit)
    )


def main() -> None:
    """Measure them all."""
    measure_baskets()
    measure_ratings()
    finish()


if __name__ == "__main__":
    main()
