"""Parquet files that hold more than their rows, or are no Parquet at all."""

import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.release.item_columns import item_batches
from covey.release.tables import write_table
from forge.parquet_files import I32, I64, LIST, STRUCT, TEXT, ParquetFile
from forge.tools import KINDS, accepted, column, refused

NAME = b"ann smith"


def taken_apart(release, table=None):
    return ParquetFile(release.file(table or release.main).read_bytes())


def put_back(release, data, table=None):
    """Seal the release with another content of a file, which readers still read as the same rows."""
    path = release.file(table or release.main)
    honest = pq.read_table(path)
    path.write_bytes(data.to_bytes())
    assert pq.read_table(path).equals(honest)
    return release.seal()


@pytest.mark.parametrize("kind", KINDS)
def test_taking_apart_and_putting_together_changes_nothing(forge, kind):
    release = forge(kind)
    path = release.file(release.main)
    assert taken_apart(release).to_bytes() == path.read_bytes()
    accepted(release)


@pytest.mark.parametrize("kind", KINDS)
def test_no_notes(forge, kind):
    release = forge(kind)
    file = taken_apart(release)
    file.footer[5] = (LIST, (STRUCT, [{1: (TEXT, b"who"), 2: (TEXT, NAME)}]))
    refused(put_back(release, file), "it carries metadata")
    release = forge(kind)
    rows = release.rows(release.main)
    numbered = rows.schema.field(0).with_metadata({b"PARQUET:field_id": b"49761234"})
    rows = rows.cast(pa.schema([numbered, *list(rows.schema)[1:]]))
    refused(release.replace(release.main, rows, use_dictionary=True))


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_stands_behind_the_file(forge, kind):
    release = forge(kind)
    path = release.file(release.main)
    for hidden in (NAME, NAME + b"PAR1"):
        path.write_bytes(path.read_bytes() + hidden)
        refused(release.seal())


@pytest.mark.parametrize(
    "writer",
    [
        b"",
        NAME,
        b"parquet-cpp-arrow version 26.0.1 by ann",
        b"parquet-cpp-arrow version 26.0.1-ANN",
        b"parquet-cpp-arrow version 497.612.345",
        b"parquet-cpp-arrow version 25.1.0",
        b"parquet-mr version 1.13.1",
    ],
)
def test_the_writer_is_the_stated_one(forge, writer):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[6] = (TEXT, writer)
    refused(put_back(release, file), "the form in which covey writes it")


def test_the_schema_of_arrow_is_not_stored(forge):
    release = forge("suppressed")
    refused(release.replace(release.main, release.rows(release.main), store_schema=True), "it carries metadata")


def test_lists_have_no_names_of_their_own(forge):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[2][1][1][3][4] = (TEXT, NAME)
    file.meta(file.row_groups()[0], 0)[3][1][1][2] = NAME
    release.file(release.main).write_bytes(file.to_bytes())
    refused(release.seal(), "is not as covey writes it")


