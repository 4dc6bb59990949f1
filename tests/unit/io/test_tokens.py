"""The kernels under the readers and writers, against plain Python."""

import csv
import io
from functools import partial

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.io.baskets.fimi import meanings
from covey.io.delimited import Cells
from covey.io.interning import Growing, Interner
from covey.io.tokens import (
    AFTER_QUOTE,
    DONE,
    OPEN_QUOTE,
    RAGGED,
    format_pairs,
    format_rows,
    gather_flags,
    split_tokens,
)
from oracles.reading import read_records

pytestmark = pytest.mark.kernel


def bytes_of(text):
    return np.frombuffer(bytearray(text.encode()), np.uint8)


def spans_of(words):
    edges = np.cumsum([0, *map(len, words)]).astype(np.int64)
    return np.frombuffer(bytearray(b"".join(words)), np.uint8), edges[:-1].copy(), edges[1:].copy()


@given(st.lists(st.binary(min_size=0, max_size=12), max_size=60))
def test_ids_are_handed_out_in_order_of_first_sight(words):
    buffer, starts, stops = spans_of(words)
    interner, out = Interner(), np.empty(len(words), np.int32)
    interner.add(buffer, starts, stops, np.arange(len(words)), out)
    first = {}
    expected = [first.setdefault(word, len(first)) for word in words]
    assert out.tolist() == expected
    assert [interner.token(i) for i in range(len(interner))] == list(first)
    assert [interner.line(i) for i in range(len(interner))] == [words.index(word) for word in first]


def test_the_table_grows_and_keeps_every_id():
    words = [b"%d" % i for i in range(5000)] + [b"x" * 40_000]
    buffer, starts, stops = spans_of(words)
    interner, out = Interner(), np.empty(len(words), np.int32)
    for _ in range(2):
        interner.add(buffer, starts, stops, np.zeros(len(words), np.int64), out)
        assert out.tolist() == list(range(len(words)))


def test_growing_keeps_its_values():
    growing = Growing(np.int32)
    for portion in range(40):
        growing.room(100)[:] = portion
    assert np.array_equal(growing.finish(), np.repeat(np.arange(40), 100))


@given(st.text(alphabet="ab \t,\n", max_size=40), st.sampled_from([None, ","]))
def test_tokens_of_lines(text, separator):
    text += "\n"
    size = len(text)
    starts, stops, lines = (np.zeros(size, np.int64) for _ in range(3))
    ends, tally = np.zeros(size, np.int64), np.zeros(2, np.int64)
    found = split_tokens(bytes_of(text), size, meanings(separator), starts, stops, lines, ends, tally)
    expected = []
    for number, line in enumerate(text.split("\n")[:-1], 1):
        tokens = line.split() if separator is None else [t.strip(" \t") for t in line.split(separator)]
        expected += [(number, token) for token in tokens if token]
        assert ends[number - 1] == len(expected)
    got = [(int(lines[i]), text[starts[i] : stops[i]]) for i in range(found)]
    assert got == expected
    assert tally.tolist() == [len(expected), text.count("\n")]


def test_a_stray_carriage_return_stops_with_its_row():
    tally = np.zeros(2, np.int64)
    room = [np.zeros(9, np.int64) for _ in range(4)]
    assert split_tokens(bytes_of("a\r\nb\rc\n"), 7, meanings(None), *room, tally) == -1
    assert tally[1] == 1


def cells_of(text, delimiter, columns):
    data = bytes_of(text)
    cells = Cells(delimiter, columns, "test", "utf-8")
    outcome = cells.split(data, len(data))
    rows = [
        (int(cells.lines[r]), [cells.text(data, r * columns + c) for c in range(columns)]) for r in range(cells.records)
    ]
    return outcome, rows, cells


@example('"\n"\n"\n', ",", 2)
@given(st.text(alphabet='a", \r\n;', max_size=30), st.sampled_from(",;"), st.integers(2, 3))
def test_cells_of_any_text(text, delimiter, columns):
    text += "\n"
    outcome, rows, cells = cells_of(text, delimiter, columns)
    # what the slow reader says about the part that was taken, and about the record that was not
    taken = text[: cells.consumed]
    expected = read_records(taken, delimiter) if taken else []
    assert rows == expected
    assert cells.line == 1 + taken.count("\n")
    rest = text[cells.consumed :]
    assert (outcome == DONE) == (not rest)
    if rest:
        kind, count = fault_of(rest, delimiter)
        assert outcome == kind
        assert kind != RAGGED or cells.found == count != columns


