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


def against_mining_anew(name: str, data: covey.Baskets, k: int, sample: int) -> None:
    """Mining once for each length against mining for each group, as Algorithm 1 stands.

    The latter is estimated from groups spread over the whole run: for each, the longest patterns of the rows
    that were left before it are mined, knowing how long the last ones were.
    """
    rows = Rows.of(data, k)
    ours = cpu_seconds(lambda: greedy(rows, Search(rows, PATIENCE), silent))
    groups = greedy(rows, Search(rows, PATIENCE), silent)
    lengths = np.diff(groups.center_ptr)
    chosen = np.linspace(0, groups.count - 1, sample).astype(int)

    def mine() -> None:
        for g in chosen:
            free = (groups.group >= g) | (groups.group < 0)
            assert Search(rows, PATIENCE).patterns(free, int(lengths[g])).count

    anew = cpu_seconds(mine, repeat=1) / sample * groups.count
    report(
        f"{name}, K = {k}: mining anew for each of {groups.count} groups / pattern-ka", anew / ours, least=20
    )


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    anonymize(covey.Baskets.of([["a", "b", "c"], ["a", "b", "c", "d"], ["c", "d", "e"]] * 4), 2)
    for name, k in (("bms-webview-1", 10), ("bms-webview-2", 10), ("retail", 20)):
        data = covey.read(folder / f"{name}.dat.gz")
        against_pyfim(name, data, k)
        against_mining_anew(name, data, k, sample=40)
        for k, reference in REFERENCE.get(name, {}).items():
            plain = gcp(anonymize(data, k, raising=False, leftovers=False), data).gcp
            # The reference has three digits, and which of equally good patterns comes first moves the third.
            report(f"{name}, K = {k}: GCP of the plain greedy", plain, most=reference + 0.001, unit="")
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
