"""Files on the server: names that lead nowhere, and folders that are not left."""

import sqlite3

import pytest

from covey.errors import OutputError
from covey.web import folders
from covey.web.problems import NotFound, Refused


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("sales.csv", "sales.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\sales.csv", "sales.csv"),
        ("..", "data"),
        (".hidden", "hidden"),
        ("", "data"),
        ("a\x00b\n<script>.csv", "ab<script>.csv"),
    ],
)
def test_names_of_files_lead_nowhere(given, kept):
    assert folders.safe_name(given) == kept


def test_long_names_keep_their_suffix():
    kept = folders.safe_name("ü" * 500 + ".csv.gz")
    assert kept.endswith(".csv.gz")
    assert len(kept.encode()) <= 120


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "sales.csv").write_text("a,b\n1,2\n")
    (root / ".hidden").write_text("x")
    outside = tmp_path / "secret.txt"
    outside.write_text("x")
    (root / "link.txt").symlink_to(outside)
    (root / "away").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    return root


@pytest.mark.parametrize("path", ["../secret.txt", "link.txt", "away/secret.txt", "sub/../../secret.txt", "away"])
def test_nothing_outside_the_root_is_found(tree, path):
    with pytest.raises(Refused):
        folders.below(tree, path)


@pytest.mark.parametrize("path", [".hidden", "sub/../.hidden", "visible.txt"])
def test_hidden_files_cannot_be_picked(tree, path):
    (tree / "visible.txt").symlink_to(tree / ".hidden")
    with pytest.raises(Refused, match="Hidden"):
        folders.below(tree, path)


@pytest.mark.parametrize("path", ["nothing.csv", "/etc/passwd", "a\x00b", "x" * 400, "loop", "loop/x"])
def test_what_is_not_there_is_not_found(tree, path):
    with pytest.raises(NotFound):
        folders.below(tree, path)


def test_a_listing_hides_what_is_hidden_and_what_leads_outside(tree):
    assert [(entry["name"], entry["folder"]) for entry in folders.listing(tree, "")] == [("sub", True)]
    [entry] = folders.listing(tree, "sub")
    assert (entry["path"], entry["size"]) == ("sub/sales.csv", 8)
    with pytest.raises(Refused, match="--root"):
        folders.listing(None, "")


def test_a_listing_has_only_what_covey_reads(tmp_path):
    for name in ("a.csv", "B.TSV.gz", "c.parquet", "d.dat", "e.txt", "u.data", "f.jsonl"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "g.xlsx").write_bytes(b"PK\x03\x04")
    for name in ("picture.png", "run.sh", "notes.docx", "Makefile", "h.sqlite"):
        (tmp_path / name).write_bytes(b"PK\x03\x04")
    with sqlite3.connect(tmp_path / "sales.db") as made:
        made.execute("CREATE TABLE t (a)")
    found = [entry["name"] for entry in folders.listing(tmp_path, "")]
    assert found == ["a.csv", "B.TSV.gz", "c.parquet", "d.dat", "e.txt", "f.jsonl", "g.xlsx", "sales.db", "u.data"]


def test_a_data_folder_is_closed_to_others_or_refused(tmp_path):
    mine, shared = tmp_path / "mine", tmp_path / "shared"
    mine.mkdir(mode=0o755)
    folders.occupy(mine).close()
    assert mine.stat().st_mode & 0o777 == 0o700
    mine.chmod(0o755)  # holds a lock by now, so it is known
    folders.occupy(mine).close()
    assert mine.stat().st_mode & 0o777 == 0o700
    shared.mkdir(mode=0o755)
    (shared / "holiday.jpg").write_bytes(b"")
    with pytest.raises(OutputError, match="chmod 700"):
        folders.occupy(shared)
    assert [path.name for path in shared.iterdir()] == ["holiday.jpg"]
