"""Whatever bytes a file holds, every reader either understands them or raises one of covey's own errors."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from covey.errors import CoveyError
from readers import PACKERS, PARQUETS, READERS, TEXTS

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
WORDS = [
    b'"', b'""', b"\r", b"\n", b"\r\n", b"\0", b",", b";", b"\t", b"::", b":", b"|", b"\x0c", b"\xff", b" ", b"*",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"inf", b"nan", b"1e400", b"9" * 400, b"[", b"{", b"\\ud800",
    b"\xff\xfe", b"PAR1", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xff\xff\xff\x7f", b"\0\0\0\x80",
]  # fmt: skip


@st.composite
def mutated(draw, contents):
    """Valid content with a few bytes flipped, put in, doubled or taken out, then perhaps packed and damaged again."""
    content = _changed(draw, draw(st.sampled_from(contents)))
    packer = draw(st.sampled_from([None, None, *PACKERS]))
    if packer is None:
        return content
    packed = PACKERS[packer](content)
    return _changed(draw, packed) if draw(st.booleans()) else packed


def _changed(draw, content):
    for _ in range(draw(st.integers(0, 4))):
        start, stop = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        kind = draw(st.sampled_from(["flip", "put", "double", "drop", "cut"]))
        if kind == "flip" and start < len(content):
            flipped = content[start] ^ (1 << draw(st.integers(0, 7)))
            content = content[:start] + bytes([flipped]) + content[start + 1 :]
        elif kind == "put":
            content = content[:start] + draw(st.sampled_from(WORDS)) + content[start:]
        elif kind == "double":
            content = content[:stop] + content[start:stop] + content[stop:]
        elif kind == "drop":
            content = content[:start] + content[stop:]
        elif kind == "cut":
            content = content[:stop]
    return content


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


@pytest.mark.filterwarnings("ignore::covey.errors.CoveyWarning")
@given(mutated([content for _, _, content in TEXTS.values()]), NAMES)
def test_damaged_texts(content, name):
    read_everywhere(content, name)


@given(mutated([content for _, _, content in PARQUETS.values()]), NAMES)
def test_damaged_parquet(content, name):
    read_everywhere(content, name)


@given(
    mutated([content for _, _, content in TEXTS.values()]),
    st.sampled_from(["utf-16", "shift-jis", "utf-7", "cp037"]),
)
def test_damaged_texts_in_other_encodings(content, encoding):
    texts = ("baskets", "ratings", "table", "taxonomy", "hierarchy")
    read_everywhere(content, "x.csv", [(reader, {"encoding": encoding}) for reader in texts])
