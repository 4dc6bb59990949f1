"""Tables are cut into row groups by their rows alone."""

import pyarrow as pa

from covey.release import tables


def test_row_groups_do_not_depend_on_batches(monkeypatch):
    monkeypatch.setattr(tables, "PIECE", 4)
    rows = [["b"], ["b", "c"], [], ["a"], ["d"], [], ["b"], ["a"], ["e"]]
    pieces = pa.table({"items": pa.array(rows, pa.list_(pa.string()))})
    for size in (1, 3, 4, 100):
        batches = pieces.to_batches(size)
        found = [piece.column("items").to_pylist() for piece in tables.row_groups([batches[0].slice(0, 0), *batches])]
        assert found == [rows[:4], rows[4:8], rows[8:]]
    empty = pieces.slice(0, 0).to_batches() or [pa.RecordBatch.from_pylist([], pieces.schema)]
    assert [piece.num_rows for piece in tables.row_groups(empty * 2)] == [0]
