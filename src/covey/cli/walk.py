"""Small jobs that together call every kernel, for `covey compile`: all methods, and what only some options call for."""

from __future__ import annotations

import csv
import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path

import numpy as np

from covey.cli.app import call
from covey.data.jit import compiled_kernels
from covey.errors import CoveyError
from covey.guarantees import guarantee
from covey.registry import METHODS
from covey.release.archive import pack

#: A guarantee of each name that the data below can keep.
PROMISES = {
    "coherence": "coherence(h=0.8, k=3, p=2)",
    "degree": "degree(p=2)",
    "k-anonymity": "k-anonymity(k=4)",
    "k-eps-l": "k-eps-l(k=15, epsilon=1, l=1)",
    "k-km-anonymity": "k-km-anonymity(k=3, m=2)",
    "km-anonymity": "km-anonymity(k=3, m=2)",
    "label-dp": "label-dp(epsilon=1)",
    "l-diversity": "l-diversity(l=2, k=3)",
}
#: Kind of data → the file and how it is read, and what in it has which role, which a release tells later commands.
READING = {
    "baskets": (["sales.csv"], ["--sensitive", "sales.sensitive.txt"]),
    "ratings": (["survey.csv", "--kind", "ratings"], ["--sensitive", "survey.sensitive.txt"]),
    "table": (["people.covey"], ["--sensitive", "illness"]),
    "records": (["records.covey"], ["--sensitive", "illness"]),
}


def covey(*words: str) -> None:
    """Run one command in this process; only `check` may fail, because what fails early leaves kernels out."""
    code = call(*words)
    if code and (words[0], code) != ("check", 1):
        raise CoveyError(f"covey {' '.join(words)} ended with exit code {code}.")


def enter(folder: str) -> None:
    """Prepare a process of the pool: work and print in `folder`, leave Ctrl-C to the parent, and end when it ends."""
    os.chdir(folder)
    sys.stdout = sys.stderr = Path(f"printed-{os.getpid()}.txt").open("w")  # noqa: SIM115 - until the process ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def walk(journey: list[list[str]]) -> list[str]:
    """Run the commands of one journey; return the kernels that this process has compiled so far."""
    for command in journey:
        covey(*command)
    return compiled_kernels()


def write_data() -> None:
    """Small files of every kind, in the current directory."""
    covey("generate", "shop", "-o", "sales.csv", "--transactions", "400", "--seed", "1")
    covey("generate", "survey", "-o", "survey.csv", "--respondents", "150", "--seed", "1")
    draw = np.random.default_rng(1)
    with Path("people.csv").open("w", newline="") as people, Path("bought.csv").open("w", newline="") as bought:
        persons, items = csv.writer(people), csv.writer(bought)
        persons.writerow(["person", "age", "place", "illness"])
        items.writerow(["person", "item"])
        for person in range(200):
            illness = ("flu", "cold", "none")[draw.integers(3)]
            persons.writerow([person, draw.integers(20, 60), "abc"[draw.integers(3)], illness])
            items.writerows([person, f"item {item}"] for item in set(draw.integers(0, 8, 3).tolist()))
    # Visits so much alike that nobody can say for certain which group each person is in.
    bought_on = [(i, i % 60, "abcd"[draw.integers(4)]) for i in range(150)] + [(i, i, "test") for i in range(0, 60, 8)]
    Path("visits.csv").write_text("visit,person,item\n" + "".join(f"{v},{p},{item}\n" for v, p, item in bought_on))
    Path("named.dat").write_text("wine meat\nmeat\nwine cream\n" * 50)
    Path("quoted.csv").write_text('age,place\n30,"the ""old"" town"\n40,elsewhere\n' * 50)
    covey("prepare", "people.csv", "--quasi", "age,place", "--other", "illness", "-o", "people.covey")
    both = ["--baskets", "bought.csv", "--person", "person", "--quasi", "age,place", "--other", "illness"]
    covey("prepare", "people.csv", *both, "-o", "records.covey")
    covey("anonymize", "quoted.csv", "--kind", "table", "-g", PROMISES["k-anonymity"], "-o", "released")
    pack({"released": Path("released")}, Path("released.zip"))


