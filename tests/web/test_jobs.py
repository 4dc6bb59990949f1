"""Jobs in processes of their own: queue, progress, cancelling, crashes, memory, and a server that stops."""

import os
import signal
import threading

import pytest

from covey import io
from covey.synth import shop
from covey.web.server import pool
from covey.web.server.pool import compiled
from covey.web.server.problems import Conflict, NotFound
from covey.web.server.service import Service
from covey.web.server.settings import Settings
from holding import stopped


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sales")
    io.write(shop(transactions=150, seed=1).baskets, folder / "sales.csv")
    return folder, ["condoms"]


def begin(folder, root, **settings):
    return Service(Settings(data=folder, root=root, **settings))


def dataset_of(service, sensitive):
    found = service.datasets.wait(service.datasets.pick("sales.csv").id)
    assert found.state == "ready", found.problem
    return service.sensitive.mark(found.id, sensitive)


@pytest.fixture
def stopped_pid(monkeypatch):
    """Waits for the next job whose turn comes; its process is stopped before it does anything."""
    with stopped(monkeypatch) as pid:
        yield pid


def gone(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_queue_cancel_crash_and_restart(sales, tmp_path, stopped_pid):
    root, sensitive = sales
    service = begin(tmp_path, root)
    dataset = dataset_of(service, sensitive)

    # One at a time: the second waits, and can be dropped while it does.
    first = service.start(dataset.id, "degree(p=3)")
    second = service.start(dataset.id, "degree(p=3)")
    third = service.start(dataset.id, "degree(p=3)", seed=1)
    pid = stopped_pid()
    assert [service.jobs.get(job.id).position for job in (first, second, third)] == [0, 1, 2]
    with pytest.raises(Conflict, match="not ready"):
        service.releases.archive(first.id)
    with pytest.raises(Conflict, match="Cancel that first"):
        service.remove_dataset(dataset.id)
    assert service.jobs.cancel(second.id).state == "cancelled"

    # Cancelling what runs ends its process and leaves no file.
    assert service.jobs.cancel(first.id).state == "cancelled"
    assert gone(pid)
    assert not (tmp_path / "jobs" / first.id).exists()
    with pytest.raises(Conflict, match="nothing to cancel"):
        service.jobs.cancel(first.id)

    # A process that dies takes its job with it, and nothing else.
    fourth = service.start(dataset.id, "degree(p=3)", seed=1)
    os.kill(stopped_pid(), signal.SIGKILL)
    dead = service.jobs.wait(third.id)
    assert (dead.state, dead.error_type) == ("failed", "Crash")
    assert "SIGKILL" in dead.error
    assert not (tmp_path / "jobs" / third.id).exists()
    os.kill(stopped_pid(), signal.SIGCONT)
    made = service.jobs.wait(fourth.id)
    assert (made.state, made.holds, made.measured) == ("done", True, True)
    assert all(check.passed for check in made.checks)
    assert compiled() or os.environ.get("NUMBA_CACHE_DIR")

    # Stopping the server ends its processes; the next one remembers everything.
    fifth = service.start(dataset.id, "degree(p=3)")
    pid = stopped_pid()
    files = [tmp_path / "covey.sqlite3", tmp_path / "covey.sqlite3-wal"]
    before = [file.read_bytes() for file in files]
    service.close()
    assert gone(pid)
    again = begin(tmp_path, root)
    states = {job.id: job.state for job in again.jobs.all()}
    assert states == {
        first.id: "cancelled",
        second.id: "cancelled",
        third.id: "failed",
        fourth.id: "done",
        fifth.id: "interrupted",
    }
    assert again.jobs.get(fourth.id) == made
    assert again.releases.archive(fourth.id).is_file()
    assert again.releases.results(fourth.id).utility["groups"] == made.counts["groups"]
    assert again.datasets.get(dataset.id).sensitive == dataset.sensitive

    # Cleaning by age removes what ended, and the file below the root stays.
    assert again.clean(1).jobs == 0
    cleaned = again.clean(0)
    assert (cleaned.jobs, cleaned.datasets) == (5, 1)
    assert cleaned.bytes > 1000
    assert list((tmp_path / "jobs").iterdir()) == list((tmp_path / "datasets").iterdir()) == []
    assert (root / "sales.csv").is_file()
    with pytest.raises(NotFound):
        again.jobs.get(fourth.id)
    again.close()

    # A server that was killed could not say goodbye: its files are what they were before.
    for file, raw in zip(files, before, strict=True):
        file.write_bytes(raw)
    last = begin(tmp_path, root)
    found = last.jobs.get(fifth.id)
    assert (found.state, found.error_type) == ("interrupted", "Interrupted")
    assert "stopped" in found.error
    last.close()


@pytest.mark.slow
def test_too_little_memory_is_told_and_the_server_goes_on(tmp_path):
    (tmp_path / "big.dat").write_text("".join(f"{i} {i + 1} {i + 2}\n" for i in range(0, 3_000_000, 3)))
    (tmp_path / "small.dat").write_text("a b\na c\n" * 5)
    service = begin(tmp_path / "data", tmp_path, memory=400 << 20)
    big = service.datasets.wait(service.datasets.pick("big.dat").id)
    assert big.state == "failed"
    assert "memory" in big.problem
    assert "--memory" in big.problem
    small = service.datasets.wait(service.datasets.pick("small.dat").id)
    assert (small.state, small.shape["transactions"]) == ("ready", 10)
    service.close()


def reserve(service):
    """The workers in reserve."""
    with service._pool._lock:
        return list(service._pool._reserve)


def test_workers_are_used_again_replaced_and_ended(tmp_path, monkeypatch):
    (tmp_path / "small.dat").write_text("a b\na c\n" * 5)
    service = begin(tmp_path / "data", tmp_path)
    used = []
    take = service._pool.take
    monkeypatch.setattr(service._pool, "take", lambda: used.append(take()) or used[-1])

    def read():
        found = service.datasets.wait(service.datasets.pick("small.dat").id)
        assert found.state == "ready"
        return found

    # One that has done its task well serves the next.
    first, second = read(), read()
    assert first.shape == second.shape
    assert used[-1].pid == used[-2].pid
    spares = reserve(service)
    assert 1 <= len(spares) <= pool.RESERVES
    assert all(spare.alive and spare.small for spare in spares)

    # One that is ended just when it has done its task serves no other, though it may look alive for a moment.
    def ended_when_done():
        worker = take()
        ask = worker.ask

        def asked(*task):
            answer = ask(*task)
            for key in list(service.datasets._queue._running):
                service.datasets._queue.cancel(key, wait=False)
            return answer

        worker.ask = asked
        used.append(worker)
        return worker

    monkeypatch.setattr(service._pool, "take", ended_when_done)
    read()
    monkeypatch.setattr(service._pool, "take", lambda: used.append(take()) or used[-1])
    read()
    assert used[-1].pid != used[-2].pid

    # One that has grown large is not kept; one that is killed in reserve is replaced.
    monkeypatch.setattr(pool, "SMALL", 1)
    read()
    used[-1].wait()
    monkeypatch.undo()
    monkeypatch.setattr(pool, "LIVED", 0.0)
    [spare] = reserve(service)
    watched = service._pool.prepare
    replaced = threading.Event()
    monkeypatch.setattr(service._pool, "prepare", lambda: (watched(), replaced.set()))
    os.kill(spare.pid, signal.SIGKILL)
    assert replaced.wait(60)
    [another] = reserve(service)
    assert another.pid != spare.pid

    # Small requests are answered again after a crash, and while a whole file is read for somebody.
    os.kill(service._pool.small.worker.pid, signal.SIGKILL)
    service._pool.small.worker.wait()
    assert [item.item for item in service.sensitive.search(first.id).items] == ["a", "b", "c"]
    asked = threading.Thread(target=service.trees.suggest_taxonomy, args=(first.id, "together"))
    large = service._pool.large.worker = service._pool.take()
    os.kill(large.pid, signal.SIGSTOP)
    asked.start()
    assert service.sensitive.search(first.id, "b").total == 1
    assert service.datasets.get(first.id).taxonomy is None
    os.kill(large.pid, signal.SIGCONT)
    asked.join(60)
    assert service.datasets.get(first.id).taxonomy == "taxonomy.csv"
    spares = reserve(service)
    service.close()
    assert not any(spare.alive for spare in (*spares, *used))
