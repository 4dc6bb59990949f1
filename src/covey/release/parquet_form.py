"""Parquet files that hold nothing but their rows.

A Parquet file has room for more than its rows: notes, names in statistics, texts in a dictionary that no row uses,
fields that readers skip, bytes between pages or behind the last value of one. None of it is seen when the rows are
read. So the form of a file is read here too, from its bytes: every byte must belong to a value, or say what follows
from the values.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from covey.release.parquet_pages import (
    DATA,
    PLAIN,
    PLAIN_DICTIONARY,
    RLE,
    RLE_DICTIONARY,
    TEXT,
    Leaf,
    Page,
    require,
    says_only,
)
from covey.release.thrift import Compact

_WRITERS = re.compile(rb"parquet-cpp-arrow version [0-9]{1,2}\.[0-9]{1,2}\.[0-9](-SNAPSHOT)?")
_MAGIC = b"PAR1"
_ZSTD = 6


@dataclass(slots=True, kw_only=True)
class Chunk:
    """The pages of one column in a row group, and what is said of its values outside of them.

    Attributes
    ----------
    leaf : Leaf
        The column.
    rows : int
        How many rows there are.
    statistics, sizes : mapping or None
        What the footer says of the values; compared with them when they have been read.
    listed : list
        What its dictionary lists.
    named : list
        Values that the statistics of its pages name.
    end : int
        Where it ends in the file.
    size : int
        Its length if it were not compressed.
    """

    leaf: Leaf
    rows: int
    statistics: Mapping[int, Any]
    sizes: Mapping[int, Any] | None
    listed: list[Any] = field(default_factory=list)
    named: list[Any] = field(default_factory=list)
    end: int = 0
    size: int = 0

    @classmethod
    def at(cls, leaf: Leaf, said: Mapping[int, Any], file: memoryview, start: int, rows: int) -> Chunk:
        """The chunk that begins at `start`, of which the footer says this."""
        chunk = cls(leaf=leaf, rows=rows, statistics=leaf.statistics(said.get(12, {})), sizes=said.get(16), end=start)
        values, first, entries = 0, 0, -1
        pages: Counter[tuple[int, int]] = Counter()
        while chunk.end < start + said[7]:
            page = Page.at(leaf, file, chunk.end)
            pages[page.form] += 1
            if page.form[0] == DATA:
                page.check_data(entries)
                values, first = values + page.count, first or page.start
                chunk.named += [value for number, value in page.named.items() if number in (1, 2, 5, 6)]
            else:
                require(page.start == start, "a dictionary stands behind the pages that need it")
                chunk.listed = page.listed()
                entries = len(chunk.listed)
            chunk.end, chunk.size = page.end, chunk.size + page.size
        coded = any((DATA, code) in pages for code in (PLAIN_DICTIONARY, RLE_DICTIONARY))
        require(coded or not values or entries < 0, "a dictionary lists values that no page needs")
        encodings = [code for code in said[2] if code in (PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY)]
        true = {
            1: leaf.physical,
            2: list(dict.fromkeys(encodings)),
            3: leaf.path,
            4: _ZSTD,
            5: values,
            6: chunk.size,
            7: chunk.end - start,
            9: first,
            11: start,
            12: said.get(12),
            13: said.get(13),
            16: said.get(16),
        }
        says_only(said, true, "a column")
        counted = [(page, code, count) for (page, code), count in pages.items()]
        stated = [(one[1], one[2], one[3]) for one in said.get(13, ()) if len(one) == 3]
        require(13 not in said or sorted(stated) == sorted(counted), "a column counts pages that it does not have")
        return chunk

    def check(self, column: pa.ChunkedArray) -> set[Any]:
        """The different values of the column; raises `Strange` if something is said of them that is not so."""
        import pyarrow.compute as pc

        lists = column.chunks if self.leaf.listed else []
        parts = [part.flatten() for part in lists] if self.leaf.listed else column.chunks
        seen, size = _distinct(self.leaf, parts)
        entries = sum(len(part) - part.null_count for part in parts)
        empty = sum(int(pc.equal(pc.list_value_length(part), 0).sum().as_py() or 0) for part in lists)
        missing = empty if self.leaf.listed else len(column) - entries
        true = {3: missing, 7: True, 8: True}
        if seen:
            true |= {1: max(seen), 2: min(seen), 5: max(seen), 6: min(seen)}
        says_only(self.statistics, true, "a column's statistics")
        repeated = [self.rows, entries + empty - self.rows] if self.leaf.listed else []
        sizes = {2: repeated, 3: [0, empty, 0, entries] if self.leaf.listed else [missing, entries]}
        says_only(self.sizes or {}, sizes | ({1: size} if self.leaf.physical == TEXT else {}), "a column's sizes")
        require(len(column) == self.rows, "a column has more or fewer rows than it says")
        require(seen.issuperset(self.named), "the statistics of a page name what no row has")
        ordered = self.listed == sorted(self.listed) or _by_first_sight(self.leaf, self.listed, parts)
        require(ordered, "a dictionary lists values in an order of its own")
        return seen

    def finish(self, seen: set[Any]) -> None:
        """Let go of the dictionary; raises `Strange` if it lists a value twice, or one that no row has."""
        require(len(set(self.listed)) == len(self.listed), "a dictionary lists a value twice")
        require(seen.issuperset(self.listed), "a dictionary lists what no row has")
        self.listed = []


def _distinct(leaf: Leaf, parts: list[Any]) -> tuple[set[Any], int]:
    """The different values of a column, and how many bytes its texts have altogether."""
    import pyarrow.compute as pc

    seen: set[Any] = set()
    size = 0
    for part in parts:
        if leaf.physical == TEXT:
            uses = np.bincount(part.indices.drop_null().to_numpy(), minlength=len(part.dictionary))
            size += int((uses * pc.binary_length(part.dictionary).to_numpy()).sum())
            used = part.dictionary.filter(pa.array(uses > 0)) if (uses == 0).any() else part.dictionary
            seen.update(used.cast(pa.binary()).to_pylist())
        else:
            seen.update(np.unique(part.drop_null().to_numpy()).tolist())
    return seen, size


def _by_first_sight(leaf: Leaf, listed: list[Any], parts: list[Any]) -> bool:
    """Whether a dictionary lists values in the order in which the rows have them."""
    import pyarrow.compute as pc

    codes = []
    for part in parts:
        if leaf.physical == TEXT:
            at = pc.index_in(part.dictionary.cast(pa.binary()), pa.array(listed, pa.binary()))
            codes.append(at.take(part.indices.drop_null()))
        else:
            codes.append(pc.index_in(part.drop_null(), pa.array(listed, part.type)))
    # Once a dictionary is full, values follow that it does not list.
    places = pa.chunked_array(codes, pa.int32()).drop_null().to_numpy()
    return bool((np.diff(np.maximum.accumulate(places), prepend=-1) <= 1).all())


class Form:
    """The form of a file, every byte of which is accounted for.

    Parameters
    ----------
    path : Path
        The file.
    columns : mapping or None
        The columns that it must have; None for any columns of text.

    Attributes
    ----------
    leaves : list of Leaf
        Its columns.
    row_groups : list
        The chunks of each row group.

    Raises
    ------
    Strange
        There is something in the file besides its rows.
    """

    def __init__(self, path: Path, columns: Mapping[str, pa.DataType] | None) -> None:
        self.leaves, self.row_groups = _read(path, columns)
        self._seen: list[set[Any]] = [set() for _ in self.leaves]

    def check(self, number: int, rows: pa.Table) -> None:
        """Raise `Strange` if something is said of a row group that is not so of its rows."""
        for seen, chunk, column in zip(self._seen, self.row_groups[number], rows.columns, strict=True):
            here = chunk.check(column)
            if chunk.leaf.physical == TEXT:
                seen |= here
            else:  # every row group lists its own numbers, and there may be as many as rows
                chunk.finish(here)

    def finish(self) -> None:
        """Raise `Strange` if a dictionary lists what no row of the file has; after all row groups were checked."""
        for chunks in self.row_groups:
            for seen, chunk in zip(self._seen, chunks, strict=True):
                chunk.finish(seen)


def _read(path: Path, columns: Mapping[str, pa.DataType] | None) -> tuple[list[Leaf], list[list[Chunk]]]:
    with pa.memory_map(str(path)) as source, memoryview(source.read_buffer()).cast("B") as file:
        require(bytes(file[:4]) == bytes(file[-4:]) == _MAGIC, "it does not begin and end as Parquet does")
        end = len(file) - 8
        start = end - struct.unpack("<I", file[end : end + 4])[0]
        footer = Compact(file, start)
        said = footer.structure()
        require(footer.at == end, "its footer is longer than it says")
        leaves = _leaves(said, columns)
        groups = list(_row_groups(said, leaves, file))
        require(start == (groups[-1][-1].end if groups else 4), "it holds bytes that belong to no column")
        return leaves, groups


def _leaves(said: Mapping[int, Any], columns: Mapping[str, pa.DataType] | None) -> list[Leaf]:
    """The columns, after checking everything that a footer says of the file as a whole."""
    writer = said.get(6, b"")
    require(_WRITERS.fullmatch(writer), f"it was written by {writer[:60].decode('utf-8', 'replace')!r}")
    require(not said.get(5), "it carries metadata")
    names = [element[4].decode() for element in said[2][1:]]
    wanted = dict.fromkeys(names, pa.string()) if columns is None else columns
    leaves = [Leaf.of(name, type) for name, type in wanted.items()]
    elements = [element for leaf in leaves for element in leaf.elements()]
    schema = [{3: 0, 4: b"schema", 5: len(leaves)}, *elements]
    few = ", ".join(name[:40] for name in names[:8])
    require(said[2] == schema, f"its columns ({few}) are not those of this table, or of another type")
    rows = sum(group[3] for group in said[4])
    true = {1: 2, 2: schema, 3: rows, 4: said[4], 6: writer, 7: [{1: {}}] * len(leaves)}
    says_only(said, true, "its footer")
    return leaves


def _row_groups(said: Mapping[int, Any], leaves: list[Leaf], file: memoryview) -> Iterator[list[Chunk]]:
    at = len(_MAGIC)
    early = int(said[6].split()[-1].split(b".")[0]) < 18
    for number, group in enumerate(said[4]):
        start, chunks = at, []
        require(len(group[1]) == len(leaves), "a row group lacks a column")
        for leaf, column in zip(leaves, group[1], strict=True):
            chunk = Chunk.at(leaf, column[3], file, at, group[3])
            # Before version 18 the library gave the place of a column here.
            place = column.get(2) if early and column.get(2) in (at, chunk.end) else 0
            says_only(column, {2: place, 3: column[3]}, "the place of a column")
            chunks.append(chunk)
            at = chunk.end
        sizes = sum(chunk.size for chunk in chunks)
        says_only(group, {1: group[1], 2: sizes, 3: group[3], 5: start, 6: at - start, 7: (number,)}, "a row group")
        yield chunks
