"""FIMI files: any line ends, any chunk size, any label."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey import Baskets
from covey.errors import InputError
from oracles.reading import read_fimi as slow

pytestmark = pytest.mark.kernel


def read_fimi(path, size=None, **options):
    with pytest.MonkeyPatch.context() as patch:
        if size is not None:
            patch.setattr("covey.io.baskets._BLOCK", size)
        return covey.read(path, format="fimi", **options)


def read_bytes(content, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.dat"
        path.write_bytes(content)
        return read_fimi(path, **options)


ALPHABETS = st.sampled_from(["12 \n", "ab \t\n\n", "é漢 ,\n", "1 \n\r"])


@given(ALPHABETS.flatmap(lambda a: st.text(alphabet=a, min_size=1, max_size=60)), st.integers(1, 20))
def test_any_text_in_any_chunks(text, chunk):
    text = text.replace("\r", "\r\n")
    expected = slow(text)
    assert read_bytes(text.encode(), size=chunk) == Baskets.of(expected)


@given(st.text(alphabet="ab ,\n", min_size=1, max_size=60), st.integers(1, 20))
def test_any_text_with_a_separator(text, chunk):
    assert read_bytes(text.encode(), separator=",", size=chunk) == Baskets.of(slow(text, ","))


def test_single_byte_encodings_and_others():
    text = "käse brot\nkäse\n"
    expected = Baskets.of([["käse", "brot"], ["käse"]])
    for encoding in ("utf-8", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-32", "cp500"):
        for chunk in (1, 7, 1000):
            assert read_bytes(text.encode(encoding), encoding=encoding, size=chunk) == expected
    japanese = Baskets.of([["ソ", "表|"]])  # in this encoding their second bytes look like ASCII
    for chunk in (1, 2, 3):
        assert read_bytes("ソ 表|".encode("shift-jis"), encoding="shift-jis", size=chunk) == japanese


def test_wrong_encoding_names_the_line_of_first_sight():
    with pytest.raises(InputError, match=r"data.dat, line 3: 'k\\xe4se' is not valid utf-8.*cp1252"):
        read_bytes("1\n2\nkäse\nkäse\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"line 3: .*not valid utf-16"):
        read_bytes("a\nb\n".encode("utf-16-le") + b"\x00\xd8\x41\x00", encoding="utf-16-le", size=5)
