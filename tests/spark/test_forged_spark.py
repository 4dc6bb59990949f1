"""Forged releases in parts: what covey would not have written is refused by both engines, also under new digests."""

import shutil
from dataclasses import replace
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.release.documents import documents
from covey.release.manifest import file_digest, read_manifest
from covey.spark.make import writing
from covey.synth import quest

pytestmark = pytest.mark.slow  # forged releases of the local engine are tested at once


@cache
def original():
    """The baskets that were published; the rarest item is the sensitive one."""
    baskets = quest(transactions=300, items=15, mean_length=4, patterns=10, seed=3)
    return baskets.with_sensitive([baskets.items[baskets.supports().argmin()]])


def in_parts(spark, folder, guarantee, method, sensitive):
    """An honest release in parts."""
    from covey.spark.reading import frame_of

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "PART", 300)
        data = frame_of(original(), spark)
        covey.publish(data, folder, guarantee, method, sensitive=sensitive, seed=1, engine="spark")
    assert covey.verify(folder).holds
    assert covey.verify(folder, engine="spark").holds
    return folder


@pytest.fixture(scope="module")
def grouped(spark, tmp_path_factory):
    secret = original().sensitive_items()
    return in_parts(spark, tmp_path_factory.mktemp("honest") / "grouped", "degree(p=4)", "cahd(merge=false)", secret)


@pytest.fixture(scope="module")
def sets(spark, tmp_path_factory):
    return in_parts(spark, tmp_path_factory.mktemp("honest") / "sets", "k-anonymity(k=20)", None, None)


def part(folder, table, number=0):
    return folder / table / f"part-{number:05d}.parquet"


def put(table, path, **given):
    """Write a table as covey does, but for what is given."""
    pq.write_table(table, path, **{"compression": "zstd", "store_schema": False, **given})


def change(path, edit):
    """Rewrite a part with other rows."""
    put(
        pa.Table.from_pylist(edit(pq.read_table(path).to_pylist()), pq.read_schema(path).remove_metadata()),
        path,
    )


def extra_rows(folder):
    last = max((folder / "transactions").iterdir())
    shutil.copy(last, part(folder, "transactions", len(list(last.parent.iterdir()))))


def extra_part(folder):
    for table in ("transactions", "sensitive", "groups"):
        last = max((folder / table).iterdir())
        shutil.copy(last, part(folder, table, len(list(last.parent.iterdir()))))


def renumbered(folder):
    for table in ("transactions", "sensitive", "groups"):
        one, other = part(folder, table, 0), part(folder, table, 1)
        one.rename(folder / "x")
        other.rename(one)
        (folder / "x").rename(other)


def moved_rows(folder):
    """A group's rows in the part before its own."""
    one, other = (part(folder, "transactions", number) for number in (0, 1))
    first = pq.read_table(other).to_pylist()
    change(one, lambda rows: [*rows, *(row for row in first if row["group"] == first[0]["group"])])
    change(other, lambda rows: [row for row in rows if row["group"] != first[0]["group"]])


def foreign_group(folder):
    """A count for a group of another part."""
    change(part(folder, "sensitive"), lambda rows: [*rows, {**rows[-1], "group": 10**6}])


def far_group(folder):
    change(part(folder, "groups", 1), lambda rows: [{**rows[0], "group": 3 - 2**63}, *rows[1:]])


def unordered_items(folder):
    change(part(folder, "transactions"), lambda rows: [{**row, "items": row["items"][::-1]} for row in rows])


def missing_item(folder):
    change(part(folder, "transactions"), lambda rows: [{**rows[0], "items": [None]}, *rows[1:]])


def trailing_bytes(folder):
    path = part(folder, "groups")
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little") + 8
    path.write_bytes(raw[:-size] + b"alice" + raw[-size:])


def high_count(folder):
    change(part(folder, "sensitive"), lambda rows: [{**rows[0], "count": 2**61}, *rows[1:]])


def twin(folder):
    secret = pq.read_table(part(folder, "sensitive")).column("item")[0].as_py()
    # In front of all labels, so that it stands in label order.
    first = part(folder, "transactions")
    change(first, lambda rows: [{**rows[0], "items": [f" {secret}", *rows[0]["items"]]}, *rows[1:]])


def split_count(folder):
    """Every count once more, under a name that reads the same; it stands behind the other in label order."""
    for path in sorted((folder / "sensitive").iterdir()):
        change(path, lambda rows: [one for row in rows for one in (row, {**row, "item": row["item"] + "\u200b"})])


