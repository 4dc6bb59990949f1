"""What the pages say and ask before anything is removed, asked for without a browser."""

import re

import pytest

from covey.web.server.settings import Settings
from serving import given, serving, text_of

BASKETS = b"1,wine\n1,beer\n2,wine\n2,beer\n3,soap\n3,rice\n4,soap\n4,rice\n5,soap\n5,bread\n6,soap\n6,bread\n"
RATINGS = b"user,issue,rating\n" + b"".join(b"%d,a,3\n%d,b,%d\n" % (u, u, 1 + u % 2) for u in range(8))
TABLE = b"age,sex\n" + b"30,f\n" * 4 + b"40,m\n" * 4


@pytest.fixture(scope="module")
def served(tmp_path_factory, workers):
    with serving(Settings(data=tmp_path_factory.mktemp("served")), workers) as both:
        yield both


def made(service, data, guarantee, **more):
    job = service.jobs.wait(service.start(data.id, guarantee, **more).id)
    assert (job.state, job.measured) == ("done", True), job.error
    return job


@pytest.fixture(scope="module")
def marked(served):
    return given(served[0], "Café sales.csv", b"transaction,item\n" + BASKETS, sensitive=["wine"])


@pytest.fixture(scope="module")
def job(served, marked):
    return made(served[0], marked, "degree(p=2)", seed=1)


