"""Run experiments/ratings.toml: time against data percentage and against epsilon, as CSV and plots."""

from __future__ import annotations

import argparse
import csv
import os
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from covey.data import Ratings
from covey.guarantees.k_eps_l import KEpsL
from covey.io.ratings import read_ratings
from covey.synth.survey import survey

HERE = Path(__file__).parent


def load(entry: dict[str, Any]) -> Ratings | None:
    """The data of one entry, or None when it is a real data set that is not here."""
    if "survey" in entry:
        return survey(**entry["survey"])
    folder = Path(os.environ.get("COVEY_DATA") or HERE.parents[1] / "shared" / "data")
    path = folder / entry["file"]
    return read_ratings(path, sensitive=entry["sensitive"]) if path.is_file() else None


def measure(data: Ratings, promise: KEpsL, algorithm: str, repeat: int) -> float:
    """The best time of a few runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        promise.examine(data, algorithm=algorithm)
        best = min(best, time.perf_counter() - start)
    return best


def run(entry: dict[str, Any], defaults: dict[str, Any]) -> list[dict[str, Any]]:
    """All measurements of one entry, a row each."""
    data = load(entry)
    if data is None:
        print(f"{entry['name']}: skipped, the data is not here; set COVEY_DATA to its directory")
        return []
    chosen = {**defaults, **entry}
    order = np.random.default_rng(chosen["seed"]).permutation(data.n)
    rows = []
    for algorithm in chosen["algorithms"]:
        KEpsL(1, 1, 0).examine(data.take(order[:50]), algorithm=algorithm)
        for figure, x in [("1a", p) for p in chosen["percentages"]] + [("1b", e) for e in chosen["epsilons"]]:
            part = data.take(np.sort(order[: data.n * x // 100])) if figure == "1a" else data
            promise = KEpsL(chosen["k"], chosen["epsilon"] if figure == "1a" else x, chosen["l"])
            seconds = measure(part, promise, algorithm, chosen["repeat"])
            what = "percentage" if figure == "1a" else "epsilon"
            rows.append(
                {"data": entry["name"], "algorithm": algorithm, "varies": what, "x": x, "seconds": seconds}
            )
            print(f"{entry['name']:>16} {algorithm:>9} {what:>10} {x:>4} {seconds:>10.4f} s", flush=True)
    return rows


def draw(rows: list[dict[str, Any]], name: str, out: Path) -> None:
    """The two figures of one data set side by side."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(10, 4))
    for axis, what in zip(axes, ("percentage", "epsilon"), strict=True):
        for algorithm in dict.fromkeys(row["algorithm"] for row in rows):
            points = [row for row in rows if row["algorithm"] == algorithm and row["varies"] == what]
            axis.plot([p["x"] for p in points], [p["seconds"] for p in points], marker="o", label=algorithm)
        axis.set(
            yscale="log", xlabel="data, %" if what == "percentage" else what, ylabel="seconds", title=name
        )
        axis.legend()
    figure.tight_layout()
    figure.savefig(out / f"{name}.png", dpi=120)
    pyplot.close(figure)


def main() -> None:
    """Measure, and write times.csv and a plot per data set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True, help="Directory to write to.")
    parser.add_argument("--only", help="Name of one data set.")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    config = tomllib.loads((HERE / "ratings.toml").read_text(encoding="utf-8"))
    everything = []
    for entry in config["data"]:
        if given.only in (None, entry["name"]):
            rows = run(entry, config["defaults"])
            if rows:
                draw(rows, entry["name"], given.output)
            everything += rows
    with (given.output / "times.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, ["data", "algorithm", "varies", "x", "seconds"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(everything)


if __name__ == "__main__":
    main()
