"""Records walk the page: one Parquet file with a column of lists, up to a verified release."""

import html
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from serving import finished, text_of, uploaded


def page_of(answer):
    return html.unescape(text_of(answer))


@pytest.fixture(scope="module")
def people(served):
    rng = np.random.default_rng(2)
    rows = {
        "customer": [f"c{i}" for i in range(60)],
        "age": rng.integers(20, 60, 60).tolist(),
        "bought": [rng.choice(["ale", "rum", "tea"], rng.integers(0, 3)).tolist() for _ in range(60)],
    }
    file = io.BytesIO()
    pq.write_table(pa.table(rows), file)
    id = uploaded(served, "people.parquet", file.getvalue())
    form = {"kind": "records", "item": "bought", "person": "customer"}
    assert served[1].post(f"/data/{id}", data=form).headers["location"] == f"/data/{id}"
    return id


def test_it_is_read_with_its_own_options(served, people):
    service, client = served
    read = service.datasets.wait(people)
    assert (read.kind, read.state) == ("records", "ready"), read
    page = page_of(client.get(f"/data/{people}"))
    assert 'name="unmatched"' in page
    assert 'name="baskets"' not in page  # a path on the server
    assert 'name="role:age"' in page
    assert 'name="role:bought"' not in page  # what holds the items has no role


def test_the_promise_is_chosen_and_kept(served, people):
    service, client = served
    assert service.exposure.wait(people).state == "ready"
    assert "values and items are known" in page_of(client.get(f"/data/{people}/risk"))
    assert 'value="k-km-anonymity"' in page_of(client.get(f"/data/{people}/promise"))
    job = finished(served, people, "k-km-anonymity(k=3, m=2)", method="rt-merge", options={"weight": 0.4}, seed=1)
    page = page_of(client.get(f"/jobs/{job.id}"))
    assert "Verified release" in page
    assert "all attributes and up to 2 published items" in page
    assert "Meaning of the items that is lost" in page_of(client.get(f"/jobs/{job.id}/report.html"))


@pytest.fixture(scope="module")
def joined(served):
    """Attributes in one file and items in another, joined on the page; one person more has items alone."""
    service, client = served
    rng = np.random.default_rng(3)
    people = ["customer,age,illness,note"]
    bought = ["customer,product", "c99,ale"]
    for i in range(60):
        people.append(f"c{i},{rng.integers(20, 60)},{['flu', 'gout', '', '', '', ''][i % 6]},n{i}")
        bought += [f"c{i},{x}" for x in rng.choice(["ale", "rum", "tea"], rng.integers(0, 3))]
    id = uploaded(served, "people.csv", "\n".join(people))
    client.post(f"/data/{id}", data={"kind": "records"})
    assert service.datasets.wait(id).state == "failed"
    page = page_of(client.get(f"/data/{id}"))
    assert "Items in a second file" in page
    form = {"option": "baskets", "person": "customer"}
    there = client.post(f"/data/{id}/files", data=form, files={"file": ("bought.csv", "\n".join(bought))})
    assert there.headers["location"] == f"/data/{id}"
    return id


def test_files_that_do_not_join_are_told_with_how_many_and_where_to_say_what_to_do(served, joined):
    service, client = served
    assert service.datasets.wait(joined).state == "failed"
    page = page_of(client.get(f"/data/{joined}"))
    assert "persons with items have no attributes" in page
    assert str(service.settings.data) not in page
    form = {"kind": "records", "person": "customer", "unmatched": "drop"}
    client.post(f"/data/{joined}", data=form)
    read = service.datasets.wait(joined)
    assert (read.state, read.files) == ("ready", {"baskets": "bought.csv"}), read.problem
    page = page_of(client.get(f"/data/{joined}"))
    assert "bought.csv, joined by customer" in page
    assert "persons with items were left out: this person has no attributes." in page
    assert "'note' is nearly unique: 60 of 60 persons" in page
    # Roles are guessed and given as those of tables are; the column that joins the files is left out anyway.
    assert "note: this column may name people," in page
    assert 'name="identifier"' not in page
    client.post(f"/data/{joined}/roles", data={"role:note": "identifier", "role:illness": "sensitive"})
    read = service.datasets.wait(joined)
    assert (read.state, read.sensitive) == ("ready", ["illness"]), read.problem
    assert read.options["quasi"] == ["age"]
    service.sensitive.mark(joined, ["illness", "rum"])
    client.post(f"/data/{joined}/roles", data={"role:illness": "other"})
    assert service.datasets.wait(joined).sensitive == ["rum"]
    assert "nearly unique" not in page_of(client.get(f"/data/{joined}"))


@pytest.mark.parametrize(
    ("promise", "marked", "told"),
    [
        ("k-km-anonymity(k=3, m=1)", [], "of the meaning of the items is lost"),
        ("degree(p=3)", ["illness", "rum"], "attributes and ordinary items of each person exactly as they were"),
    ],
    ids=["k-km", "degree"],
)
def test_what_was_joined_is_published_and_leafed_through(served, joined, promise, marked, told):
    service, client = served
    client.post(f"/data/{joined}", data={"kind": "records", "person": "customer", "unmatched": "drop"})
    client.post(f"/data/{joined}/roles", data={"role:note": "identifier", "role:illness": "quasi"})
    service.datasets.wait(joined)
    service.sensitive.mark(joined, marked)
    service.exposure.wait(joined)
    id = finished(served, joined, promise, seed=1).id
    page = " ".join(page_of(client.get(f"/jobs/{id}")).split())
    assert told in page
    assert '<th scope="col">age</th>' in page
    assert '<th scope="col">items</th>' in page
    commands = service.releases.commands(id)
    assert "--baskets bought.csv" in commands.command
    assert "baskets='bought.csv'" in commands.python
