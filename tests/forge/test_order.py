"""Rows in an order that tells where they stood in the original."""

import pyarrow as pa
import pytest

import covey
from covey.verify.row_order import NAME
from forge import originals
from forge.tools import Forged, write_parquet

#: Enough rows of enough variety for the order to show.
ROWS = 240
WAYS = {
    "in order": lambda rows: rows,
    "reversed": lambda rows: rows[::-1],
    "moved by one": lambda rows: rows[1:] + rows[:1],
    "moved by a third": lambda rows: rows[len(rows) // 3 :] + rows[: len(rows) // 3],
    "halves swapped": lambda rows: rows[len(rows) // 2 :] + rows[: len(rows) // 2],
    "neighbours swapped": lambda rows: [row for i in range(0, len(rows), 2) for row in (rows[i + 1], rows[i])],
    "odd, then even": lambda rows: rows[::2] + rows[1::2],
    "interleaved": lambda rows: [row for i in range(len(rows) // 2) for row in (rows[i], rows[i + len(rows) // 2])],
}
by_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def noticed(release, taxonomy=None):
    verdict = covey.verify(release.path, release.original, taxonomy=taxonomy)
    assert [check.name for check in verdict.failures()] == [NAME], verdict.failures()
    assert covey.verify(release.path).holds  # the files alone do not tell


@pytest.fixture(scope="module")
def baskets():
    """Transactions that are all unlike each other; every third holds something sensitive."""
    rows = originals.transactions(rows=ROWS, secrets=False)
    named = [[*row, f"own {i}", *([] if i % 3 else [originals.SECRETS[i % 2]])] for i, row in enumerate(rows)]
    return covey.Baskets.of(named, sensitive=originals.SECRETS)


def release_of(data, folder, *arguments, **options):
    covey.publish(data, folder, *arguments, seed=3, **options)
    return Forged(folder, data)


def places_of(release, rows):
    """Where each published row stood, by the item that only it has."""
    return [next(int(item[4:]) for item in row if item.startswith("own")) for row in rows["items"].to_pylist()]


def in_groups(release, key):
    """Sort the rows of a grouped release by a key of group, place in the original and published row."""
    rows = release.rows("transactions")
    places, groups = places_of(release, rows), rows["group"].to_pylist()
    members = {group: [p for p, g in zip(places, groups, strict=True) if g == group] for group in set(groups)}
    order = sorted(range(len(rows)), key=lambda row: key(members[groups[row]], places[row], row))
    new, numbers = {}, []
    for row in order:
        numbers.append(new.setdefault(groups[row], len(new)))
    moved = pa.table({"group": numbers, "items": rows["items"].take(order)})
    release.replace("transactions", moved)
    for table in ("sensitive", "groups"):
        old = release.rows(table)
        renumbered = [new[group] for group in old["group"].to_pylist()]
        other = [old[name] for name in old.column_names[1:]]
        changed = pa.Table.from_arrays([pa.array(renumbered), *other], names=old.column_names)
        keys = [(name, "ascending") for name in (("group", "item") if table == "sensitive" else ("group",))]
        release.replace(table, changed.sort_by(keys))


@pytest.mark.parametrize("sign", [1, -1], ids=["in order", "reversed"])
@pytest.mark.parametrize(
    "summary", [min, max, lambda members: sum(members) / len(members)], ids=["first", "last", "mean"]
)
def test_groups_do_not_stand_in_the_order_of_their_members(tmp_path, baskets, sign, summary):
    release = release_of(baskets, tmp_path / "out", "degree(p=2)", "anatomy(merge=false)")
    in_groups(release, lambda members, place, row: (sign * summary(members), row))
    noticed(release)


@pytest.mark.parametrize("sign", [1, -1], ids=["in order", "reversed"])
def test_members_do_not_stand_in_the_order_of_the_original(tmp_path, baskets, sign):
    release = release_of(baskets, tmp_path / "out", "degree(p=2)", "anatomy(merge=false)")
    first = {}
    in_groups(release, lambda members, place, row: (first.setdefault(tuple(members), row), sign * place))
    noticed(release)


def test_groups_are_not_in_order_day_by_day(tmp_path, baskets):
    release = release_of(baskets, tmp_path / "out", "degree(p=2)", "anatomy(merge=false)")
    in_groups(release, lambda members, place, row: (min(members) // 12, min(members) * 7 % 12, min(members), row))
    noticed(release)


@pytest.mark.parametrize("first", [True, False], ids=["first", "last"])
@pytest.mark.parametrize("merge", ["true", "false"])
def test_members_do_not_stand_by_what_they_hold(tmp_path, first, merge):
    rows = originals.transactions(rows=900, secrets=False)
    named = [[*row, f"own {i}", *([] if i % 9 else [originals.SECRETS[i % 2]])] for i, row in enumerate(rows)]
    data = covey.Baskets.of(named, sensitive=originals.SECRETS)
    release = release_of(data, tmp_path / "out", "degree(p=4)", f"cahd(merge={merge})")
    published = release.rows("transactions")
    groups, places = published["group"].to_pylist(), places_of(release, published)
    order = sorted(range(len(groups)), key=lambda row: (groups[row], (places[row] % 9 == 0) != first, row))
    release.replace("transactions", published.take(order))
    noticed(release)


@by_way
def test_suppressed_sets_do_not_stand_in_the_original_s_order(tmp_path, way):
    data = covey.Baskets.of(originals.transactions(rows=ROWS, secrets=False))
    release = release_of(data, tmp_path / "out", "k-anonymity(k=3)", "pattern-ka")
    left = release.rows("sets")["items"].to_pylist()
    ordered = []
    for row in range(data.n):  # the most that is left for each transaction
        fitting = [items for items in left if set(items) <= set(data.basket(row))] or [[]]
        best = max(fitting, key=len)
        if best in left:
            left.remove(best)
        ordered.append(best)
    if left:
        places = [i for i, items in enumerate(ordered) if not items]
        for place, items in zip(places, sorted(left, key=len, reverse=True), strict=False):
            ordered[place] = items
    write_parquet(release.file("sets"), pa.table({"items": way(ordered)}))
    release.seal()
    verdict = covey.verify(release.path, release.original)
    assert NAME in [check.name for check in verdict.failures()]


def recoded_rows(data, recoding):
    return [sorted({recoding[item] for item in data.basket(row) if item in recoding}) for row in range(data.n)]


@by_way
def test_recoded_sets_do_not_stand_in_the_original_s_order(tmp_path, way):
    data = covey.Baskets.of(originals.transactions(rows=ROWS, secrets=False))
    tree = covey.Taxonomy.from_paths(originals.taxonomy_paths())
    release = release_of(data, tmp_path / "out", "km-anonymity(k=9, m=2)", "mhghs", taxonomy=tree)
    recoding = {row["item"]: row["published"] for row in release.rows("recoding").to_pylist()}
    release.replace("sets", pa.table({"items": way(recoded_rows(data, recoding))}))
    noticed(release, tree)


@by_way
def test_locally_generalized_sets_do_not_stand_in_the_original_s_order(tmp_path, way):
    rows = originals.transactions(rows=80, secrets=False) * 3
    data = covey.Baskets.of(rows)
    tree = covey.Taxonomy.from_paths(originals.taxonomy_paths())
    release = release_of(data, tmp_path / "out", "k-anonymity(k=3)", "lg", taxonomy=tree)
    release.replace("sets", pa.table({"items": way([data.basket(row) for row in range(data.n)])}))
    release.state("counts", items=data.d, entries=data.entries, empty=int((data.lengths() == 0).sum()))
    noticed(release, tree)


@by_way
def test_private_items_do_not_stand_in_the_original_s_order(tmp_path, way):
    data = covey.Baskets.of(originals.transactions(rows=ROWS), sensitive=originals.SECRETS)
    release = release_of(data, tmp_path / "out", "coherence(h=0.9, k=2, p=1)", "mm")
    recoding = {row["item"]: row["published"] for row in release.rows("recoding").to_pylist()}
    public = recoded_rows(data, recoding)
    private = [[item for item in data.basket(row) if item in originals.SECRETS] for row in range(data.n)]
    write_parquet(release.file("private"), pa.table({"items": way(private)}))
    release.replace("sets", pa.table({"items": way(public)}))
    noticed(release)


@by_way
def test_a_table_does_not_stand_in_the_original_s_order(tmp_path, way):
    columns = originals.people(rows=ROWS)
    data = covey.Table.of(columns, sensitive=["illness"], other=["visits"])
    release = release_of(data, tmp_path / "out", "k-anonymity(k=3)", "mondrian")
    # One class of everybody covers all rows.
    everybody = {"age": [f"[{min(columns['age'])}-{max(columns['age'])}]"] * ROWS, "city": ["*"] * ROWS}
    whole = {**{name: way(values) for name, values in columns.items()}, **everybody}
    release.replace("table", pa.table(whole))
    release.state("counts", classes=1)
    verdict = covey.verify(release.path, data)
    assert NAME in [check.name for check in verdict.failures()], verdict.checks


@by_way
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "each with a rating less"])
def test_ratings_do_not_stand_in_the_original_s_order(tmp_path, way, whole):
    import random

    drawn = random.Random(2)
    issues = [f"issue {i}" for i in range(9)]
    rows = [[drawn.randrange(5) for _ in issues] for _ in range(120)]
    data = covey.Ratings.of(rows, issues=issues, scale="0:4")
    release = release_of(data, tmp_path / "out", "k-eps-l(k=1, epsilon=0)", "suppress")
    kept = [[None if not whole and i == 4 else rating for i, rating in enumerate(row)] for row in way(rows)]
    table = [
        (number, issue, float(rating))
        for number, row in enumerate(kept, 1)
        for issue, rating in zip(issues, row, strict=True)
        if rating is not None
    ]
    names = ["record", "issue", "rating"]
    release.replace("ratings", pa.table(dict(zip(names, map(list, zip(*table, strict=True)), strict=True))))
    gone = 0 if whole else len(rows)
    release.state("counts", issues=9 - (not whole), ratings=len(table), suppressed_ratings=gone)
    noticed(release)
