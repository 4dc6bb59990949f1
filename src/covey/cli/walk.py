"""Walk covey's commands over small generated files, so that the kernels they call are compiled and cached.

    python -m covey.cli.walk [PART OF CLAIMS]

`covey compile` runs it in one process per core, and `hatch_build.py` for wheels that ship compiled kernels. For every
command that is done it prints a line with the kernels that were compiled for it.
"""

from __future__ import annotations

import csv
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from covey.errors import CoveyError
from covey.guarantees import guarantee
from covey.io.archive import pack
from covey.kernels.shared.jit import count_compiled
from covey.registry import METHODS

#: A guarantee of each name that the data below can keep.
PROMISES = {
    "coherence": "coherence(h=0.8, k=3, p=2)",
    "degree": "degree(p=2)",
    "k-anonymity": "k-anonymity(k=4)",
    "k-eps-l": "k-eps-l(k=15, epsilon=1, l=1)",
    "k-km-anonymity": "k-km-anonymity(k=3, m=2)",
    "km-anonymity": "km-anonymity(k=3, m=2)",
    "l-diversity": "l-diversity(l=2, k=3)",
}
#: Kind of data → the file and how it is read, and what in it has which role, which a release tells later commands.
READING = {
    "baskets": (["sales.csv"], ["--sensitive", "sales.sensitive.txt"]),
    "ratings": (["survey.csv", "--kind", "ratings"], ["--sensitive", "survey.sensitive.txt"]),
    "table": (["people.csv", "--kind", "table"], ["--quasi", "age,place", "--sensitive", "illness"]),
    "records": (
        ["people.csv", "--baskets", "bought.csv", "--person", "person", "--quasi", "age,place"],
        ["--sensitive", "illness"],
    ),
}


def covey(*words: str) -> None:
    """Run one command in this process; only `check` may say no, for what fails early leaves kernels out."""
    from covey.cli.entry import main

    sys.argv = ["covey", *words]
    try:
        main()
    except SystemExit as stopped:
        if stopped.code and (words[0], stopped.code) != ("check", 1):
            raise CoveyError(f"covey {' '.join(words)} ended with exit code {stopped.code}.") from None


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
                    ["report", out, *original, *tree, "-o", f"{out}.html"],  # it evaluates and attacks, too
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
    people = ["anonymize", *READING["table"][0], *READING["table"][1], "-g", PROMISES["k-anonymity"]]
    survey = ["generate", "survey", "--respondents", "700", "--force", "-o"]
    fine, scale = ["--levels", "300", "--issues", "4"], ["--scale", "1:300:1"]
    return [
        [["generate", "quest", "-o", "quest.dat", "-n", "300"], ["inspect", "quest.dat"], ["items", "quest.dat"]],
        # Larger files are read in a quicker way.
        [["generate", "shop", "-o", "larger.csv", "--transactions", "2000"], ["inspect", "larger.csv"]],
        [["generate", "viewers", "-o", "viewers.dat", "-n", "200", "-d", "50", "--longest", "40"]],
        [[*groups, "--method", "cahd", "--set", "order=gray", "-o", "gray"]],
        [[*groups, "--method", "nearest", "--set", "swaps=true", "-o", "swapped"]],
        [[*visits, "-o", "earlier"], [*visits, "--like", "earlier", "--like-original", "visits.csv", "-o", "later"]],
        [[*check, algorithm] for algorithm in ("slicing", "pairwise")],
        # Many people who rated the same issues are compared in quicker ways, which depend on the scale.
        [[*survey, "many.csv"], ["check", "many.csv", *marked, "-g", PROMISES["k-eps-l"]]],
        [
            [*survey, "fine.csv", *fine],
            ["check", "fine.csv", *scale, "-s", "issue 3,issue 4", "-g", PROMISES["k-eps-l"]],
        ],
        [["taxonomy", "suggest", *data, "-o", "suggested.csv"], ["check", *data, "-g", PROMISES["km-anonymity"]]],
        [[*coarse, "--method", "mhghs", "-o", "deeper"]],
        [[*groups, "--method", "cahd", "--set", "degrees=exact", "-o", "exact"]],
        [[*people, "--method", "pattern-ka", "--set", "row_choice=paper", "-o", "literal"]],
        [["inspect", "named.dat"], ["inspect", "quoted.csv", "--kind", "table"], ["verify", "released.zip"]],
    ]


def main(part: str = "0", of: str = "1", claims: str | None = None) -> None:
    """Walk all journeys that no other process has claimed in the folder `claims`; print the kernels each command took.

    Each of several processes begins at a place of its own, for neighbours have most kernels in common.
    """
    import numba  # noqa: F401 - as long as it is not there, kernels of small arrays are not compiled

    before, every = 0, list(enumerate(journeys()))
    start = int(part) * len(every) // int(of)
    with TemporaryDirectory() as folder:
        claimed = Path(claims or folder)
        os.chdir(folder)
        with Path("said").open("w") as said, redirect_stdout(said), redirect_stderr(said):
            write_data()
            for number, journey in every[start:] + every[:start]:
                try:
                    (claimed / f"journey-{number}").mkdir()
                except FileExistsError:
                    continue
                for command in journey:
                    covey(*command)
                    print(count_compiled() - before, file=sys.__stdout__, flush=True)
                    before = count_compiled()
        os.chdir("/")


if __name__ == "__main__":
    main(*sys.argv[1:])
