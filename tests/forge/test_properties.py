"""Whatever is changed in a release: it is refused, or it holds nothing but what covey reads from it."""

import contextlib
import shutil

import pyarrow as pa
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
    """Require that writing what was read gives the same files, byte by byte, and the same manifest."""
    folder.mkdir()
    save(covey.read_release(release.path), folder, csv=release.csv)
    again, found = Forged(folder, None, kind=release.kind).manifest, release.manifest
    for name in again["files"]:
        assert (release.path / name).read_bytes() == (folder / name).read_bytes(), name
    changed = {name for name in {*again, *found} if again.get(name) != found.get(name)}
    assert changed <= {"covey", "digest"}


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
