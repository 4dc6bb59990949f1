"""`matched`: CPU time, and its growth per entry. What estimates and attackers make of it: `experiments/attacks.py`."""

from __future__ import annotations

import covey
from covey.synth import quest
from ratios import cpu_seconds, data_dir, finish, report, with_random_sensitive

FIRST = 600


def main() -> None:
    """Print seconds on retail, and growth per entry on generated data."""
    retail = covey.read(data_dir() / "retail.dat.gz")
    marked = with_random_sensitive(retail, 10, FIRST, p=10)
    covey.anonymize(marked, "degree(p=10)", "matched", seed=0)
    took = cpu_seconds(lambda: covey.anonymize(marked, "degree(p=10)", "matched", seed=0), repeat=1)
    report("retail: matched, CPU", took, most=10, unit=" s")
    per_entry = []
    sizes = (100_000, 1_000_000, 3_000_000)
    for rows in sizes:
        data = with_random_sensitive(quest(transactions=rows, seed=1), 10, FIRST, p=10)
        took = cpu_seconds(lambda data=data: covey.anonymize(data, "degree(p=10)", "matched", seed=0), repeat=1)
        per_entry.append(took / data.entries)
    for rows, entry in zip(sizes[1:], per_entry[1:], strict=True):
        title = f"Quest, 0.1 to {rows / 1e6:g} million rows: growth of the time per entry"
        # Measured up to a million rows; beyond that it is a goal and no limit yet.
        report(title, entry / per_entry[0], most=1.3 if rows == sizes[1] else None, goal=1.3)
    finish()


if __name__ == "__main__":
    main()
