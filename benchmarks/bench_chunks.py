"""Disassociation without a taxonomy: what it keeps beside suppression and AA on a derived taxonomy, and its time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import covey
from covey.data.derived import derive_taxonomy
from covey.io.baskets.journey import available, complete_journey
from covey.measure.itemsets import ItemsetUtility, itemsets
from covey.synth import quest
from ratios import cpu_seconds, data_dir, finish, report

PROMISE = "km-anonymity(k=5, m=2)"


def measured(data: covey.Baskets, method: str, **options: object) -> ItemsetUtility:
    """Make a release, and print and return what is left of itemsets."""
    release = covey.anonymize(data, PROMISE, method, seed=1, **options)  # type: ignore[arg-type]
    found = itemsets(release, data)
    print(
        f"  {method:16} top-1000 deviation {found.top_deviation:.3f}, pair error {found.pair_error:.3f}, "
        f"lost items {found.lost_items:.3f}",
        flush=True,
    )
    return found


def originals() -> dict[str, covey.Baskets]:
    """The data sets without a taxonomy, or taken as if they had none."""
    folder = data_dir()
    found = {name: covey.read(folder / f"{name}.dat.gz") for name in ("bms-webview-2", "retail")}
    if available():
        found["complete journey"] = complete_journey().with_sensitive([])
    return found


def _making(data: covey.Baskets) -> Callable[[], object]:
    return lambda: covey.anonymize(data, PROMISE, "disassociation")


def main() -> None:
    """Print the ratios."""
    data = originals()
    covey.anonymize(data["bms-webview-2"], PROMISE, "disassociation")  # compiles the kernels
    for name, baskets in data.items():
        print(f"{name}: {baskets.n:,} rows, {baskets.d:,} items")
        ours = measured(baskets, "disassociation")
        others = {
            "suppression": measured(baskets, "mm"),
            "aa": measured(baskets, "aa", taxonomy=derive_taxonomy(baskets)),
        }
        report(f"{name}: share of items with k records that are counted", 1 - ours.lost_items, least=0.99)
        for rival, theirs in others.items():
            report(
                f"{name}: top-1000 deviation, {rival} over ours", theirs.top_deviation / max(ours.top_deviation, 1e-3)
            )
            report(f"{name}: pair error, {rival} over ours", theirs.pair_error / max(ours.pair_error, 1e-3))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        covey.publish(data["bms-webview-2"], out / "warm", PROMISE, "disassociation")
        spent = cpu_seconds(lambda: covey.publish(data["retail"], out / "retail", PROMISE, "disassociation"), 1)
    print(f"retail, made, written and verified: {spent:.1f} s of CPU")
    report("retail: 10 s over the time to make, write and verify it", 10 / spent, least=1)
    spent_on = {}
    for rows in (100_000, 1_000_000):
        generated = quest(transactions=rows, seed=1)
        spent_on[rows] = cpu_seconds(_making(generated), 1)
        print(f"Quest, {rows:,} rows: {spent_on[rows]:.1f} s of CPU")
    report(
        "Quest, 10 times the rows: 15 over the ratio of times", 15 * spent_on[100_000] / spent_on[1_000_000], least=1
    )
    finish()


if __name__ == "__main__":
    main()
