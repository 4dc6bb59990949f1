"""Chunks that were tampered with: rare sets, small clusters, ranges that cross, counts that are not the original's."""

import itertools

import pyarrow as pa
import pytest

from forge.tools import accepted, refused, verdicts


def rewritten(release, chunks=None, clusters=None, terms=None):
    """The release with other tables, sorted as covey would, and a manifest that counts them."""
    parts = release.rows("chunks").to_pylist() if chunks is None else chunks
    sizes = release.rows("clusters")["records"].to_pylist() if clusters is None else clusters
    named = release.rows("terms").to_pylist() if terms is None else terms
    numbers = {}
    for row in parts:
        numbers.setdefault(row["chunk"], (row["first"], row["last"], set()))[2].update(row["items"])
    order = sorted(numbers, key=lambda c: (*numbers[c][:2], min(numbers[c][2])))
    place = {chunk: at for at, chunk in enumerate(order)}
    parts = sorted(({**row, "chunk": place[row["chunk"]]} for row in parts), key=lambda r: (r["chunk"], r["items"]))
    ints, texts = pa.int64(), pa.list_(pa.string())
    release.replace(
        "chunks",
        pa.Table.from_pylist(parts, pa.schema([("first", ints), ("last", ints), ("chunk", ints), ("items", texts)])),
    )
    release.replace("clusters", pa.table({"cluster": list(range(len(sizes))), "records": sizes}))
    release.replace("terms", pa.Table.from_pylist(named, pa.schema([("cluster", ints), ("items", texts)])))
    covers = [numbers[chunk][:2] for chunk in order]
    return release.state(
        "counts",
        transactions=sum(sizes),
        clusters=len(sizes),
        record_chunks=sum(first == last for first, last in covers),
        shared_chunks=sum(first < last for first, last in covers),
        parts=len(parts),
        entries=sum(len(row["items"]) for row in parts),
        terms=sum(len(row["items"]) for row in named),
        items=len({item for row in [*parts, *named] for item in row["items"]}),
    )


def test_the_release_under_attack_has_what_is_attacked(forge):
    release = forge("chunks")
    accepted(rewritten(release))
    counts = release.manifest["counts"]
    assert min(counts[name] for name in ("clusters", "record_chunks", "shared_chunks", "terms")) > 0


@pytest.mark.parametrize("table", ["clusters", "chunks", "terms"])
def test_no_table_has_another_order(forge, table):
    release = forge("chunks")
    rows = release.rows(table)
    refused(release.replace(table, rows.take(list(range(len(rows)))[::-1])))


def test_the_order_of_sub_records_tells_nothing(forge):
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    at = next(i for i, (a, b) in enumerate(itertools.pairwise(rows)) if a["chunk"] == b["chunk"] and a != b)
    order = [*range(at), at + 1, at, *range(at + 2, len(rows))]
    refused(release.replace("chunks", release.rows("chunks").take(order)), "not in the form")


@pytest.mark.parametrize("facts", [{"unit": "visit"}, {"who": "ann"}])
def test_nothing_is_stated_besides(forge, facts):
    refused(forge("chunks").state("facts", **facts))


def test_a_rare_set_in_a_chunk_is_noticed(forge):
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    own = next(row for row in rows if row["first"] == row["last"])
    domain = {item for row in rows if row["chunk"] == own["chunk"] for item in row["items"]}
    other = next(item for row in rows for item in row["items"] if item not in domain)
    own["items"] = sorted({*own["items"], other})
    refused(rewritten(release, chunks=rows))


def test_a_cluster_below_k_is_noticed(forge):
    release = forge("chunks")
    sizes = release.rows("clusters")["records"].to_pylist()
    refused(rewritten(release, clusters=[4, *sizes[1:]]), "at least 5")


def test_ranges_that_cross_are_noticed(forge):
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    wide = max(row["chunk"] for row in rows) + 1
    sets = [{"first": 0, "last": 1, "chunk": wide, "items": ["x"]}] * 5
    sets += [{"first": 1, "last": 2, "chunk": wide + 1, "items": ["y"]}] * 5
    rows = [row for row in rows if row["first"] == row["last"]]
    refused(rewritten(release, chunks=[*rows, *sets]), "partly in another range")


