"""What the pages answer: reading, marking, promising, making, comparing, removing."""

import html
import io
import json
import shlex
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import covey
from serving import ended, examined, finished, folder_of, read, text_of, uploaded

BASKETS = "\n".join(
    f"{at},{item}" for at in range(60) for item in ("ale", ("rum", "tea", "wine")[at % 3], "xyz"[at % 3])
)
SALES = f"order,item\n{BASKETS}\n"
VISITS = "order,customer,item\n" + "".join(f"{at},c{at // 4},{'abc'[at % 3]}\n" for at in range(200))
SURVEY = "user,item,rating\n" + "".join(f"{u},{i},{1 + (u * i) % 6}\n" for u in range(30) for i in (1, 2, 5))
PATIENTS = "name,age,sex,illness\n" + "".join(
    f"P{i},{20 + i % 9},{'fm'[i % 2]},{('flu', 'gout')[i % 3 == 0]}\n" for i in range(40)
)
TREE = "child,parent\nale,drink\nrum,drink\ntea,drink\nwine,drink\nx,other\ny,other\nz,other\n"


def page_of(served, path, status=200, **params):
    return " ".join(html.unescape(text_of(served[1].get(path, params=params), status)).split())


@pytest.fixture(scope="module")
def shared(served):
    return uploaded(served, "sales.csv", SALES)


@pytest.fixture
def sold(served, shared):
    """Small baskets with nothing marked."""
    served[1].post(f"/data/{shared.id}/sensitive", data={"clear": "1"})
    return shared


def test_items_are_searched_and_marked_by_list_and_pattern(served, sold):
    client = served[1]
    assert "3 items fit" in page_of(served, f"/data/{sold.id}", search="e")
    refused = client.post(f"/data/{sold.id}/sensitive/list", data={"list": "rum\nrom"}).text
    assert "1 of 2 names are not in the data, so nothing was marked" in refused
    assert "rum" in refused
    refused = client.post(f"/data/{sold.id}/sensitive/file", files={"file": ("list.txt", "\ufeffrum\nrom")}).text
    assert "1 of 2 names are not in the data" in refused
    client.post(f"/data/{sold.id}/sensitive/list", data={"list": "rum\nrom", "skip": "1"})
    client.post(f"/data/{sold.id}/sensitive", data={"search": "glob:w*", "fitting": "1"})
    client.post(f"/data/{sold.id}/sensitive", data={"add": "tea"})
    client.post(f"/data/{sold.id}/sensitive", data={"remove": "rum"})
    assert served[0].datasets.get(sold.id).sensitive == ["wine", "tea"]
    every = {"list": "ale\nrum\ntea\nwine\nx\ny\nz"}
    assert "none is left to publish" in client.post(f"/data/{sold.id}/sensitive/list", data=every).text
    assert "Unmark all 2?" in page_of(served, f"/data/{sold.id}/sensitive/clear")
    client.post(f"/data/{sold.id}/sensitive", data={"clear": "1"})
    assert served[0].datasets.get(sold.id).sensitive == []


def test_taxonomy_is_checked_proposed_downloaded_and_removed(served, sold):
    service, client = served
    useless = {"file": ("tree.csv", b"child,parent\na,b\n")}
    assert (
        "has none of the items of the data"
        in client.post(f"/data/{sold.id}/files", data={"key": "taxonomy"}, files=useless).text
    )
    tree = {"file": ("tree.csv", TREE.replace("z,other\n", ""))}
    client.post(f"/data/{sold.id}/files", data={"key": "taxonomy"}, files=tree)
    page = page_of(served, f"/data/{sold.id}")
    assert "Not in it: 1 item of the data" in page
    assert "drink (4 items, 120)" in page
    assert "rum,drink" in client.get(f"/data/{sold.id}/taxonomy.csv").text
    assert "Replace the taxonomy?" in client.post(f"/data/{sold.id}/taxonomy/suggest", data={"by": ""}).text
    going = client.post(f"/data/{sold.id}/taxonomy/suggest", data={"by": "together", "replace": "1"})
    while "/suggested" in (url := going.headers["location"]):
        going = client.get(url)
        if going.status_code == 200:
            going.headers["location"] = url
    assert url == f"/data/{sold.id}#taxonomy"
    client.post(f"/data/{sold.id}/files/remove", data={"key": "taxonomy"})
    assert "Propose a taxonomy" in page_of(served, f"/data/{sold.id}")
    assert service.datasets.choices(sold.id).taxonomy is None
    assert client.get(f"/data/{sold.id}/taxonomy.csv").status_code == 404


