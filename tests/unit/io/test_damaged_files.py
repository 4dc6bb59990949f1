"""Damage to files of every format is told as such by every reader, never as something else or as a traceback."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from covey.errors import InputError
from readers import PACKERS, PARQUETS, READERS, TEXTS

pytestmark = pytest.mark.kernel


@pytest.mark.parametrize("codec", PACKERS)
@pytest.mark.parametrize("kind", TEXTS)
class TestCompressed:
    """Text of every kind behind both compressions."""

    @pytest.fixture
    def file(self, tmp_path, kind, codec):
        reader, name, content = TEXTS[kind]
        path = tmp_path / name

        def read(change=lambda packed: packed):
            path.write_bytes(change(PACKERS[codec](content)))
            return READERS[reader](path)

        return read

    def test_whole_files_are_read(self, file):
        file()

    @pytest.mark.parametrize("share", [0.4, 0.7, 0.95])
    def test_cut_off(self, file, share):
        with pytest.raises(InputError, match="compressed data is damaged or cut off"):
            file(lambda packed: packed[: int(len(packed) * share)])

    @pytest.mark.parametrize("tail", [b"garbage", bytes(64), b"\x1f\x8b"])
    def test_something_behind(self, file, tail):
        with pytest.raises(InputError, match="or something follows it"):
            file(lambda packed: packed + tail)

    def test_two_parts_are_one_file(self, file, kind):
        if kind in ("fimi", "movielens", "sensitive"):
            file(lambda packed: packed + packed)


@pytest.mark.parametrize(
    "change",
    [
        *(lambda content, cut=cut: content[:-cut] for cut in (1, 4, 8, 20, 200)),
        lambda _: b"PAR1" + b"x" * 50,
        lambda content: b"PAR1" + content[40:],
        lambda content: content[:4] + bytes(40) + content[44:],
    ],
)
@pytest.mark.parametrize("kind", PARQUETS)
def test_rejects_damaged_parquet(kind, change, tmp_path):
    reader, name, content = PARQUETS[kind]
    path = tmp_path / name
    path.write_bytes(content)
    READERS[reader](path)
    path.write_bytes(change(content))
    with pytest.raises(InputError):
        READERS[reader](path)


def test_names_of_columns_that_are_not_utf8(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"order": [1], "item": ["a"], "rating": [1], "ABCDEFGH": [2]}), path)
    path.write_bytes(path.read_bytes().replace(b"ABCDEFGH", b"AB\xff\xfeEFGH"))
    for read in (covey.read, covey.read_ratings, covey.read_table):
        with pytest.raises(InputError, match=r"t\.parquet: the column name b'AB\\xff\\xfeEFGH' is not valid UTF-8"):
            read(path)


@pytest.mark.parametrize("kind", ["utf8", "binary"])
def test_values_that_are_not_utf8(tmp_path, kind):
    path = tmp_path / "t.parquet"
    raw = pa.array([b"a", b"a", b"\xff\xfe", b"c"])
    bad = raw if kind == "binary" else raw.view(pa.string())
    pq.write_table(pa.table({"order": [1, 2, 3, 4], "item": bad, "rating": [1, 1, 1, 1]}), path, store_schema=False)
    message = r"t\.parquet, column 'item': b'\\xff\\xfe' is not valid UTF-8 in row 3"
    for read in (covey.read, lambda path: covey.read_ratings(path, user="order"), covey.read_table):
        with pytest.raises(InputError, match=message):
            read(path)
    assert covey.read_table(path, identifier="item").n == 4
