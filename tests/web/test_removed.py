"""What was removed, or unmarked by the thousand, can be brought back as it was; and goes for good when it should."""

import re
import time

import pytest

from covey.web.server.bin import DAY, KEPT_DAYS
from covey.web.server.problems import NotFound
from covey.web.server.service import Service
from covey.web.server.settings import Settings
from serving import serving

BASKETS = b"transaction,item\n" + b"".join(b"%d,wine\n%d,beer\n%d,soap\n" % (at, at, at) for at in range(6))


@pytest.fixture(scope="module")
def server(tmp_path_factory, workers):
    with serving(Settings(data=tmp_path_factory.mktemp("served")), workers) as both:
        yield both


@pytest.fixture
def served(server):
    """A server that keeps nothing yet."""
    server[0].clean(0)
    return server


def given(service, raw=BASKETS, name="sales.csv"):
    arrived = service.settings.incoming / "arrived"
    arrived.write_bytes(raw)
    read = service.datasets.wait(service.datasets.upload(name, arrived).id)
    assert read.state == "ready", read.problem
    return read


def made(service, data):
    job = service.jobs.wait(service.start(data.id, "k-anonymity(k=2)", seed=1).id)
    assert (job.state, job.measured) == ("done", True), job.error
    return job


def undo_on(page):
    """The time that the button of a page sends to undo a removal."""
    return re.search(r'name="when" value="([0-9.]+)"', page.text).group(1)


def ids(things):
    return [one.id for one in things]


def test_thousands_of_marks_are_brought_back_as_they_were(served):
    service, client = served
    names = [f"item {at:04}" for at in range(3_000)]
    raw = "transaction,item\n" + "".join(f"{at % 50},{name}\n" for at, name in enumerate(names))
    data = given(service, raw.encode())
    at, script = f"/data/{data.id}/sensitive", {"HX-Request": "true"}
    assert "Undo" not in client.get(f"/data/{data.id}").text
    assert client.post(f"/api/v1/datasets/{data.id}/sensitive/undo").status_code == 409
    assert "None were marked before." in client.post(f"{at}/list", data={"list": "glob:item 1*"}, headers=script).text
    before = service.datasets.get(data.id).sensitive
    assert len(before) == 1_000

    page = client.post(at, data={"clear": "1"}, headers=script).text
    assert "Nothing is marked." in page
    assert "1,000 were marked before." in page
    assert service.datasets.get(data.id).sensitive == []
    # One more mark does not make it harder to go back.
    client.post(at, data={"add": "item 2999"}, headers=script)
    assert service.datasets.get(data.id).sensitive == ["item 2999"]
    assert "Unmark all 1,000" in client.post(at, data={"undo": "1"}, headers=script).text
    assert service.datasets.get(data.id).sensitive == before

    # From the promise it is the same, and leads back there.
    answer = client.post(at, data={"clear": "1", "name": "k-anonymity"})
    page = client.get(answer.headers["location"]).text
    assert "Nothing is marked as sensitive now; 1,000 were before." in page
    answer = client.post(at, data={"undo": "1", "name": "k-anonymity"})
    assert answer.headers["location"] == f"/data/{data.id}/promise?name=k-anonymity#strength"
    assert 'id="unmarked"' not in client.get(answer.headers["location"]).text
    assert service.datasets.get(data.id).sensitive == before

    # Another kind of data has other things to mark.
    service.datasets.configure(data.id, kind="table", options={})
    assert service.sensitive.before(data.id) is None


def test_what_was_removed_is_put_back_as_it_was(served):
    service, client = served
    data = given(service)
    job = made(service, data)
    risk = service.exposure.wait(data.id)
    archive = client.get(f"/api/v1/jobs/{job.id}/release.zip").content
    for one in (f"/jobs/{job.id}", f"/data/{data.id}"):
        assert f"can be put back for {KEPT_DAYS} days" in client.get(f"{one}/remove").text
        page = client.get(client.post(f"{one}/remove").headers["location"])
        assert "<strong>Removed.</strong>" in page.text
        assert client.get(one).status_code == 404
        assert "was removed" in client.get(one).text
    assert (service.jobs.all(), service.datasets.all()) == ([], [])
    assert client.get("/api/v1/jobs").json() == client.get("/api/v1/datasets").json() == []
    listed = client.get("/api/v1/removed").json()
    assert [(one["table"], one["id"]) for one in listed] == [("datasets", data.id), ("jobs", job.id)]
    assert all(one["bytes"] > 0 for one in listed)

    # The last removal is undone by its button, the other from the list; what is known by then stays known.
    address = page.url
    assert client.post("/removed/undo", data={"when": undo_on(page)}).headers["location"] == "/jobs"
    assert service.datasets.get(data.id) == data
    assert service.exposure.risk(data.id) == risk
    assert "Removed" not in client.get(address).text.split('id="removed"')[0]
    assert client.post("/removed/undo", data={"when": undo_on(page)}).status_code == 404
    assert client.post("/removed/undo", data={"when": "soon"}).status_code == 422
    assert 'aria-label="Put back sales.csv, k-anonymity(k=2) by' in client.get("/jobs").text
    client.post(f"/removed/{job.id}/restore")
    assert service.jobs.get(job.id) == job
    assert client.get(f"/api/v1/jobs/{job.id}/release.zip").content == archive
    assert 'id="removed"' not in client.get("/jobs").text
    assert client.post(f"/api/v1/removed/{job.id}/restore").status_code == 404


