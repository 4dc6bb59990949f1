"""Files that cannot be read: each failure names the file as given, what is wrong and what would work."""

import gzip
import os
from pathlib import Path

import pytest

from covey.errors import InputError, ParameterError
from covey.io import read


def failure(path, **options):
    with pytest.raises(InputError) as caught:
        read(path, **options)
    assert str(caught.value).startswith(os.fspath(path))
    assert caught.value.file == os.fspath(path)
    assert caught.value.remedy
    return str(caught.value)


def test_directory(tmp_path):
    assert "is a directory, not a file" in failure(tmp_path)
    (tmp_path / "a.dat").write_text("1\n")
    assert "Give a file in it" in failure(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    assert "looks like a release" in failure(tmp_path)


@pytest.mark.parametrize("name", ["a.dat.gz", "a.csv.gz"])
@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf"])
def test_nothing_compressed(tmp_path, name, content):
    (tmp_path / name).write_bytes(gzip.compress(content))
    assert "the file is empty" in failure(tmp_path / name)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"PK\x03\x04rest", "a ZIP archive or a spreadsheet"),
        (b"BZh91AY", "compressed with bzip2"),
        (b"\xfd7zXZ\x00\x00", "compressed with xz"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\n<!DOCTYPE HTML><p>1 2\n", "a web page"),
        (b"<html><p>1 2\n", "a web page"),
        (b"1 2\n\x00\x01\x02", "a binary file"),
        ("1 2\n".encode("utf-16"), "UTF-16 text"),
    ],
)
@pytest.mark.parametrize("name", ["a.dat", "a.csv", "a"])
def test_binary_file(tmp_path, content, kind, name):
    (tmp_path / name).write_bytes(content)
    assert kind in failure(tmp_path / name)


def test_unknown_names_and_misplaced_parameters(tmp_path):
    path = tmp_path / "a.dat"
    path.write_text("1 2\n")
    with pytest.raises(ParameterError, match="covey reads fimi, csv-long, csv-wide, parquet"):
        read(path, format="xlsx")
    with pytest.raises(ParameterError, match="encoding 'klingon' is not known"):
        read(path, encoding="klingon")
    for separator in ("", ",,", "::", "é", "\n", '"'):
        with pytest.raises(ParameterError, match="one ASCII character"):
            read(path, format="fimi", separator=separator)
    with pytest.raises(ParameterError, match="a file has its own"):
        read(path, items=["a"])
    with pytest.raises(ParameterError, match="are for files"):
        read([["a"]], format="fimi")


def test_nothing_stays_open(tmp_path):
    open_files = Path("/proc/self/fd")
    if not open_files.is_dir():
        pytest.skip("needs the list of open files of a Linux system")
    path = tmp_path / "a.csv"
    path.write_text("tid,item\n1\n")
    failure(path)
    before = len(list(open_files.iterdir()))
    for _ in range(5):
        failure(path)
    assert len(list(open_files.iterdir())) <= before
