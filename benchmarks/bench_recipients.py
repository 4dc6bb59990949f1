"""What recipients of grouped releases compute: draws against `estimate`.

p = 10 and ten sensitive items drawn uniformly (draw 200), every method for `degree`. Names of data sets on the command
line, such as ``retail``, measure those alone.

- Each of 20 draws has exactly the published ordinary items and, in every group, the published counts.
- The mean over 20 draws of each of 25 counts, in standard errors from `estimate`: chance alone keeps 95 % within two.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import covey
from covey.registry import METHODS
from covey.synth.journey import available, complete_journey
from ratios import data_dir, finish, report, with_random_sensitive

SEED, DRAWS, COUNTS = 200, 20, 25


def sources() -> dict[str, Callable[[], covey.Baskets]]:
    """The data of the bench, by name, read when asked for."""
    names = ("bms-webview-1", "bms-webview-2", "retail", "msweb", "groceries")
    folder = data_dir()
    found: dict[str, Callable[[], covey.Baskets]] = {
        name: lambda name=name: covey.read(folder / f"{name}.dat.gz") for name in names
    }
    if available():
        found["complete-journey"] = lambda: complete_journey().with_sensitive([])
    return found


def require_allowed(release: Any, drawn: covey.Baskets) -> Any:
    """The sensitive entries of a draw as a matrix, after comparing the draw with what is published, item by item."""
    place = {item: i for i, item in enumerate(drawn.items)}
    rows = drawn.to_scipy().tocsc().astype(np.int64)
    published = release.transactions.to_scipy().tocsc().astype(np.int64)
    ordinary = rows[:, [place[item] for item in release.transactions.items]]
    assert (ordinary != published).nnz == 0, "ordinary items are not those published"
    held = rows[:, [place[item] for item in release.sensitive_items]]
    assert held.nnz + ordinary.nnz == rows.nnz, "items that are not published"
    group = np.repeat(np.arange(release.groups), release.group_sizes())
    entries = held.tocoo()
    found = np.zeros((release.groups, held.shape[1]), np.int64)
    np.add.at(found, (group[entries.row], entries.col), entries.data)
    stated = np.zeros_like(found)
    stated[release.count_group, release.count_item] = release.count
    assert (found == stated).all(), "counts are not those published"
    return held


def draws_agree(name: str, release: Any) -> None:
    """Compare the means over draws with `estimate`."""
    rng = np.random.default_rng(SEED)
    supports = release.transactions.supports()
    asked: list[tuple[int, int, Any]] = []
    while len(asked) < COUNTS:
        secret = int(rng.integers(len(release.sensitive_items)))
        item = int(rng.choice(len(supports), p=supports / supports.sum()))
        answer = release.estimate(release.sensitive_items[secret], present=[release.transactions.items[item]])
        if answer.standard_error > 0:
            asked.append((secret, item, answer))
    columns = release.transactions.to_scipy().tocsc().astype(np.int64)
    counts = np.empty((DRAWS, COUNTS))
    for draw in range(DRAWS):
        held = require_allowed(release, release.draw(draw))
        counts[draw] = [(held[:, [secret]].multiply(columns[:, [item]])).sum() for secret, item, _ in asked]
    assert all((counts[:, i] >= a.lower).all() and (counts[:, i] <= a.upper).all() for i, (*_, a) in enumerate(asked))
    estimate = np.array([answer.estimate for *_, answer in asked])
    error = np.array([answer.standard_error for *_, answer in asked]) / np.sqrt(DRAWS)
    away = np.abs(counts.mean(0) - estimate) / error
    total = counts.sum(1)
    whole = abs(total.mean() - estimate.sum()) / (total.std(ddof=1) / np.sqrt(DRAWS))
    report(f"{name}, counts within two standard errors", 100 * float((away <= 2).mean()), least=80, unit=" %")
    report(f"{name}, worst count", float(away.max()), most=4, unit=" standard errors")
    report(f"{name}, all counts together", float(whole), most=3, goal=2, unit=" standard errors")


def check(name: str, data: covey.Baskets) -> None:
    """Measure one data set."""
    marked = with_random_sensitive(data, 10, SEED, p=10)
    for method in METHODS:
        if "degree" not in method.guarantees or method.data != "baskets":
            continue
        release = covey.anonymize(marked, "degree(p=10)", method.name, seed=SEED)
        draws_agree(f"{name}, {method.name}", release)


def main() -> None:
    """Measure the data sets that are asked for, or all."""
    found = sources()
    for name in sys.argv[1:] or found:
        check(name, found[name]())
    finish()


if __name__ == "__main__":
    main()
