import gzip

import pytest

import covey
from covey.io import read_taxonomy

LABELS = ("drinks", "beer", "ale", "stout", "tea")


@pytest.mark.parametrize(
    ("name", "text", "labels"),
    [
        ("t.csv", "child,parent\nale,beer\nstout,beer\nbeer,drinks\ntea,drinks\n", LABELS),
        ("t.csv", "ale,beer\nstout,beer\nbeer,drinks\ntea,drinks\n", LABELS),
        ("t.csv", "item,label,level2,level1\nale,Ale,beer,drinks\nstout,x,beer,drinks\ntea,y,,drinks\n", LABELS),
        ("t.csv", "item,level1,level2\nale,drinks,beer\nstout,drinks,beer\ntea,drinks,\n", LABELS),
        ("t.csv", "ale;beer;drinks\nstout;beer;drinks\ntea;;drinks\n", LABELS),
        ("t.tsv", "child\tparent\nale\tbeer\nstout\tbeer\nbeer\tdrinks\ntea\tdrinks\n", LABELS),
        ("t.json", '{"drinks": {"beer": ["ale", "stout"], "tea": {}}}', LABELS),
        ("t.csv", "\ufeffchild,parent\n\"ale, pale\",beer\n", ("beer", "ale, pale")),
    ],
)  # fmt: skip
def test_every_format_is_read(tmp_path, name, text, labels):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_taxonomy(path).labels == labels
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert covey.read_taxonomy(packed).labels == labels


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("child,parent\na,b\nb,a\n", r"t\.csv: the taxonomy has a cycle"),
        ("child,parent\na,b\na,c\n", r"t\.csv, line 3: 'a' has a second parent"),
        ("child,parent\na,b\na,b\n", r"t\.csv, line 3: 'a' is listed again \(first on line 2\)"),
        ("child,parent\na,b,c\n", r"line 2: 3 cells instead of 2"),
        ("item,level1\nx,a\nx,b\n", r"line 3: the item 'x' has a second parent"),
        ("only\n", "single column"),
        ("\n\n", "holds no taxonomy"),
        ("{bad", "not valid JSON"),
    ],
)
def test_bad_files_name_the_line(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(covey.InputError, match=message):
        read_taxonomy(path)


def test_the_real_taxonomies(data_dir):
    groceries = read_taxonomy(data_dir / "groceries.taxonomy.csv")
    assert groceries.shape()["nodes_by_depth"] == [1, 10, 55, 169]
    bms = read_taxonomy(data_dir / "bms-webview-2.hierarchy.csv.gz")
    assert bms.shape()["nodes_by_depth"] == [1, 4, 14, 53, 209, 835, 3340]
    with pytest.raises(covey.InputError, match="second parent"):
        read_taxonomy(data_dir / "wordnet-noun.taxonomy.csv.gz")
    nouns = read_taxonomy(data_dir / "wordnet-noun.taxonomy.csv.gz", second_parent="first")
    assert nouns.height >= 15


def test_foreign_sources(tmp_path):
    with pytest.raises(covey.InputError, match="not from dict"):
        read_taxonomy({})
    (tmp_path / "latin.csv").write_bytes("child,parent\nkäse,x\n".encode("latin-1"))
    with pytest.raises(covey.InputError, match=r"line 2: .* is not valid utf-8"):
        read_taxonomy(tmp_path / "latin.csv")
    assert "käse" in read_taxonomy(tmp_path / "latin.csv", encoding="latin-1")