#: What a task sees in its part, and what the driver sees in their reports; both engines have the same witness.
FORGERIES = [unordered_items, missing_item, renumbered, extra_rows, extra_part, moved_rows, foreign_group, far_group]
SAME = [high_count, twin, split_count]


def sealed(folder, **stated):
    """Write the manifest and what follows from it anew, for what is there now, as a forger would."""
    manifest = read_manifest(folder)
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet")]
    files = {name: file_digest(folder / name) for name in names}
    counts = dict(manifest.counts)
    if manifest.kind == "grouped":
        counts |= recount(folder)
    forged = replace(manifest, files=files, **{"counts": counts, **stated})
    (folder / "manifest.json").write_bytes(forged.to_bytes())
    for name, text in documents(read_manifest(folder), {}).items():
        (folder / name).write_bytes(text)


def recount(folder):
    """The figures of a grouped release that can still be read."""

    def whole(table, columns):
        return pa.concat_tables(pq.read_table(path, columns=columns) for path in sorted((folder / table).iterdir()))

    try:
        rows, cells = whole("transactions", ["group", "items"]), whole("sensitive", ["item", "count"])
    except (pa.ArrowInvalid, OSError):
        return {}
    flat = [item for row in rows.column("items").to_pylist() for item in row]
    return {
        "transactions": rows.num_rows,
        "items": len(set(flat) - {None}),
        "entries": len(flat),
        "groups": len(set(rows.column("group").to_pylist())),
        "sensitive_entries": sum(cells.column("count").to_pylist()),
        "sensitive_items": len(set(cells.column("item").to_pylist())),
    }


def refused(folder):
    """That both engines refuse a release; returns what they said first."""
    said = []
    for engine in ("local", "spark"):
        verdict = covey.verify(folder, engine=engine)
        assert not verdict.holds, engine
        said.append(verdict.failures()[0])
    return said


@pytest.mark.parametrize("forge", [*FORGERIES, *SAME, trailing_bytes], ids=lambda forge: forge.__name__)
def test_a_forged_grouped_release_is_refused_by_both_engines(grouped, tmp_path, forge):
    folder = tmp_path / "forged"
    shutil.copytree(grouped, folder)
    forge(folder)
    sealed(folder)
    local, there = refused(folder)
    if forge in SAME:
        assert there == local


def test_a_part_that_spark_wrote_itself_is_refused(spark, grouped, tmp_path):
    folder = tmp_path / "forged"
    shutil.copytree(grouped, folder)
    path = part(folder, "transactions")
    spark.read.parquet(path.as_uri()).coalesce(1).write.parquet((tmp_path / "mr").as_uri(), compression="zstd")
    shutil.copy(next((tmp_path / "mr").glob("part-*")), path)
    sealed(folder)
    for check in refused(folder):
        assert "metadata" in check.detail


@pytest.mark.parametrize(
    ("made", "guarantee", "said"),
    [
        ("sets", "k-anonymity(k=90)", "the rarest"),
        ("grouped", "degree(p=99999999999999999999)", "at most 9007199254740991"),
        ("grouped", "degree(p=300)", "too high"),
        ("grouped", "k-anonymity(k=2)", "cannot keep k-anonymity"),
    ],
)
def test_false_promise_has_the_same_witness_on_both_engines(request, tmp_path, made, guarantee, said):
    folder = tmp_path / "forged"
    shutil.copytree(request.getfixturevalue(made), folder)
    sealed(folder, guarantee=guarantee)
    local, there = refused(folder)
    assert there == local
    assert said in f"{there.name} {there.detail}"


def test_another_original_is_noticed(grouped, sets, frame):
    baskets, [secret] = original(), original().sensitive_items()
    rows = [baskets.basket(row) for row in range(baskets.n)]
    holder = next(row for row in rows if secret in row)
    fewer, renamed = rows[1:], [["new"], *rows[1:]]
    without = [row if row is not holder else [item for item in row if item != secret] for row in rows]
    for folder, other in ((grouped, renamed), (grouped, without), (sets, fewer)):
        verdict = covey.verify(folder, frame(covey.Baskets.of(other)), engine="spark")
        assert not verdict.holds, folder.name


def test_what_the_user_names_as_sensitive_is_not_published_by_either_engine(spark, sets):
    from covey.spark.reading import frame_of

    item = covey.read_release(sets).transactions.items[0]
    for engine, data in (("local", original().with_sensitive([])), ("spark", frame_of(original(), spark))):
        failed = covey.verify(sets, data, sensitive=[item], engine=engine).failures()
        assert [check.name for check in failed] == ["no sensitive item is published like any other"]
        assert repr(item) in failed[0].detail
