"""Mutated files of every format: each is read or refused as input, within 10 seconds and 1 GB."""

import contextlib
import gzip
import io
import os
import random
import resource
import tempfile
import time
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.making import database, workbook
from covey.errors import CoveyError
from readers import PACKERS, PARQUETS, READERS, TEXTS

#: How many files are read in all; 100,000 before a release.
FILES = int(os.environ.get("COVEY_FUZZ_FILES", "3000"))
SALES = [["order", "item", "price"], [1, "ale", 2.5], [1, "tea", 3], [2, "ale", 2.5], [3, "milk", None]]
JSON = b'{"order": 1, "item": "ale"}\n{"order": 2, "item": "caf\\u00e9"}\n{"order": 2, "item": "t\\ud83c\\udf75"}\n'
LISTS = b'["ale", "tea", 3]\n\n[]\n["caf\\u00e9", true, 1.5]\n'
#: What mutations put in: bytes that mean something in one of the formats.
SPICE = [b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"::", b"\\ud800", b"NaN", b"[", b"{", b"}", b"9" * 40, b"<c>"]
SPICE += [b'r="XFD9"', b"</row>", b"'", b" ", b"\t", b";", b"\x1b[2J", b"\xed\xa0\x80", b"\xe2\x80\xae", b"&#0;"]
SPICE += [b"<!--", b"-1", b"1e999"]

ENCODINGS = ["utf-16", "shift-jis", "utf-7", "cp037"]
DATA = {"baskets": READERS["baskets"], "ratings": READERS["ratings"], "table": READERS["table"]}
TABLES = ('CREATE TABLE sales ("order", item)', "INSERT INTO sales VALUES (1, 'ale'), (2, 'tea')")
SOURCES = {
    **TEXTS,
    **PARQUETS,
    "workbook": ("baskets", "a.xlsx", workbook({"sales": SALES})),
    "workbook of a table": ("table", "a.xlsx", workbook({"sales": SALES, "empty": []})),
    "json lines": ("baskets", "a.jsonl", JSON),
    "json lists": ("baskets", "a.jsonl", LISTS),
    "json packed": ("table", "a.jsonl.gz", gzip.compress(JSON, mtime=0)),
    "database": (
        "baskets",
        "a.sqlite",
        database('CREATE TABLE sales ("order", item)', "INSERT INTO sales VALUES (1, 'ale')"),
    ),
    **{f"long, {codec}": ("baskets", "a.csv", pack(TEXTS["csv-long"][2])) for codec, pack in PACKERS.items()},
}


def mutated(content, draw):
    """The content after one to four small changes."""
    for _ in range(draw.randint(1, 4)):
        start = draw.randrange(len(content) + 1)
        stop = min(len(content), start + draw.choice([0, 1, 1, 2, 8, 64]))
        kind = draw.randrange(6)
        if kind == 0 and stop > start:
            content = content[:start] + bytes([content[start] ^ 1 << draw.randrange(8)]) + content[start + 1 :]
        elif kind == 1:
            content = content[:start] + content[stop:]
        elif kind == 2:
            content = content[:start] + draw.choice(SPICE) * draw.choice([1, 1, 2, 300]) + content[stop:]
        elif kind == 3:
            content = content[:stop] + content[start:stop] * draw.choice([1, 3, 50]) + content[stop:]
        elif kind == 4:
            content = content[:start] + draw.randbytes(stop - start) + content[stop:]
        elif draw.random() < 0.3:
            content = content[:start]
    return content


def mutated_part(archive, draw):
    """The same ZIP archive with one of its parts changed."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as source, zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as target:
        chosen = draw.choice([name for name in source.namelist() if name.startswith("xl/")])
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, mutated(content, draw) if name == chosen else content)
    return held.getvalue()


@pytest.mark.timeout(0)
@pytest.mark.parametrize("kind", SOURCES)
def test_mutated_files_are_read_or_refused(kind, tmp_path):
    reader, name, content = SOURCES[kind]
    path, most = tmp_path / name, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + (1 << 20)
    readers = [READERS[reader]] if reader not in DATA else [READERS[reader], *DATA.values()]
    path.write_bytes(content)
    for read in readers:  # what is loaded or compiled once takes no time of a file's
        with warnings.catch_warnings(), contextlib.suppress(CoveyError):
            warnings.simplefilter("ignore")
            read(path)
    for seed in range(-(-FILES // len(SOURCES))):
        draw = random.Random(f"{kind} {seed}")
        inner = name.endswith(".xlsx") and draw.random() < 0.7
        path.write_bytes(mutated_part(content, draw) if inner else mutated(content, draw))
        read = readers[0] if draw.random() < 0.7 else draw.choice(readers)
        how = {"encoding": draw.choice(ENCODINGS)} if reader != "sensitive" and draw.random() < 0.1 else {}
        start = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(path, **how)
        except CoveyError as error:
            assert str(error).isprintable(), f"seed {seed}"
        except BaseException as error:
            error.add_note(f"seed {seed}: {path.read_bytes()[:2000]!r}")
            raise
        assert time.monotonic() - start < 10, f"seed {seed}"
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < most, f"seed {seed}"


FORMATS = {
    "baskets": ["fimi", "csv-long", "csv-wide", "parquet"],
    "ratings": ["csv-long", "csv-wide", "movielens", "parquet"],
    "table": ["csv", "parquet"],
}
SMALL = st.lists(st.sampled_from(b',;:|"\n\r\t 01ab\x0c\xff{}[]*#.-'), max_size=12).map(bytes)


@given(SMALL | st.binary(max_size=40), st.sampled_from(["x", "x.csv", "x.dat", "x.txt", "x.csv.gz", "x.parquet"]))
def test_small_files_are_read_or_refused_in_every_format(content, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        for reader, read in READERS.items():
            for how in [{}, *({"format": one} for one in FORMATS.get(reader, ()))]:
                try:
                    read(path, **how)
                except CoveyError as error:
                    assert str(error).isprintable()