def test_persons_are_asked_for_and_protected_once_named(served):
    service, client = served
    data = uploaded(served, "visits.csv", VISITS)
    assert "“customer” looks as if it names persons" in page_of(served, f"/data/{data.id}")
    client.post(f"/data/{data.id}/persons", data={"person": "customer"})
    data = read(service, data.id)
    assert (data.choices.options, data.by_person) == ({"person": "customer"}, True)
    assert "looks as if" not in page_of(served, f"/data/{data.id}")
    assert "Name the persons" not in page_of(served, f"/data/{data.id}/promise")
    client.post(f"/data/{data.id}/persons", data={"rows": "yes"})
    assert read(service, data.id).choices.options == {"row_is_person": "true"}


def test_columns_that_name_people_are_proposed_to_be_left_out(served):
    service, client = served
    data = uploaded(served, "patients.csv", PATIENTS)
    page = page_of(served, f"/data/{data.id}")
    assert "name: this column may name people" in page
    assert "40 values: P0, P1, P10 …" in page
    roles = {"role:name": "identifier", "role:age": "quasi", "role:sex": "quasi", "role:illness": "sensitive"}
    client.post(f"/data/{data.id}/roles", data=roles)
    kept = service.datasets.choices(data.id)
    assert (kept.sensitive, kept.options["identifier"]) == (["illness"], ["name"])
    assert "may name people" not in page_of(served, f"/data/{data.id}")
    found = examined(served, data.id)
    assert found["guarantees"]["l-diversity"]["largest"]["l"] == 2
    assert 'value="l-diversity"' in page_of(served, f"/data/{data.id}/promise")


def test_a_hierarchy_and_a_second_file_are_attached_and_removed(served):
    service, client = served
    data = uploaded(served, "patients.csv", PATIENTS)
    form = {"data": {"key": "hierarchy", "column": "sex"}, "files": {"file": ("sex.csv", b"f,*\nm,*\n")}}
    client.post(f"/data/{data.id}/files", **form)
    assert "sex: sex.csv" in page_of(served, f"/data/{data.id}")
    assert read(service, data.id).problem == ""
    form["files"] = {"file": ("half.csv", b"f,*\n")}
    client.post(f"/data/{data.id}/files", **form)
    assert read(service, data.id).state == "failed"
    assert "Remove half.csv?" in page_of(served, f"/data/{data.id}/files/remove", key="hierarchy sex")
    client.post(f"/data/{data.id}/files/remove", data={"key": "hierarchy sex"})
    assert read(service, data.id).problem == ""


def test_records_from_a_column_of_lists(served):
    rows = {"customer": [f"c{i}" for i in range(60)], "age": [20 + i % 30 for i in range(60)]}
    rows["bought"] = [["ale", "rum", "tea"][: i % 4] for i in range(60)]
    file = io.BytesIO()
    pq.write_table(pa.table(rows), file)
    options = {"item": "bought", "person": "customer"}
    data = uploaded(served, "people.parquet", file.getvalue(), "records", **options)
    assert data.state == "ready", data.problem
    served[1].post(f"/data/{data.id}/roles", data={"role:age": "quasi"})
    examined(served, data.id)
    release = finished(served, data.id, "k-km-anonymity(k=3, m=2)", seed=1)
    assert "all attributes and up to 2 published items" in page_of(served, f"/jobs/{release.id}")


