"""What is wrong with a line of a delimited file is said alike by every reader, with the line."""

import pytest

from covey.errors import InputError
from readers import READERS

pytestmark = pytest.mark.kernel

#: By reader: the header of a file, and of a row the first cells and the last one.
FILES = {"baskets": ("tid,item", "1", "a"), "ratings": ("user,item,rating", "x,a", "3"), "table": ("a,b", "1", "2")}

#: What is wrong: the lines below the header in these terms, the line that is named, and what is said of it.
FAULTS = {
    "too many cells": (["FIRST,LAST", "FIRST,LAST,c"], 3, r"cells instead of .* quotes around a cell that holds ','"),
    "too few cells": (["FIRST,LAST", "5"], 3, r"1 cell instead of \d, in '5'"),
    "behind a quoted line feed": (['FIRST,"LAST\n"', "5"], 4, "1 cell instead of"),
    "the first of two": (["5", 'FIRST,"LAST'], 2, "1 cell instead of"),
    "an open quote": (["FIRST,LAST", 'FIRST,"LAST', "FIRST,LAST"], 3, "a quote is opened and never closed"),
    "text behind a quote": (["FIRST,LAST", 'FIRST,"LAST" c'], 3, "text follows a closing quote"),
    "a zero byte": (["FIRST,LAST", "FIRST,LAST\0"], 3, "holds a zero byte"),
}


@pytest.mark.parametrize("reader", FILES)
@pytest.mark.parametrize("fault", FAULTS)
def test_names_the_line(reader, fault, tmp_path):
    (head, first, last), (lines, number, said) = FILES[reader], FAULTS[fault]
    path = tmp_path / "data.csv"
    rows = [line.replace("FIRST", first).replace("LAST", last) for line in lines]
    path.write_text("".join(f"{line}\n" for line in [head, *rows]))
    with pytest.raises(InputError, match=said) as caught:
        READERS[reader](path)
    assert (caught.value.file, caught.value.line) == (str(path), number)


@pytest.mark.parametrize("reader", FILES)
def test_rejects_another_encoding(reader, tmp_path):
    head, first, last = FILES[reader]
    path = tmp_path / "data.csv"
    path.write_bytes(f"{head}\n{first},{last}\n{first},é{last}\n".encode("cp1252"))
    with pytest.raises(InputError, match="is not valid utf-8") as caught:
        READERS[reader](path)
    assert caught.value.line == 3
    assert "cp1252" in caught.value.remedy
