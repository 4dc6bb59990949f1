"""What is no readable file: every reader says what it is instead, and none of them hangs."""

import os
from pathlib import Path

import pytest

import covey
from covey.errors import InputError
from readers import READERS

# A text that is no file is a list of sensitive items, so only a path must be one.
everywhere = pytest.mark.parametrize("reader", READERS)


def failure(reader, path):
    with pytest.raises(InputError) as caught:
        READERS[reader](path)
    assert caught.value.remedy
    assert str(caught.value).isprintable()
    return str(caught.value)


@everywhere
@pytest.mark.timeout(20)
def test_names_what_is_no_file(tmp_path, reader):
    (tmp_path / "people.csv").write_text("a\n")
    (tmp_path / "a.csv").touch()
    os.mkfifo(tmp_path / "pipe")
    told = {
        tmp_path: "is a directory, not a file",
        tmp_path / "poeple.csv": "there is no such file. Did you mean 'people.csv'?",
        tmp_path / "nowhere" / "a.csv": "does not exist either",
        tmp_path / "a.csv": "the file is empty",
        tmp_path / "pipe": "is not a regular file",
        Path("/dev/null"): "is not a regular file",
        Path("/dev/zero"): "is not a regular file",
        tmp_path / ("x" * 300): "x" * 300,
        Path("a\0b"): r"a\x00b: cannot be read",
    }
    for path, words in told.items():
        assert words in failure(reader, path)


@everywhere
def test_links_that_lead_nowhere(tmp_path, reader):
    (tmp_path / "round").symlink_to("round")
    (tmp_path / "dead").symlink_to("gone")
    assert "cannot be read" in failure(reader, tmp_path / "round")
    assert "there is no such file" in failure(reader, tmp_path / "dead")


@everywhere
def test_files_that_may_not_be_read(tmp_path, reader, monkeypatch):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    # the superuser may read everything, so the refusal is staged
    usual = Path.open

    def refuse(self, *args, **kwargs):
        if self == path:
            raise PermissionError(13, "Permission denied", str(path))
        return usual(self, *args, **kwargs)

    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission to read it" in failure(reader, path)


@everywhere
def test_names_that_are_not_utf8(tmp_path, reader):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.csv"))
    try:
        path.write_text("\n")
    except OSError:
        pytest.skip("this file system takes only names in UTF-8")
    assert r"caf\udce9.csv" in failure(reader, path)
    path.write_text("user,item,rating\nu,a,1\n" if reader == "ratings" else "child,parent\nb,a\n")
    assert READERS[reader](path)


def test_texts_that_are_no_files_are_lists_of_sensitive_items(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is not a regular file"):
        covey.read([["a"]], sensitive=f"{tmp_path}/pipe")
    with pytest.raises(InputError, match="does not occur in the data"):
        covey.read([["a"]], sensitive="x" * 5000)


def test_hierarchies_of_a_folder_that_is_none(tmp_path):
    columns = {"x": ["a", "b"]}
    with pytest.raises(InputError, match="names no column"):
        covey.read_table(columns, hierarchies=tmp_path / "gone")
    with pytest.raises(InputError, match="no file in it is named after a column"):
        covey.read_table(columns, hierarchies=tmp_path)
    with pytest.raises(InputError, match="there is no such file"):
        covey.read_table(columns, hierarchies=["x=gone.csv"])
    with pytest.raises(InputError, match="hierarchies cannot be given as int"):
        covey.read_table(columns, hierarchies=3)
