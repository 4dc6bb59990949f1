"""A server that is killed, overloaded, or out of disk; afterwards every job is in a true state."""

import os
import resource
import signal
import threading
import time
from contextlib import ExitStack

import pytest

from covey.io import write
from covey.synth import shop
from covey.web.settings import Settings
from serving import client_of, ended, examined, finished, read, serving, serving_apart, text_of, uploaded


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Baskets that take a while."""
    path = tmp_path_factory.mktemp("large") / "large.csv"
    write(shop(transactions=60_000, seed=1).baskets, path)
    return path


def begun(client, url):
    """Wait until a release is being made."""
    while "Waiting" in (page := text_of(client.get(f"{url}/run"))) or "Starting" in page:
        pass


@pytest.mark.slow
def test_a_killed_server_leaves_a_job_that_goes_on(tmp_path, root, large):
    data = tmp_path / "data"
    with serving_apart(data, "--no-token", "--root", large.parent) as (told, server):
        with client_of(told["url"]) as client:
            url = client.post("/pick", data={"path": "large.csv"}).headers["location"]
            while 'class="tiles"' not in text_of(client.get(url)):
                pass
            job = client.post(f"{url}/start", data={"guarantee": "k-anonymity(k=5)", "seed": "1"}).headers["location"]
            waiting = client.post(f"{url}/start", data={"guarantee": "k-anonymity(k=3)", "seed": "1"}).headers[
                "location"
            ]
            begun(client, job.removesuffix("/run"))
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    settings = Settings(data=data, root=large.parent, parallel=2)
    with serving(settings) as (service, client):
        for url in (job, waiting):
            release = ended(service, url.split("/")[2])
            # Its process went on without the server, and the rest of its steps were taken up.
            assert (release.holds, release.job.state) == (True, "done"), release.job.error
            assert "Verified" in text_of(client.get(f"/jobs/{release.id}"))


@pytest.mark.slow
def test_a_full_disk_is_said_and_leaves_no_release(tmp_path, root):
    with serving(Settings(data=tmp_path / "data", root=root, parallel=2)) as served:
        service, client = served
        data = uploaded(served, "sales.csv", (root / "sales.csv").read_bytes())
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        try:
            answers = [
                client.post(f"/data/{data.id}/start", data={"guarantee": "k-anonymity(k=5)"}),
                client.post(f"/data/{data.id}/sensitive", data={"add": "red wine"}),
                client.post("/pick", data={"path": "survey.csv"}),
            ]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert [answer.status_code for answer in answers] in ([507] * 3, [422, 507, 507])
        assert all("no room left" in answer.text for answer in answers)
        assert service.releases.all() == []
        assert len(service.datasets.all()) == 1
        # It fills while a release is being made: the process inherits the limit.
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, before[1]))
        try:
            answer = client.post(f"/data/{data.id}/start", data={"guarantee": "k-anonymity(k=5)"})
            release = ended(service, answer.headers["location"].split("/")[2])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert (release.holds, release.job.state) == (False, "failed")
        assert not release.directory.exists()
        examined(served, data.id)
        assert finished(served, data.id, "k-anonymity(k=5)", seed=1).holds


@pytest.mark.slow
def test_cancel_fifty_of_fifty_while_fifty_clients_poll(tmp_path, large):
    with serving(Settings(data=tmp_path / "data", root=large.parent, parallel=3)) as served:
        service, client = served
        data = read(service, service.datasets.pick("large.csv"))
        started = [
            client.post(f"/data/{data.id}/start", data={"guarantee": "k-anonymity(k=5)"}).headers["location"]
            for _ in range(52)
        ]
        begun(client, started[1].removesuffix("/run"))
        spent = []

        def poll(own):
            for url in started[:20]:
                threading.Event().wait(0.4)  # as often as the page asks
                begin = time.monotonic()
                answer = own.get(url, headers={"HX-Request": "true"})
                spent.append(time.monotonic() - begin)
                assert answer.status_code in (200, 204)

        with ExitStack() as opened:
            clients = [opened.enter_context(client_of(str(client.base_url))) for _ in range(50)]
            threads = [threading.Thread(target=poll, args=[own]) for own in clients]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        spent.sort()
        late = spent[len(spent) * 99 // 100]
        print(f"{len(spent)} answers, median {spent[len(spent) // 2]:.3f} s, p99 {late:.3f} s")
        for url in started[2:]:
            client.post(url.replace("/run", "/cancel"))
        states = [service.releases.get(url.split("/")[2]).state for url in started[2:]]
        assert states == ["cancelled"] * 50
        for url in started[:2]:
            service.releases.drop(url.split("/")[2])
        assert late < 0.2


@pytest.mark.slow
def test_many_slow_uploads_leave_the_page_answering(tmp_path, large):
    with serving(Settings(data=tmp_path / "data", parallel=2)) as (service, client):
        body = large.read_bytes()

        def upload():
            with client_of(str(client.base_url)) as own:
                assert own.post("/upload", files={"file": ("large.csv", body)}).status_code == 303

        senders = [threading.Thread(target=upload) for _ in range(45)]
        for one in senders:
            one.start()
        spent = []
        while any(one.is_alive() for one in senders):
            begin = time.monotonic()
            assert client.get("/").status_code == 200
            spent.append(time.monotonic() - begin)
        for one in senders:
            one.join()
        assert len(service.datasets.all()) == 45
        assert max(spent) < 5