def journeys() -> list[list[list[str]]]:
    """The commands, in series that can be run by themselves: for every method, and for reading."""
    found = []
    for entry in METHODS:
        if entry.data not in READING:  # a kind that was added, and brings no sample
            continue
        for name in entry.guarantees:
            if name not in PROMISES:
                continue
            promise, out = PROMISES[name], f"{entry.name}-{entry.data}-{name}"
            data, roles = READING[entry.data]
            if entry.data in ("baskets", "records") and not guarantee(promise).protects_sensitive:
                roles = []
            tree = ["--taxonomy", "sales.taxonomy.csv"] if entry.data == "baskets" and entry.takes_taxonomy else []
            original = ["--original", *data]
            found.append(
                [
                    ["anonymize", *data, *roles, *tree, "-g", promise, "--method", entry.name, "-o", out],
                    ["verify", out, *original, *roles, *tree],
                    ["report", out, *original, *roles, *tree, "-o", f"{out}.html"],  # it evaluates and attacks, too
                ]
            )
    found[0].append(["query", found[0][0][-1], "--sensitive", "pregnancy test", "--present", "folic acid"])
    found += [[["inspect", *data, *roles]] for data, roles in READING.values()]
    return [*found, *more_journeys()]


def more_journeys() -> list[list[list[str]]]:
    """What only some options call for."""
    (data, roles), (ratings, marked) = READING["baskets"], READING["ratings"]
    groups = ["anonymize", *data, *roles, "-g", PROMISES["degree"]]
    visits = ["anonymize", "visits.csv", "--person", "person", "-s", "test", "-g", "degree(p=4)"]
    visits += ["--method", "anatomy", "--set", "merge=false"]
    check = ["check", *ratings[:1], *marked, "-g", PROMISES["k-eps-l"], "--algorithm"]
    coarse = ["anonymize", *data, "--taxonomy", "sales.taxonomy.csv", "-g", "km-anonymity(k=3, m=3)"]
    survey = ["generate", "survey", "--respondents", "700", "--force", "-o"]
    fine, scale = ["--levels", "300", "--issues", "4"], ["--scale", "1:300:1", "-s", "issue 3,issue 4"]
    return [
        [["generate", "quest", "-o", "quest.dat", "-n", "300"], ["inspect", "quest.dat"], ["items", "quest.dat"]],
        # Larger files are read in a quicker way.
        [["generate", "shop", "-o", "larger.csv", "--transactions", "2000"], ["inspect", "larger.csv"]],
        [["generate", "viewers", "-o", "viewers.dat", "-n", "200", "-d", "50", "--longest", "40"]],
        [[*groups, "--method", "cahd", "--set", "order=gray", "-o", "gray"]],
        [
            [*visits, "--trace", "earlier.npz", "-o", "earlier"],
            [*visits, "--like", "earlier", "--like-trace", "earlier.npz", "-o", "later"],
        ],
        [[*check, algorithm] for algorithm in ("slicing", "pairwise")],
        # Many people who rated the same issues are compared in quicker ways, which depend on the scale.
        [[*survey, "many.csv"], ["check", "many.csv", *marked, "-g", PROMISES["k-eps-l"]]],
        [
            [*survey, "fine.csv", *fine],
            ["prepare", "fine.csv", "--kind", "ratings", *scale, "-o", "fine.covey"],
            ["check", "fine.covey", "-g", PROMISES["k-eps-l"]],
        ],
        [["taxonomy", "suggest", *data, "-o", "suggested.csv"], ["check", *data, "-g", PROMISES["km-anonymity"]]],
        [[*coarse, "--method", "mhghs", "-o", "deeper"]],
        [["inspect", "named.dat"], ["inspect", "quoted.csv", "--kind", "table"], ["verify", "released.zip"]],
    ]
