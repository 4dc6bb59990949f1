"""FIMI files: any line ends, any chunk size, any label."""

import gzip
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.errors import InputError, ParameterError
from covey.io.baskets.fimi import read_fimi
from oracles.reading import read_fimi as slow

pytestmark = pytest.mark.kernel


def read_bytes(content, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.dat"
        path.write_bytes(content)
        return read_fimi(path, "data.dat", **options)


ALPHABETS = st.sampled_from(["12 \n", "ab \t\n\n", "é漢 ,\n", "1 \n\r"])


@given(ALPHABETS.flatmap(lambda a: st.text(alphabet=a, min_size=1, max_size=60)), st.integers(1, 20))
def test_any_text_in_any_chunks(text, chunk):
    text = text.replace("\r", "\r\n")
    expected = slow(text)
    assert read_bytes(text.encode(), size=chunk) == Baskets.of(expected)


@given(st.text(alphabet="ab ,\n", min_size=1, max_size=60), st.integers(1, 20))
def test_any_text_with_a_separator(text, chunk):
    assert read_bytes(text.encode(), separator=",", size=chunk) == Baskets.of(slow(text, ","))


def test_the_small_print():
    baskets = read_bytes(b"\xef\xbb\xbf3 1 2 1\r\n\r\n 2\t\t10 \r\n99999999999999999999999 -1")
    assert [baskets.basket(i) for i in range(4)] == [
        ["1", "2", "3"],
        [],
        ["10", "2"],
        ["-1", "99999999999999999999999"],
    ]


def test_a_last_empty_line_is_kept_and_a_last_line_feed_is_not_a_line():
    assert read_bytes(b"1\n\n").n == 2
    assert read_bytes(b"1\n").n == 1
    assert read_bytes(b"1").n == 1
    assert read_bytes(b"\n").n == 1


def test_names_with_blanks():
    baskets = read_bytes(b"whole milk , rolls/buns\n  whole milk,,\n", separator=",")
    assert baskets.items == ("rolls/buns", "whole milk")
    assert baskets.lengths().tolist() == [2, 1]
    assert read_bytes(b"whole milk\trolls\n", separator="\t").items == ("rolls", "whole milk")
    assert read_bytes(b"whole milk\trolls\n", separator=" ").items == ("milk", "rolls", "whole")


@pytest.mark.parametrize("separator", ["", ",,", "é", "\n", '"'])
def test_a_separator_is_one_plain_character(separator):
    with pytest.raises(ParameterError, match="one ASCII character"):
        read_bytes(b"1 2\n", separator=separator)


def test_a_line_longer_than_the_chunk():
    text = " ".join(str(i) for i in range(3000)) + "\n7\n"
    assert read_bytes(text.encode(), size=64) == Baskets.of(slow(text))


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
    with pytest.raises(InputError, match=r"data.dat, line 3: 'k\\xe4se' is not valid utf-8.*cp1252") as caught:
        read_bytes("1\n2\nkäse\nkäse\n".encode("latin-1"))
    assert caught.value.line == 3
    with pytest.raises(InputError, match=r"line 3: .*not valid utf-16"):
        read_bytes("a\nb\n".encode("utf-16-le") + b"\x00\xd8\x41\x00", encoding="utf-16-le", size=5)
    with pytest.raises(ParameterError, match="'klingon' is not known"):
        read_bytes(b"1\n", encoding="klingon")


def test_binary_content():
    with pytest.raises(InputError, match="line 2: holds a zero byte, so it is a binary file") as caught:
        read_bytes(b"1 2\n3 \0 4\n", size=3)
    assert caught.value.line == 2
    with pytest.raises(InputError, match=r"is UTF-16 text\. Convert it to UTF-8"):
        read_bytes("1 2\n".encode("utf-16"))


def test_compressed_and_joined_and_empty(tmp_path):
    expected = Baskets.of([["1", "2"], ["3"]])
    packed = tmp_path / "a.dat"
    packed.write_bytes(gzip.compress(b"1 2\n") + gzip.compress(b"3\n"))
    assert read_fimi(packed, "a") == expected
    with pa.OSFile(str(packed), "wb") as file, pa.CompressedOutputStream(file, "zstd") as out:
        out.write(b"1 2\n3\n")
    assert read_fimi(packed, "a", size=1) == expected
    packed.write_bytes(gzip.compress(b""))
    with pytest.raises(InputError, match="the file is empty"):
        read_fimi(packed, "a")


def test_progress_goes_from_nothing_to_all(tmp_path):
    path = tmp_path / "a.dat"
    path.write_bytes(b"1 2 3\n" * 100)
    seen = []
    read_fimi(path, "a", size=50, progress=lambda stage, done: seen.append((stage, done)))
    assert {stage for stage, _ in seen} == {"reading"}
    shares = [done for _, done in seen]
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("name", "n", "d"),
    [("groceries", 9835, 169), ("msweb", 37711, 286), ("retail", 88162, 16470), ("chess", 3196, 75)],
)
def test_real_data_has_its_known_shape(data_dir, name, n, d):
    import numba

    if numba.config.DISABLE_JIT and name == "retail":
        pytest.skip("a million entries take minutes without the compiler")
    baskets = read_fimi(data_dir / f"{name}.dat.gz", name)
    assert (baskets.n, baskets.d) == (n, d)
    with gzip.open(data_dir / f"{name}.dat.gz", "rt") as file:
        rows = slow(file.read())
    assert [baskets.basket(i) for i in range(0, n, 997)] == [sorted(set(row)) for row in rows[::997]]
