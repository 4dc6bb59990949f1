"""The page asks who is protected when a column looks as if it names persons."""

import pytest

from covey.errors import ParameterError
from covey.web.server.reading import checked_options

SALES = b"order,item,customer_id\n" + b"".join(
    b"%d,%s,c%d\n" % (order, item, order % 6)
    for order in range(24)
    for item in ([b"wine"] if order % 6 == 0 else [b"bread", b"tea"])
)


def given(service, name="sales.csv", raw=SALES):
    arrived = service.settings.incoming / "arrived"
    arrived.write_bytes(raw)
    return service.datasets.wait(service.datasets.upload(name, arrived).id)


def test_the_step_asks_and_waits_for_an_answer(served):
    service, client = served
    data = given(service)
    assert data.shape["unnamed"] == {"column": "customer_id", "persons": 6, "rows": 24, "most": 4}
    page = client.get(f"/data/{data.id}").text
    assert "Who is to be protected?" in page
    assert "Protect persons, by “customer_id”" in page
    assert "To go on, say above who is to be protected." in page


def test_persons_are_protected_once_named(served):
    service, client = served
    data = given(service)
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


def test_the_page_says_when_it_is_not_certain_who_is_in_which_group(served):
    service, client = served
    visits = [(i, i % 60, "abcd"[i * i % 7 % 4]) for i in range(150)] + [(i, i, "test") for i in range(0, 60, 8)]
    raw = "order,customer_id,item\n" + "".join(f"{order},c{who},{item}\n" for order, who, item in visits)
    data = given(service, raw=raw.encode())
    client.post(f"/data/{data.id}/persons", data={"person": "customer_id"})
    service.datasets.wait(data.id)
    service.sensitive.mark(data.id, ["test"])
    job = service.jobs.wait(service.start(data.id, "degree(p=4)", "anatomy", {"merge": False}, seed=1).id)
    assert job.measured, job.error
    assert "Figures by person are approximate" in client.get(f"/jobs/{job.id}").text


def test_rows_can_be_said_to_be_persons(served):
    service, client = served
    data = given(service)
    client.post(f"/data/{data.id}/persons", data={"rows": "yes"})
    read = service.datasets.wait(data.id)
    assert "unnamed" not in read.shape
    assert read.options == {"row_is_person": True}
    service.sensitive.mark(data.id, ["wine"])
    job = service.jobs.wait(service.start(data.id, "degree(p=2)", seed=1).id)
    assert job.state == "done", job.error
    assert "persons" not in job.counts
    assert "--row-is-person" in client.get(f"/jobs/{job.id}").text


def test_a_table_is_asked_about_too(served):
    service, client = served
    rows = b"patient_id,age,illness\n" + b"".join(b"p%d,%d,%s\n" % (i % 9, 30 + i % 9, b"flu") for i in range(36))
    data = given(service, "visits.csv", rows)
    if data.kind != "table":
        service.datasets.configure(data.id, kind="table", options={})
        data = service.datasets.wait(data.id)
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
    assert checked_options("baskets", {"row_is_person": "true"}) == {"row_is_person": True}
    assert checked_options("table", {"row_is_person": False}) == {}
    with pytest.raises(ParameterError, match="true or false"):
        checked_options("baskets", {"row_is_person": "maybe"})


def test_a_promise_about_rows_is_not_told_as_one_about_persons(served):
    service, client = served
    rows = b"order,item\n" + b"".join(b"%d,%s\n" % (order, b"ab"[order % 2 :][:1]) for order in range(24))
    data = given(service, raw=rows)
    page = client.get(f"/data/{data.id}/promise?name=k-anonymity").text
    assert "every promise here counts baskets" in page
    assert "no basket is picked out" in page
    job = service.jobs.wait(service.start(data.id, "k-anonymity(k=3)", seed=1).id)
    assert "so nothing is promised about that person" in client.get(f"/jobs/{job.id}").text
    data = given(service)
    client.post(f"/data/{data.id}/persons", data={"person": "customer_id"})
    service.datasets.wait(data.id)
    page = client.get(f"/data/{data.id}/promise?name=k-anonymity").text
    assert "every promise here counts" not in page
    assert "nobody is picked out" in page
