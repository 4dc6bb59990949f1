"""The database, and the small parts of the server that need no worker."""

import threading

import pytest

from covey.errors import MissingDependency, OutputError
from covey.web.server import listening
from covey.web.server.listening import require_web
from covey.web.server.service import Service
from covey.web.server.settings import Settings
from covey.web.server.store import Store


def test_records_outlive_the_connection(tmp_path):
    path = tmp_path / "covey.sqlite3"
    store = Store(path)
    store.put("jobs", "b", {"state": "queued"}, created=2.0)
    store.put("jobs", "a", {"state": "done"}, created=1.0)
    store.put("jobs", "b", {"state": "running"}, created=9.0)
    store.put("datasets", "a", {"name": "naïve 'quoted\".csv"}, created=1.0)
    store.close()
    again = Store(path)
    assert again.load("jobs", dict) == [{"state": "done"}, {"state": "running"}]
    again.drop("jobs", "a")
    assert again.load("jobs", dict) == [{"state": "running"}]
    assert again.load("datasets", dict) == [{"name": "naïve 'quoted\".csv"}]
    again.close()


def test_many_threads_may_write(tmp_path):
    store = Store(tmp_path / "covey.sqlite3")
    threads = [
        threading.Thread(target=lambda n=n: [store.put("jobs", f"{n}-{i}", {}, created=n) for i in range(50)])
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.load("jobs", dict)) == 400
    store.close()


def test_a_data_folder_has_one_server(tmp_path):
    first = Service(Settings(data=tmp_path))
    with pytest.raises(OutputError, match="Another"):
        Service(Settings(data=tmp_path))
    first.close()
    Service(Settings(data=tmp_path)).close()


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    require_web()
    monkeypatch.setattr(listening, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'covey\[web\]'"):
        require_web()
