"""The evaluation of the PatternKa paper (section 5), Adult and two click logs.

    COVEY_DATA=… python experiments/patternka.py

COVEY_DATA names a directory with adult/adult-30162.csv.gz, adult/hierarchies-arx, bms-webview-1.dat.gz and
bms-webview-2.dat.gz. The groups do not depend on the seed. Writes docs/experiments/patternka-*.csv and the pictures of
the same names.
"""

from functools import partial

from shared import BMS, curves, file, read, seconds

import covey

TABLE = {
    "pattern-ka": "pattern-ka",
    "mondrian": "mondrian",
    "mondrian, relaxed": "mondrian(relaxed=true)",
    "hilbert": "hilbert",
}
SETS = {
    "pattern-ka": "pattern-ka",
    "greedy alone": "pattern-ka(raising=false, leftovers=false)",
    "top-down": "top-down",
    "lg": "lg",
}
QUASI = "age,workclass,education,marital-status,occupation,race,sex,native-country,income"


def compare(name: str, data: covey.Baskets | covey.Table, methods: dict[str, str], strengths: tuple[int, ...]) -> None:
    """Write the loss and the CPU time of each method for each K."""
    loss: dict[str, list[list[float]]] = {label: [] for label in methods}
    took: dict[str, list[list[float]]] = {label: [] for label in methods}
    for k in strengths:
        for label, method in methods.items():
            made = partial(covey.anonymize, data, f"k-anonymity(k={k})", method, seed=1)
            gcp = covey.evaluate(made(), data)["gcp"]
            loss[label].append([gcp if isinstance(gcp, float) else gcp["gcp"]])
            took[label].append([seconds(made, 1)])
    curves(f"patternka-{name}", "GCP, K", strengths, loss, digits=3)
    curves(f"patternka-{name}-seconds", "CPU seconds, K", strengths, took)


if __name__ == "__main__":
    adult = covey.read_table(file("adult/adult-30162.csv.gz"), quasi=QUASI, hierarchies=file("adult/hierarchies-arx"))
    compare("fig5", adult, TABLE, (2, 5, 10, 20, 50, 100))
    for figure, log in zip(("fig6", "fig7"), BMS, strict=True):
        compare(figure, read(log), SETS, (5, 10, 20, 50, 100))