def test_a_release_that_keeps_little_is_no_plain_success(served, job):
    service, client = served
    # By twos they are alike, by threes only in one item of three.
    rows = b"".join(b"%d,bread\n%d,a%d\n%d,b%d\n" % (at, at, at // 2, at, at // 2) for at in range(24))
    little = made(service, given(service, "few.csv", b"order,item\n" + rows), "k-anonymity(k=3)", seed=1)
    page = text_of(client.get(f"/jobs/{little.id}"))
    assert "Verified, but little is left" in page
    assert "33.3 % of all occurrences; 67 % of the detail is lost" in page
    assert "name=k-anonymity&amp;k=2&amp;method=" in page  # which would keep more
    assert "Verified release" in text_of(client.get(f"/jobs/{job.id}"))


def test_a_download_is_named_after_the_file_and_the_guarantee(served, job):
    packed = served[1].get(f"/jobs/{job.id}/release.zip")
    assert packed.headers["content-disposition"] == 'attachment; filename="Cafe-sales-degree-p-2.zip"'


@pytest.mark.parametrize(
    ("name", "raw", "kind", "guarantee", "changed"),
    [
        ("r.csv", RATINGS, "ratings", "k-eps-l(k=3, epsilon=1)", False),
        ("b.csv", b"transaction,item\n" + BASKETS, None, "k-anonymity(k=2)", False),
        ("t.csv", TABLE, "table", "k-anonymity(k=3)", False),
        ("o.csv", b"transaction,item\n" + BASKETS + b"7,caviar\n7,soap\n", None, "k-anonymity(k=2)", True),
    ],
)
def test_a_release_that_changed_nothing_says_so(served, name, raw, kind, guarantee, changed):
    service, client = served
    page = text_of(client.get(f"/jobs/{made(service, given(service, name, raw, kind), guarantee).id}"))
    assert ("Nothing was changed." in page) == (not changed)


def test_two_releases_are_compared(served, job, marked):
    service, client = served
    other = made(service, marked, "degree(p=2)", method="anatomy")
    compared = service.releases.compare(job.id, other.id)
    assert (compared.first.method, compared.second.method) == (job.method, "anatomy")
    assert {"kl", "seconds"} <= {figure.key for figure in compared.figures}
    page = text_of(client.get(f"/jobs/{job.id}/comparison", params={"other": other.id}))
    assert "Looking up what is known: right guesses" in page


@pytest.mark.parametrize(
    ("wrong", "told", "kept"),
    [
        ({"option.alpha": "abc", "seed": "17"}, "alpha", ["abc", "17", "degree(p=2)"]),
        ({"seed": "x<y"}, "seed", ["x&lt;y"]),
        ({"audit": "0.5"}, "The highest lift must be a number of at least 1", ["0.5"]),
        ({"title": "Sales", "contact": "ann"}, "The contact must be an e-mail address", ["Sales", "ann"]),
    ],
)
def test_wrong_input_is_told_on_the_form_and_kept(served, marked, wrong, told, kept):
    form = {"guarantee": "degree(p=2)", "method": "cahd", **wrong}
    page = text_of(served[1].post(f"/data/{marked.id}/start", data=form), 422)
    assert "The release was not started." in page
    assert told in page
    assert all(f'value="{value}"' in page for value in kept)


def test_title_and_contact_come_from_the_form(served, marked):
    service, client = served
    form = {"guarantee": "degree(p=2)", "method": "cahd", "title": "Sales", "contact": "data@example.org"}
    answer = client.post(f"/data/{marked.id}/start", data=form)
    job = service.jobs.wait(answer.headers["location"].split("/")[2])
    readme = (service.jobs.folder_of(job.id) / "release" / "README.md").read_text()
    assert readme.startswith("# Sales\n")
    assert "`data@example.org`" in readme


def test_a_release_that_an_attack_gains_too_much_from_is_refused(served):
    # Each holder has six items of its own, and nine others have two of them: CAHD builds its groups of just these.
    lines = ["transaction,item"]
    for i in range(600):
        core = [f"c{i // 10}-{j}" for j in range(6)]
        items = core + ["secret"] * (i // 10 % 2) if i % 10 == 0 else [core[i % 6], core[(i + 2) % 6]]
        lines += [f"{i},{item}" for item in items]
    data = given(served[0], "clumsy.csv", "\n".join(lines).encode(), sensitive=["secret"])
    wanted = {"options": {"merge": False}, "seed": 0, "audit": 1.3}
    job = served[0].jobs.wait(served[0].start(data.id, "degree(p=10)", "cahd", **wanted).id)
    assert (job.state, job.holds, job.error_type) == ("failed", False, "AuditFailed")
    assert "The audit refused the release" in text_of(served[1].get(f"/jobs/{job.id}/run"))


def test_a_wrong_promise_to_compare_with_is_told_in_its_box(served, job):
    client = served[1]
    wanted = {"guarantee": "degre(p=3)", "method": "anatomy"}
    page = text_of(client.post(f"/jobs/{job.id}/alternative", data=wanted), 422)
    assert "That cannot be made." in page
    assert 'value="degre(p=3)"' in page
    assert "<option selected>anatomy" in page
    piece = client.post(f"/jobs/{job.id}/alternative", data=wanted, headers={"HX-Request": "true"})
    assert (piece.status_code, piece.headers["x-covey-fragment"]) == (422, "1")
    assert "<html" not in piece.text


def test_only_numbers_are_said_to_be_removed(served):
    client = served[1]
    for address in ("/jobs?removed=Call+0900", "/jobs?cleaned=Call+0900", "/jobs?removed=1-2-3x"):
        assert "0900" not in text_of(client.get(address))
        assert "<strong>Removed" not in text_of(client.get(address))
    page = text_of(client.get("/jobs?removed=1-2-3000"))
    assert "1 release and 2 files, 3.0 KB in all." in page


def test_a_file_that_cannot_be_used_is_marked(served):
    service, client = served
    assert given(service, "broken.csv", b'id,item\n1,"wine\n' + bytes(range(256))).state == "failed"
    line = next(line for line in text_of(client.get("/jobs")).split("<li>") if "broken.csv" in line)
    assert "Cannot be used as it is" in line


def test_releases_and_files_are_removed_one_by_one(served):
    service, client = served
    data = given(service, "gone.csv", b"transaction,item\n" + BASKETS)
    first, second = (made(service, data, "k-anonymity(k=2)", seed=seed) for seed in (1, 2))
    asked = text_of(client.get(f"/jobs/{first.id}/remove"))
    assert "This cannot be undone." in asked
    assert first.id in {job.id for job in service.jobs.all()}
    answer = client.post(f"/jobs/{first.id}/remove")
    assert answer.headers["location"].startswith("/jobs?removed=1-0-")
    assert "<strong>Removed.</strong> 1 release, " in text_of(client.get(answer.headers["location"]))
    assert first.id not in {job.id for job in service.jobs.all()}
    assert not service.jobs.folder_of(first.id).exists()
    for again in (client.get(f"/jobs/{first.id}"), client.post(f"/jobs/{first.id}/remove")):
        assert "it may have been removed" in text_of(again, 404)

    asked = text_of(client.get(f"/data/{data.id}/remove"))
    assert "What was made of it stays: 1 release." in asked
    client.post(f"/data/{data.id}/remove")
    assert data.id not in {one.id for one in service.datasets.all()}
    assert not service.datasets.folder_of(data.id).exists()
    # The release outlives its original.
    page = text_of(client.get(f"/jobs/{second.id}"))
    assert "no other release can be made of it" in page
    assert data.id not in page
    assert text_of(client.get(f"/jobs/{second.id}/run", follow_redirects=True))


def test_cleaning_asks_first(served):
    service, client = served
    given(service, "last.csv", b"transaction,item\n" + BASKETS)
    before = len(service.jobs.all()), len(service.datasets.all())
    assert "Nothing is older than 3 days." in text_of(client.get("/clean?days=3"))
    page = text_of(client.get("/clean?days=0"))
    assert f"and {before[1]} files?" in page
    # Without the numbers that were shown, or with others, it asks again.
    for form in ({"days": "0"}, {"days": "0", "jobs": "0", "datasets": "1"}, {"days": ""}):
        client.post("/clean", data=form)
    assert (len(service.jobs.all()), len(service.datasets.all())) == before
    form = {"days": "0", "jobs": str(before[0]), "datasets": str(before[1])}
    answer = client.post("/clean", data=form)
    assert answer.headers["location"].startswith(f"/jobs?removed={before[0]}-{before[1]}-")
    assert (service.jobs.all(), service.datasets.all()) == ([], [])
    for kept in ("jobs", "datasets"):
        assert list((service.settings.data / kept).iterdir()) == []


def test_all_that_fit_a_search_are_marked_at_once(served):
    service, client = served
    data = given(service, "tests.csv", b"transaction,item\n1,HIV test\n1,wine\n2,Blood TEST\n2,tea\n")
    page = text_of(client.get(f"/data/{data.id}/items", params={"search": "glob:*test*"}))
    assert "Mark all 2 that fit" in page
    there = {"search": "glob:*test*", "fitting": "1"}
    page = text_of(client.post(f"/data/{data.id}/sensitive", data=there, headers={"HX-Request": "true"}))
    assert service.datasets.get(data.id).sensitive == ["Blood TEST", "HIV test"]
    assert "is not a valid regular expression" in text_of(
        client.get(f"/data/{data.id}/items", params={"search": "re:("})
    )
    text_of(client.post(f"/data/{data.id}/sensitive/list", data={"list": "re:^t\n"}, headers={"HX-Request": "true"}))
    assert service.datasets.get(data.id).sensitive == ["Blood TEST", "HIV test", "tea"]


def test_a_taxonomy_is_proposed_looked_at_edited_and_saved(served):
    service, client = served
    raw = b"transaction,item\n1,dark beer\n1,pale beer\n2,green tea\n2,black tea\n3,dark beer\n"
    data = given(service, "drinks.csv", raw)
    assert client.get(f"/data/{data.id}/taxonomy").status_code == 404
    here = f"/data/{data.id}/taxonomy"
    assert client.post(f"{here}/suggest", data={"by": "names"}).headers["location"] == here
    assert "2 items, 3" in text_of(client.get(here))
    assert "dark beer" in text_of(client.get(f"{here}/below", params={"node": "beer"}))
    change = {"shown": "*", "node": "beer", "edit": "rename", "target": "ales"}
    text_of(client.post(f"{here}/edit", data=change), 303)
    wrong = text_of(client.post(f"{here}/edit", data={**change, "node": "tea", "edit": "move", "target": "tea"}), 422)
    assert "the tree would have a cycle" in wrong
    assert 'value="tea"' in wrong
    assert "dark beer,ales" in text_of(client.get(f"/data/{data.id}/taxonomy.csv"))
    assert service.datasets.get(data.id).taxonomy == "taxonomy.csv"


def test_a_taxonomy_is_replaced_or_removed_once_that_is_confirmed(served):
    service, client = served
    data = given(service, "teas.csv", b"transaction,item\n1,green tea\n2,black tea\n3,dark beer\n")
    here = f"/data/{data.id}/taxonomy"
    assert client.get(f"{here}/remove").status_code == 404
    client.post(here, files={"file": ("tree.csv", b"child,parent\ngreen tea,teas\nblack tea,teas\n")})
    assert service.datasets.get(data.id).taxonomy_lacks == 1
    asked = text_of(client.post(f"{here}/suggest", data={"by": "names"}))
    assert "Replace the taxonomy?" in asked
    assert "tree.csv" in asked
    assert service.datasets.get(data.id).taxonomy == "tree.csv"
    answer = client.post(f"{here}/suggest", data=hidden(asked))
    assert answer.headers["location"] == here
    assert service.datasets.get(data.id).taxonomy == "taxonomy.csv"
    asked = text_of(client.get(f"{here}/remove"))
    assert "This cannot be undone." in asked
    assert service.datasets.get(data.id).taxonomy == "taxonomy.csv"
    client.post(f"{here}/remove")
    assert service.datasets.get(data.id).taxonomy is None
    assert list(service.datasets.folder_of(data.id).rglob("taxonomy*.csv")) == []


def hidden(page):
    """What the hidden fields of a page say."""
    return dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', page))


def test_a_hierarchy_is_removed_once_that_is_confirmed(served):
    service, client = served
    data = given(service, "sexes.csv", TABLE, kind="table")
    here = f"/data/{data.id}/hierarchies"
    client.post(here, data={"column": "sex"}, files={"file": ("sex.csv", b"f,*\nm,*\n")})
    read = service.datasets.wait(data.id)
    below = [{"label": label, "values": 1, "below": []} for label in "fm"]
    assert read.shape["trees"] == {"sex": {"levels": [1, 2], "values": 2, "matched": 2, "tree": below}}
    assert "The tree of sex" in text_of(client.get(f"/data/{data.id}"))
    asked = text_of(client.get(f"{here}/remove", params={"column": "sex"}))
    assert "Remove the hierarchy of sex?" in asked
    assert service.datasets.get(data.id).hierarchies == {"sex": "sex.csv"}
    client.post(f"{here}/remove", data=hidden(asked))
    assert service.datasets.wait(data.id).hierarchies == {}
    assert list(service.datasets.folder_of(data.id).rglob("sex.csv")) == []
    assert client.get(f"{here}/remove", params={"column": "sex"}).status_code == 404


def test_all_marks_are_taken_away_once_that_is_confirmed(served):
    service, client = served
    data = given(service, "marks.csv", b"transaction,item\n" + BASKETS, sensitive=["wine", "soap"])
    at = f"/data/{data.id}/sensitive"
    assert f'href="{at}/clear">Unmark all 2' in text_of(client.get(f"/data/{data.id}"))
    asked = text_of(client.get(f"{at}/clear"))
    assert "<li>soap</li>" in asked
    assert len(service.datasets.get(data.id).sensitive) == 2
    assert client.post(at, data=hidden(asked)).headers["location"].startswith(f"/data/{data.id}?")
    assert service.datasets.get(data.id).sensitive == []
    # From a promise it is the same, and leads back there.
    service.sensitive.mark(data.id, ["wine", "soap"])
    asked = text_of(client.get(f"{at}/clear", params={"name": "k-anonymity"}))
    answer = client.post(at, data=hidden(asked))
    assert answer.headers["location"] == f"/data/{data.id}/promise?name=k-anonymity#strength"
    assert service.datasets.get(data.id).sensitive == []


def test_a_range_of_one_value_is_no_range(served):
    service, client = served
    data = given(service, "half.csv", b"order,item\n1,wine\n2,tea\n2,wine\n3,tea\n4,rice\n", sensitive=["wine"])
    assert service.exposure.wait(data.id).state == "ready"
    assert "This data allows only 2." in text_of(client.get(f"/data/{data.id}/promise?name=degree"))
