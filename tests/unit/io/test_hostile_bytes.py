"""Whatever bytes a file holds, every reader either understands them or raises one of covey's own errors."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.errors import CoveyError
from readers import READERS

pytestmark = pytest.mark.kernel

FORMATS = {
    "baskets": [{}, *({"format": name} for name in ("fimi", "csv-long", "csv-wide", "parquet"))],
    "ratings": [{}, *({"format": name} for name in ("csv-long", "csv-wide", "movielens", "parquet"))],
    "table": [{}, {"format": "csv"}, {"format": "parquet"}],
    "taxonomy": [{}, {"second_parent": "first"}],
    "hierarchy": [{}],
    "sensitive": [{}],
}
CALLS = [(reader, options) for reader, choices in FORMATS.items() for options in choices]


def outcome(reader, path, options):
    """What covey says of a file that it does not read; any other error is a failure of the test."""
    try:
        READERS[reader](path, **options)
    except CoveyError as error:
        return str(error)
    return ""


def read_everywhere(content, name, calls=CALLS):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        for reader, options in calls:
            said = outcome(reader, path, options)
            assert said.isprintable()
            assert len(said) < 3000


NAMES = st.sampled_from(["x", "x.csv", "x.dat", "x.txt", "x.csv.gz", "x.parquet"])
ALPHABET = b',;:|"\n\r\t 01ab\x0c\xff{}[]*#.-'


@given(st.lists(st.sampled_from(ALPHABET), max_size=12).map(bytes), NAMES)
@example(b";\x0c", "x")
@example(b'"', "x.csv")
@example(b"\x0c\n;", "x.csv")
@example(b"[]", "x")
@example(b'{"a": {"a": 1}}', "x")
@example(b"\xef\xbb\xbf", "x.csv")
def test_small_files(content, name):
    read_everywhere(content, name)


@given(st.binary(max_size=40), NAMES)
def test_any_bytes(content, name):
    read_everywhere(content, name)
