"""Records walk the page: one Parquet file with a column of lists, up to a verified release."""

import html
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from covey.web.server.settings import Settings
from serving import serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(Settings(data=tmp_path_factory.mktemp("served"))) as both:
        yield both


def text_of(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.unescape(answer.text)


@pytest.fixture(scope="module")
def people(served):
    service, client = served
    rng = np.random.default_rng(2)
    rows = {
        "customer": [f"c{i}" for i in range(60)],
        "age": rng.integers(20, 60, 60).tolist(),
        "bought": [rng.choice(["ale", "rum", "tea"], rng.integers(0, 3)).tolist() for _ in range(60)],
    }
    file = io.BytesIO()
    pq.write_table(pa.table(rows), file)
    arrived = client.post("/upload", files={"file": ("people.parquet", file.getvalue())})
    id = arrived.headers["location"].rpartition("/")[2]
    service.datasets.wait(id)
    form = {"kind": "records", "item": "bought", "person": "customer"}
    assert client.post(f"/data/{id}", data=form).headers["location"] == f"/data/{id}"
    return id


def test_it_is_read_with_its_own_options(served, people):
    service, client = served
    read = service.datasets.wait(people)
    assert (read.kind, read.state) == ("records", "ready"), read
    page = text_of(client.get(f"/data/{people}"))
    assert 'name="unmatched"' in page
    assert 'name="baskets"' not in page  # a path on the server


def test_its_risk_is_told(served, people):
    service, client = served
    assert service.exposure.wait(people).state == "ready"
    assert "by values and items known" in text_of(client.get(f"/data/{people}/risk"))


def test_the_promise_is_chosen_and_kept(served, people):
    service, client = served
    service.exposure.wait(people)
    assert 'value="k-km-anonymity"' in text_of(client.get(f"/data/{people}/promise"))
    form = {
        "guarantee": "k-km-anonymity(k=3, m=2)",
        "method": "rt-merge",
        "option.weight": "0.4",
        "seed": "1",
    }
    id = client.post(f"/data/{people}/start", data=form).headers["location"].split("/")[2]
    job = service.jobs.wait(id)
    assert (job.state, job.holds, job.measured, job.note) == ("done", True, True, None), job.error
    page = text_of(client.get(f"/jobs/{id}"))
    assert "Verified release" in page
    assert "all attributes and up to 2 published items" in page
    assert "Meaning of the items that is lost" in text_of(client.get(f"/jobs/{id}/report.html"))