def fault_of(text, delimiter):
    """What is wrong with the first record: a fault of quoting, or else the number of its cells."""
    try:
        return RAGGED, len(read_records(text, delimiter)[0][1])
    except ValueError as error:
        line, reason = error.args
    if line > 1:
        return fault_of("\n".join(text.split("\n")[: line - 1]) + "\n", delimiter)  # the records before that one
    return {"open quote": OPEN_QUOTE, "text after quote": AFTER_QUOTE}[reason], 0


@given(st.lists(st.lists(st.text(alphabet='ab",\n é', min_size=1), min_size=3, max_size=3), min_size=1))
def test_cells_written_by_the_csv_module(rows):
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\r\n").writerows(rows)
    outcome, got, _ = cells_of(text.getvalue(), ",", 3)
    assert outcome == DONE
    assert [cells for _, cells in got] == rows


@given(st.lists(st.lists(st.sampled_from(["0", "1", "", "true", "FALSE", "True"]), min_size=3, max_size=3)))
def test_flags(rows):
    _, _, cells = cells_of("".join(",".join(row) + "\n" for row in rows) or "\n", ",", 3)
    data = bytes_of("".join(",".join(row) + "\n" for row in rows) or "\n")
    for skipped in ((), (0,), (2,), (0, 1)):
        places = [c for c in range(3) if c not in skipped]
        item_of = np.array([places.index(c) if c in places else -1 for c in range(3)], np.int32)
        entries, ends = np.empty(3 * len(rows) + 1, np.int32), np.empty(len(rows) + 1, np.int64)
        tally = np.zeros(2, np.int64)
        assert gather_flags(data, cells.starts, cells.stops, item_of, entries, ends, tally) == -1
        expected = [[i for i, c in enumerate(places) if row[c].lower() in ("1", "true")] for row in rows]
        assert entries[: tally[0]].tolist() == [i for row in expected for i in row]
        assert ends[: tally[1]].tolist() == np.cumsum([len(row) for row in expected]).astype(int).tolist()


@pytest.mark.parametrize("bad", ["2", "x", "tru", "trux", "falsy", "10", "-1", "0.0"])
def test_the_first_cell_that_is_no_flag(bad):
    text = f"1,0\n0,{bad}\nz,1\n"
    _, _, cells = cells_of(text, ",", 2)
    room = np.empty(9, np.int32), np.empty(9, np.int64), np.zeros(2, np.int64)
    assert gather_flags(bytes_of(text), cells.starts, cells.stops, np.arange(2, dtype=np.int32), *room) == 3


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=12), st.integers(60, 90))
def test_rows_and_pairs_as_text(rows, size):
    labels = [b"a", b"bee", "é".encode(), b"dd"]
    pool, starts, stops = spans_of(labels)
    offsets = np.append(starts, stops[-1])
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    indices = np.array([i for row in rows for i in row], np.int32)
    nobody, owners = np.empty(0, np.int32), np.arange(len(rows), dtype=np.int32) * 7
    for form in (format_rows, partial(format_pairs, nobody), partial(format_pairs, owners)):
        text, row = b"", 0
        while row < len(rows):
            out = np.empty(size, np.uint8)
            after, written = form(indptr, indices, row, pool, offsets, ord(" "), out)
            assert after > row
            text += out[:written].tobytes()
            row = after
        if form is format_rows:
            expected = b"".join(b" ".join(labels[i] for i in row) + b"\n" for row in rows)
        else:
            owned = len(form.args[0]) > 0
            heads = [b"%d %d" % (n, 7 * n) if owned else b"%d" % n for n in range(len(rows))]
            expected = b"".join(b"%s %s\n" % (heads[n], labels[i]) for n, row in enumerate(rows) for i in row)
        assert text == expected


def test_pairs_with_numbers_of_several_digits():
    out = np.empty(4000, np.uint8)
    indptr, indices = np.arange(113, dtype=np.int64), np.zeros(112, np.int32)
    pool, offsets = bytes_of("x"), np.array([0, 1], np.int64)
    after, size = format_pairs(np.empty(0, np.int32), indptr, indices, 8, pool, offsets, ord(","), out)
    assert after == 112
    assert out[:size].tobytes().decode() == "".join(f"{i},x\n" for i in range(8, 112))
