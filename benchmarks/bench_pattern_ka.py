"""pattern-ka against Borgelt's pyfim, against mining anew for each group, and its loss against the reference.

Times are CPU seconds of this process, best of a few runs: both sides use one core, and other work on the machine
does not count.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable

import numpy as np

import covey
from covey.contracts import silent
from covey.kernels.pattern_groups import open_groups
from covey.methods.pattern_ka import PatternKa
from covey.methods.set_groups import Rows, Search, greedy
from covey.metrics.gcp import gcp
from ratios import data_dir, finish, report

REFERENCE = {
    "bms-webview-1": {5: 0.343, 10: 0.391, 20: 0.433, 50: 0.511, 100: 0.579},
    "bms-webview-2": {5: 0.570, 10: 0.626, 20: 0.677, 50: 0.749, 100: 0.801},
}
#: On dense data only the pruning stands between the search and all sets of items: CPU seconds it may take.
DENSE = {"chess": {5: 60, 100: 120}, "mushroom": {5: 20, 100: 20}}
PATIENCE = 10**12


def cpu_seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The least CPU time of a few runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def anonymize(data: covey.Baskets, k: int, **options: bool) -> object:
    return PatternKa(seed=0, **options).anonymize(data, covey.guarantee(f"k-anonymity({k})"))


def against_pyfim(name: str, data: covey.Baskets, k: int) -> None:
    """The whole of pattern-ka against one pass of closed mining, which anonymizes nothing."""
    try:
        from fim import fim
    except ImportError:
        print(f"skipped: {name} against pyfim, which is not installed (pip install pyfim)")
        return
    rows = [data.indices[data.indptr[t] : data.indptr[t + 1]].tolist() for t in range(data.n)]
    ours = cpu_seconds(lambda: anonymize(data, k))
    theirs = cpu_seconds(lambda: fim(rows, target="c", supp=-k), repeat=2)
    report(f"{name}, K = {k}: pattern-ka / pyfim's closed mining ({theirs:.2f} s)", ours / theirs, most=2)


def one_group_at_a_time(rows: Rows, groups: int) -> int:
    """Algorithm 1 as it stands: mine the longest patterns, make one group, mine again; the first groups only."""
    search = Search(rows, PATIENCE)
    free, none = np.ones(len(rows.weight), np.bool_), np.zeros(len(rows.weight), np.int64)
    group = np.full(len(rows.weight), -1, np.int64)
    for made in range(groups):
        length = search.next_length(free, int(rows.bound.max()) + 1)
        found = search.patterns(free, length)
        if not found.count:
            return made
        support = [rows.weight[found.rows[a:b]].sum() for a, b in zip(found.ptr, found.ptr[1:], strict=False)]
        best = int(np.argmax(support))
        members = found.rows[found.ptr[best] : found.ptr[best + 1]]
        open_groups(
            np.array([0, len(members)]), members, rows.weight, free, none, length, rows.k, 0, group, made
        )
    return groups


def against_mining_anew(name: str, data: covey.Baskets, k: int, sample: int) -> None:
    """Mining once for each length against mining once for each group; the latter from its first groups."""
    rows = Rows.of(data, k)
    ours = cpu_seconds(lambda: greedy(rows, Search(rows, PATIENCE), silent))
    total = greedy(rows, Search(rows, PATIENCE), silent).count
    anew = cpu_seconds(lambda: one_group_at_a_time(rows, sample), repeat=1) / sample * total
    report(f"{name}, K = {k}: mining anew for each of {total} groups / pattern-ka", anew / ours, least=20)


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    anonymize(covey.Baskets.of([["a", "b", "c"], ["a", "b", "c", "d"], ["c", "d", "e"]] * 4), 2)
    for name, k in (("bms-webview-1", 10), ("bms-webview-2", 10), ("retail", 20)):
        data = covey.read(folder / f"{name}.dat.gz")
        against_pyfim(name, data, k)
        against_mining_anew(name, data, k, sample=60)
        for k, reference in REFERENCE.get(name, {}).items():
            plain = gcp(anonymize(data, k, raising=False, leftovers=False), data).gcp
            # The reference has three digits.
            report(f"{name}, K = {k}: GCP of the plain greedy", plain, most=reference + 0.0005, unit="")
            best = gcp(anonymize(data, k), data).gcp
            report(f"{name}, K = {k}: GCP with all passes", best, most=reference - 0.001, unit="")
    for name, limits in DENSE.items():
        data = covey.read(folder / f"{name}.dat.gz")
        for k, limit in limits.items():
            took = cpu_seconds(lambda data=data, k=k: anonymize(data, k), repeat=1)
            report(f"{name}, K = {k}", took, most=limit, unit=" s")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report("peak memory", peak, most=4, unit=" GiB")
    finish()


if __name__ == "__main__":
    main()
