"""CAHD on Spark: the degree whenever the data can, the same groups on any cluster, and nearly the local quality."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import covey
from covey.errors import Infeasible, ParameterError
from covey.guarantees import guarantee
from covey.measure.kl import kl
from covey.methods.cahd import CAHD
from covey.methods.matched import Matched
from covey.release import grouping as publish
from covey.release.base import Statement
from covey.spark.batches import by_number
from covey.spark.make import layout as layouts
from covey.spark.make.layout import Layout
from covey.spark.make.rebalance import PLAIN, SEVERAL, Counts, plan
from covey.verify import check_release

rows_by_part = st.lists(
    st.lists(st.frozensets(st.integers(0, 3), max_size=3), max_size=14), min_size=1, max_size=7
).filter(lambda parts: sum(map(len, parts)) > 0)


def role_of(row: frozenset[int]) -> int:
    return PLAIN if not row else SEVERAL if len(row) > 1 else min(row)


def counts_of(parts: list[list[frozenset[int]]], m: int = 4) -> Counts:
    def table(counted) -> np.ndarray:
        return np.array([[sum(counted(row, s) for row in part) for s in range(m)] for part in parts], np.int64)

    return Counts(
        size=np.array([len(part) for part in parts], np.int64),
        plain=np.array([sum(not row for row in part) for part in parts], np.int64),
        held=table(lambda row, s: s in row),
        alone=table(lambda row, s: row == {s}),
    )


def feasible(rows: list[frozenset[int]], p: int, m: int = 4) -> bool:
    return all(p * sum(s in row for row in rows) <= len(rows) for s in range(m))


@settings(max_examples=400)
@given(rows_by_part, st.integers(2, 5))
def test_a_plan_makes_every_part_feasible_when_the_data_is(parts, p):
    everything = [row for part in parts for row in part]
    if not feasible(everything, p):
        return
    counts = counts_of(parts)
    made = plan(counts, p)
    for move in made.moves:
        assert move.part != move.to
        assert move.stop <= (counts.plain if move.role == PLAIN else counts.alone[:, move.role])[move.part]
    end = [[] for _ in range(made.parts)]
    for number, part in enumerate(parts):
        rank: dict[int, int] = {}
        for row in part:
            role = role_of(row)
            at = rank[role] = rank.get(role, -1) + 1
            going = [
                move.to
                for move in made.moves
                if (move.part, move.role) == (number, role) and move.start <= at < move.stop
            ]
            assert len(going) <= 1
            end[made.merged[going[0] if going else number]].append(row)
    assert all(feasible(part, p) for part in end)
    assert sorted(map(sorted, (row for part in end for row in part))) == sorted(map(sorted, everything))


def test_a_tight_degree_is_kept_without_merging():
    # 1/p of all rows hold the item, exactly: whatever is left over in one part is missing in another.
    rng = np.random.default_rng(3)
    sizes, p = np.full(50, 100), 10
    held = rng.multinomial(500, np.full(50, 1 / 50))[:, None]
    made = plan(Counts(size=sizes, plain=sizes - held[:, 0], held=held, alone=held), p)
    assert made.parts == 50


@given(st.lists(st.sets(st.integers(0, 9), max_size=5), min_size=1, max_size=20), st.integers(0, 2**64 - 1))
def test_a_key_depends_on_nothing_but_the_row(sets, salt):
    sensitive = np.arange(10) == 9
    place = np.where(sensitive | (np.arange(10) > 6), -1, np.arange(10) << 30)
    line = Layout(place=place, sensitive=sensitive, cuts=np.array([2 << 54, 5 << 54]), salt=salt)
    lists = [np.array(sorted(items), np.int32) for items in sets]
    numbers = np.arange(100, 100 + len(lists)) - 110
    together = line.keys(numbers, np.cumsum([0, *map(len, lists)]), np.concatenate([np.empty(0, np.int32), *lists]))
    single = [int(line.keys(numbers[i : i + 1], np.array([0, len(items)]), items)[0]) for i, items in enumerate(lists)]
    assert together.tolist() == single
    assert (together >= 0).all()
    assert set(line.part(together).tolist()) <= {0, 1, 2}


def test_rows_of_one_number_are_told_apart_by_their_items():
    rows, lists = np.array([7, 7, 1]), [[4, 5], [2], []]
    found = []
    for at in ([0, 1, 2], [1, 0, 2]):
        ptr = np.cumsum([0, *(len(lists[i]) for i in at)])
        order = by_number(rows[at], ptr, np.array([item for i in at for item in lists[i]], np.int32))
        found.append([lists[at[i]] for i in order])
    assert found[0] == found[1]
    assert found[0][0] == []


# From here on with Spark.


def grouped(frame, sets, text: str, folder):
    """The groups made on Spark as a release in memory, and the baskets it is of.

    They travel through files: the tests' driver may not be sent as much as the data.
    """
    import pyarrow.parquet as pq

    from covey.spark.batches import csr_of

    frame.write.parquet(folder.as_uri(), mode="overwrite")
    frame.unpersist()
    table = pq.read_table(folder)
    data = covey.Baskets(*csr_of(table.column("items")), sets.items, sets.sensitive.copy())
    numbers, group = np.unique(table.column("group").to_numpy(), return_inverse=True)
    assert (numbers >= 0).all()
    made = Statement(guarantee=text, method="cahd")
    return publish.grouped(data, group, len(numbers), made=made, seed=0), data


def sets_of(data: covey.Baskets, spark):
    from covey.spark.reading import frame_of, read

    return read(frame_of(data, spark), sensitive=data.sensitive_items()).persist()


def skewed(rng: np.random.Generator, n: int, share: float, several: bool) -> covey.Baskets:
    """Baskets of three tastes; nearly all holders of a sensitive item share the first."""
    rows = []
    for row in range(n):
        taste = 0 if row < n * share else int(rng.integers(1, 3))
        items = [f"{taste}-{item}" for item in rng.choice(8, 3, replace=False)]
        if row < n * share:
            items.append("s")
        if several and row % 17 == 0:
            items.append("t")
        rows.append(items)
    return covey.Baskets.of(rows, sensitive=["s", "t"] if several else ["s"])


@pytest.mark.slow
@settings(max_examples=2, derandomize=True)
@given(st.integers(0, 99), st.sampled_from([0.05, 0.2, 0.25]), st.booleans(), st.sampled_from([2, 5]))
def test_what_the_data_can_keep_is_kept_and_the_rest_refused(spark, tmp_path_factory, seed, share, several, parts):
    from covey.spark.make.in_parts import form_groups

    data = skewed(np.random.default_rng(seed), 240, share, several)
    sets = sets_of(data, spark)
    best = data.n // int(data.supports()[data.sensitive].max())
    promise = guarantee(f"degree(p={best})")
    made = form_groups(sets, promise, CAHD(seed=seed), parts=parts)
    release, original = grouped(made, sets, promise.text, tmp_path_factory.mktemp("groups"))
    verdict = check_release(promise, release)
    assert verdict.holds, verdict.failures()
    assert sorted(map(original.basket, range(original.n))) == sorted(map(data.basket, range(data.n)))
    with pytest.raises(Infeasible) as refused:
        guarantee(f"degree(p={best + 1})").require_feasible(sets.summary())
    assert refused.value.best == best


@pytest.mark.slow
def test_groups_do_not_depend_on_partitions_or_the_order_of_the_rows(spark, monkeypatch):
    from covey.spark.make.in_parts import form_groups
    from covey.spark.reading import frame_of, read

    monkeypatch.setattr(layouts, "SAMPLE_ROWS", 200)
    data = skewed(np.random.default_rng(1), 600, 0.2, True)
    made = []
    before = spark.conf.get("spark.sql.shuffle.partitions")
    try:
        for shuffle, split in ((2, 1), (7, 5)):
            spark.conf.set("spark.sql.shuffle.partitions", shuffle)
            frame = frame_of(data, spark).repartition(split)
            sets = read(frame, sensitive=data.sensitive_items())
            table = form_groups(sets, guarantee("degree(p=4)"), CAHD(seed=9), parts=4).toArrow()
            made.append(sorted(zip(*(column.to_pylist() for column in table.columns), strict=True)))
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    assert made[0] == made[1]
    sets = sets_of(data, spark)
    other = form_groups(sets, guarantee("degree(p=4)"), CAHD(seed=10), parts=4).toArrow()
    assert set(other.column("group").to_pylist()).isdisjoint(line[0] for line in made[0])


def test_what_spark_cannot_do_is_refused(spark, tmp_path):
    from covey.spark.make.in_parts import form_groups

    data = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    sets = sets_of(data, spark)
    with pytest.raises(ParameterError, match="order=rcm"):
        form_groups(sets, guarantee("degree(p=2)"), CAHD(order="gray"))
    with pytest.raises(ParameterError, match="--sensitive"):
        covey.publish(sets.with_sensitive([]), tmp_path / "out", "degree(p=2)", engine="spark")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_matched_keeps_the_degree_in_every_part(spark, tmp_path):
    from covey.spark.make.in_parts import form_groups

    data = skewed(np.random.default_rng(4), 300, 0.1, True)
    sets, promise = sets_of(data, spark), guarantee("degree(p=5)")
    made = form_groups(sets, promise, Matched(seed=1, merge=False), parts=3)
    release, original = grouped(made, sets, promise.text, tmp_path)
    assert check_release(promise, release).holds
    assert release.groups > 20
    alike = form_groups(sets, promise, Matched(seed=1, merge=False), parts=3, merge=True)
    merged, _ = grouped(alike, sets, promise.text, tmp_path)
    assert check_release(promise, merged).holds
    assert merged.groups < release.groups / 2
    for secret in data.sensitive_items():
        for item in release.items[:10]:
            asked = {"present": [item]}
            assert merged.estimate(secret, **asked).estimate == pytest.approx(
                release.estimate(secret, **asked).estimate
            )
    assert sorted(map(original.basket, range(original.n))) == sorted(map(data.basket, range(data.n)))


def compare_with_local(spark, data_dir, folder, monkeypatch, name: str, degrees: tuple[int, ...], seeds: int) -> None:
    """KL within 15 % of the local method's for both workloads, on the mean over some choices of sensitive items."""
    from covey.spark.make.in_parts import form_groups

    # The tests' driver takes 256 kilobytes at a time.
    monkeypatch.setattr(layouts, "SAMPLE_ROWS", 6_000)
    monkeypatch.setattr(layouts, "SAMPLE_ENTRIES", 30_000)

    raw = covey.read(data_dir / f"{name}.dat.gz")
    supports = raw.supports()
    rare = np.flatnonzero(supports * 20 <= raw.n)
    for p in degrees:
        text = f"degree(p={p})"
        errors = np.zeros((2, 2))
        for seed in range(seeds):
            chosen = np.random.default_rng(seed).choice(rare, 10, replace=False)
            data = raw.with_sensitive([raw.items[i] for i in chosen])
            sets = sets_of(data, spark)
            made = form_groups(sets, guarantee(text), CAHD(seed=1), parts=8)
            release, _ = grouped(made, sets, text, folder / "groups")
            sets.unpersist()
            assert check_release(guarantee(text), release).holds
            local = covey.anonymize(data, text, "cahd", seed=1)
            for column, workload in enumerate(("uniform", "support")):
                for line, made in enumerate((release, local)):
                    errors[line, column] += kl(made, data, queries=400, workload=workload).mean
        assert (errors[0] <= 1.15 * errors[1]).all(), (p, errors)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bms-webview-1", "bms-webview-2", "retail"])
def test_parts_estimate_nearly_as_well_on_real_data(spark, data_dir, tmp_path, monkeypatch, name):
    compare_with_local(spark, data_dir, tmp_path, monkeypatch, name, (4, 10, 20), 2)
