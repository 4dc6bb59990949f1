"""Methods against other algorithms on real data, in time and in what is lost; times are CPU seconds of this process.

- `cahd`: the band order against scipy's reverse Cuthill-McKee.
- `pattern_ka`: against Borgelt's pyfim, which anonymizes nothing; on dense data; what more work gains.
- `recoding`: along taxonomies, against losses that are known.
- `tables`: pattern-ka against mondrian and hilbert on Adult, and all three against anonypy.
- `records`: rt-merge against rt-global.
"""

from __future__ import annotations

import os
from functools import cache, partial
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

import covey
from covey.data.csr import take_rows
from covey.data.derived import derive_taxonomy
from covey.measure.kl import WORKLOADS, kl
from covey.measure.loss import gcp, gcp_table, ncp, record_loss
from covey.methods.cahd import form_groups, place_rest
from covey.methods.ordering import band_order
from covey.release import grouping
from covey.release import table as publish_table
from covey.release.base import Statement
from covey.synth.journey import complete_journey, data_folder, journey_taxonomy
from covey.threads import VARIABLE
from ratios import QUICK, SEEDS, baskets, cpu_seconds, data_dir, main, report, rival, with_random_sensitive

#: The nine columns of the PatternKa paper; age is numeric.
NINE = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country", "income")
#: Columns of Adult that somebody outside might know beside a basket; the first two are numeric.
FIVE = ("age", "education-num", "marital-status", "race", "sex")
NUMERIC = ("age", "education-num", "income")


def adult(columns: tuple[str, ...], **options: Any) -> covey.Table:
    """Return Adult with these quasi-identifiers and their hierarchies."""
    folder = data_dir() / "adult"
    trees: dict[str, Any] = {
        name: folder / "hierarchies-arx" / f"adult_hierarchy_{name}.csv" for name in columns if name not in NUMERIC
    }
    data = covey.read_table(folder / "adult-30162.csv.gz", quasi=columns, hierarchies=trees, **options)
    return data.take(np.arange(2_000)) if QUICK else data


def cahd() -> None:
    """Compare band orders by time and by the errors of the groups made from them."""
    for name, sample in (("bms-webview-1", None), ("bms-webview-2", None), ("retail", 20_000)):
        # A·Aᵀ of all of retail has 3.9 billion entries, more than fits into 24 GiB.
        data, title = baskets(name, sample), f"{name}, {sample:,} rows" if sample else name
        band_order(data)
        faster = cpu_seconds(partial(scipy_order, data), 1) / cpu_seconds(partial(band_order, data))
        report(f"{title}: band order, scipy's time over ours", faster, least=50)
        for workload in WORKLOADS:
            errors = []
            for seed in range(SEEDS):
                marked = with_random_sensitive(data, 10, seed)
                public, _ = marked.split()
                errors.append([error_of(marked, make(public), workload) for make in (band_order, scipy_order)])
            mine, other = np.mean(errors, axis=0)
            report(f"{title}: KL error, ours over scipy's ({workload})", mine / other, most=1.1)


def scipy_order(public: covey.Baskets) -> np.ndarray:
    """Return reverse Cuthill-McKee on the explicit A·Aᵀ."""
    matrix = public.to_scipy().astype(np.int32)
    return reverse_cuthill_mckee(csr_matrix(matrix @ matrix.T), symmetric_mode=True).astype(np.int64)


def error_of(data: covey.Baskets, order: np.ndarray, workload: str, p: int = 10, alpha: int = 3) -> float:
    """Return the mean KL error of CAHD's groups on rows in the given order."""
    public, secret = data.split()
    ordinary = take_rows(public.indptr, public.indices, order)
    sensitive = take_rows(secret.indptr, secret.indices, order)
    group, groups, _ = form_groups(ordinary, public.d, sensitive, secret.d, p, alpha)
    groups = place_rest(group, groups, ordinary, public.d, p, alpha)
    of_row = np.empty_like(group)
    of_row[order] = group
    made = Statement(guarantee=f"degree(p={p})", method="cahd")
    release = grouping.grouped(data, of_row, groups, made=made, seed=0)
    return kl(release, data, r=4, queries=500, workload=workload).mean


