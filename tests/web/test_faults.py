"""Full disks, damaged databases, two tabs: afterwards every job is in a true state, and can be removed."""

import resource
import sqlite3
from contextlib import closing, contextmanager

import pytest

from covey.web.server.jobs import ReleaseListener
from covey.web.server.problems import Conflict, Full, NotFound, TaskError
from covey.web.server.service import Service
from covey.web.server.settings import Settings
from covey.web.server.store import Store
from holding import holding
from serving import client_of


@contextmanager
def full_disk(pid=0, most=0):
    """No file of a process, by default this one, may grow beyond so many bytes."""
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@pytest.fixture
def shop(tmp_path, root, workers):
    """The settings of a server of its own, and the service with a shop's baskets that was read."""
    settings = Settings(data=tmp_path / "data", root=root)
    service = Service(settings, workers)
    data = service.datasets.wait(service.datasets.pick("sales.csv").id)
    service.sensitive.mark(data.id, ["condoms"])
    yield settings, service, data.id
    service.close()


def test_a_full_disk_leaves_no_ghosts(shop, monkeypatch):
    settings, service, data = shop
    with full_disk():
        for change in (
            lambda: service.start(data, "degree(p=5)"),
            lambda: service.sensitive.mark(data, ["red wine"]),
            lambda: service.datasets.configure(data, options={"missing": "drop"}),
            lambda: service.datasets.pick("survey.csv"),
            lambda: service.remove_dataset(data, for_good=False),
        ):
            with pytest.raises(Full, match="no room left"):
                change()
    assert service.jobs.all() == []
    assert list((settings.data / "jobs").iterdir()) == []
    [kept] = service.datasets.all()
    assert (kept.sensitive, kept.options, kept.state) == (["condoms"], {}, "ready")

    # It fills while a release is being made.
    started = ReleaseListener.started

    def fill(listener):
        started(listener)
        worker = listener._jobs._queue._running[listener._entry.job.id].worker
        resource.prlimit(worker.pid, resource.RLIMIT_FSIZE, (2_000, resource.RLIM_INFINITY))

    with monkeypatch.context() as patch:
        patch.setattr(ReleaseListener, "started", fill)
        job = service.jobs.wait(service.start(data, "degree(p=5)", seed=1).id)
    assert (job.state, job.error_type, job.holds) == ("failed", "Full", False)
    assert "no room left" in job.error
    assert not (settings.data / "jobs" / job.id).exists()

    # How a job ends is known although it cannot be stored, and nothing stands in the way of the next one.
    with holding(service):
        waiting = service.start(data, "degree(p=5)", seed=1)
        with full_disk():
            assert service.jobs.cancel(waiting.id).state == "cancelled"
    assert service.jobs.wait(service.start(data, "degree(p=5)", seed=1).id).measured
    for job in service.jobs.all():
        service.jobs.drop(job.id)
    assert list((settings.data / "jobs").iterdir()) == []


def test_a_wrong_hierarchy_does_not_replace_a_good_one(shop, root, tmp_path):
    _, service, _ = shop
    id = service.datasets.wait(service.datasets.pick("patients.csv").id).id
    for number, (text, problem) in enumerate((("f,*\nm,*\n", None), ("f,*\n", "m"), ("f,g\nm,f\n", "f"))):
        path = tmp_path / f"sex{number}.csv"
        path.write_text(text)
        if problem is None:
            service.trees.attach_hierarchy(id, "sex", path.name, path)
        else:
            with pytest.raises(TaskError, match=problem):
                service.trees.attach_hierarchy(id, "sex", path.name, path)
    kept = service.datasets.wait(id)
    assert (kept.state, kept.hierarchies) == ("ready", {"sex": "sex0.csv"})


def test_a_half_damaged_database_is_kept_aside_and_read_as_far_as_it_goes(tmp_path, root, workers):
    settings = Settings(data=tmp_path / "data", root=root)
    service = Service(settings, workers)
    ids = [service.datasets.wait(service.datasets.pick("sales.csv").id).id for _ in range(2)]
    for number in range(40):  # enough records for many pages
        service._store.put("jobs", f"{number:012x}", {"filler": "x" * 3_000}, created=float(number))
    service.close()
    path = settings.data / "covey.sqlite3"
    whole = path.read_bytes()
    half = len(whole) // 2 // 4096 * 4096
    path.write_bytes(whole[:half] + b"\xa5" * 8192 + whole[half + 8192 :])
    with closing(sqlite3.connect(path)) as database, pytest.raises(sqlite3.DatabaseError):
        database.execute("SELECT sum(length(body)) FROM jobs").fetchone()

    again = Service(settings, workers)
    assert again.damaged.startswith("covey.sqlite3.damaged-")
    assert (settings.data / again.damaged).read_bytes()[half : half + 10] == b"\xa5" * 10
    assert sorted(one.id for one in again.datasets.all()) == sorted(ids)
    # The fillers are no jobs: those that were read are noted as such, and can be cleaned up.
    assert 10 < len(again.unreadable) < 40
    assert again.clean(0).datasets == 2
    assert again.unreadable == []
    again.close()
    last = Service(settings, workers)
    assert (last.damaged, last.unreadable) == (None, [])
    last.close()


def test_a_file_that_is_no_database_is_put_aside(tmp_path, workers):
    path = tmp_path / "covey.sqlite3"
    path.write_bytes(b"no database " * 100)
    lost = tmp_path / "jobs" / "0123456789ab"
    lost.mkdir(parents=True)
    service = Service(Settings(data=tmp_path), workers)
    assert (tmp_path / service.damaged).read_bytes().startswith(b"no database")
    assert [(one.table, one.id, one.reason) for one in service.unreadable] == [
        ("jobs", "0123456789ab", "its record is lost")
    ]
    assert service.clean(0).jobs == 1
    assert not lost.exists()
    service.close()
    store = Store(path)
    assert store.damaged is None
    store.close()


def test_two_tabs_tell_the_same(server, service, sales):
    one, other = (client_of(server.url, follow_redirects=True) for _ in range(2))
    for tab, item in ((one, "red wine"), (other, "white wine")):
        tab.post(f"/data/{sales}/sensitive", data={"add": item})
    assert sorted(service.datasets.get(sales).sensitive) == ["red wine", "white wine"]
    with holding(service):
        job = service.start(sales, "degree(p=5)")
        assert "Cancelled" in one.post(f"/jobs/{job.id}/cancel").text
        assert "Cancelled" in other.post(f"/jobs/{job.id}/cancel").text
        with pytest.raises(Conflict):
            service.jobs.cancel(job.id)
        assert one.post(f"/jobs/{job.id}/remove").status_code == 200
        late = other.post(f"/jobs/{job.id}/remove")
        assert late.status_code == 404
        assert "This release was removed." in late.text
    with pytest.raises(NotFound):
        service.jobs.get(job.id)
    one.close()
    other.close()
