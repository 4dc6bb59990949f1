"""A limit on what files unpack to: small ones that would fill the memory are refused at the limit."""

import gzip
import os
import subprocess
import sys

import pytest

import covey
from covey import parameters
from covey.errors import InputError, ParameterError
from covey.parameters import VARIABLE, byte_count, most_decompressed
from readers import PACKERS, READERS, TEXTS, parquet


@pytest.fixture(autouse=True)
def unlimited(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


@pytest.mark.parametrize("codec", PACKERS)
@pytest.mark.parametrize("kind", TEXTS)
def test_every_reader_keeps_the_limit(tmp_path, monkeypatch, kind, codec):
    reader, name, content = TEXTS[kind]
    path = tmp_path / name
    path.write_bytes(PACKERS[codec](content))
    monkeypatch.setenv(VARIABLE, str(len(content)))
    READERS[reader](path)
    monkeypatch.setenv(VARIABLE, str(len(content) - 1))
    with pytest.raises(InputError) as caught:
        READERS[reader](path)
    assert f"{name}: unpacks to more than {len(content) - 1} bytes" in str(caught.value)
    assert f"{VARIABLE}=100GiB" in str(caught.value)


@pytest.mark.parametrize("read", [covey.read, covey.read_ratings, covey.read_table])
def test_parquet_is_refused_by_what_it_declares(tmp_path, monkeypatch, read):
    path = tmp_path / "t.parquet"
    path.write_bytes(parquet({"order": [1] * 10**6, "item": ["a"] * 10**6, "rating": [5] * 10**6}))
    monkeypatch.setattr(parameters, "_LEAST", 10**6)
    with pytest.raises(InputError, match=r"t\.parquet: unpacks to more than 1,\d{3},\d{3} bytes"):
        read(path)
    monkeypatch.setenv(VARIABLE, "1GiB")
    assert read(path).n >= 1


def test_only_what_unpacks_very_well_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(parameters, "_LEAST", 10**5)
    good, bad = tmp_path / "good.dat.gz", tmp_path / "bad.dat.gz"
    good.write_bytes(gzip.compress("".join(f"{i} {i * i}\n" for i in range(10**5)).encode()))
    assert covey.read(good).n == 10**5
    bad.write_bytes(gzip.compress(b"1 2\n" * 10**6))
    with pytest.raises(InputError, match=r"bad\.dat\.gz: unpacks to more than"):
        covey.read(bad)


BOMB = """
import resource, sys
import covey
readers = {"table": covey.read_table, "baskets": covey.read, "taxonomy": covey.read_taxonomy}
# compile first, so that only reading counts
open(sys.argv[3], "w").write("a,b\\n1,2\\n")
try:
    readers[sys.argv[1]](sys.argv[3])
except covey.InputError:
    pass
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    readers[sys.argv[1]](sys.argv[2])
except covey.InputError as error:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    print(error)
"""


@pytest.mark.parametrize(
    "kind", ["baskets", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("table", "taxonomy"))]
)
def test_a_bomb_of_10_gigabytes_is_not_read_beyond_the_limit(tmp_path, kind):
    line = b"1,2\n" if kind != "baskets" else b"1 2\n"
    part = gzip.compress(line * (1 << 24))
    path = tmp_path / "bomb.gz"
    path.write_bytes(part * 160)
    command = [sys.executable, "-c", BOMB, kind, str(path), str(tmp_path / "small.csv")]
    limited = os.environ | {VARIABLE: "64MiB"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=limited)
    grown, message = done.stdout.splitlines()
    assert "bomb.gz: unpacks to more than 67,108,864 bytes from" in message
    assert int(grown) < 600_000  # kilobytes


def test_a_line_without_end_is_not_searched_for_ever(tmp_path, monkeypatch):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x" * (1 << 24)))
    monkeypatch.setattr("covey.io.files.LONGEST_LINE", 1 << 20)
    for reader in READERS.values():
        with pytest.raises(InputError, match=r"line 1: a line is longer than 1 MiB"):
            reader(path)


@pytest.mark.parametrize("text", ["", "lots", "-1", "1e9", "10 PB", "GiB", "9" * 400])
def test_sizes_that_are_none(monkeypatch, text):
    with pytest.raises(ParameterError, match=f"{VARIABLE} must be a number of bytes"):
        byte_count(text)


def test_the_limit(monkeypatch):
    assert most_decompressed(10) == 2**28
    assert most_decompressed(2**30) == 100 * 2**30
    monkeypatch.setenv(VARIABLE, " 10 GiB")
    assert most_decompressed(10) == 10 * 2**30
    assert [byte_count(text) for text in ("7", "7b", "2k", "2kb", "2KiB", "1.5 gb", "1TiB")] == [
        7, 7, 2000, 2000, 2048, 1_500_000_000, 2**40,
    ]  # fmt: skip
