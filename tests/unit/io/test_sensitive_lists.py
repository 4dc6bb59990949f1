"""Lists of sensitive items, and where a wrong name came from."""

import pytest

from covey import Baskets, Taxonomy
from covey.errors import AbsentSensitive, InputError, ParameterError
from covey.io import read, read_sensitive
from covey.io.sensitive import Choice

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
    with pytest.raises(InputError, match="is empty"):
        read_sensitive(" , ")
    with pytest.raises(InputError, match="the file is empty"):
        read_sensitive(listed(""))


def test_what_the_data_calls_an_item_is_one(tmp_path):
    import covey

    rows = [["#hash", " blank", "tea"], ["tea"], ["milk"]]
    listed = tmp_path / "s.txt"
    listed.write_text("# a remark\n#hash\n blank\n")
    assert covey.read(rows, sensitive=listed).sensitive_items() == [" blank", "#hash"]
    assert covey.read(rows, sensitive=" blank,#hash").sensitive_items() == [" blank", "#hash"]
    assert covey.read([["a, b", "c"], ["c"]], sensitive="a, b").sensitive_items() == ["a, b"]


TESTS = [["Pregnancy TEST", "wine"], ["test kit", "beer", "tea"], ["ale", "wine"]]
TREE = Taxonomy.from_pairs(
    [("wine", "alcohol"), ("beer", "alcohol"), ("ale", "beer-like"), ("beer-like", "alcohol"), ("tea", "drinks")]
)


def test_patterns_files_and_nodes_combine(listed):
    path = listed("# policy\nglob:*TEST*\nwine\n")
    assert read(TESTS, sensitive=path).sensitive_items() == ["Pregnancy TEST", "test kit", "wine"]
    assert read(TESTS, sensitive=f"@{path},tea").sensitive_items() == ["Pregnancy TEST", "tea", "test kit", "wine"]
    assert read(TESTS, sensitive="re:^(a|b)[a-z]{2,3}$").sensitive_items() == ["ale", "beer"]
    assert read(TESTS, sensitive=["under:alcohol"], taxonomy=TREE).sensitive_items() == ["ale", "beer", "wine"]
    both = Choice(("glob:t?a", "under:beer-like"), TREE)
    assert read(TESTS, sensitive=both).sensitive_items() == ["ale", "tea"]
    # what the data calls an item is one
    assert read([["glob:*", "a"], ["a"]], sensitive="glob:*").sensitive_items() == ["glob:*"]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("re:(", "'re:\\(' is not a valid regular expression \\(missing \\)"),
        ("glob:", "there is nothing after 'glob:'"),
        ("glob:*TSET*", "'glob:\\*TSET\\*' does not occur in the data. Did you mean 'test kit'"),
        ("glob:*", "all items are sensitive"),
        ("under:alcohol", "names a node of a taxonomy, and there is none. Give one with --taxonomy"),
        ("@nowhere.txt", "nowhere.txt: there is no such file"),
    ],
)
def test_patterns_that_mean_nothing(spec, told):
    with pytest.raises(InputError, match=told):
        read(TESTS, sensitive=spec)


def test_all_absent_names_are_told_with_their_lines_or_only_warned_of(listed):
    path = listed("viagr\nwine\nglob:*pil*\nunder:beer-like\n")
    with pytest.raises(InputError) as caught:
        read(ROWS, sensitive=path, taxonomy=TREE)
    assert str(caught.value) == (
        f"{path}: 3 sensitive items do not occur in the data: 'viagr' (line 1; did you mean 'viagra'?), 'glob:*pil*' "
        "(line 3), 'under:beer-like' (line 4). Correct the list, or continue without them with "
        "--sensitive-missing warn."
    )
    with pytest.warns(AbsentSensitive, match="'viagr' \\(line 1") as told:
        marked = read(ROWS, sensitive=path, taxonomy=TREE, sensitive_missing="warn")
    assert (marked.sensitive_items(), told[0].message.marked) == (["wine"], 1)
    with pytest.raises(InputError, match="has no node 'spirits'"):
        read(ROWS, sensitive="under:spirits", taxonomy=TREE)
    with pytest.raises(InputError, match="has the item 'wine', which differs from the sensitive 'WINE ' only in case"):
        read(ROWS, sensitive=["viagra", "WINE ", "nope"], sensitive_missing="warn")
    with pytest.raises(ParameterError, match="sensitive_missing"):
        read(ROWS, sensitive="wine", sensitive_missing="ignore")


def test_twins_of_sensitive_items_are_told_all_at_once(tmp_path):
    (tmp_path / "a.csv").write_text("order,Item\n1,Viagra\n2,VIAGRA\n3,wine\n")
    with pytest.raises(InputError, match=r"REPLACE \(plain\(\"Item\"\) AS \"Item\"\)"):
        read(tmp_path / "a.csv", sensitive="Viagra")
    with pytest.raises(InputError, match=r"2 such items: 'VIAGRA', 'viagra '"):
        read([["Viagra", "VIAGRA", "viagra ", "wine"]], sensitive="Viagra")
