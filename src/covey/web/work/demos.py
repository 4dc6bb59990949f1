"""Generated data: to try the page with, and to compile the kernels with."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from covey.io import write
from covey.io.writing import write_ratings
from covey.synth import shop, survey
from covey.web.records.files import DEMOS
from covey.web.work.making import make_release
from covey.web.work.profiling import examine, profile
from covey.web.work.reporting import Reporter


def write_demo(folder: str, name: str) -> dict[str, Any]:
    """Write generated data as a file, and say how it is to be read.

    Returns
    -------
    dict
        Its ``kind``, ``sensitive`` labels, the name of a ``taxonomy`` beside the file or None, and reading ``options``.
    """
    write: dict[str, Callable[[Path], dict[str, Any]]] = {"shop": _shop, "survey": _survey, "people": _people}
    return {"taxonomy": None, "options": {}} | write[name](Path(folder) / DEMOS[name])


def _shop(path: Path) -> dict[str, Any]:
    made = shop(transactions=5_000, seed=1)
    write(made.baskets, path, force=True)
    tree = path.with_name("shop.taxonomy.csv")
    with tree.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("child", "parent"), *made.taxonomy])
    return {"kind": "baskets", "sensitive": made.sensitive, "taxonomy": tree.name}


def _survey(path: Path) -> dict[str, Any]:
    ratings = survey(respondents=2_000, issues=12, profiles=20, seed=1)
    write_ratings(ratings, path, force=True)
    return {"kind": "ratings", "sensitive": ratings.sensitive_issues()}


def _people(path: Path) -> dict[str, Any]:
    """2,000 people: nearly everybody is the only one of that age, sex, postcode and occupation."""
    rng = np.random.default_rng(1)
    n = 2_000
    occupations = np.array(["baker", "carer", "clerk", "driver", "engineer", "nurse", "retired", "student", "teacher"])
    illnesses = np.array(["none", "asthma", "back pain", "cancer", "depression", "diabetes", "flu", "migraine"])
    age = rng.integers(18, 90, n)
    occupation = occupations[rng.integers(0, len(occupations), n)]
    occupation = np.where(age >= 67, "retired", np.where(age <= 22, "student", occupation))
    illness = illnesses[rng.choice(len(illnesses), n, p=[0.4, 0.1, 0.14, 0.04, 0.1, 0.08, 0.08, 0.06])]
    columns = {
        "name": [f"person {number}" for number in rng.permutation(n) + 1],
        "age": age.tolist(),
        "sex": np.where(rng.random(n) < 0.5, "f", "m").tolist(),
        "postcode": [f"{code:05d}" for code in 10_000 + 7 * rng.integers(0, 60, n)],
        "occupation": occupation.tolist(),
        "illness": illness.tolist(),
    }
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    # A postcode is a name, although it looks like a number.
    options = {"identifier": ["name"], "categorical": ["postcode"]}
    return {"kind": "table", "sensitive": ["illness"], "options": options}


def compile_kernels(report: Reporter) -> None:
    """Walk the usual path on a handful of baskets, so that its kernels are compiled and kept."""
    os.nice(10)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "few.csv"
        rows = "".join(f"{i},{item}\n" for i in range(60) for item in ("a", "bc"[i % 2], "de"[i % 3 % 2]))
        path.write_text(f"transaction,item\n{rows}0,s\n30,s\n", encoding="utf-8")
        source = {"path": str(path), "name": path.name, "kind": "baskets", "options": {}, "sensitive": ["s"]}
        profile(source, folder, report)
        examine(source, {"degree": {"p": 4}}, report)
        make_release(source, folder, "degree(p=4)", "matched", {}, 0, None, {}, report)
