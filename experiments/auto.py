"""Compare `--method auto` with each method for degree(p=10), and write docs/experiments/auto.csv.

    COVEY_DATA=… python experiments/auto.py RESULTS.csv [DRAWS]

Every release is one row of RESULTS.csv, written as soon as it is measured; what is there is not measured again.
`auto` takes the release whose best attack is right least often among those with at most 1.1 times the smallest error;
it chooses by one division of the rows into known and attacked ones, and is judged by another.
"""

import sys
import time
from itertools import product
from pathlib import Path

from shared import mark, measured, read, shown, write

import covey

DATA = ("groceries", "msweb", "BMS1", "journey, households", "shop, customers", "BMS2", "retail")
METHODS = ("matched", "cahd", "perm-mondrian", "nearest", "anatomy")
P, FIRST = 10, 900


def measure(data: str, draw: int, method: str) -> dict[str, float]:
    """Make a release, and measure its error, its best attack twice, and CPU seconds."""
    original = mark(read(data), draw)
    covey.anonymize(original, f"degree(p={P})", method, seed=draw)  # loads what is compiled
    started = time.process_time()
    release = covey.anonymize(original, f"degree(p={P})", method, seed=draw)
    seconds = time.process_time() - started
    error = covey.evaluate(release, original, seed=draw, queries=200, known=1, top=10)["kl"]["support"]["mean"]
    attacked = {}
    for name, seed in (("chosen_by", 1), ("judged_by", 2)):
        best = max(
            (one for one in covey.attack(release, original, seed=seed).results), key=lambda one: one.success_rate
        )
        attacked |= {name: best.success_rate, f"{name}_baseline": best.baseline or 0.0, f"{name}_attack": best.attack}
    return {"kl": error, "seconds": seconds, **attacked}


def main(results: Path, draws: int) -> None:
    """Measure what is missing, and write the table."""
    cells = product(range(FIRST, FIRST + draws), DATA, METHODS)
    rows = measured(results, ({"data": d, "draw": n, "method": m} for n, d, m in cells), measure)
    table = []
    for data in DATA:
        mine = [row for row in rows if row["data"] == data]
        chosen = []
        for draw in sorted({row["draw"] for row in mine}):
            tried = [row for row in mine if row["draw"] == draw]
            near = [row for row in tried if float(row["kl"]) <= 1.1 * min(float(one["kl"]) for one in tried)]
            best = min(near, key=lambda row: float(row["chosen_by"]))
            seconds = sum(float(row["seconds"]) for row in tried)
            chosen.append({**best, "method": "auto", "seconds": str(seconds), "took": best["method"]})
        for method in (*METHODS, "auto"):
            of = chosen if method == "auto" else [row for row in mine if row["method"] == method]
            right, baseline = (
                shown((100 * float(row[one]) for row in of), 1) for one in ("judged_by", "judged_by_baseline")
            )
            kl, seconds = (
                shown((float(row[one]) for row in of), digits) for one, digits in (("kl", 3), ("seconds", 2))
            )
            names = " ".join(sorted({row.get("took", "") for row in of}))
            table.append((data, method, len(of), right, baseline, kl, seconds, names))
    rates = ("best attack right in %", "baseline %")
    write("auto", ("data", "method", "draws", *rates, "KL by support", "CPU s to make", "took"), table, keys=2)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3)
