"""Writing survey ratings to a long CSV file, complete or not at all."""

from __future__ import annotations

import os

from covey.data import Ratings
from covey.io.baskets.writing import csv_file

#: Respondents written at a time.
PIECE = 1 << 16


def write_ratings(ratings: Ratings, path: str | os.PathLike[str], *, force: bool = False) -> None:
    """Write ratings as CSV with the columns user, issue and rating; sensitive marks and scale are not written.

    Parameters
    ----------
    ratings : Ratings
        What to write. A respondent without ratings gets a line with neither issue nor rating.
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
    >>> from covey.data import Ratings
    >>> from covey.io.ratings.reading import read_ratings
    >>> ratings = Ratings.of([[6, 1], [None, None], [1, None]], issues=["food", "films"], scale="1:6")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_ratings(ratings, f"{folder}/survey.csv")
    ...     read_ratings(f"{folder}/survey.csv", scale="1:6") == ratings
    True
    """
    import pyarrow as pa
    import pyarrow.csv as pacsv

    from covey.release.ratings import rows_of

    schema = pa.schema([("user", pa.string()), ("issue", pa.string()), ("rating", pa.float64())])
    users = pa.array(ratings.users, pa.string())
    with csv_file(path, "Ratings", force=force) as sink, pacsv.CSVWriter(sink, schema) as writer:
        for row, issue, rating in rows_of(ratings, PIECE):
            columns = [users.take(pa.array(row)), issue, rating]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