def test_impossible_promises_say_what_would_work(served):
    data = uploaded(served, "survey.csv", SURVEY, "ratings", sensitive=["5"])
    found = examined(served, data.id)["guarantees"]["k-eps-l"]
    assert found["spread"]["zero"] == [1.7, 2.5]
    page = page_of(served, f"/data/{data.id}/promise", name="k-eps-l", k=3, epsilon=1, l=9)
    assert "no choice of people has a larger l than 2.5" in page
    assert "Use l = 1.7" in page
    page = page_of(served, f"/data/{data.id}/promise", name="k-eps-l", k=3, epsilon=1, l=2)
    assert "l = 1.7 can be kept for sure" in page


def test_coarser_ways_to_publish_ratings_are_proposed_together(served):
    data = uploaded(served, "survey.csv", SURVEY, "ratings", sensitive=["5"])
    path = f"/data/{data.id}/method"
    assert "Trying coarser scales" in page_of(served, path, guarantee="k-eps-l(k=6, epsilon=1)")
    [job] = folder_of(served[0], data.id).glob("ways-*")
    assert served[0].jobs.wait(job).state == "done"
    page = page_of(served, path, guarantee="k-eps-l(k=6, epsilon=1)")
    assert "rounded to 2, epsilon=2, all issues: keeps 100 % of the records" in page
    assert "option.round=2" in page


def test_a_blocked_promise_gives_its_reason(served, sold):
    page = page_of(served, f"/data/{sold.id}/promise")
    assert "Not possible yet" in page
    assert "It protects what is marked as sensitive, and nothing is marked yet." in page


def test_companions_are_listed_with_the_risk(served, sold):
    served[1].post(f"/data/{sold.id}/sensitive", data={"add": "rum"})
    examined(served, sold.id)
    page = page_of(served, f"/data/{sold.id}/risk")
    assert "Items that give a sensitive one away" in page
    assert "Mark x as sensitive" in page


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"seed": "-1"}, "“Seed” must be a whole number"),
        ({"audit": "0.5"}, "“Highest lift” must be a number of at least 1"),
        ({"method": "mondrian"}, "does not keep k-anonymity for baskets"),
        ({"guarantee": "k-anonymity(k=0)"}, "must be"),
    ],
)
def test_wrong_input_is_refused_on_the_form(served, sold, wrong, told):
    given = {"guarantee": "k-anonymity(k=2)", "title": "My title", **wrong}
    answer = served[1].post(f"/data/{sold.id}/start", data=given)
    text = html.unescape(answer.text)
    assert answer.status_code == 422
    assert told in text


def test_an_attack_above_the_limit_is_amber_and_above_the_audit_refused(served, made):
    page = page_of(served, f"/jobs/{made.id}")
    assert 'class="verdict bad"' in page
    assert "times the claim" in page
    form = {"guarantee": "degree(p=5)", "audit": "1", "seed": "1", "option.merge": "false"}
    answer = served[1].post(f"/data/{made.dataset}/start", data=form)
    refused = ended(served[0], answer.headers["location"].split("/")[2])
    assert (refused.holds, refused.job.error_type) == (False, "AuditFailed")
    assert "It did not work." in page_of(served, f"/jobs/{refused.id}/run")


@pytest.mark.parametrize("tab", ["hand", "attacks", "use", "inside", "repeat"])
def test_tabs_of_a_result(served, made, tab):
    told = {
        "hand": made.verdict["fingerprint"],
        "attacks": "Looking up what is known",
        "use": "Answers beside the truth",
        "inside": "Group 1",
        "repeat": "covey prepare sales.csv",
    }
    page = page_of(served, f"/jobs/{made.id}", tab=tab)
    assert told[tab] in page
    assert str(served[0].settings.data) not in page


def test_groups_and_questions_agree_with_the_release(served, made):
    release = covey.read_release(made.directory)
    page = page_of(served, f"/jobs/{made.id}", tab="inside", page=2, order="largest")
    assert f"9 to 16 of {release.groups:,}, page 2" in page
    asked = {"tab": "inside", "sensitive": "pregnancy test", "present": ["folic acid"], "absent": ["red wine"]}
    answer = release.estimate("pregnancy test", present=["folic acid"], absent=["red wine"])
    assert f"{answer.estimate:,.1f}" in page_of(served, f"/jobs/{made.id}", **asked)
    assert "That cannot be answered." in page_of(served, f"/jobs/{made.id}", tab="inside", sensitive="nothing")


