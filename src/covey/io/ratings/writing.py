"""Writing survey ratings to a long CSV file, complete or not at all."""

from __future__ import annotations

import os

import numpy as np

from covey.data import Ratings
from covey.io.baskets.writing import csv_file

#: Respondents written at a time.
PIECE = 1 << 16


def write_ratings(ratings: Ratings, path: str | os.PathLike[str]) -> None:
    """Write ratings as CSV with the columns user, issue and rating; sensitive marks and scale are not written.

    Parameters
    ----------
    ratings : Ratings
        What to write. A respondent without ratings gets a line with neither issue nor rating.
    path : path
        Ends in ``.csv``, or in ``.csv.gz`` or ``.csv.zst`` to be compressed. The file appears under its name only
        when it is complete.

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
    with csv_file(path, "Ratings") as sink:
        _fill(ratings, sink)


def _fill(ratings: Ratings, sink: object) -> None:
    import pyarrow as pa
    import pyarrow.csv as pacsv

    schema = pa.schema([("user", pa.string()), ("issue", pa.string()), ("rating", pa.float64())])
    users, issues = pa.array(ratings.users, pa.string()), pa.array(ratings.issues, pa.string())
    with pacsv.CSVWriter(sink, schema) as writer:
        for first in range(0, ratings.n, PIECE):
            last = min(first + PIECE, ratings.n)
            lengths = np.diff(ratings.indptr[first : last + 1])
            row = np.repeat(np.arange(first, last), np.maximum(lengths, 1))
            filled = np.repeat(lengths > 0, np.maximum(lengths, 1))
            part = slice(ratings.indptr[first], ratings.indptr[last])
            issue, rating = np.zeros(len(row), np.int32), np.zeros(len(row))
            issue[filled], rating[filled] = ratings.indices[part], ratings.scale.decode(ratings.codes[part])
            columns = [
                users.take(pa.array(row)),
                issues.take(pa.array(issue, mask=~filled)),
                pa.array(rating, mask=~filled),
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=schema))