def test_a_shared_chunk_may_not_tell_apart_what_a_narrower_one_has(forge):
    """Of two sub-records one is barred from a cluster that has its item: who knows that, knows where the other is."""
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    own = next(row for row in rows if row["first"] == row["last"])
    last = release.manifest["counts"]["clusters"] - 2  # the last cluster is of those who hold nothing
    wide = max(row["chunk"] for row in rows) + 1
    sets = [{"first": 0, "last": last, "chunk": wide, "items": sorted([own["items"][0], "x"])}] * 5
    rows = [row for row in rows if row["first"] == row["last"]]
    refused(rewritten(release, chunks=[*rows, *sets]), "has no other item")


def test_an_item_may_not_be_twice_in_one_cluster(forge):
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    own = next(row for row in rows if row["first"] == row["last"])
    terms = {row["cluster"]: row["items"] for row in release.rows("terms").to_pylist()}
    home = terms.setdefault(own["first"], [])
    terms[own["first"]] = sorted({*home, own["items"][0]})
    named = [{"cluster": c, "items": terms[c]} for c in sorted(terms)]
    refused(rewritten(release, terms=named), "twice")


def test_terms_may_not_be_dropped_where_records_would_be_empty(forge):
    """Without terms, somebody of the cluster must hold nothing; but nobody does."""
    release = forge("chunks")
    sizes = release.rows("clusters")["records"].to_pylist()
    rows = release.rows("chunks").to_pylist()
    own = {row["chunk"]: row["first"] for row in rows if row["first"] == row["last"]}
    cluster = next(iter(own.values()))
    kept = [row for row in rows if row["first"] == row["last"]]
    terms = [row for row in release.rows("terms").to_pylist() if row["cluster"] != cluster]
    refused(
        rewritten(release, chunks=kept, clusters=[s + 400 * (c == cluster) for c, s in enumerate(sizes)], terms=terms)
    )


def test_what_is_counted_must_be_the_originals(forge):
    release = forge("chunks")
    rows = release.rows("chunks").to_pylist()
    one = next(row for row in rows if row["first"] == row["last"])
    _, compared = verdicts(rewritten(release, chunks=[*rows, one]))
    assert not compared.holds


def test_what_goes_together_must_be_the_originals(forge):
    """One cluster, every item as often as it is, but whoever holds a rare one holds all that are more frequent."""
    release = forge("chunks")
    baskets = [set(release.original.basket(row)) for row in range(release.original.n)]
    filled = sum(map(bool, baskets))
    *items, named = sorted(set().union(*baskets))
    often = {item: sum(item in row for row in baskets) for item in items}
    head = {"first": 0, "last": 0, "chunk": 0}
    made = [{**head, "items": [i for i in items if n < often[i]]} for n in range(max(often.values()))]
    sizes = [filled, len(baskets) - filled]
    alone, compared = verdicts(rewritten(release, made, sizes, [{"cluster": 0, "items": [named]}]))
    assert alone.holds, alone.failures()
    assert [check.name for check in compared.failures()] == [
        "every chunk and every term is made of the records of its clusters"
    ]


@pytest.mark.parametrize("name", ["first", "last", "chunk"])
@pytest.mark.parametrize("value", [-1, 2**40, 2**62])
def test_no_number_is_outside_of_what_there_is(forge, name, value):
    refused(forge("chunks").change("chunks", name, lambda values: [value, *values[1:]]))


@pytest.mark.parametrize("value", [0, -5, 2**62])
def test_no_cluster_has_an_impossible_number_of_records(forge, value):
    refused(forge("chunks").change("clusters", "records", lambda values: [value, *values[1:]]))


@pytest.mark.parametrize("where", [0, 1])
def test_only_the_last_cluster_publishes_nothing(forge, where):
    """Sizes of clusters of which nothing is published would be a message, and their records would be lost."""
    release = forge("chunks")
    everything = sorted(
        {item for table in ("chunks", "terms") for row in release.rows(table)["items"].to_pylist() for item in row}
    )
    n, empty = release.original.n, int((release.original.lengths() == 0).sum())
    silent = [5, 1, 2]
    sizes = [*silent[:where], n - sum(silent) - empty, *silent[where:], *([empty] if empty else [])]
    terms = [{"cluster": where, "items": everything}]
    refused(rewritten(release, chunks=[], clusters=sizes, terms=terms), "A cluster publishes nothing")
