"""`covey compile`: run small jobs that together call every kernel, so that no later command waits for compilation."""

from __future__ import annotations

import csv
import multiprocessing
import os
import shlex
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import numpy as np
import typer

from covey.cli.app import call
from covey.cli.command import command, new_app
from covey.cli.session import Stages, show, watched
from covey.counting import counted
from covey.data.jit import compiled_kernels
from covey.errors import CoveyError
from covey.guarantees import guarantee
from covey.registry import METHODS
from covey.release.archive import pack
from covey.threads import begin_worker, threads

app = new_app()

#: A guarantee of each name that the data below can keep.
GUARANTEES = {
    "coherence": "coherence(h=0.8, k=3, p=2)",
    "degree": "degree(p=2)",
    "k-anonymity": "k-anonymity(k=4)",
    "k-eps-l": "k-eps-l(k=15, epsilon=1, l=1)",
    "k-km-anonymity": "k-km-anonymity(k=3, m=2)",
    "km-anonymity": "km-anonymity(k=3, m=2)",
    "label-dp": "label-dp(epsilon=1)",
    "l-diversity": "l-diversity(l=2, k=3)",
}
#: For each kind of data a file, and what is sensitive in it.
DATA = {
    "baskets": ("sales.csv", "-s sales.sensitive.txt"),
    "ratings": ("survey.csv --kind ratings", "-s survey.sensitive.txt"),
    "table": ("people.covey", "-s illness"),
    "records": ("records.covey", "-s illness"),
}
PREPARE = """
    covey generate shop -o sales.csv -n 400 --seed 1
    covey generate survey -o survey.csv -n 150 --seed 1
    covey prepare people.csv --quasi age,place --other illness -o people.covey
    covey prepare people.csv --baskets bought.csv --person person --quasi age,place --other illness -o records.covey
    covey anonymize quoted.csv --kind table -g 'k-anonymity(k=4)' -o released
"""
#: Series of commands that call what the commands of `series_of_methods` do not: other readers, options and sizes.
MORE = """
    covey inspect sales.csv -s sales.sensitive.txt
    covey inspect survey.csv --kind ratings -s survey.sensitive.txt
    covey inspect people.covey -s illness
    covey inspect records.covey -s illness

    covey anonymize sales.csv -s sales.sensitive.txt -g 'degree(p=2)' -o asked
    covey query asked --sensitive 'pregnancy test' --present 'folic acid'

    covey generate quest -o quest.dat -n 300
    covey inspect quest.dat
    covey items quest.dat

    covey generate shop -o larger.csv -n 2000
    covey inspect larger.csv

    covey generate viewers -o viewers.dat -n 200 -d 50 --longest 40

    covey anonymize sales.csv -s sales.sensitive.txt -g 'degree(p=2)' --method cahd --set order=gray -o gray

    covey anonymize visits.csv --person person -s test -g 'degree(p=4)' -m anatomy --trace trace.npz -o earlier
    covey anonymize visits.csv --person person -s test -g 'degree(p=4)' --like earlier --like-trace trace.npz -o later

    covey check survey.csv -s survey.sensitive.txt -g 'k-eps-l(k=15, epsilon=1, l=1)' --algorithm slicing

    covey check survey.csv -s survey.sensitive.txt -g 'k-eps-l(k=15, epsilon=1, l=1)' --algorithm pairwise

    covey generate survey -n 700 -o many.csv
    covey check many.csv -s many.sensitive.txt -g 'k-eps-l(k=15, epsilon=1, l=1)'

    covey generate survey -n 700 --levels 300 --issues 4 -o fine.csv
    covey prepare fine.csv --kind ratings --scale 1:300:1 -s 'issue 3,issue 4' -o fine.covey
    covey check fine.covey -g 'k-eps-l(k=15, epsilon=1, l=1)'

    covey taxonomy suggest sales.csv -o suggested.csv
    covey check sales.csv -g 'km-anonymity(k=3, m=2)'

    covey anonymize sales.csv --taxonomy sales.taxonomy.csv -g 'km-anonymity(k=3, m=3)' --method mhghs -o deeper

    covey inspect named.dat
    covey inspect quoted.csv --kind table
    covey verify released.zip
"""


