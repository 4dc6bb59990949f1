"""Dates as ordered values, and what they are generalized to."""

import pytest

import covey
from covey.data.calendar import dates_of
from covey.errors import InputError


def test_ways_of_writing_are_told_by_all_values_together():
    assert dates_of(["2011-02-29"]) is None  # no such day
    assert dates_of(["2011-12-31T23:59:59.5Z", "2011-12-31"]) == ["2011-12-31 23:59:59.500000", "2011-12-31 00:00:00"]
    assert dates_of(["2011-12-31 8:05Z", "2011-12-31+01:00"]) == ["2011-12-31 08:05", "2011-12-31 00:00"]
    assert dates_of(["1.1.0905"]) == ["0905-01-01"]
    assert dates_of(["01/02/2011", "13/02/2011"]) == ["2011-02-01", "2011-02-13"]
    assert dates_of(["01/02/2011", "02/13/2011"]) == ["2011-01-02", "2011-02-13"]
    assert dates_of(["2011-12-31", "soon"]) is None
    for mixed in (
        ["31.12.2011", "2011-12-31"],
        ["13/01/2011", "01/13/2011"],
        ["01/02/2011", "13/01/2011", "01/13/2011"],
    ):
        with pytest.raises(InputError, match=r"column 'day': dates have several formats, such as '.*' and '"):
            dates_of(mixed, "day")


def test_a_table_of_visits_is_generalized_by_the_calendar(tmp_path):
    path = tmp_path / "visits.csv"
    days = [f"2011-{month:02d}-{day:02d} {8 + day % 9:02d}:15" for month in (1, 2, 6, 11) for day in range(1, 26)]
    path.write_text("when\n" + "\n".join([*days, ""]) + "\n")
    table = covey.read_table(path, row_is_person=True)
    column = table.columns[0]
    assert list(column.values) == sorted(days)
    assert column.span_text(0, 24) == "2011-01"
    assert column.span_text(0, 49) == "2011-Q1"
    assert column.span_text(0, 99) == "2011"
    for method in ("mondrian", "pattern-ka"):
        release = covey.anonymize(table, "k-anonymity(k=5)", method, seed=1)
        labels = release.columns[0].labels
        assert set(labels) <= {"2011", "2011-Q1", *(f"2011-{month:02d}" for month in (1, 2, 6, 11))}
        assert covey.publish(table, tmp_path / method, "k-anonymity(k=5)", method).verdict.holds
    # codes that look like dates can be told to be names
    assert covey.read_table(path, categorical="when", row_is_person=True).columns[0].span_text(0, 1) == "*"


def test_dates_of_arrow_and_missing_ones():
    import datetime

    import pyarrow as pa

    frame = pa.table({"day": [datetime.date(2011, 5, 1), None, datetime.date(2012, 7, 9)], "n": [1, 2, 3]})
    column = covey.read_table(frame, row_is_person=True).column("day")
    assert column.values == ("2011-05-01", "2012-07-09", "")
    assert (column.span_text(0, 1), column.span_text(0, 2)) == ("2010-2014", "*")
