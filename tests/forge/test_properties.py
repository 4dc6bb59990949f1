"""Whatever is changed in a release: it is refused, or it holds nothing but what covey reads from it."""

import contextlib
import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import covey
from covey.errors import CoveyError
from covey.release.store import save
from forge.tools import KINDS, Forged, write_parquet

#: Some of this data is so small that little can be kept of it.
pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.LittleKept")

NAMES = [
    "ann smith",
    "",
    " beer",
    "beer",
    "Beer",
    "viagra",
    "\u200bbeer",
    "a|b",
    "50%",
    "x" * 300,
    "[20-30]",
    "*",
]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**63 - 1, -(2**63), 10**30]),
    st.floats(),
    st.sampled_from(NAMES),
)
JSON = st.recursive(
    SCALARS.filter(lambda value: not isinstance(value, float) or (value == value and abs(value) < 1e308)),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*NAMES, "p", "scale"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def other_values(draw, rows):
    """One cell, or a few, of a column with another value; of the old type if that is possible."""
    name = draw(st.sampled_from(rows.column_names))
    values, old = rows[name].to_pylist(), rows.schema.field(name).type
    for _ in range(draw(st.integers(1, 3))):
        if values:
            place = draw(st.integers(0, len(values) - 1))
            value = draw(SCALARS | st.sampled_from(values))
            longer = isinstance(values[place], list) and draw(st.booleans())
            values[place] = [*values[place], value] if longer else value
    try:
        column = pa.array(values, old)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        column = pa.array([None if value is None else str(value) for value in values])
    return rows.set_column(rows.column_names.index(name), name, column)


def other_rows(draw, rows):
    """Rows swapped, doubled, left out or shuffled."""
    order = list(range(len(rows)))
    for _ in range(draw(st.integers(1, 3))):
        at, to = (draw(st.integers(0, max(len(order) - 1, 0))) for _ in range(2))
        way = draw(st.sampled_from(["swap", "double", "drop", "move"]))
        if way == "swap" and order:
            order[at], order[to] = order[to], order[at]
        elif way == "double" and order:
            order.insert(to, order[at])
        elif order:
            row = order.pop(at)
            if way == "move":
                order.insert(to, row)
    return rows.take(pa.array(order, pa.int64()))


def other_columns(draw, rows):
    """A column more, fewer, doubled, renamed or moved."""
    name = draw(st.sampled_from(rows.column_names))
    way = draw(st.sampled_from(["add", "drop", "rename", "reverse", "double"]))
    if way == "add":
        values = draw(st.lists(SCALARS, min_size=len(rows), max_size=len(rows)).map(lambda v: [str(x) for x in v]))
        return rows.append_column(draw(st.sampled_from(NAMES)), pa.array(values))
    if way == "rename":
        return rows.rename_columns([draw(st.sampled_from(NAMES)) if c == name else c for c in rows.column_names])
    if way == "double":
        return rows.append_column(name, rows[name])
    kept = [column for column in rows.column_names if column != name] if way == "drop" else rows.column_names[::-1]
    return rows.select(kept)


def other_types(draw, rows):
    """A column of another type, with the same values where they fit."""
    name = draw(st.sampled_from(rows.column_names))
    type = draw(
        st.sampled_from([pa.int32(), pa.int64(), pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.bool_()])
    )
    try:
        column = rows[name].cast(type)
    except (pa.ArrowException, NotImplementedError):
        column = pa.nulls(len(rows), type)
    return rows.set_column(rows.column_names.index(name), name, column)


def other_notes(draw, rows):
    """Metadata on the table and its columns."""
    note = {"who": draw(st.sampled_from(NAMES))}
    fields = [field.with_metadata({**note, "PARQUET:field_id": "7"}) for field in rows.schema]
    return rows.cast(pa.schema(fields, metadata=note))


WAYS = [other_values, other_rows, other_columns, other_types, other_notes]
OPTIONS = st.sampled_from([{}, {}, {}, {"store_schema": True}, {"write_page_index": True}, {"row_group_size": 7}])


def count_again(release):
    """State the counts of what is there now, if that can be read at all."""
    with contextlib.suppress(CoveyError):
        release.seal(counts=covey.read_release(release.path).counts())


def holds_nothing_else(release, folder):
    """Require that writing what was read gives the same files, CSV byte by byte, and the same manifest.

    The bytes of Parquet may differ, as two orders of a dictionary will do; its form is looked at in test_parquet.
    """
    folder.mkdir()
    save(covey.read_release(release.path), folder, csv=release.csv)
    again = Forged(folder, None, kind=release.kind)
    for name in again.manifest["files"]:
        old, new = release.path / name, folder / name
        if name.endswith(".parquet"):
            assert pq.read_table(old).equals(pq.read_table(new), check_metadata=True), name
            assert pq.read_schema(old).equals(pq.read_schema(new), check_metadata=True), name
        else:
            assert old.read_bytes() == new.read_bytes(), name
    stated = {**again.manifest, "covey": release.manifest["covey"]}
    found = release.manifest
    for body in (stated, found):
        body.pop("digest")
        body["files"] = sorted(body["files"])
    assert stated == found


few = settings(
    max_examples=settings.default.max_examples // 2,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def place(tmp_path, honest):
    """Copies of an honest release, one for each example."""
    count = iter(range(10**6))

    def take(kind, csv=False):
        folder = tmp_path / str(next(count))
        release = honest(kind, csv)
        shutil.copytree(release.path, folder)
        return Forged(folder, release.original, release.taxonomy, kind), folder.with_name(f"{folder.name}-again")

    return take


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_changed_tables(place, kind, data):
    release, folder = place(kind)
    tables = [name.removesuffix(".parquet") for name in release.manifest["files"] if name.endswith(".parquet")]
    table = data.draw(st.sampled_from(tables))
    way = data.draw(st.sampled_from(WAYS))
    options = data.draw(OPTIONS)
    write_parquet(release.file(table), way(data.draw, release.rows(table)), **options)
    count_again(release.seal())
    if covey.verify(release.path).holds:
        holds_nothing_else(release, folder)
    else:
        assert not covey.verify(release.path, release.original, taxonomy=release.taxonomy).holds


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_changed_manifests(place, kind, data):
    release, folder = place(kind)
    body = release.manifest
    if data.draw(st.booleans()):
        body[data.draw(st.sampled_from([*body, *NAMES]))] = data.draw(JSON)
    else:
        entry = data.draw(st.sampled_from(["options", "counts", "facts", "files"]))
        body[entry][data.draw(st.sampled_from([*body[entry], *NAMES]))] = data.draw(JSON)
    release.write_manifest(body)
    try:
        holds = covey.verify(release.path).holds
    except CoveyError:  # it is no release of a known format any more
        holds = False
    if holds:
        holds_nothing_else(release, folder)


@pytest.mark.parametrize("kind", KINDS)
@few
@given(data=st.data())
def test_changed_bytes_of_csv(place, kind, data):
    release, folder = place(kind, csv=True)
    name = data.draw(st.sampled_from(sorted(release.manifest["files"])))
    text = (release.path / name).read_bytes()
    at = data.draw(st.integers(0, len(text)))
    gone = data.draw(st.integers(0, 3))
    added = data.draw(
        st.sampled_from([b"", b" ", b"0", b"+", b",", b'"', b"\n", b"\r", b"|", b"%41", b"\xff", b"ann smith"])
    )
    (release.path / name).write_bytes(text[:at] + added + text[at + gone :])
    count_again(release.seal())
    if covey.verify(release.path).holds:
        holds_nothing_else(release, folder)


def original_of(kind, size, seed):
    """Random data of a kind; few values, so that rows are alike, or many."""
    drawn = random.Random(seed)
    if kind == "table":
        return covey.Table.of(
            {
                "age": [drawn.choice([None, *range(drawn.choice([2, 40]))]) for _ in range(size)],
                "city": [drawn.choice(["Bonn", "Köln", "Ulm", None]) for _ in range(size)],
                "illness": [drawn.choice(["flu", "gout", "none"]) for _ in range(size)],
                "note": [drawn.choice(['a"b', "c,d", None, "e\nf"]) for _ in range(size)],
            },
            sensitive=["illness"],
            other=["note"],
        )
    if kind == "ratings":
        rows = [[drawn.choice([None, -1, -0.5, 0, 0.5]) for _ in range(4)] for _ in range(size)]
        return covey.Ratings.of(rows, issues=["a", "b", "c", "s"], scale="-1:0.5:0.5", sensitive=["s"])
    items = [f"i{n}" for n in range(drawn.choice([3, 9, 30]))]
    share = drawn.choice([0.1, 0.4])
    rows = [[item for item in items if drawn.random() < share] for _ in range(size)]
    secret = kind == "marked"
    for row in rows[:: max(size // 8, 1)] if secret else []:
        row.append(drawn.choice(["s1", "s2"]))
    rows[0].append("i0")
    return covey.Baskets.of(map(set, rows), sensitive=[s for s in ("s1", "s2") if any(s in r for r in rows)])


PROMISES = {
    "degree": ("marked", "degree(p=2)"),
    "k-anonymity": ("baskets", "k-anonymity(k=2)"),
    "km-anonymity": ("baskets", "km-anonymity(k=2, m=2)"),
    "coherence": ("marked", "coherence(h=0.8, k=2, p=2)"),
    "l-diversity": ("table", "l-diversity(l=2, k=2, kind=distinct)"),
    "k-eps-l": ("ratings", "k-eps-l(k=2, epsilon=0.5, l=0.1)"),
}
PAIRS = [(entry.name, entry.data, name) for entry in covey.methods() for name in entry.guarantees if name in PROMISES]


def publish_and_verify(method, kind, promise, folder, *, size, seed, csv):
    """Make a release of random data and verify it; False when there is none that keeps the promise."""
    data_kind, text = (
        ("table", "k-anonymity(k=2)") if (kind, promise) == ("table", "k-anonymity") else PROMISES[promise]
    )
    data = original_of(data_kind, size, seed)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        covey.publish(data, folder, text, method, csv=csv, seed=seed)
    except covey.Infeasible:
        return False
    verdict = covey.verify(folder, data)
    assert verdict.holds, verdict.failures()
    assert covey.verify(folder).holds
    return True


@pytest.mark.parametrize(("method", "kind", "promise"), PAIRS)
def test_honest_releases_are_accepted(tmp_path, method, kind, promise):
    made = sum(
        publish_and_verify(method, kind, promise, tmp_path / "out", size=size, seed=size, csv=bool(size % 2))
        for size in (5, 8, 21, 40, 95)
    )
    assert made >= 3
