"""What is wrong with a line of a delimited file is said alike by every reader, with the line."""

import pytest

from covey.errors import InputError
from readers import READERS

pytestmark = pytest.mark.kernel

#: Reader by name: the header of a file and two rows.
FILES = {
    "baskets": ("tid,item", "1,a", "2,b"),
    "ratings": ("user,item,rating", "x,a,3", "y,b,4"),
    "table": ("a,b", "1,2", "3,4"),
}


@pytest.fixture(params=FILES)
def failure(request, tmp_path):
    """Read a file that is made of a header and rows, and return the error."""

    def fail(make):
        path = tmp_path / "data.csv"
        content = make(*FILES[request.param])
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(InputError) as caught:
            READERS[request.param](path)
        assert caught.value.file == str(path)
        return caught.value

    return fail


def quoted_end(row):
    """The row with its last cell in quotes, which are left open."""
    head, _, last = row.rpartition(",")
    return f'{head},"{last}'


def test_counts_cells_beyond_the_header(failure):
    error = failure(lambda head, one, two: f"{head}\n{one}\n{two},c\n")
    assert error.line == 3
    assert "cells instead of" in str(error)
    assert "double quotes around a cell that holds ','" in error.remedy


def test_counts_missing_cells(failure):
    error = failure(lambda head, one, two: f"{head}\n{one}\n5\n")
    assert error.line == 3
    assert "1 cell instead of" in str(error)
    assert "in '5'" in str(error)


def test_counts_lines_behind_quoted_line_feeds(failure):
    error = failure(lambda head, one, two: f'{head}\n"x\ny",{one.partition(",")[2]}\n{two},c\n')
    assert error.line == 4


def test_reports_the_first_fault(failure):
    error = failure(lambda head, one, two: f"{head}\n5\n{quoted_end(one)}\n")
    assert error.line == 2
    assert "1 cell instead of" in str(error)


def test_rejects_an_open_quote(failure):
    error = failure(lambda head, one, two: f"{head}\n{one}\n{quoted_end(two)}\n{one}\n")
    assert error.line == 3
    assert "a quote is opened and never closed" in str(error)


def test_rejects_text_behind_a_quote(failure):
    error = failure(lambda head, one, two: f'{head}\n{one}\n{quoted_end(two)}" b\n')
    assert error.line == 3
    assert "text follows a closing quote" in str(error)


def test_rejects_a_zero_byte(failure):
    error = failure(lambda head, one, two: f"{head}\n{one}\n{two}\0\n")
    assert error.line == 3
    assert "holds a zero byte" in str(error)


def test_rejects_another_encoding(failure):
    def make(head, one, two):
        first, _, *rest = two.split(",")
        last = ",".join([first, "k\xe4se", *rest])
        return f"{head}\n{one}\n{last}\n".encode("latin-1")

    error = failure(make)
    assert error.line == 3
    assert "is not valid utf-8" in str(error)
    assert "cp1252" in error.remedy


def test_rejects_carriage_returns_alone(failure):
    error = failure(lambda head, one, two: f"{head}\r{one}\r{two}\r")
    assert "lines end in carriage returns without line feeds" in str(error)
