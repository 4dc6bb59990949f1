"""Recoding along taxonomies: against a straightforward Apriori anonymization, and what others are known to lose."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import covey
from covey.data.csr import take_rows
from covey.data.derived import derive_taxonomy
from covey.measure.loss import ncp
from covey.methods.aa import AA
from covey.methods.lg import LG
from covey.methods.mhghs import MHgHs
from covey.methods.tree_view import TreeView
from covey.synth.journey import available, complete_journey
from ratios import cpu_seconds, data_dir, finish, report, seconds

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from oracles import recoding as plain


def shape_of(tree: covey.Taxonomy) -> dict[str, list[str]]:
    """The tree as the plain twin wants it."""
    return {label: [tree.labels[c] for c in tree.children(x)] for x, label in enumerate(tree.labels)}


def rows_of(data: covey.Baskets, rows: np.ndarray) -> covey.Baskets:
    """Some rows of the data, all items kept."""
    indptr, indices = take_rows(data.indptr, data.indices, rows)
    return covey.Baskets.build(indptr, indices, data.items)


def exact_loss(view: TreeView, local: LG) -> float:
    """What lg loses, from the labels of each transaction before they are shuffled."""
    indptr, nodes = local.label_rows(view, 5)
    size = view.tree.size
    keys = np.sort(np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) * size + nodes)
    leaves = np.repeat(np.arange(len(indptr) - 1), np.diff(view.indptr)) * size + view.leaf
    return float(view.tree.loss()[keys[np.searchsorted(keys, leaves, side="right") - 1] % size].sum())


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    groceries = covey.read(folder / "groceries.dat.gz")
    tree = covey.read_taxonomy(folder / "groceries.taxonomy.csv")
    promise = covey.guarantee("km-anonymity(k=5, m=3)")
    MHgHs(taxonomy=tree).anonymize(groceries, promise)
    ours = seconds(lambda: MHgHs(taxonomy=tree).anonymize(groceries, promise))
    sets = [groceries.basket(i) for i in range(groceries.n)]
    theirs = seconds(lambda: plain.apriori(sets, shape_of(tree), tree.labels[0], 5, 3), repeat=1)
    report("groceries, m = 3: plain AA's time over that of mhghs", theirs / ours, least=100)

    bms, tree = covey.read(folder / "bms-webview-2.dat.gz"), covey.read_taxonomy(
        folder / "bms-webview-2.hierarchy.csv.gz"
    )  # fmt: skip
    for m, known in ((2, 1.88), (3, 4.93)):
        promise = covey.guarantee(f"km-anonymity(k=5, m={m})")
        for method in (MHgHs(taxonomy=tree), AA(taxonomy=tree)):
            loss = 100 * ncp(method.anonymize(bms, promise), bms, tree)
            took = seconds(lambda method=method, promise=promise: method.anonymize(bms, promise), repeat=2)
            report(f"BMS2, m = {m}: {method.name} loses", loss, most=known, unit=" %")
            report(f"BMS2, m = {m}: {method.name} takes", took, unit=" s")
    local = LG(taxonomy=tree)
    loss = exact_loss(TreeView.of(bms, tree), local)
    report("BMS2: lg loses", 100 * loss / bms.entries, most=5.14, unit=" %")
    report("BMS2: lg takes", seconds(lambda: local.anonymize(bms, promise), repeat=2), unit=" s")

    promise, times = covey.guarantee("km-anonymity(k=5, m=2)"), []
    rng = np.random.default_rng(0)
    for n in (bms.n // 4, bms.n):
        some = rows_of(bms, rng.choice(bms.n, n, replace=False))
        method = MHgHs(taxonomy=tree, never_worse=False)
        times.append(seconds(lambda some=some, method=method: method.anonymize(some, promise), repeat=3))
    report("BMS2: growth of mhghs when the rows grow fourfold", times[1] / times[0], most=8)
    if available():
        baskets = complete_journey().with_sensitive([])
        tree = derive_taxonomy(baskets)
        for m, most in ((2, 5), (3, 30), (4, 90)):  # 2.3, 13.9 and 60.9 were measured
            promise = covey.guarantee(f"km-anonymity(k=5, m={m})")
            took = cpu_seconds(lambda promise=promise: MHgHs(taxonomy=tree).anonymize(baskets, promise), 1)
            report(f"complete journey along a suggested tree, m = {m}: mhghs takes", took, most=most, unit=" s of CPU")
    finish()


if __name__ == "__main__":
    main()