def test_trees_that_were_removed_are_put_back(served, tmp_path):
    service, client = served
    data = given(service)
    tree = tmp_path / "tree.csv"
    tree.write_text("child,parent\nwine,drinks\nbeer,drinks\n")
    kept = service.trees.attach_taxonomy(data.id, "tree.csv", tree)[0]
    assert kept.taxonomy_lacks == 1
    at = f"/data/{data.id}"
    client.post(f"{at}/taxonomy/remove")
    assert service.datasets.get(data.id).taxonomy is None
    assert "Undo: use tree.csv again" in client.get(at).text
    client.post(f"{at}/restore", data={"what": "taxonomy"})
    assert service.datasets.get(data.id) == kept
    assert "Undo: use" not in client.get(at).text
    assert client.post(f"{at}/restore", data={"what": "taxonomy"}).status_code == 404

    # The same where another takes its place, and where it is edited; what was undone can be done again.
    tree.write_text("child,parent\nwine,all\nbeer,all\nsoap,all\n")
    service.trees.attach_taxonomy(data.id, "other.csv", tree)
    assert "It took the place of tree.csv." in client.get(at).text
    client.post(f"{at}/restore", data={"what": "taxonomy"})
    assert (service.datasets.get(data.id), "took the place of other.csv" in client.get(at).text) == (kept, True)
    changed = {"shown": "*", "node": "drinks", "edit": "rename", "target": "spirits"}
    client.post(f"{at}/taxonomy/edit", data=changed)
    assert "beer,spirits" in client.get(f"{at}/taxonomy.csv").text
    assert "Undo: use tree.csv again" in client.get(f"{at}/taxonomy").text
    back = client.post(f"{at}/restore", data={"what": "taxonomy", "back": "taxonomy"})
    assert back.headers["location"] == f"{at}/taxonomy"
    assert "beer,drinks" in client.get(f"{at}/taxonomy.csv").text

    table = given(service, b"sex,age\n" + b"f,30\nm,40\n" * 4, "people.csv")
    service.datasets.configure(table.id, kind="table", options={})
    tree.write_text("f,*\nm,*\n")
    service.trees.attach_hierarchy(table.id, "sex", "sex.csv", tree)
    kept = service.datasets.wait(table.id)
    below = [{"label": label, "values": 1, "below": []} for label in "fm"]
    assert kept.shape["trees"] == {"sex": {"levels": [1, 2], "values": 2, "matched": 2, "tree": below}}
    assert "The tree of sex" in client.get(f"/data/{table.id}").text
    client.post(f"/data/{table.id}/hierarchies/remove", data={"column": "sex"})
    assert service.datasets.wait(table.id).hierarchies == {}
    assert "Undo: use sex.csv again" in client.get(f"/data/{table.id}").text
    answer = client.post(f"/api/v1/datasets/{table.id}/restore", params={"what": "hierarchies/sex"})
    assert answer.json()["hierarchies"] == {"sex": "sex.csv"}
    assert service.datasets.wait(table.id) == kept


def test_cleaning_up_is_undone_as_a_whole_or_done_for_good(served):
    service, client = served
    data = given(service)
    jobs = [made(service, data), made(service, data)]
    form = {"days": "0", "jobs": "2", "datasets": "1"}
    page = client.get(client.post("/clean", data=form).headers["location"])
    assert "2 releases and 1 file." in page.text
    assert (service.jobs.all(), service.datasets.all()) == ([], [])
    client.post("/removed/undo", data={"when": undo_on(page)})
    assert sorted(ids(service.jobs.all())) == sorted(ids(jobs))
    assert service.datasets.all() == [data]

    # For good: at once, from the list, all that is listed, and by what the API and the command do.
    page = client.get(client.post(f"/jobs/{jobs[0].id}/remove", data={"for_good": "1"}).headers["location"])
    assert "Removed for good." in page.text
    assert service.bin.all() == []
    assert not service.jobs.folder_of(jobs[0].id).exists()
    assert client.delete(f"/api/v1/jobs/{jobs[1].id}", params={"for_good": False}).status_code == 204
    assert client.delete(f"/api/v1/removed/{jobs[1].id}").json()["jobs"] == 1
    assert client.delete(f"/api/v1/removed/{jobs[1].id}").status_code == 404
    assert list((service.settings.data / "jobs").iterdir()) == []
    client.post(f"/data/{data.id}/remove")
    assert client.post("/removed/empty").headers["location"].startswith("/jobs?removed=0-1-")
    second = given(service)
    service.remove_dataset(second.id, for_good=False)
    assert service.clean(1).datasets == 0
    assert (service.clean(0).datasets, service.bin.all()) == (1, [])
    assert list((service.settings.data / "datasets").iterdir()) == []


def test_the_bin_outlives_the_server_and_is_emptied_in_time(tmp_path, workers):
    settings = Settings(data=tmp_path)
    service = Service(settings, workers)
    kept, old = given(service), given(service)
    service.remove_dataset(kept.id, for_good=False)
    service.datasets.set_aside(old.id, time.time() - KEPT_DAYS * DAY - 1)
    assert sorted(ids(service.bin.all())) == sorted([kept.id, old.id])
    service.close()
    again = Service(settings, workers)
    assert ids(again.bin.all()) == [kept.id]
    assert not again.datasets.folder_of(old.id).exists()
    assert again.unreadable == []
    with pytest.raises(NotFound, match="was removed"):
        again.datasets.get(kept.id)
    # The next removal takes along what was kept long enough.
    again.bin.put_back(kept.id)
    assert again.datasets.wait(kept.id) == kept
    again.datasets.set_aside(kept.id, time.time() - KEPT_DAYS * DAY - 1)
    again.remove_dataset(given(again).id, for_good=False)
    assert kept.id not in ids(again.bin.all())
    again.close()