OPTIONS = {
    "no compression": {"compression": "none"},
    "another compression": {"compression": "snappy"},
    "an index of pages": {"write_page_index": True},
    "pages of another version": {"data_page_version": "2.0"},
    "an order of rows": {"sorting_columns": [pq.SortingColumn(0)]},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_files_are_written_in_one_way(forge, options):
    release = forge("suppressed")
    refused(release.replace(release.main, release.rows(release.main), **options))


@pytest.mark.parametrize("place", ["between", "before_footer", "ahead"])
def test_every_byte_belongs_to_a_column(forge, place):
    release = forge("suppressed")
    file = taken_apart(release)
    setattr(file, place, NAME)
    refused(put_back(release, file))


def _meta(file):
    return file.meta(file.row_groups()[0], 0)


def _page(file):
    return file.pages[0][0][-1][0]


#: A structure of the file, the number of a field in it, and what is written there.
FIELDS = {
    "an unknown field of the footer": (lambda file: file.footer, 90, (TEXT, NAME)),
    "an unknown field of a page": (_page, 90, (TEXT, NAME)),
    "a place elsewhere": (lambda file: file.row_groups()[0][1][1][1][0], 2, (I64, 497612345)),
    "the greatest value of a column": (lambda file: _meta(file)[12][1], 5, (TEXT, NAME)),
    "a list of encodings": (_meta, 2, (LIST, (I32, [0, 3, 8, 8, 3, 0, 3]))),
    "a bloom filter": (_meta, 14, (I64, 4)),
    "the version": (lambda file: file.footer, 1, (I32, 49761)),
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
def test_fields_say_what_is_so(forge, field):
    (structure, number, value), release = field, forge("suppressed")
    file = taken_apart(release)
    structure(file)[number] = value
    refused(put_back(release, file))


def _longer_dictionary(file):
    header = file.pages[0][0][0][0]
    header[7][1][1] = (I32, header[7][1][1][1] + 1)
    file.set_body(0, 0, 0, file.body(0, 0, 0) + struct.pack("<I", 9) + NAME)


def _longer_page(file):
    file.set_body(0, 0, -1, file.body(0, 0, -1) + NAME)


def _skipped_frame(file):
    frame = b"\x50\x2a\x4d\x18" + struct.pack("<I", 9) + NAME  # Zstandard passes over it
    file.set_body(0, 0, -1, file.body(0, 0, -1), frame)


PAGES = {
    "a value that no row has": _longer_dictionary,
    "bytes behind the values": _longer_page,
    "a frame behind the values": _skipped_frame,
}


@pytest.mark.parametrize("change", PAGES.values(), ids=PAGES)
def test_pages_hold_values_only(forge, change):
    release = forge("suppressed")
    file = taken_apart(release)
    change(file)
    refused(put_back(release, file))


def test_dictionaries_do_not_keep_the_order_in_which_items_first_appeared(forge):
    release = forge("suppressed")
    rows = release.rows(release.main)
    items = sorted({item for row in rows["items"].to_pylist() for item in row}, key=lambda item: item[::-1])
    lists = rows["items"].combine_chunks()
    codes = pa.array([items.index(item) for item in lists.flatten().to_pylist()], pa.int32())
    coded = pa.ListArray.from_arrays(lists.offsets, pa.DictionaryArray.from_arrays(codes, items))
    refused(release.replace(release.main, pa.table({"items": coded}), use_dictionary=True))


def test_a_bit_changed_anywhere_is_refused_or_changes_a_row(forge):
    release = forge("suppressed")
    path = release.file(release.main)
    honest, rows = path.read_bytes(), release.rows(release.main)
    for at in range(len(honest)):
        path.write_bytes(honest[:at] + bytes([honest[at] ^ 1 << at % 8]) + honest[at + 1 :])
        if covey.verify(release.seal().path).holds:
            assert not release.rows(release.main).equals(rows), at


@pytest.mark.parametrize("rows", [2**31, 2**62, -1, 0, 3])
def test_absurd_numbers_of_rows(forge, rows):
    for everywhere in (False, True):
        release = forge("suppressed")
        file = taken_apart(release)
        file.footer[3] = (I64, rows)
        if everywhere:
            file.row_groups()[0][3] = (I64, rows)
            file.meta(file.row_groups()[0], 0)[5] = (I64, rows)
            file.pages[0][0][-1][0][5][1][1] = (I32, min(rows, 2**31 - 1))
        release.file(release.main).write_bytes(file.to_bytes())
        refused(release.seal())


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files(forge, kind):
    release = forge(kind)
    path = release.file(release.main)
    honest = path.read_bytes()
    cut = [honest[:n] for n in (0, 3, 4, 8, 11, 12, len(honest) // 2, len(honest) - 1)]
    garbage = [
        b"PAR1" * 3,
        b"PAR1" + bytes(range(256)) + b"PAR1",
        bytes(300),
        honest[::-1],
        b"PAR1\xff\xff\xff\xffPAR1",
    ]
    for data in [*cut, *garbage]:
        path.write_bytes(data)
        refused(release.seal())


@pytest.mark.parametrize("kind", ["suppressed", "table", "ratings", "grouped"])
def test_rows_are_cut_into_row_groups_in_one_way(forge, kind):
    release = forge(kind)
    refused(release.replace(release.main, release.rows(release.main), row_group_size=17))


def test_bytes_do_not_depend_on_how_a_table_comes_in_pieces(forge):
    release = forge("suppressed")
    sets = covey.read_release(release.path).transactions
    with release.file("sets").open("wb") as sink:
        pieces = (batch.slice(at, 4) for batch in item_batches(sets) for at in range(0, batch.num_rows, 4))
        write_table(pieces, sink, csv=False)
    accepted(release.seal())


def test_a_table_of_many_different_texts(tmp_path):
    data = covey.Table.of(
        {"age": [str(i % 3) for i in range(9000)], "note": [f"{i:0200}" for i in range(9000)]}, other=["note"]
    )
    covey.publish(data, tmp_path / "out", "k-anonymity(k=2)", "mondrian", seed=1)
    file = ParquetFile((tmp_path / "out" / "table.parquet").read_bytes())
    assert len(file.pages[0][1]) > 2  # its dictionary ran full
    assert covey.verify(tmp_path / "out").holds


def test_columns_of_numbers_are_whole_columns(forge):
    release = forge("grouped")
    rows = release.rows("transactions")
    refused(release.replace("transactions", column(rows, "group", rows["group"].cast(pa.timestamp("us")))))