def test_the_archive_holds_the_release_alone(served, made, tmp_path):
    answer = served[1].get(f"/jobs/{made.id}/release.zip?csv=true")
    assert "sales-degree-p-5.zip" in answer.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = {name.partition("/")[0] for name in archive.namelist()}
        archive.extractall(tmp_path)
    assert names == {"release", "release-csv"}
    assert covey.verify(tmp_path / "release", fingerprint=made.verdict["fingerprint"]).holds
    inside, shared = (text_of(served[1].get(f"/jobs/{made.id}/{name}.html")) for name in ("report", "report-to-share"))
    assert all("<h1>sales</h1>" in report for report in (inside, shared))
    assert "Internal use only" in inside
    assert "Internal use only" not in shared
    assert served[1].get(f"/jobs/{made.id}/job.html").status_code == 404


def test_the_command_makes_the_same_release(served, made, root, tmp_path, monkeypatch, covey_cli):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales.csv").write_bytes((root / "sales.csv").read_bytes())
    (tmp_path / "sensitive.txt").write_text(served[1].get(f"/jobs/{made.id}/sensitive.txt").text)
    for command in made.command.replace("\\\n", "").splitlines():
        code, printed, errors = covey_cli(*shlex.split(command)[1:], "--json")
        assert code == 0, printed + errors
    assert json.loads(printed)["fingerprint"] == made.verdict["fingerprint"]


def test_methods_show_how_long_they_took(served, made):
    other = finished(served, made.dataset, "degree(p=4)", method="cahd")
    page = page_of(served, f"/data/{made.dataset}/method", name="degree", p=5)
    assert f"Took {other.job.finished - other.job.started:.1f} s" in page


def test_several_strengths_are_explored(served, made):
    url = f"/data/{made.dataset}/explore"
    form = {"guarantee": "degree(p=5)", "strengths": "4, 5", "method:cahd": "on"}
    assert served[1].post(url, data=form).status_code == 303
    [path] = folder_of(served[0], made.dataset).glob("explore-*")
    job = served[0].jobs.wait(path)
    assert job.state == "done", job.error
    page = page_of(served, url, guarantee="degree(p=5)")
    assert "degree(p=4) by cahd" in page
    assert "<svg" in page
    assert served[1].post(url, data={**form, "strengths": "soon"}).status_code == 422


def test_what_is_removed_is_removed_after_a_confirmation(served):
    service, client = served
    sold = uploaded(served, "sold.csv", SALES)
    job = finished(served, sold.id, "k-anonymity(k=2)", seed=1).id
    assert "This cannot be undone." in page_of(served, f"/jobs/{job}/remove")
    assert "What was made of it stays: 1 release." in page_of(served, f"/data/{sold.id}/remove")
    client.post(f"/data/{sold.id}/remove")
    assert not folder_of(service, sold.id).exists()
    assert "The file was removed" in page_of(served, f"/jobs/{job}", tab="repeat")
    assert client.post(f"/jobs/{job}/remove").headers["location"].startswith("/jobs?releases=1&files=0&size=")
    assert client.get(f"/jobs/{job}").status_code == 404
    assert "Nothing is older than 9 days." in page_of(served, "/clean", days=9)
    assert "Remove" in page_of(served, "/clean", days=0)


def test_unreadable_file_leads_nowhere(served, root):
    data = uploaded(served, "broken.csv", (root / "broken.csv").read_bytes())
    assert data.state == "failed"
    assert "This file cannot be used as it is." in page_of(served, f"/data/{data.id}")
    assert "Nothing can be promised for this file yet" in page_of(served, f"/data/{data.id}/promise")
    assert served[1].get(f"/data/{data.id}/method?name=degree&p=2").headers["location"] == f"/data/{data.id}/promise"
