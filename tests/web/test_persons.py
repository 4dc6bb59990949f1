"""The page asks who is protected when a column looks as if it names persons."""

import pytest

import covey
from covey.errors import ParameterError
from covey.web.server.reading import checked_options
from covey.web.work.browsing import groups
from serving import finished, given

SALES = b"order,item,customer_id\n" + b"".join(
    b"%d,%s,c%d\n" % (order, item, order % 6)
    for order in range(24)
    for item in ([b"wine"] if order % 6 == 0 else [b"bread", b"tea"])
)


def test_the_step_asks_and_waits_for_an_answer(served):
    service, client = served
    data = given(service, "sales.csv", SALES)
    assert data.shape["unnamed"] == {"column": "customer_id", "persons": 6, "rows": 24, "most": 4}
    page = client.get(f"/data/{data.id}").text
    assert "Who is to be protected?" in page
    assert "Protect persons, by “customer_id”" in page


def test_persons_are_protected_once_named(served):
    service, client = served
    data = given(service, "sales.csv", SALES)
    answer = client.post(f"/data/{data.id}/persons", data={"person": "customer_id"})
    assert answer.status_code in (200, 303)
    read = service.datasets.wait(data.id)
    assert (read.shape["persons"], "unnamed" in read.shape) == (6, False)
    page = client.get(f"/data/{data.id}").text
    assert "Who is to be protected?" not in page
    service.sensitive.mark(data.id, ["wine"])
    job = service.jobs.wait(service.start(data.id, "degree(p=6)", seed=1).id)
    assert (job.state, job.counts["persons"]) == ("done", 6), job.error
    text = client.get(f"/jobs/{job.id}").text
    assert "--person customer_id" in text
    assert "It counts persons" in text


def test_rows_can_be_said_to_be_persons(served):
    service, client = served
    data = given(service, "sales.csv", SALES)
    client.post(f"/data/{data.id}/persons", data={"rows": "yes"})
    read = service.datasets.wait(data.id)
    assert "unnamed" not in read.shape
    assert read.options == {"row_is_person": True}
    service.sensitive.mark(data.id, ["wine"])
    job = service.jobs.wait(service.start(data.id, "degree(p=2)", seed=1).id)
    assert job.state == "done", job.error
    assert "persons" not in job.counts
    assert "--row-is-person" in client.get(f"/jobs/{job.id}").text


def test_a_promise_says_what_it_counts_where_nobody_named_persons(served):
    data = given(served[0], "sales.csv", b"order,item\n1,tea\n2,tea\n3,wine\n")
    assert "every promise here counts baskets" in served[1].get(f"/data/{data.id}/promise?name=k-anonymity").text


def test_a_table_is_asked_about_too(served):
    service, client = served
    rows = b"patient_id,age,illness\n" + b"".join(b"p%d,%d,%s\n" % (i % 9, 30 + i % 9, b"flu") for i in range(36))
    data = given(service, "visits.csv", rows, kind="table")
    assert data.shape["unnamed"]["column"] == "patient_id"
    client.post(f"/data/{data.id}/persons", data={"person": "patient_id"})
    read = service.datasets.wait(data.id)
    assert (read.state, read.shape["persons"]) == ("ready", 9)
    roles = {f"role:{name}": "quasi" for name in read.columns}
    client.post(f"/data/{data.id}/roles", data=roles)
    again = service.datasets.wait(data.id)
    assert (again.state, again.problem) == ("ready", None)
    assert [column["name"] for column in again.shape["columns"]] == ["age", "illness"]


def test_a_switch_is_true_or_false():
    for value in ("true", True, "yes", "Yes"):
        assert checked_options("baskets", {"row_is_person": value}) == {"row_is_person": True}
    for value in (False, "no"):
        assert checked_options("table", {"row_is_person": value}) == {}
    with pytest.raises(ParameterError, match="is a text, not true"):
        checked_options("baskets", {"person": True})
    with pytest.raises(ParameterError, match="true or false"):
        checked_options("baskets", {"row_is_person": "maybe"})


