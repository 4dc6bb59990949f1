"""Parquet files that hold more than their rows, or are no Parquet at all."""

import io
import struct
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from forge.parquet_files import BOOL, I16, I32, I64, LIST, STRUCT, TEXT, ParquetFile
from forge.tools import KINDS, LATER, Forged, accepted, column, refused, write_parquet

NAME = b"ann smith"


def taken_apart(release, table=None):
    return ParquetFile(release.file(table or release.main).read_bytes())


def put_back(release, data, table=None):
    """Seal the release with another content of a file, which readers still read as the same rows."""
    path = release.file(table or release.main)
    honest = pq.read_table(path)
    path.write_bytes(data.to_bytes() if isinstance(data, ParquetFile) else data)
    assert pq.read_table(path).equals(honest)
    return release.seal()


def index_of(file, name, group=0):
    """The place of a column whose path begins with a name."""
    count = len(file.pages[group])
    return next(c for c in range(count) if file.meta(file.row_groups()[group], c)[3][1][1][0] == name)


@pytest.mark.parametrize("kind", [*KINDS, *LATER])
def test_taking_apart_and_putting_together_changes_nothing(forge, kind):
    release = forge(kind)
    path = release.file(release.main)
    assert taken_apart(release).to_bytes() == path.read_bytes()
    accepted(release)


@pytest.mark.parametrize("kind", [*KINDS, *LATER])
def test_no_notes(forge, kind):
    release = forge(kind)
    file = taken_apart(release)
    file.footer[5] = (LIST, (STRUCT, [{1: (TEXT, b"who"), 2: (TEXT, NAME)}]))
    refused(put_back(release, file), "it carries metadata")
    release = forge(kind)
    rows = release.rows(release.main)
    numbered = rows.schema.field(0).with_metadata({b"PARQUET:field_id": b"49761234"})
    refused(release.replace(release.main, rows.cast(pa.schema([numbered, *list(rows.schema)[1:]]))))


