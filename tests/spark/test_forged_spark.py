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
from covey.spark.make import parts
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
        patch.setattr(parts, "PART", 300)
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


def fullest(folder, table):
    """The part that has most rows, so that there are some to exchange."""
    return max(sorted((folder / table).iterdir()), key=lambda path: pq.read_metadata(path).num_rows)


def put(table, path, **given):
    """Write a table as covey does, but for what is given."""
    pq.write_table(table, path, **{"compression": "zstd", "store_schema": False, **given})


def change(path, edit):
    """Rewrite a part with other rows."""
    put(
        pa.Table.from_pylist(edit(pq.read_table(path).to_pylist()), pq.read_schema(path).remove_metadata()),
        path,
    )


def tagged(folder):
    for table in ("transactions", "sensitive", "groups"):
        for path in sorted((folder / table).iterdir()):
            change(path, lambda rows: [{**row, "group": 7 + 3 * row["group"]} for row in rows])


def extra_part(folder):
    last = max((folder / "transactions").iterdir())
    shutil.copy(last, last.with_name("part-00099.parquet"))


def extra_rows(folder):
    last = max((folder / "transactions").iterdir())
    shutil.copy(last, part(folder, "transactions", len(list(last.parent.iterdir()))))


def renumbered(folder):
    one, other = part(folder, "transactions", 0), part(folder, "transactions", 1)
    one.rename(folder / "x")
    other.rename(one)
    (folder / "x").rename(other)


def extra_column(folder):
    path = part(folder, "transactions")
    table = pq.read_table(path)
    put(table.append_column("name", pa.array(["alice"] * table.num_rows)), path)


def trailing_bytes(folder):
    path = part(folder, "groups")
    raw = path.read_bytes()
    size = int.from_bytes(raw[-8:-4], "little") + 8
    path.write_bytes(raw[:-size] + b"alice" + raw[-size:])


def hidden_text(folder):
    path = part(folder, "sensitive")
    table = pq.read_table(path)
    items = table.column("item").combine_chunks().dictionary_encode()
    listed = pa.concat_arrays([items.dictionary.cast(pa.string()), pa.array(["alice"])])
    put(table.set_column(1, "item", pa.DictionaryArray.from_arrays(items.indices, listed)), path)


def unordered_items(folder):
    change(part(folder, "transactions"), lambda rows: [{**row, "items": row["items"][::-1]} for row in rows])


def item_twice(folder):
    change(part(folder, "transactions"), lambda rows: [{**row, "items": row["items"] * 2} for row in rows])


def missing_item(folder):
    change(part(folder, "transactions"), lambda rows: [{**rows[0], "items": [None]}, *rows[1:]])


def no_count(folder):
    change(part(folder, "sensitive"), lambda rows: [{**rows[0], "count": 0}, *rows[1:]])


def count_twice(folder):
    change(part(folder, "sensitive"), lambda rows: [rows[0], *rows])


def unordered_counts(folder):
    change(fullest(folder, "sensitive"), lambda rows: rows[::-1])


def count_far_away(folder):
    # So far below the others that the difference to them overflows, and looks like a step upwards.
    change(fullest(folder, "sensitive"), lambda rows: [*rows[:-1], {**rows[-1], "group": 3 - 2**63}])


def high_count(folder):
    change(part(folder, "sensitive"), lambda rows: [{**rows[0], "count": 2**61}, *rows[1:]])


def wrong_sizes(folder):
    def shifted(rows):
        one, other, *rest = rows
        return [
            {**one, "transactions": one["transactions"] + 1},
            {**other, "transactions": other["transactions"] - 1},
            *rest,
        ]

    change(part(folder, "groups"), shifted)


def twin(folder):
    secret = pq.read_table(part(folder, "sensitive")).column("item")[0].as_py()
    first = part(folder, "transactions")
    # In front of all labels, so that it stands in label order.
    change(first, lambda rows: [{**rows[0], "items": [f" {secret}", *rows[0]["items"]]}, *rows[1:]])


def split_count(folder):
    """Every count once more, under a name that reads the same; it stands behind the other in label order."""

    def again(rows):
        return [one for row in rows for one in (row, {**row, "item": row["item"] + "\u200b"})]

    for path in sorted((folder / "sensitive").iterdir()):
        change(path, again)


def unnamed(folder):
    change(part(folder, "transactions"), lambda rows: [{**rows[0], "items": ["", *rows[0]["items"]]}, *rows[1:]])


#: Forgeries that only Spark's own scan can see.
IN_ROWS = [extra_rows, high_count, twin, split_count, unnamed]
#: Forgeries that the same scans see, and those that the checks of single files see, which both engines share.
OTHERS = [
    unordered_items, count_far_away, wrong_sizes, renumbered, item_twice, unordered_counts,
    tagged, extra_part, extra_column, missing_item, no_count, count_twice,
]  # fmt: skip
FORGERIES = [*IN_ROWS, *OTHERS]
#: Forgeries that leave the rows as they are.
HIDDEN = [trailing_bytes, hidden_text]


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


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_a_forged_grouped_release_is_refused_by_both_engines(grouped, tmp_path, forge):
    folder = tmp_path / "forged"
    shutil.copytree(grouped, folder)
    forge(folder)
    sealed(folder)
    local, there = refused(folder)
    if forge in (twin, high_count, split_count):
        assert there == local


@pytest.mark.xfail(strict=True, reason="hidden bytes in Parquet files are not looked for yet")
@pytest.mark.parametrize("forge", HIDDEN, ids=lambda forge: forge.__name__)
def test_a_grouped_release_with_hidden_bytes_is_refused_by_both_engines(grouped, tmp_path, forge):
    folder = tmp_path / "forged"
    shutil.copytree(grouped, folder)
    forge(folder)
    sealed(folder)
    refused(folder)


def test_a_part_that_spark_wrote_itself_is_refused(spark, grouped, tmp_path):
    folder = tmp_path / "forged"
    shutil.copytree(grouped, folder)
    path = part(folder, "transactions")
    spark.read.parquet(path.as_uri()).coalesce(1).write.parquet((tmp_path / "mr").as_uri(), compression="zstd")
    shutil.copy(next((tmp_path / "mr").glob("part-*")), path)
    sealed(folder)
    for check in refused(folder):
        assert "parquet-mr" in check.detail


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


def test_a_changed_missing_or_foreign_part_is_noticed(grouped, tmp_path):
    for name in ("changed", "missing", "foreign"):
        folder = tmp_path / name
        shutil.copytree(grouped, folder)
        path = part(folder, "transactions")
        if name == "changed":
            path.write_bytes(path.read_bytes()[:-1] + b"x")
        elif name == "missing":
            path.unlink()
        else:
            (folder / "transactions" / "part-99999.parquet").write_bytes(b"x")
        local, there = refused(folder)
        assert there == local
        assert "transactions/part-" in there.detail


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
