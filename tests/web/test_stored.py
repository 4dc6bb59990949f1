"""What the server stored is read again as it was; a store that it cannot read is refused, and left as it is."""

import sqlite3
from contextlib import closing

import pytest

from covey.errors import OutputError
from covey.web.records.files import VERSION
from covey.web.server.service import Service
from covey.web.server.settings import Settings


@pytest.fixture
def stored(tmp_path, workers):
    """Settings of a server that has stopped, and the id of the file that was picked there."""
    data, root = tmp_path / "data", tmp_path / "root"
    root.mkdir()
    (root / "sales.csv").write_text("order,item\n" + "".join(f"{i},{x}\n" for i in range(9) for x in ("wine", "tea")))
    settings = Settings(data=data, root=root)
    service = Service(settings, workers)
    id = service.datasets.wait(service.datasets.pick("sales.csv").id).id
    service.sensitive.mark(id, ["wine"])
    assert service.jobs.wait(service.start(id, "degree(p=2)").id).state == "failed"
    service.close()
    return settings, id


def change(settings, statement, *values):
    with closing(sqlite3.connect(settings.data / "covey.sqlite3", isolation_level=None)) as database:
        database.execute(statement, values)


def refused(settings, workers):
    """What is said when a server cannot use a store; nothing of this is changed."""
    file = settings.data / "covey.sqlite3"
    before = file.read_bytes()
    with pytest.raises(OutputError) as told:
        Service(settings, workers)
    assert file.read_bytes() == before
    assert str(file) in str(told.value)
    assert "--data" in str(told.value)
    return str(told.value)


def test_what_was_stored_is_read_as_it_was(stored, workers):
    settings, id = stored
    service = Service(settings, workers)
    assert (service.datasets.get(id).state, service.datasets.get(id).sensitive) == ("ready", ["wine"])
    assert [job.state for job in service.jobs.all()] == ["failed"]
    service.close()


@pytest.mark.parametrize("layout", [1, 2, VERSION + 1])
def test_another_layout_is_refused(stored, workers, layout):
    change(stored[0], f"PRAGMA user_version = {layout}")
    text = refused(stored[0], workers)
    assert f"another version of covey (layout {layout}; this one uses {VERSION})" in text


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE datasets SET body = '{\"dataset\": '", "Expecting value"),
        ("UPDATE datasets SET body = '[]'", "Input should be"),
        ("UPDATE jobs SET body = '{}'", "Field required"),
        ("UPDATE datasets SET body = json_set(body, '$.dataset.kind', 'clouds')", "no kind of data 'clouds'"),
    ],
)
def test_a_record_that_cannot_be_read_is_named(stored, workers, statement, reason):
    change(stored[0], statement)
    text = refused(stored[0], workers)
    assert reason in text
    assert f"in {statement.split()[1]} of" in text


def test_a_file_that_is_no_database_is_refused(tmp_path, workers):
    settings = Settings(data=tmp_path)
    (tmp_path / "covey.sqlite3").write_bytes(b"no database " * 100)
    assert "not a database" in refused(settings, workers)


def test_a_damaged_database_is_refused(stored, workers):
    path = stored[0].data / "covey.sqlite3"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    assert "cannot be used as a database" in refused(stored[0], workers)


@pytest.mark.parametrize("root", [None, "elsewhere"])
def test_a_file_below_a_root_that_is_no_longer_open_stops_nothing(stored, workers, root):
    settings, id = stored
    change(settings, "UPDATE datasets SET body = json_set(body, '$.dataset.state', 'pending')")
    if root is not None:
        (settings.data.parent / root).mkdir()
    service = Service(Settings(data=settings.data, root=None if root is None else settings.data.parent / root), workers)
    assert service.datasets.get(id).state == "failed"
    assert "--root" in service.datasets.get(id).problem
    service.close()


def test_cleaning_removes_what_a_crash_left_without_a_record(stored, workers):
    settings = stored[0]
    left = settings.data / "datasets" / "0123456789ab" / "original"
    left.mkdir(parents=True)
    (left / "people.csv").write_bytes(b"x" * 1_000)
    service = Service(settings, workers)
    assert service.clean(1).bytes == 0
    under_way = settings.data / "jobs" / "ba9876543210"
    under_way.mkdir()  # after the server was started: about to get its record
    assert service.clean(0).bytes >= 1_000
    assert list((settings.data / "datasets").iterdir()) == []
    assert list((settings.data / "jobs").iterdir()) == [under_way]
    service.close()