OPTIONS = {
    "the schema of Arrow": {"store_schema": True},
    "no compression": {"compression": "none"},
    "another compression": {"compression": "snappy"},
    "an index of pages": {"write_page_index": True},
    "checksums": {"write_page_checksum": True},
    "pages of another version": {"data_page_version": "2.0"},
    "an old version": {"version": "1.0"},
    "another way to write texts": {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"},
    "an order of rows": {"sorting_columns": [pq.SortingColumn(0)]},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_files_are_written_in_one_way(forge, options):
    release = forge("suppressed")
    refused(release.replace(release.main, release.rows(release.main), **options), "is not as covey writes it")


PLACES = ["between", "before_footer", "behind", "ahead"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", [*KINDS, *LATER])
def test_every_byte_belongs_to_a_column(forge, kind, place):
    release = forge(kind)
    file = taken_apart(release)
    setattr(file, place, NAME + (b"PAR1" if place == "behind" else b""))
    release.file(release.main).write_bytes(file.to_bytes())
    refused(release.seal())


def test_nothing_is_hung_on(forge):
    release = forge("suppressed")
    honest = release.file(release.main).read_bytes()
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("original.csv", NAME)
    other = io.BytesIO()
    write_parquet(other, pa.table({"who": [NAME.decode()]}))
    for data in (
        honest + archive.getvalue(),
        archive.getvalue() + honest,
        other.getvalue() + honest,
        honest + honest,
    ):
        release.file(release.main).write_bytes(data)
        refused(release.seal())


@pytest.mark.parametrize(
    "writer",
    [
        b"",
        NAME,
        b"parquet-cpp-arrow version 26.0.1 by ann",
        b"parquet-cpp-arrow version 26.0.1-ANN",
        b"parquet-cpp-arrow version 497.612.345",
        b"parquet-mr version 1.13.1",
    ],
)
def test_the_writer_is_arrow(forge, writer):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[6] = (TEXT, writer)
    refused(put_back(release, file), "it was written by")


def test_row_groups_may_be_numbered_as_early_versions_do(forge):
    release = forge("suppressed")
    file = taken_apart(release)
    file.row_groups()[0][7] = (I16, 0)
    accepted(put_back(release, file))
    for wrong in ((I16, 1), (I16, -1), (I32, 0), (TEXT, NAME)):
        file.row_groups()[0][7] = wrong
        refused(put_back(release, file), "a row group")


@pytest.mark.parametrize(("version", "holds"), [(b"17.0.0", True), (b"18.0.0", False)])
def test_early_versions_tell_where_a_column_ends(forge, version, holds):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[6] = (TEXT, b"parquet-cpp-arrow version " + version)
    columns = file.row_groups()[0][1][1][1]
    size = file.meta(file.row_groups()[0], 0)[7][1]
    columns[0][2] = (I64, 4 + size)
    if holds:
        accepted(put_back(release, file))
    else:
        refused(put_back(release, file), "the place of a column")
    columns[0][2] = (I64, 5 + size)
    refused(put_back(release, file), "the place of a column")


@pytest.mark.parametrize("version", [b"25.1.0", b"18.0.0-SNAPSHOT"])  # some published builds name themselves so
def test_another_version_of_arrow_will_do(forge, version):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[6] = (TEXT, b"parquet-cpp-arrow version " + version)
    accepted(put_back(release, file))


FIELDS = {
    "footer": lambda file: file.footer,
    "schema": lambda file: file.footer[2][1][1][0],
    "column of the schema": lambda file: file.footer[2][1][1][1],
    "row group": lambda file: file.row_groups()[0],
    "column": lambda file: file.row_groups()[0][1][1][1][0],
    "metadata": lambda file: file.meta(file.row_groups()[0], 0),
    "statistics": lambda file: file.meta(file.row_groups()[0], 0)[12][1],
    "page": lambda file: file.pages[0][0][-1][0],
    "data page": lambda file: file.pages[0][0][-1][0][5][1],
    "statistics of a page": lambda file: file.pages[0][0][-1][0][5][1][5][1],
    "dictionary": lambda file: file.pages[0][0][0][0][7][1],
}


@pytest.mark.parametrize("field", FIELDS.values(), ids=FIELDS)
@pytest.mark.parametrize("kind", ["suppressed", "ratings"])
def test_no_structure_has_unknown_fields(forge, kind, field):
    for number in (19, 90):
        release = forge(kind)
        file = taken_apart(release)
        field(file)[number] = (TEXT, NAME)
        refused(put_back(release, file))


KNOWN = {
    "notes on a column": (lambda file: file.meta(file.row_groups()[0], 0), 8, (LIST, (STRUCT, [{1: (TEXT, NAME)}]))),
    "a file elsewhere": (lambda file: file.row_groups()[0][1][1][1][0], 2, (I64, 497612345)),
    "a number of a row group": (lambda file: file.row_groups()[0], 7, (5, 49761)),
    "how many differ": (lambda file: file.meta(file.row_groups()[0], 0)[12][1], 4, (I64, 497612345)),
    "how many are missing": (lambda file: file.meta(file.row_groups()[0], 0)[12][1], 3, (I64, 497612345)),
    "how many are missing in a page": (lambda file: file.pages[0][0][-1][0][5][1][5][1], 3, (I64, 497612345)),
    "inexact": (lambda file: file.meta(file.row_groups()[0], 0)[12][1], 7, (BOOL, False)),
    "order of columns": (lambda file: file.footer, 7, (LIST, (STRUCT, [{2: (STRUCT, {})}]))),
    "encodings": (lambda file: file.meta(file.row_groups()[0], 0), 2, (LIST, (I32, [0, 3, 8, 8, 3, 0, 3]))),
    "pages": (
        lambda file: file.meta(file.row_groups()[0], 0),
        13,
        (LIST, (STRUCT, [{1: (I32, 2), 2: (I32, 0), 3: (I32, 99)}])),
    ),
    "sizes": (lambda file: file.meta(file.row_groups()[0], 0), 16, (STRUCT, {1: (I64, 497612345)})),
    "levels": (lambda file: file.meta(file.row_groups()[0], 0), 16, (STRUCT, {3: (LIST, (I64, [4, 9, 7]))})),
    "a bloom filter": (lambda file: file.meta(file.row_groups()[0], 0), 14, (I64, 4)),
    "name of the root": (lambda file: file.footer[2][1][1][0], 4, (TEXT, NAME)),
    "version": (lambda file: file.footer, 1, (I32, 49761)),
}  # fmt: skip


@pytest.mark.parametrize("known", KNOWN.values(), ids=KNOWN)
@pytest.mark.parametrize("kind", ["suppressed", "ratings"])
def test_known_fields_say_what_is_so(forge, kind, known):
    release, (place, number, value) = forge(kind), known
    file = taken_apart(release)
    place(file)[number] = value
    release.file(release.main).write_bytes(file.to_bytes())
    refused(release.seal())


def test_lists_have_no_names_of_their_own(forge):
    release = forge("suppressed")
    file = taken_apart(release)
    file.footer[2][1][1][3][4] = (TEXT, NAME)
    file.meta(file.row_groups()[0], 0)[3][1][1][2] = NAME
    release.file(release.main).write_bytes(file.to_bytes())
    refused(release.seal(), "is not as covey writes it")


@pytest.mark.parametrize("number", [5, 6])
@pytest.mark.parametrize("whole", [True, False], ids=["column", "page"])
@pytest.mark.parametrize(
    ("kind", "name"),
    [("suppressed", b"items"), ("grouped", b"group"), ("table", b"city"), ("ratings", b"rating")],
)
def test_statistics_name_what_is_there(forge, kind, name, whole, number):
    release = forge(kind)
    file = taken_apart(release)
    place = index_of(file, name)
    meta = file.meta(file.row_groups()[0], place)
    statistics = (meta if whole else file.pages[0][place][-1][0][5][1])[12 if whole else 5][1]
    false = {2: struct.pack("<q", 10**15), 5: struct.pack("<d", 2.25), 6: NAME}[meta[1][1]]
    statistics[number] = (TEXT, false)
    refused(put_back(release, file), "is not as covey writes it")


def longer_dictionary(file, place, value):
    """The same rows with one value more in the dictionary."""
    header = file.pages[0][place][0][0]
    header[7][1][1] = (I32, header[7][1][1][1] + 1)
    file.set_body(0, place, 0, file.body(0, place, 0) + value)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("suppressed", b"items", struct.pack("<I", 9) + NAME),
        ("table", b"illness", struct.pack("<I", 9) + NAME),
        ("grouped", b"group", NAME[:8]),
        ("ratings", b"rating", NAME[:8]),
        ("ratings", b"issue", struct.pack("<I", 5) + b"films"),
    ],
)
def test_dictionaries_list_what_rows_have(forge, kind, name, value):
    release = forge(kind)
    file = taken_apart(release)
    longer_dictionary(file, index_of(file, name), value)
    refused(put_back(release, file), "a dictionary lists")


@pytest.mark.parametrize("page", [0, -1], ids=["dictionary", "data"])
@pytest.mark.parametrize("kind", ["suppressed", "grouped", "ratings"])
def test_pages_end_with_their_last_value(forge, kind, page):
    release = forge(kind)
    for place in range(len(taken_apart(release).pages[0])):
        for hidden in (NAME, struct.pack("<I", 9) + NAME, b"\x13" + NAME, b"\0"):
            file = taken_apart(release)
            file.set_body(0, place, page, file.body(0, place, page) + hidden)
            refused(put_back(release, file), "belong to no value")


def skippable(data):
    return b"\x50\x2a\x4d\x18" + struct.pack("<I", len(data)) + data


@pytest.mark.parametrize("page", [0, -1], ids=["dictionary", "data"])
@pytest.mark.parametrize(
    "behind", [skippable(NAME), pa.Codec("zstd").compress(b"", asbytes=True) * 3], ids=["skipped", "empty"]
)
def test_pages_are_packed_once(forge, page, behind):
    release = forge("suppressed")
    file = taken_apart(release)
    file.set_body(0, 0, page, file.body(0, 0, page), behind)
    refused(put_back(release, file), "a page holds bytes that belong to no value")
    file = taken_apart(forge("suppressed"))
    header, packed = file.pages[0][0][page]
    file.pages[0][0][page] = [{**header, 3: (I32, len(behind + packed))}, behind + packed]
    refused(put_back(release, file), "a page holds bytes that belong to no value")


def frame(*blocks, head=b"\x20", size=0):
    """A frame of Zstandard from its blocks, each with its kind, its size and what stands in it."""
    out = b"\x28\xb5\x2f\xfd" + head + size.to_bytes(1, "little")
    for number, (kind, length, body) in enumerate(blocks, 1):
        out += (length << 3 | kind << 1 | (number == len(blocks))).to_bytes(3, "little") + body
    return out


def repacked(release, file, place, page, packed):
    """Seal the release with a page packed in another way."""
    header = file.pages[0][place][page][0]
    file.pages[0][place][page] = [{**header, 3: (I32, len(packed))}, packed]
    return put_back(release, file)


RAW, REPEATED, PACKED = 0, 1, 2
NOTHING = {
    "repeated": [(REPEATED, 0, NAME[i : i + 1]) for i in range(9)],
    "as they are": [(RAW, 0, b"")] * 9,
    "packed": [(PACKED, 3, bytes([1, letter, 0])) for letter in NAME],
}


@pytest.mark.parametrize("blocks", NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("page", [0, -1], ids=["dictionary", "data"])
def test_every_block_of_a_page_has_content(forge, page, blocks):
    release = forge("suppressed")
    file = taken_apart(release)
    body = file.body(0, 0, page)
    assert len(body) < 256
    accepted(repacked(release, file, 0, page, frame((RAW, len(body), body), size=len(body))))
    packed = frame(*blocks, (RAW, len(body), body), size=len(body))
    refused(repacked(release, file, 0, page, packed), "a page holds bytes that belong to no value")
    # Nor is a content cut into more blocks than it needs.
    packed = frame(*[(RAW, 1, body[i : i + 1]) for i in range(len(body))], size=len(body))
    refused(repacked(release, file, 0, page, packed), "a page holds bytes that belong to no value")


HEADS = {
    "a longer size": lambda size: b"\xa0" + size.to_bytes(4, "little"),
    "a dictionary": lambda size: b"\x23" + bytes(4) + size.to_bytes(1, "little"),
    "a window": lambda size: b"\x80" + bytes([7 << 3]) + size.to_bytes(4, "little"),
    "an odd window": lambda size: b"\x80" + bytes([9 << 3 | 5]) + size.to_bytes(4, "little"),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_frames_begin_in_one_way(forge, head):
    release = forge("suppressed")
    file = taken_apart(release)
    body = file.body(0, 0, 0)
    packed = b"\x28\xb5\x2f\xfd" + head(len(body)) + (len(body) << 3 | 1).to_bytes(3, "little") + body
    refused(repacked(release, file, 0, 0, packed), "a page holds bytes that belong to no value")


UNNEEDED = {
    "text": frame((RAW, len(NAME), NAME), size=len(NAME)),
    "text that is not counted": frame((RAW, len(NAME), NAME)),
    "a letter": frame((REPEATED, 0, NAME[:1])),
    "nothing": frame((RAW, 0, b"")),
}


@pytest.mark.parametrize("packed", UNNEEDED.values(), ids=UNNEEDED)
def test_a_dictionary_that_no_page_needs(forge, packed):
    release = forge("grouped")
    release.replace("transactions", release.rows("transactions"), use_dictionary=False)
    accepted(release)
    file = taken_apart(release, "transactions")
    place = index_of(file, b"items")
    head = {1: (I32, 2), 2: (I32, 0), 3: (I32, len(packed)), 7: (STRUCT, {1: (I32, 0), 2: (I32, 0), 3: (BOOL, False)})}
    file.pages[0][place].insert(0, [head, packed])
    file.meta(file.row_groups()[0], place).pop(13, None)
    why = "that no page needs" if packed == UNNEEDED["nothing"] else "belong to no value"
    refused(put_back(release, file, "transactions"), why)


def test_streams_of_codes_begin_with_the_first_that_is_needed(tmp_path):
    """Decompressors read them from their end, and do not mind what is left in front."""
    noted = [f"{i * 7919 % 9973:04} {i * i % 9967:04}" for i in range(3000)]
    data = covey.Table.of({"age": [str(i % 3) for i in range(3000)], "note": noted}, other=["note"])
    covey.publish(data, tmp_path / "out", "k-anonymity(k=2)", "mondrian", seed=1)
    release = Forged(tmp_path / "out", data, kind="table")
    file = taken_apart(release)
    place = index_of(file, b"note")
    packed = file.pages[0][place][0][1]
    for stream in range(4):
        for hidden in (NAME, NAME * 50, b"\0"):
            file = taken_apart(release)
            forged = with_bytes_in_front(packed, stream, hidden)
            refused(repacked(release, file, place, 0, forged), "a page holds bytes that belong to no value")
            repacked(release, file, place, 0, packed)
    accepted(release)


def with_bytes_in_front(packed, stream, hidden):
    """The frame with bytes in front of one of the four streams of Huffman codes of its first block."""
    out = bytearray(packed)
    begin = 5 + (1, 2, 4)[out[4] >> 6]
    assert out[4] & 0x3F == 0x20
    assert out[begin] >> 1 & 3 == PACKED
    kind, form = out[begin + 3] & 3, out[begin + 3] >> 2 & 3
    assert (kind, form > 0) == (2, True)
    length, bits = ((3, 10), (4, 14), (5, 18))[form - 1]
    streams = begin + 3 + length
    streams += 1 + (out[streams] if out[streams] < 128 else (out[streams] - 126) // 2)
    sizes = [int.from_bytes(out[streams + 2 * i : streams + 2 * i + 2], "little") for i in range(3)]
    if stream < 3:
        out[streams + 2 * stream : streams + 2 * stream + 2] = (sizes[stream] + len(hidden)).to_bytes(2, "little")
    place = streams + 6 + sum(sizes[:stream])
    out[place:place] = hidden
    for at, size, shift in ((begin + 3, length, 4 + bits), (begin, 3, 3)):
        told = int.from_bytes(out[at : at + size], "little") + (len(hidden) << shift)
        out[at : at + size] = told.to_bytes(size, "little")
    return bytes(out)


def test_every_page_has_values(forge):
    release = forge("grouped")
    file = taken_apart(release, "transactions")
    place = index_of(file, b"group")
    header = file.pages[0][place][-1][0]
    told = {1: (I32, 0), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)}
    body = frame((RAW, 4, bytes(4)), size=4)
    empty = [{**header, 2: (I32, 4), 3: (I32, len(body)), 5: (STRUCT, told)}, body]
    file.pages[0][place] += [empty] * 3
    file.meta(file.row_groups()[0], place).pop(13, None)
    refused(put_back(release, file, "transactions"), "a page has no values")


@pytest.mark.parametrize(
    ("wider", "head", "why"),
    [(9, b"\x02", "a page is written oddly"), (0, b"\x82\x80\0", "belong to no value"), (0, b"\x02", "")],
)
def test_codes_are_written_in_the_shortest_way(forge, wider, head, why):
    release = forge("ratings")
    file = taken_apart(release)
    place = index_of(file, b"record")
    body = file.body(0, place, -1)
    levels = 4 + struct.unpack("<I", body[:4])[0]
    width = body[levels] + wider
    values = release.rows("ratings")["record"].to_pylist()
    codes = [sorted(set(values)).index(value) for value in values]
    runs = b"".join(head + code.to_bytes((width + 7) // 8, "little") for code in codes)
    file.set_body(0, place, -1, body[:levels] + bytes([width]) + runs)
    if why:
        refused(put_back(release, file), why)
    else:
        accepted(put_back(release, file))


def test_runs_are_filled_up_with_nothing(forge):
    release = forge("ratings")
    file = taken_apart(release)
    place = index_of(file, b"record")
    body = bytearray(file.body(0, place, -1))
    levels = 4 + struct.unpack("<I", body[:4])[0]
    width, count = body[levels], file.pages[0][place][-1][0][5][1][1][1]
    values = release.rows("ratings")["record"].to_pylist()
    assert len(values) == count
    codes = [sorted(set(values)).index(value) for value in values] + [0] * (-count % 8)
    packed = sum(code << (width * i) for i, code in enumerate(codes)) | (1 << (width * len(codes) - 1))
    run = bytes([width]) + encoded_head(len(codes) // 8) + packed.to_bytes(width * len(codes) // 8, "little")
    assert count % 8
    file.set_body(0, place, -1, bytes(body[:levels]) + run)
    refused(put_back(release, file), "belong to no value")


def encoded_head(groups):
    number, out = groups << 1 | 1, b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


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


@pytest.mark.parametrize("kind", [*KINDS, *LATER])
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


def test_a_bit_changed_anywhere_is_refused_or_changes_a_row(forge):
    """Or the version of Arrow, of which any will do."""
    release = forge("suppressed")
    path = release.file(release.main)
    honest, rows = path.read_bytes(), release.rows(release.main)
    pa_version = pq.read_metadata(path).created_by
    for at in range(len(honest)):
        path.write_bytes(honest[:at] + bytes([honest[at] ^ 1 << at % 8]) + honest[at + 1 :])
        if covey.verify(release.seal().path).holds:
            same_writer = pq.read_metadata(path).created_by == pa_version
            assert not (same_writer and release.rows(release.main).equals(rows)), at


def test_rows_may_stand_in_several_row_groups(forge):
    for kind in ("suppressed", "table", "ratings", "grouped"):
        release = forge(kind)
        accepted(release.replace(release.main, release.rows(release.main), row_group_size=17))


def test_pieces_have_one_dictionary(forge):
    """covey writes large tables in pieces, each with the labels of all."""
    from covey.release.item_columns import item_batches
    from covey.release.tables import write_table

    release = forge("suppressed")
    sets = covey.read_release(release.path).transactions
    with release.file("sets").open("wb") as sink:
        write_table(item_batches(sets, rows=4), sink, csv=False)
    assert len(taken_apart(release).pages) == -(-sets.n // 4)
    accepted(release.seal())


def test_dictionaries_do_not_keep_the_order_in_which_items_first_appeared(forge):
    release = forge("suppressed")
    rows = release.rows(release.main)
    items = sorted({item for row in rows["items"].to_pylist() for item in row}, key=lambda item: item[::-1])
    lists = rows["items"].combine_chunks()
    codes = pa.array([items.index(item) for item in lists.flatten().to_pylist()], pa.int32())
    coded = pa.ListArray.from_arrays(lists.offsets, pa.DictionaryArray.from_arrays(codes, items))
    refused(release.replace(release.main, pa.table({"items": coded})), "an order of its own")


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
