"""Writing a table to a CSV file, complete or not at all."""

from __future__ import annotations

import os

from covey.data import Table
from covey.io.baskets.writing import csv_file


def write_table(table: Table, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write a table as CSV with a header; roles, hierarchies and persons are not written.

    Parameters
    ----------
    table : Table
        What to write.
    path : path
        Ends in ``.csv``, or in ``.csv.gz`` or ``.csv.zst`` to be compressed. The file appears under its name only
        when it is complete.
    force : bool
        Replace a file that exists.

    Raises
    ------
    OutputError
        If the file cannot be written there.

    Examples
    --------
    >>> import tempfile
    >>> from covey.io.table.reading import read_table
    >>> table = Table.of({"age": [30, 41], "town": ["Ulm", "Bonn"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(table, f"{folder}/people.csv")
    ...     read_table(f"{folder}/people.csv").column("town").labels
    ('Bonn', 'Ulm')
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    columns = {one.name: pa.array(one.values, pa.string()).take(pa.array(one.codes)) for one in table.columns}
    with csv_file(path, "Tables", force=force) as sink:
        pacsv.write_csv(pa.table(columns), sink)
