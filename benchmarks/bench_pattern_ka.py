"""pattern-ka against Borgelt's pyfim and against mining anew for each group. What it loses: `experiments/patternka.py`.

Times are CPU seconds of this process, best of a few runs: both sides use one core, and other work on the machine
does not count.
"""

from __future__ import annotations

import os
import resource

import numpy as np

import covey
from covey.data.csr import take_rows
from covey.measure.loss import gcp
from covey.methods.pattern_ka import PatternKa
from covey.methods.pattern_ka.set_groups import Groups, greedy
from covey.methods.pattern_ka.set_patterns import Rows, Search
from covey.progress import silent
from covey.release.sets import SetsRelease
from covey.synth.journey import available, complete_journey
from covey.threads import VARIABLE
from ratios import cpu_seconds, data_dir, finish, report, rival

#: On dense data only the pruning stands between the search and all sets of items: CPU seconds it may take.
DENSE = {"chess": {5: 60, 100: 120}, "mushroom": {5: 20, 100: 20}}
WORK = 10**6


def anonymize(data: covey.Baskets, k: int, **options: int) -> SetsRelease:
    return PatternKa(seed=0, **options).anonymize(data, covey.guarantee(f"k-anonymity({k})"))


def against_pyfim(name: str, data: covey.Baskets, k: int) -> None:
    """The whole of pattern-ka, in one thread, against one pass of closed mining, which anonymizes nothing."""
    pyfim = rival("fim", package="pyfim")
    if pyfim is None:
        return
    rows = [data.indices[data.indptr[t] : data.indptr[t + 1]].tolist() for t in range(data.n)]
    os.environ[VARIABLE] = "1"
    ours, theirs = float("inf"), float("inf")
    for _ in range(4):  # in turn, so that a machine that slows down slows both
        ours = min(ours, cpu_seconds(lambda: anonymize(data, k), repeat=2))
        theirs = min(theirs, cpu_seconds(lambda: pyfim.fim(rows, target="c", supp=-k), repeat=1))
    del os.environ[VARIABLE]
    name = f"{name}, K = {k}: pattern-ka / pyfim's closed mining"
    report(name, ours / theirs, most=1, note=f"{theirs:.2f} s")


def against_little_work(name: str, data: covey.Baskets, k: int) -> None:
    """What the default work gains over little, and what it costs."""
    took, lost = {}, {}
    for work in (10, 1000):
        released = []
        took[work] = cpu_seconds(lambda work=work, out=released: out.append(anonymize(data, k, work=work)), 1)
        lost[work] = gcp(released[0], data).gcp
    note = f"{took[10]:.2f} and {took[1000]:.2f} s"
    report(f"{name}, K = {k}: time of work 1000 / 10", took[1000] / took[10], most=2, note=note)
    report(f"{name}, K = {k}: GCP of work 1000 / 10", lost[1000] / lost[10], most=1, note=f"{lost[1000]:.3f}")


def left_before(data: covey.Baskets, rows: Rows, groups: Groups, g: int) -> covey.Baskets:
    """The transactions that were left when group g was made."""
    free = (groups.group >= g) | (groups.group < 0)
    indptr, indices = take_rows(data.indptr, data.indices, np.flatnonzero(free[rows.number]))
    return covey.Baskets(indptr=indptr, indices=indices, items=data.items, sensitive=data.sensitive)


def mine_anew(data: covey.Baskets, k: int) -> int:
    """Find the longest patterns of `data`, about which nothing is known beforehand; returns their number."""
    rows = Rows.of(data, k)
    search, free = Search(rows, WORK), np.ones(len(rows.weight), np.bool_)
    above = int(rows.bound.max()) + 1
    length = search.next_length(free, above, search.soon(free, above))
    return sum(found.count for found in search.patterns(free, length))


def against_mining_anew(name: str, data: covey.Baskets, k: int, sample: int) -> None:
    """Mining once for each length against mining for each group, as Algorithm 1 stands, with the same search.

    The latter is estimated from groups spread evenly over the whole run.
    """
    ours = cpu_seconds(lambda: greedy(rows := Rows.of(data, k), Search(rows, WORK), silent))
    rows = Rows.of(data, k)
    groups = greedy(rows, Search(rows, WORK), silent)
    left = [left_before(data, rows, groups, int(g)) for g in np.linspace(0, groups.count - 1, sample)]
    anew = cpu_seconds(lambda: [mine_anew(part, k) for part in left], repeat=1) / sample * groups.count
    report(f"{name}, K = {k}: mining anew for each group / pattern-ka", anew / ours, least=20, note=f"{groups.count}")


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    anonymize(covey.Baskets.of([["a", "b", "c"], ["a", "b", "c", "d"], ["c", "d", "e"]] * 4), 2)
    for name, k in (("bms-webview-1", 10), ("bms-webview-2", 10), ("retail", 20)):
        data = covey.read(folder / f"{name}.dat.gz")
        against_pyfim(name, data, k)
        against_mining_anew(name, data, k, sample=20)
    if available():
        journey = complete_journey().with_sensitive([])
        against_pyfim("complete journey", journey, 50)
        against_little_work("complete journey", journey, 50)
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
