"""Full disks, wrong files, two tabs: afterwards every job is in a true state, and can be removed."""

import resource
from contextlib import contextmanager

import pytest

from covey.web.server.jobs import ReleaseListener
from covey.web.server.problems import Conflict, Full, NotFound, TaskError
from covey.web.server.service import Service
from covey.web.server.settings import Settings
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
        assert "it may have been removed" in late.text
    with pytest.raises(NotFound):
        service.jobs.get(job.id)
    one.close()
    other.close()
