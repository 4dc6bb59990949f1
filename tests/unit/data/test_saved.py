"""A saved dataset is loaded as it was, or refused with a reason."""

import json
import stat
import threading

import numpy as np
import pytest

import covey
from covey.data.saved import traces
from covey.errors import CoveyWarning, InputError, OutputError, ParameterError


def baskets():
    return covey.Baskets.of(
        [["wine", "test"], [], ["wine", "Käse 7"]], sensitive=["test"], persons=["ann", "bob", "ann"]
    )


def table():
    tree = covey.Hierarchy.from_paths([["nurse", "health", "*"], ["doctor", "health", "*"], ["cook", "*"]])
    columns = {"age": [30, None, 4.5], "job": ["nurse", "cook", None], "illness": ["flu", "flu", "gout"]}
    return covey.Table.of(columns, sensitive=["illness"], hierarchies={"job": tree}, persons=["a", "b", "a"])


def ratings():
    return covey.Ratings.of([[0.5, None], [3, 4.5]], issues=["x", "y"], scale="0.5:5:0.5", sensitive=["y"], users="ab")


def records():
    return covey.Records.of({"age": [30, 34], "flu": ["yes", "no"]}, [["ale", "tea"], []], sensitive=["flu", "tea"])


def same(one, other):
    """Whether two values are equal, with all arrays and parts."""
    if hasattr(one, "__dataclass_fields__"):
        names = [name for name in one.__dataclass_fields__ if name != "directory"]
        return type(one) is type(other) and all(same(getattr(one, n), getattr(other, n)) for n in names)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


@pytest.mark.parametrize("make", [baskets, table, ratings, records])
def test_loads_what_was_saved(make, tmp_path):
    path = make().save(tmp_path / "shop.covey")
    loaded = covey.load(path)
    assert same(loaded, make())
    assert loaded.directory == path
    assert traces(path).is_dir()


@pytest.mark.parametrize("data", [covey.Baskets.of([]), covey.Baskets.of([[], []]), table().take(np.arange(0))])
def test_loads_datasets_without_entries(data, tmp_path):
    assert same(covey.load(data.save(tmp_path / "empty.covey")), data)


def test_only_the_owner_can_read(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    modes = {stat.S_IMODE(part.stat().st_mode) for part in [path, *path.rglob("*")]}
    assert modes == {0o700, 0o600}


def test_traces_are_in_no_digest(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    (traces(path) / "one.parquet").write_bytes(b"rows")
    assert same(covey.load(path), baskets())


def test_refuses_a_damaged_table(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    file = path / "transactions.parquet"
    file.write_bytes(file.read_bytes()[:-9] + b"damaged!!")
    with pytest.raises(InputError, match=r"damaged: transactions.parquet is not the file that was written"):
        covey.load(path)
    file.unlink()
    with pytest.raises(InputError, match=r"damaged: transactions.parquet cannot be read"):
        covey.load(path)


def test_refuses_edits_by_hand(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    told = path / "dataset.json"
    told.write_text(told.read_text().replace('"baskets"', '"ratings"'))
    with pytest.raises(InputError, match=r"dataset.json was changed after it was written.*covey prepare"):
        covey.load(path)


@pytest.mark.parametrize("text", ['{"format": "covey-dataset/1"', '{"format": "covey-dataset/x"}', "[] covey-dataset/"])
def test_refuses_a_broken_description(text, tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    (path / "dataset.json").write_text(f'{text} "covey-dataset/1"')
    with pytest.raises(InputError, match=r"dataset.json cannot be understood"):
        covey.load(path)


def test_refuses_a_newer_version(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    told = path / "dataset.json"
    body = json.loads(told.read_text()) | {"format": "covey-dataset/2", "covey": "9.0"}
    told.write_text(json.dumps(body))
    with pytest.raises(InputError, match=r"newer covey \(9.0, format 2\).*Update covey"):
        covey.load(path)


def test_refuses_what_is_no_dataset(tmp_path):
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match=r"sales.csv: is not a saved dataset.*covey prepare"):
        covey.load(tmp_path / "sales.csv")
    with pytest.raises(InputError, match=r"does not exist"):
        covey.load(tmp_path / "nowhere.covey")


def test_reports_a_disk_that_cannot_be_written():
    with pytest.raises(OutputError, match=r"cannot be written"):
        baskets().save("/proc/shop.covey")


def test_loads_from_a_folder_that_cannot_be_written(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    path.chmod(0o500)
    assert same(covey.load(path), baskets())
    path.chmod(0o700)


def test_keeps_an_earlier_dataset(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    (traces(path) / "one.parquet").write_bytes(b"rows")
    with pytest.raises(OutputError, match="--force"):
        table().save(path)
    with pytest.warns(CoveyWarning, match=r"The earlier dataset was moved to .*shop.covey.1"):
        table().save(path, force=True)
    assert same(covey.load(path), table())
    assert same(covey.load(tmp_path / "shop.covey.1"), baskets())
    assert (traces(tmp_path / "shop.covey.1") / "one.parquet").exists()


def test_a_release_does_not_replace_a_dataset(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    with pytest.raises(OutputError, match="--force replaces a covey release and nothing else"):
        covey.publish(path, path, "degree(p=2)", force=True)
    assert same(covey.load(path), baskets())


@pytest.mark.filterwarnings("ignore:The earlier dataset was moved")
def test_two_writers_at_once_leave_whole_datasets(tmp_path):
    def write():
        for _ in range(5):
            try:
                baskets().save(tmp_path / "shop.covey", force=True)
            except (OutputError, FileExistsError):
                refused.append(1)

    refused = []
    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    left = list(tmp_path.iterdir())
    assert len(left) == 10 - len(refused)
    assert all(same(covey.load(path), baskets()) for path in left)


def test_source_reads_a_dataset(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    source = covey.Source.of(str(path))
    assert source.directory == path
    assert same(source.as_kind("baskets").read(), baskets())
    marked = covey.Source.of(path, sensitive="wine").as_kind("baskets").read()
    assert (marked.sensitive_items(), marked.directory) == (["wine"], path)
    with pytest.raises(ParameterError, match="has read already"):
        covey.Source.of(path, item="item").as_kind("baskets").read()


def test_rows_of_other_data_have_no_directory(tmp_path):
    for make in (baskets, table, ratings, records):
        loaded = covey.load(make().save(tmp_path / f"{make.__name__}.covey"))
        assert loaded.take(np.array([0])).directory is None


def test_publish_and_verify_take_a_dataset(tmp_path):
    path = baskets().save(tmp_path / "shop.covey")
    assert covey.publish(path, tmp_path / "out", "degree(p=2)", seed=1).verdict.holds
    assert covey.verify(tmp_path / "out", path).holds
