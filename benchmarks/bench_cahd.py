"""CAHD's band order against scipy's, in time and in what the groups are worth; file to verified release."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import reverse_cuthill_mckee

import covey
from covey.data.csr import take_rows
from covey.measure.kl import kl
from covey.methods.cahd import form_groups, place_rest
from covey.methods.ordering import band_order
from covey.release import grouping as publish
from covey.release.base import Statement
from ratios import data_dir, finish, report, seconds, with_random_sensitive

P, ALPHA, SENSITIVE, SEEDS = 10, 3, 10, 3


def scipy_order(public: covey.Baskets) -> np.ndarray:
    """Reverse Cuthill-McKee on the explicit A·Aᵀ."""
    matrix = public.to_scipy().astype(np.int32)
    graph = csr_matrix(matrix @ matrix.T)
    return reverse_cuthill_mckee(graph, symmetric_mode=True).astype(np.int64)


def kl_of(data: covey.Baskets, order: np.ndarray, workload: str) -> float:
    """Mean KL error of CAHD's groups on rows in the given order."""
    public, secret = data.split()
    qid = take_rows(public.indptr, public.indices, order)
    sens = take_rows(secret.indptr, secret.indices, order)
    group, groups, _ = form_groups(qid, public.d, sens, secret.d, P, ALPHA)
    groups = place_rest(group, groups, qid, public.d, P, ALPHA)
    of_row = np.empty_like(group)
    of_row[order] = group
    made = Statement(guarantee=f"degree(p={P})", method="cahd")
    release = publish.grouped(data, of_row, groups, made=made, seed=0)
    return kl(release, data, r=4, queries=500, workload=workload).mean


def main() -> None:
    """Print the ratios."""
    folder = data_dir()
    for name, sample in (("bms-webview-1", None), ("bms-webview-2", None), ("retail", 20_000)):
        data = covey.read(folder / f"{name}.dat.gz")
        title = name
        if sample:  # A·Aᵀ of all of retail has 3.9 billion entries, more than fits into 24 GiB
            rows = np.sort(np.random.default_rng(0).choice(data.n, sample, replace=False))
            indptr, indices = take_rows(data.indptr, data.indices, rows)
            data = covey.Baskets.build(indptr, indices, data.items)
            data = data.only(data.supports() > 0)
            title = f"{name}, {sample:,} rows"
        band_order(data)
        ours = seconds(lambda data=data: band_order(data))
        theirs = seconds(lambda data=data: scipy_order(data), repeat=1)
        report(f"{title}: band order, scipy's time over ours", theirs / ours, least=50)
        errors = {"uniform": [], "support": []}
        for seed in range(SEEDS):
            marked = with_random_sensitive(data, SENSITIVE, seed)
            public, _ = marked.split()
            orders = (band_order(public), scipy_order(public))
            for workload, found in errors.items():
                found.append([kl_of(marked, order, workload) for order in orders])
        for workload, found in errors.items():
            mine, other = np.mean(found, axis=0)
            report(f"{title}: KL error, ours over scipy's ({workload})", mine / other, most=1.1)

    source = folder / "bms-webview-1.dat.gz"
    sensitive = with_random_sensitive(covey.read(source), SENSITIVE, 0).sensitive_items()
    with tempfile.TemporaryDirectory() as scratch:
        covey.publish(source, Path(scratch) / "warm", "degree(p=10)", "cahd", sensitive=sensitive)
        took = seconds(
            lambda: covey.publish(source, Path(scratch) / "out", "degree(p=10)", "cahd", sensitive=sensitive), repeat=1
        )
        report("BMS1, file to verified release", took, most=5, unit=" s")
    finish()


if __name__ == "__main__":
    main()
