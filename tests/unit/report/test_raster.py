import struct
import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.report.raster import column_order, density, shade, to_png
from oracles import raster as oracle


@given(st.data())
def test_density_counts_what_the_oracle_counts(data):
    d = data.draw(st.integers(1, 12))
    rows = data.draw(st.lists(st.sets(st.integers(0, d - 1)), min_size=1, max_size=15))
    cells = data.draw(st.integers(1, 20))
    row_order = data.draw(st.permutations(range(len(rows))))
    items = data.draw(st.permutations(range(d)))
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    indices = np.array([i for row in rows for i in sorted(row)], np.int32)
    baskets = Baskets(
        indptr=indptr,
        indices=indices,
        items=tuple(f"{i:02}" for i in range(d)),
        sensitive=np.zeros(d, np.bool_),
    )
    got = density(baskets, np.array(row_order), np.array(items), cells=cells)
    assert got.tolist() == oracle.density(rows, d, row_order, items, cells)


def test_a_large_matrix_stays_a_small_picture():
    n = 50_000
    indices = (np.arange(n) % 2_000).astype(np.int32)
    baskets = Baskets(
        indptr=np.arange(n + 1, dtype=np.int64),
        indices=indices,
        items=tuple(f"{i:05}" for i in range(2_000)),
        sensitive=np.zeros(2_000, np.bool_),
    )
    assert density(baskets, cells=100).shape == (100, 100)


def test_columns_follow_the_rows_and_unused_items_come_last():
    baskets = Baskets.of([["z"], ["m"], ["a"]])
    assert column_order(baskets, np.array([0, 1, 2])).tolist() == [2, 1, 0]
    unused = Baskets(
        indptr=np.array([0, 1]),
        indices=np.array([1], np.int32),
        items=("a", "b"),
        sensitive=np.zeros(2, np.bool_),
    )
    assert column_order(unused, np.array([0])).tolist() == [1, 0]


def test_shade_keeps_single_entries_visible():
    filled = np.zeros((10, 10))
    filled[0, :] = 1.0
    filled[5, 5] = 1e-6
    dark = shade(filled)
    assert dark[5, 5] > 0.1
    assert dark[0, 0] == 1.0
    assert dark[9, 9] == 0.0
    assert not shade(np.zeros((2, 2))).any()


def test_png_can_be_decoded():
    picture = to_png(np.array([[0.0, 1.0, 0.5]]), (10, 20, 30))
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    assert (width, height) == (3, 1)
    chunks, at = {}, 8
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        name, body = picture[at + 4 : at + 8], picture[at + 8 : at + 8 + length]
        assert struct.unpack(">I", picture[at + 8 + length : at + 12 + length]) == (zlib.crc32(name + body),)
        chunks[name], at = body, at + 12 + length
    assert list(chunks) == [b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND"]
    assert chunks[b"IHDR"][8:] == bytes([8, 3, 0, 0, 0])
    line = zlib.decompress(chunks[b"IDAT"])
    assert line[0] == 0
    colours = [(*chunks[b"PLTE"][3 * place : 3 * place + 3], chunks[b"tRNS"][place]) for place in line[1:]]
    assert colours == [(10, 20, 30, 0), (10, 20, 30, 255), (10, 20, 30, 128)]


def test_empty_data_is_one_empty_cell():
    assert density(Baskets.of([])).tolist() == [[0.0]]
