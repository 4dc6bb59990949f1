"""Files on the server: names that lead nowhere, and folders that are not left."""

import pytest

from covey.web.server import folders
from covey.web.server.problems import NotFound, Refused


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
    return root


@pytest.mark.parametrize("path", ["../secret.txt", "link.txt", "away/secret.txt", "sub/../../secret.txt", "away"])
def test_nothing_outside_the_root_is_found(tree, path):
    with pytest.raises(Refused):
        folders.below(tree, path)


@pytest.mark.parametrize("path", ["nothing.csv", "/etc/passwd", "a\x00b"])
def test_what_is_not_there_is_not_found(tree, path):
    with pytest.raises(NotFound):
        folders.below(tree, path)


def test_a_listing_hides_what_is_hidden_and_what_leads_outside(tree):
    assert [(entry.name, entry.folder) for entry in folders.listing(tree, "")] == [("sub", True)]
    [entry] = folders.listing(tree, "sub")
    assert (entry.path, entry.size) == ("sub/sales.csv", 8)
    with pytest.raises(Refused, match="--root"):
        folders.listing(None, "")