@command(app, "covey compile")
def compile(
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many processes to use; by default one per core.")
    ] = None,
) -> None:
    """Compile all of covey's kernels now: a few minutes, once, and no command waits for them later.

    `pip install .` does this by itself; this is for editable installations, and after an update of numba.
    """
    kernels = watched(lambda stages: _compile(processes or threads(), stages))
    show({"kernels": kernels}, [f"{counted(kernels, 'kernel')} compiled."])


def _compile(processes: int, stages: Stages) -> int:
    """Run all series of commands in several processes; return how many kernels had to be compiled."""
    stages("compiling", 0)
    spawn, compiled = multiprocessing.get_context("spawn"), set[str]()
    with (
        TemporaryDirectory() as folder,
        ProcessPoolExecutor(processes, spawn, initializer=_begin, initargs=(folder,)) as pool,
    ):
        pool.submit(write_data).result()
        running = [pool.submit(run_series, commands) for commands in all_series()]
        for done, future in enumerate(as_completed(running), 1):
            compiled.update(future.result())
            stages("compiling", done / len(running))
    return len(compiled)


def _begin(folder: str) -> None:
    """Prepare a process of the pool: it works and prints in `folder`."""
    begin_worker()
    os.chdir(folder)
    sys.stdout = sys.stderr = Path(f"printed-{os.getpid()}.txt").open("w")  # noqa: SIM115 - until the process ends


def run_series(commands: Iterable[str]) -> list[str]:
    """Run commands one after the other; return the kernels that this process has compiled so far."""
    for line in commands:
        _, *words = shlex.split(line)
        code = call(*words)
        if code and words[0] != "check":  # which ends with 1 where the data does not keep the guarantee
            raise CoveyError(f"{line} ended with exit code {code}.")
    return compiled_kernels()


def all_series() -> list[list[str]]:
    """Return all series of commands; those of one series depend on each other."""
    return [*series_of_methods(), *(series.strip().splitlines() for series in MORE.split("\n\n"))]


def series_of_methods() -> list[list[str]]:
    """Return the commands for each method, guarantee and kind of data; `report` evaluates and attacks, too."""
    found = []
    for entry, (name, text) in product(METHODS, GUARANTEES.items()):
        if name not in entry.guarantees or entry.data not in DATA:
            continue
        data, sensitive = DATA[entry.data]
        if entry.data in ("baskets", "records") and not guarantee(text).protects_sensitive:
            sensitive = ""
        tree = "--taxonomy sales.taxonomy.csv" if entry.data == "baskets" and entry.takes_taxonomy else ""
        out = f"{entry.name}-{entry.data}-{name}"
        found.append(
            [
                f"covey anonymize {data} {sensitive} {tree} -g '{text}' --method {entry.name} -o {out}",
                f"covey verify {out} --original {data} {sensitive} {tree}",
                f"covey report {out} --original {data} {sensitive} {tree} -o {out}.html",
            ]
        )
    return found


def write_data() -> None:
    """Write small files of every kind to the current directory."""
    draw = np.random.default_rng(1)
    with Path("people.csv").open("w", newline="") as people, Path("bought.csv").open("w", newline="") as bought:
        persons, items = csv.writer(people), csv.writer(bought)
        persons.writerow(["person", "age", "place", "illness"])
        items.writerow(["person", "item"])
        for person in range(200):
            illness = ("flu", "cold", "none")[draw.integers(3)]
            persons.writerow([person, draw.integers(20, 60), "abc"[draw.integers(3)], illness])
            items.writerows([person, f"item {item}"] for item in set(draw.integers(0, 8, 3).tolist()))
    visits = [(i, i % 60, "abcd"[draw.integers(4)]) for i in range(150)] + [(i, i, "test") for i in range(0, 60, 8)]
    Path("visits.csv").write_text("visit,person,item\n" + "".join(f"{v},{p},{item}\n" for v, p, item in visits))
    Path("named.dat").write_text("wine meat\nmeat\nwine cream\n" * 50)
    Path("quoted.csv").write_text('age,place\n30,"the ""old"" town"\n40,elsewhere\n' * 50)
    run_series(PREPARE.strip().splitlines())
    pack({"released": Path("released")}, Path("released.zip"))
