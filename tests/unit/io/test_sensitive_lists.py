"""Lists of sensitive items, and where a wrong name came from."""

import pytest

from covey import Baskets
from covey.errors import InputError
from covey.io import read, read_sensitive

ROWS = [["wine", "viagra"], ["meat", "pregnancy test"], ["a/b.txt", "wine"]]


@pytest.fixture
def listed(tmp_path):
    def make(content, name="secret.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def test_text_collections_and_files(listed):
    expected = ["viagra", "pregnancy test"]
    path = listed("# health\nviagra\n\n  pregnancy test \r\nviagra\n")
    for spec in ("viagra, pregnancy test,", expected, tuple(expected), path, str(path)):
        assert read_sensitive(spec) == expected
        assert read(ROWS, sensitive=spec) == Baskets.of(ROWS, sensitive=expected)
    assert read_sensitive(listed(b"\xef\xbb\xbfa,b\n", "bom.lst")) == ["a,b"]


def test_none_keeps_the_marks_and_a_list_replaces_them():
    marked = Baskets.of(ROWS, sensitive=["viagra"])
    assert read(marked) is marked
    assert read(marked, sensitive="meat").sensitive_items() == ["meat"]
    assert read(marked, sensitive=[]).sensitive_items() == []


def test_unknown_names_tell_file_and_line(listed):
    path = listed("viagra\n# not this\npregnancy tst\n")
    with pytest.raises(InputError) as caught:
        read(ROWS, sensitive=path)
    assert (caught.value.file, caught.value.line) == (str(path), 3)
    assert "'pregnancy tst' does not occur in the data. Did you mean 'pregnancy test'?" in str(caught.value)
    with pytest.raises(InputError, match="Did you mean 'viagra'") as caught:
        read(ROWS, sensitive="viagr")
    assert caught.value.file is None


def test_a_path_that_does_not_exist(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        read(ROWS, sensitive=str(tmp_path / "secrets"))
    with pytest.raises(InputError, match="there is no such file"):
        read(ROWS, sensitive="secrets.txt")
    with pytest.raises(InputError, match="there is no such file"):
        read_sensitive("secrets.csv")
    with pytest.raises(InputError, match="there is no such file"):
        read(ROWS, sensitive=tmp_path / "secrets")
    # a label that looks like a path is a label when the data holds it
    assert read(ROWS, sensitive="a/b.txt").sensitive_items() == ["a/b.txt"]


def test_lists_that_name_nothing(listed):
    with pytest.raises(InputError, match="names no sensitive item"):
        read_sensitive(listed("# nothing\n\n"))
    with pytest.raises(InputError, match="names none"):
        read_sensitive(" , ")
    with pytest.raises(InputError, match="the file is empty"):
        read_sensitive(listed(""))


def test_wrong_encoding(listed):
    with pytest.raises(InputError, match=r"line 2: 'k\\xe4se' is not valid utf-8"):
        read_sensitive(listed(b"a\nk\xe4se\n"))


def test_what_the_data_calls_an_item_is_one(tmp_path):
    import covey

    rows = [["#hash", " blank", "tea"], ["tea"], ["milk"]]
    listed = tmp_path / "s.txt"
    listed.write_text("# a remark\n#hash\n blank\n")
    assert covey.read(rows, sensitive=listed).sensitive_items() == [" blank", "#hash"]
    assert covey.read(rows, sensitive=" blank,#hash").sensitive_items() == [" blank", "#hash"]
    assert covey.read([["a, b", "c"], ["c"]], sensitive="a, b").sensitive_items() == ["a, b"]


def test_letters_composed_otherwise_are_no_other_item():
    import covey

    rows = [["L\u00e4usemittel", "tea"], ["La\u0308usemittel", "milk"]]
    with pytest.raises(covey.InputError, match="differs from the sensitive item"):
        covey.read(rows, sensitive=["L\u00e4usemittel"])