def pattern_ka() -> None:
    """Compare pattern-ka with one pass of closed mining, much work with little, and measure dense data."""
    pyfim = rival("fim", package="pyfim")
    for name, k in (("bms-webview-1", 10), ("bms-webview-2", 10), ("retail", 20), ("complete journey", 50)):
        data = baskets(name)
        ours = partial(covey.anonymize, data, f"k-anonymity({k})", "pattern-ka", seed=0)
        ours()
        os.environ[VARIABLE] = "1"
        mine = cpu_seconds(ours, 4)
        del os.environ[VARIABLE]
        if pyfim is not None:
            rows = [data.indices[data.indptr[t] : data.indptr[t + 1]].tolist() for t in range(data.n)]
            theirs = cpu_seconds(partial(pyfim.fim, rows, target="c", supp=-k), 4)
            title = f"{name}, K = {k}: pattern-ka / pyfim's closed mining"
            report(title, mine / theirs, most=1, note=f"{theirs:.2f} s")
    # What the default work gains over little, and what it costs.
    took, lost = {}, {}
    for work in (10, 1000):
        anonymize = partial(covey.anonymize, data, "k-anonymity(50)", f"pattern-ka(work={work})", seed=0)
        took[work], lost[work] = cpu_seconds(anonymize, 1), gcp(anonymize(), data).gcp
    report("complete journey, K = 50: time of work 1000 / 10", took[1000] / took[10], most=2)
    report("complete journey, K = 50: GCP of work 1000 / 10", lost[1000] / lost[10], most=1)
    # On dense data only the pruning stands between the search and all sets of items.
    for name, k, limit in (("chess", 5, 60), ("chess", 100, 120), ("mushroom", 5, 20), ("mushroom", 100, 20)):
        dense = baskets(name)
        spent = cpu_seconds(lambda d=dense, k=k: covey.anonymize(d, f"k-anonymity({k})", "pattern-ka", seed=0), 1)  # type: ignore[misc]
        report(f"{name}, K = {k}", spent, most=limit, unit=" s")


def recoding() -> None:
    """Compare the losses of recodings with what others are known to lose, and their time with a limit."""
    bms, tree = baskets("bms-webview-2"), covey.read_taxonomy(data_dir() / "bms-webview-2.hierarchy.csv.gz")
    for m, known in ((2, 1.88), (3, 4.93)):
        for method in ("mhghs", "aa"):
            made = covey.anonymize(bms, f"km-anonymity(k=5, m={m})", method, taxonomy=tree)
            report(f"BMS2, m = {m}: {method} loses", 100 * ncp(made, bms, tree), most=known, unit=" %")
    journey = baskets("complete journey")
    tree = derive_taxonomy(journey)
    for m, most in ((2, 5), (3, 30), (4, 90)):  # 2.3, 13.9 and 60.9 were measured
        anonymize = partial(covey.anonymize, journey, f"km-anonymity(k=5, m={m})", "mhghs", taxonomy=tree)
        title = f"complete journey along a suggested tree, m = {m}: mhghs takes"
        report(title, cpu_seconds(anonymize, 1), most=most, unit=" s of CPU")


def tables() -> None:
    """Compare losses on Adult, and time and loss with those of anonypy, whose Mondrian is written in Python."""
    rivals = {"mondrian strict": "mondrian", "mondrian relaxed": "mondrian(relaxed=true)", "hilbert": "hilbert"}
    data = adult(NINE)
    for k in (2, 5, 10, 20, 50, 100):
        ours = table_loss(data, "pattern-ka", k)
        for name, method in rivals.items():
            theirs = table_loss(data, method, k)
            note = f"{ours:.4f} / {theirs:.4f}"
            report(f"K = {k}: GCP of pattern-ka / {name}", ours / theirs, most=0.9999, note=note)
    data = adult(NINE[:8])
    if (found := anonypy_groups(data, k=10)) is None:
        return
    spent, group, groups = found
    release = publish_table.table(
        data, group, groups, made=Statement(guarantee="k-anonymity(k=10)", method="anonypy"), seed=0
    )
    theirs = gcp_table(release, data).gcp
    for name in ("mondrian", "hilbert", "pattern-ka"):
        ours = cpu_seconds(partial(covey.anonymize, data, "k-anonymity(k=10)", name, seed=0))
        least = None if name == "pattern-ka" else 20
        report(f"{name} on Adult, 8 columns, k = 10: faster than anonypy", spent / ours, least=least)
        report(f"{name}: GCP / anonypy's", table_loss(data, name, 10) / theirs, most=1.0)


def table_loss(data: covey.Table, method: str, k: int) -> float:
    """Return the GCP of one method."""
    return gcp_table(covey.anonymize(data, f"k-anonymity(k={k})", method, seed=0), data).gcp


