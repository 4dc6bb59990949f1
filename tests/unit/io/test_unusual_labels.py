"""Labels that are unusual but text are kept as they are through every format; those that are no text are refused."""

import pandas
import pytest

import covey
from covey import Baskets, Hierarchy, InputError, Taxonomy
from covey.io import write
from covey.io.trees import read_hierarchy

UNUSUAL = [
    "a\rb",
    "\r",
    "a\r\nb",
    'x "y" z',
    "x" * 5000,
    "y" * 1_000_000,
    " blank ",
    "\u2028",
    "\x0c",
    "\x85",
    "ﬁ",
    "😀",
]


@pytest.mark.parametrize("label", UNUSUAL, ids=lambda label: ascii(label[:8]))
class TestUnusual:
    """The same label in every place a label can stand."""

    def quoted(self, label):
        return '"' + label.replace('"', '""') + '"'

    def test_baskets(self, tmp_path, label):
        long, wide = tmp_path / "long.csv", tmp_path / "wide.csv"
        long.write_bytes(f"order,item\n1,{self.quoted(label)}\n1,z\n2,z\n".encode())
        wide.write_bytes(f"id,{self.quoted(label)},z\n1,1,1\n2,0,1\n".encode())
        expected = Baskets.of([[label, "z"], ["z"]])
        assert covey.read(long) == expected
        assert covey.read(wide) == expected

    def test_baskets_there_and_back(self, tmp_path, label):
        baskets = Baskets.of([[label, "z"], ["z"]])
        for name in ("a.csv", "a.csv.gz", "a.tsv.zst", "a.parquet"):
            write(baskets, tmp_path / name)
            assert covey.read(tmp_path / name) == baskets

    def test_ratings(self, tmp_path, label):
        long, wide = tmp_path / "long.csv", tmp_path / "wide.csv"
        quoted = self.quoted(label)
        long.write_bytes(f"user,item,rating\n{quoted},{quoted},3\n".encode())
        wide.write_bytes(f"user,{quoted}\n{quoted},3\n".encode())
        for path in (long, wide):
            ratings = covey.read_ratings(path)
            assert (ratings.users, ratings.issues) == ((label,), (label,))

    def test_tables(self, tmp_path, label):
        path = tmp_path / "t.csv"
        path.write_bytes(f"{self.quoted('c' + label + 'd')},n\n{self.quoted(label)},1\n".encode())
        (column, _) = covey.read_table(path).columns
        assert column.name == f"c{label}d"
        assert column.values == (label.strip(),)  # blanks of all kinds around a value do not count

    def test_trees(self, tmp_path, label):
        path = tmp_path / "t.csv"
        node = f"n{label}n"  # blanks of all kinds around a label do not count
        path.write_bytes(f"child,parent\n{self.quoted(node)},top\n".encode())
        assert covey.read_taxonomy(path).labels == ("top", node)
        assert read_hierarchy(path).labels == (node, "top")


def test_errors_that_quote_a_long_label_stay_short():
    with pytest.raises(InputError) as caught:
        covey.read([["a"]], sensitive=["b" * 10**6])
    assert len(str(caught.value)) < 1000
    assert str(caught.value).endswith("continue without them with --sensitive-missing warn.")


def test_errors_hold_no_control_characters(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('"a\x1b[31m",b\n1\n')
    with pytest.raises(InputError) as caught:
        covey.read_table(path)
    assert str(caught.value).isprintable()
    with pytest.raises(InputError, match=r"no column 'x' to be quasi\. The columns are a\\x1b\[31m, b"):
        covey.read_table({"a\x1b[31m": [1], "b": [2]}, quasi="x")


@pytest.mark.parametrize(
    "make",
    [
        lambda bad: covey.read([["a", bad]]),
        lambda bad: Baskets.of([[bad]]),
        lambda bad: covey.read([["a"]], sensitive=[bad]),
        lambda bad: covey.read_table({"x": ["a", bad]}),
        lambda bad: covey.read_table({bad: ["a"]}),
        lambda bad: covey.Table.of({"x": [bad]}),
        lambda bad: covey.Table.of({bad: [1]}),
        lambda bad: covey.Ratings.of([{bad: 1}], scale="1:5"),
        lambda bad: covey.Ratings.of([{"a": 1}], scale="1:5", users=[bad]),
        lambda bad: Taxonomy.from_pairs([(bad, "top")]),
        lambda bad: Hierarchy.from_paths([[bad, "*"]]),
    ],
)
def test_half_characters_are_refused(make):
    with pytest.raises(InputError, match=r"\\ud800"):
        make("\ud800")


def test_half_characters_in_files_and_frames(tmp_path):
    frame = pandas.DataFrame({"order": [1], "item": pandas.Series(["\ud800"], dtype=object)})
    with pytest.raises(InputError, match=r"column 'item': the text '\\ud800' holds half a character"):
        covey.read(frame)
    (tmp_path / "t.json").write_text('{"a": ["\\ud800"]}')
    with pytest.raises(InputError, match="half a character"):
        covey.read_taxonomy(tmp_path / "t.json")


def test_zero_characters(tmp_path):
    baskets = covey.read([["a\0", "a"]])
    assert baskets.items == ("a", "a\0")
    write(baskets, tmp_path / "a.parquet")
    assert covey.read(tmp_path / "a.parquet") == baskets
    assert covey.read_table({"x": ["a\0", "a"]}).column("x").values == ("a", "a\0")
    for reader in (covey.read_taxonomy, read_hierarchy):
        (tmp_path / "a.csv").write_bytes(b"child,parent\na,b\n\0c,b\n")
        with pytest.raises(InputError, match="line 3: holds a zero byte"):
            reader(tmp_path / "a.csv")
    (tmp_path / "a.txt").write_bytes(b"wine\nbe\0er\n")
    with pytest.raises(InputError, match="line 2: holds a zero byte"):
        covey.read([["wine"]], sensitive=tmp_path / "a.txt")