#: 60 persons with 3 orders each, six of whom bought rum, some of them several times.
VISITS = b"order,customer_id,item\n" + b"".join(
    b"%d,c%d,%s\n" % (order, order % 60, item)
    for order in range(180)
    for item in (b"milk", b"abcde"[order % 5 :][:1], *([b"rum"] if order % 60 % 10 == 0 and order < 150 else []))
)


@pytest.fixture(scope="module")
def rum(served):
    """A release in groups that counts persons: the job's id, and its dataset's."""
    data = given(served[0], "visits.csv", VISITS)
    served[0].datasets.configure(data.id, options={"person": "customer_id", "missing": "drop"})
    read = served[0].datasets.wait(data.id)
    assert (read.options, read.shape["persons"]) == ({"person": "customer_id", "missing": "drop"}, 60)
    served[0].sensitive.mark(data.id, ["rum"])
    return finished(served, data.id, "degree(p=10)", seed=1, options={"merge": False}).id, data.id


def test_a_release_that_counts_persons_answers(served, rum):
    service, client = served
    asked = {"sensitive": "rum", "present": "milk"}
    answer = service.releases.query(rum[0], "rum", ["milk"])
    assert (answer.persons, answer.of_persons) == (6, 60)
    assert (answer.unit, answer.transactions, answer.matching) == ("transactions", 180, 180)
    for path in (f"/jobs/{rum[0]}", f"/jobs/{rum[0]}/answer"):
        page = client.get(path, params=asked)
        assert page.status_code == 200
        assert "of 60 persons have rum in some basket, whatever else is in it." in page.text


def test_the_groups_of_persons_are_told_by_persons(served, rum):
    service, client = served
    shown = service.releases.groups(rum[0], limit=50).groups
    assert sum(group.persons for group in shown) == 60
    assert sum(group.size for group in shown) == 180
    for group in shown:
        assert group.risk == dict(group.sensitive).get("rum", 0) / group.persons
    worst = max(shown, key=lambda group: group.risk)
    assert 1 / worst.size < worst.risk <= 1 / 10
    page = client.get(f"/jobs/{rum[0]}", params={"order": "risk"}).text
    assert f"{worst.persons} persons with {worst.size} baskets" in page
    assert "1 person × rum" in page


def test_where_a_row_is_a_person_it_is_called_so(served):
    service, client = served
    data = given(service, "visits.csv", VISITS)
    service.datasets.configure(data.id, options={"person": "customer_id"})
    service.datasets.wait(data.id)
    job = finished(served, data.id, "km-anonymity(k=3, m=2)", method="disassociation", seed=1).id
    shown = service.releases.groups(job)
    assert (shown.unit, shown.groups[0].persons) == ("persons", None)
    page = client.get(f"/jobs/{job}", params={"present": "milk"}).text
    assert f"{shown.groups[0].size} persons" in page
    assert "of 60 persons" in page


def test_the_risk_of_a_class_is_about_its_persons(tmp_path):
    rows = "id,age,illness\n" + "".join(
        f"p{i // 4},{30 + i // 40},{'flu' if i // 4 % 2 else 'cold'}\n" for i in range(80)
    )
    (tmp_path / "visits.csv").write_text(rows)
    read = {"person": "id", "quasi": ["age"]}
    data = covey.read_table(tmp_path / "visits.csv", **read)
    covey.publish(data, tmp_path / "alone", "k-anonymity(k=10)", seed=1)
    asked = {"offset": 0, "limit": 10}
    found = groups(str(tmp_path / "alone"), **asked)["groups"]
    assert [(one["size"], one["persons"], one["risk"]) for one in found] == [(40, 10, 0.1)] * 2
    # Half of the persons of each class hold a value; where that is not published, all may.
    data = covey.read_table(tmp_path / "visits.csv", **read, sensitive=["illness"])
    for kind, risk in (("frequency", 0.5), ("distinct", 1.0)):
        covey.publish(data, tmp_path / kind, f"l-diversity(l=2, kind={kind})", seed=1)
        assert [one["risk"] for one in groups(str(tmp_path / kind), **asked)["groups"]] == [risk, risk]