def anonypy_groups(data: covey.Table, k: int) -> tuple[float, np.ndarray, int] | None:
    """Return the CPU seconds of anonypy and its groups, or None where it is not installed."""
    anonypy, pandas = rival("anonypy"), rival("pandas")
    if anonypy is None or pandas is None:
        return None
    frame = pandas.read_csv(data_dir() / "adult" / "adult-30162.csv.gz", usecols=NINE, nrows=data.n)
    for name in NINE[1:8]:
        frame[name] = frame[name].astype("category")
    preserver = anonypy.Preserver(frame, list(NINE[:8]), "income")
    spent = cpu_seconds(partial(preserver.anonymize_k_anonymity, k=k), 1)
    group = np.empty(data.n, np.int64)
    found = preserver.modrian.partition(k, 0, 0.0)
    for number, rows in enumerate(found):
        group[np.asarray(rows)] = number
    return spent, group, len(found)


def records() -> None:
    """Compare the weighed losses of rt-merge and rt-global: k, m, and what the attributes count beside the items."""
    settings = ((5, 2, 0.5), (5, 2, 0.25), (5, 2, 0.75), (5, 3, 0.5), (25, 2, 0.5), (2, 2, 0.5))
    groceries, tree = baskets("groceries"), covey.read_taxonomy(data_dir() / "groceries.taxonomy.csv")
    people = adult(FIVE, row_is_person=True)
    drawn = groceries.take(np.random.default_rng(14).integers(0, groceries.n, people.n))
    adults = covey.Records(people, one_each(drawn))
    # A year of baskets has so many sets of three that every search over them is cut short.
    for name, data, taxonomy, tried in (
        ("complete journey, a basket each", households(False), journey_taxonomy(), settings),
        ("complete journey, all baskets", households(True), journey_taxonomy(), settings[:3]),
        ("Adult with Groceries", adults, tree, settings),
        ("Adult with Groceries", adults, None, settings),
    ):
        for k, m, weight in tried[: 1 if QUICK else None]:
            against_global(name, data, taxonomy, k, m, weight)


def against_global(name: str, data: covey.Records, tree: covey.Taxonomy | None, k: int, m: int, weight: float) -> None:
    """Compare the loss of rt-merge with that of rt-global."""
    guarantee = f"k-km-anonymity(k={k}, m={m})"
    setting = f"{name}, {guarantee}{'' if tree is not None else ', no taxonomy'}, weight {weight}"
    totals, spent = {}, 0.0
    for method in ("rt-global", "rt-merge"):
        made: list[Any] = []
        anonymize = partial(covey.anonymize, data, guarantee, method, weight=weight, taxonomy=tree, seed=0)
        spent = cpu_seconds(lambda made=made, make=anonymize: made.append(make()), 1)  # type: ignore[misc]
        lost = record_loss(made[0], data, tree)
        totals[method] = weight * lost.gcp + (1 - weight) * lost.items
    report(f"{setting}: time", spent, most=60, unit=" s")
    ours, theirs = totals["rt-merge"], totals["rt-global"]
    report(f"{setting}: loss of rt-merge / rt-global", ours / theirs, most=0.9999, note=f"{ours:.4f} / {theirs:.4f}")


@cache
def households(whole: bool) -> covey.Records:
    """Return the 801 households whose demographics the grocer knows, with a year of baskets or with one of them."""
    import pyarrow.parquet as pq

    folder, bought = data_folder(), complete_journey(households=True).with_sensitive([])
    numbers = np.unique(
        pq.read_table(folder / "transactions.parquet", columns=["household_id"])["household_id"].to_numpy()
    )
    known = pq.read_table(folder / "demographics.parquet").to_pydict()
    of = np.searchsorted(numbers, np.array(known.pop("household_id")))
    if whole:
        return covey.Records(covey.Table.of(known), one_each(bought.by_person().take(of)))
    rng = np.random.default_rng(14)
    drawn = np.array([rng.choice(np.flatnonzero(bought.person == household)) for household in of])
    return covey.Records(covey.Table.of(known), one_each(bought.take(drawn)))


def one_each(data: covey.Baskets) -> covey.Baskets:
    """Return the baskets with the items that occur, one basket per person, as records have them."""
    bare = covey.Baskets(indptr=data.indptr, indices=data.indices, items=data.items, sensitive=data.sensitive)
    return bare.only(bare.supports() > 0)


PARTS = {one.__name__: one for one in (cahd, pattern_ka, recoding, tables, records)}

if __name__ == "__main__":
    main(PARTS)
