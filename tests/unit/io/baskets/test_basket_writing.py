"""Written files: what goes out comes back, and a failure leaves nothing behind."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from covey import Baskets
from covey.errors import OutputError, ParameterError
from covey.io import read, write
from oracles.reading import read_long as slow_long

pytestmark = pytest.mark.kernel

WORDS = st.text(alphabet="ab1é-", min_size=1, max_size=4)
PHRASES = st.text(alphabet='a ,;"\n\té', min_size=1, max_size=5)


def rows_of(labels, least=0):
    return st.lists(st.lists(labels, min_size=least, max_size=4), min_size=1, max_size=10)


def there_and_back(baskets, name, **options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(baskets, path, **options)
        assert [file.name for file in Path(folder).iterdir()] == [name]
        return read(path, **options)


@given(rows_of(WORDS), st.sampled_from(["a.dat", "a.txt", "a.dat.gz", "a.dat.zst", "a.parquet"]))
def test_words_in_every_format(rows, name):
    baskets = Baskets.of(rows)
    assert there_and_back(baskets, name) == baskets


@given(rows_of(PHRASES, least=1), st.sampled_from(["a.csv", "a.tsv", "a.csv.gz", "a.tsv.zst", "a.parquet"]))
def test_phrases_in_tables(rows, name):
    baskets = Baskets.of(rows)
    assert there_and_back(baskets, name) == baskets


@given(rows_of(PHRASES, least=1))
def test_a_slow_reader_agrees(rows):
    baskets = Baskets.of(rows)
    with tempfile.TemporaryDirectory() as folder:
        write(baskets, f"{folder}/a.csv")
        text = Path(f"{folder}/a.csv").read_bytes().decode()
    assert Baskets.of(slow_long(text, ",", "transaction", "item")) == baskets


def test_what_the_files_look_like(tmp_path):
    baskets = Baskets.of([["wine", "meat"], ["whole milk, fresh"]])
    write(Baskets.of([["2", "10"], [], ["1"]]), tmp_path / "a.dat")
    assert (tmp_path / "a.dat").read_bytes() == b"10 2\n\n1\n"
    write(baskets, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == 'transaction,item\n0,meat\n0,wine\n1,"whole milk, fresh"\n'
    write(baskets, tmp_path / "a.tsv")
    assert (tmp_path / "a.tsv").read_text() == "transaction\titem\n0\tmeat\n0\twine\n1\twhole milk, fresh\n"
    write(baskets, tmp_path / "b", format="csv-long", separator="|")
    assert (tmp_path / "b").read_text().startswith("transaction|item\n")


def test_several_portions(monkeypatch, tmp_path):
    import pyarrow.parquet as pq

    monkeypatch.setattr("covey.io.writing._ENTRIES", 5)
    baskets = Baskets.of([["a"], [], ["b", "c", "d"], [], [f"x{i}" for i in range(9)], [], [], ["a"]] * 3)
    write(baskets, tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == baskets
    file = pq.ParquetFile(tmp_path / "a.parquet")
    assert file.num_row_groups > 3
    assert str(file.schema_arrow.field("items").type.value_type) == "string"
    file.close()


@pytest.mark.parametrize("label", ["whole milk", "a\tb", "a\nb", "a\rb", "a\0b", "\ufeffa"])
def test_labels_fimi_cannot_hold(tmp_path, label):
    with pytest.raises(OutputError, match=r"cannot hold the label .* Write csv-long \(.csv\) or parquet instead"):
        write(Baskets.of([["a", label]]), tmp_path / "a.dat")
    assert list(tmp_path.iterdir()) == []


def test_remedies_that_work(tmp_path):
    baskets = Baskets.of([["whole milk", "a"]])
    with pytest.raises(OutputError, match="separator=','"):
        write(baskets, tmp_path / "a.dat")
    write(baskets, tmp_path / "a.dat", separator=",")
    assert read(tmp_path / "a.dat", separator=",") == baskets
    for label in ("a,b", " a", "a "):
        with pytest.raises(OutputError, match="cannot hold the label"):
            write(Baskets.of([[label]]), tmp_path / "b.dat", separator=",")


def test_csv_cannot_hold_empty_transactions_or_zero_bytes(tmp_path):
    with pytest.raises(OutputError, match=r"There are 2, the first being number 1\. Write fimi \(.dat\) or parquet"):
        write(Baskets.of([["a"], [], []]), tmp_path / "a.csv")
    with pytest.raises(OutputError, match="zero byte"):
        write(Baskets.of([["a\0"]]), tmp_path / "a.csv")


def test_names_and_formats(tmp_path):
    baskets = Baskets.of([["a"]])
    with pytest.raises(ParameterError, match=r"Cannot tell the format from the name 'a\.xyz'"):
        write(baskets, tmp_path / "a.xyz")
    with pytest.raises(ParameterError, match=r"'csv-wide' cannot be written.*covey writes fimi"):
        write(baskets, tmp_path / "a.csv", format="csv-wide")
    with pytest.raises(OutputError, match=r"leave out '.gz'"):
        write(baskets, tmp_path / "a.parquet.gz")


@pytest.mark.parametrize("name", ["a.dat", "a.dat.gz", "a.csv", "a.parquet"])
@pytest.mark.parametrize("fault", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_keeps_the_old_file_and_leaves_nothing(tmp_path, monkeypatch, name, fault):
    write(Baskets.of([["old"]]), tmp_path / name)

    def fail(*args):
        raise fault

    monkeypatch.setattr("covey.io.writing.os.fsync", fail)
    with pytest.raises(OutputError if isinstance(fault, OSError) else KeyboardInterrupt) as caught:
        write(Baskets.of([["new"]]), tmp_path / name, force=True)
    assert isinstance(fault, KeyboardInterrupt) or "No space left" in str(caught.value)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert read(tmp_path / name).items == ("old",)


@given(rows_of(PHRASES, least=1), st.sampled_from(["a.csv", "a.tsv.gz", "a.parquet"]), st.data())
def test_persons_come_back(rows, name, data):
    persons = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    if len(set(persons)) in (1, len(rows)):  # all baskets of one person, or each of another: reading says so
        return
    baskets = Baskets.of(rows, persons=persons)
    with tempfile.TemporaryDirectory() as folder:
        write(baskets, Path(folder) / name)
        assert read(Path(folder) / name, person="person") == baskets


def test_persons_have_no_place_in_fimi(tmp_path):
    with pytest.raises(OutputError, match="no place for persons"):
        write(Baskets.of([["a"], ["b"]], persons=["x", "x"]), tmp_path / "a.dat")
    assert not list(tmp_path.iterdir())


def test_no_transactions_at_all(tmp_path):
    nothing = Baskets.of([])
    write(nothing, tmp_path / "a.dat")
    assert (tmp_path / "a.dat").read_bytes() == b""
    write(nothing, tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size > 0
