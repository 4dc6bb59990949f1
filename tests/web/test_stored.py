"""What earlier versions stored is read, and what nobody can read stops nothing."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from covey.web.records.files import VERSION
from covey.web.server.service import Service
from covey.web.server.settings import Settings
from serving import serving

#: A folder as covey wrote it when records had no version of their own; `rows.json` is what its database held.
FIRST = Path(__file__).parent / "assets" / "stored-version-1"

SALES, PEOPLE, SURVEY, BROKEN, PICKED = (
    "981b8bc64cf7",
    "167ec6ab40d4",
    "d0597f1cff17",
    "6113ce2f7860",
    "231f6aaae013",
)
SALES_JOB, RUNNING_JOB = "e3812d592813", "7b01d49f106b"


@pytest.fixture
def stored(tmp_path):
    """Settings for a server whose folders an earlier version has left: one job running, one file being read."""
    data, root = tmp_path / "data", tmp_path / "root"
    shutil.copytree(FIRST, data)
    root.mkdir()
    shutil.copy(data / "datasets" / SALES / "original" / "sales.csv", root / "picked.csv")
    text = (data / "rows.json").read_text().replace("{data}", str(data)).replace("{root}", str(root))
    database = sqlite3.connect(data / "covey.sqlite3", isolation_level=None)
    for table, rows in json.loads(text).items():
        database.execute(f"CREATE TABLE {table} (id TEXT PRIMARY KEY, created REAL, body TEXT NOT NULL)")
        for id, created, body in rows:
            database.execute(f"INSERT INTO {table} VALUES (?, ?, ?)", (id, created, json.dumps(body)))
    database.execute("PRAGMA user_version = 1")
    database.close()
    return Settings(data=data, root=root)


def upgraded(stored, workers):
    """Have a server of this version read everything once, and write down what is new."""
    service = Service(stored, workers)
    assert service.datasets.wait(PICKED).state == "ready"
    service.close()


def rows(settings, table):
    database = sqlite3.connect(settings.data / "covey.sqlite3")
    found = database.execute(f"SELECT id, version, body FROM {table}").fetchall()
    database.close()
    return {id: (version, body) for id, version, body in found}


def change(settings, statement, *values):
    database = sqlite3.connect(settings.data / "covey.sqlite3", isolation_level=None)
    database.execute(statement, values)
    database.close()


def test_records_of_the_first_version_are_read(workers, stored):
    with serving(stored, workers) as (service, client):
        assert service.unreadable == []
        states = {dataset.id: dataset.state for dataset in service.datasets.all() if dataset.id != PICKED}
        assert states == {SALES: "ready", PEOPLE: "ready", SURVEY: "ready", BROKEN: "failed"}
        assert service.datasets.wait(PICKED).state == "ready"  # reading begins anew
        entry = service.datasets.entry(PEOPLE)
        assert entry.hierarchy_paths["sex"].endswith("sex.csv")
        assert (entry.dataset.sensitive, entry.dataset.options) == (["illness"], {"identifier": ["name"]})
        # What was found out need not be found out again.
        assert service.exposure.risk(SALES).points[0].risk == pytest.approx(5 / 24)
        assert service.exposure.known_limits(SALES)["degree"]["largest"] == {"p": 6.0}
        assert Path(service.datasets.entry(SALES).taxonomy_path).is_file()

        assert sorted(job.state for job in service.jobs.all()) == [
            "cancelled",
            "done",
            "done",
            "done",
            "failed",
            "interrupted",
        ]
        assert service.jobs.get(RUNNING_JOB).state == "interrupted"
        for job in service.jobs.all():
            if job.holds:
                results = service.releases.results(job.id)
                assert results.figures
                assert all(figure.label for figure in results.figures)
        figures = {figure.key: figure.value for figure in service.releases.results(SALES_JOB).figures}
        assert (figures["groups"], figures["attack_linkage"]) == (3, 0.07375)
        assert client.get("/jobs").text.count("sales.csv") >= 2
        page = client.get(f"/jobs/{SALES_JOB}").text
        assert "What an attacker achieves" in page
        assert "Group 3" in page
        again = service.start(SALES, "degree(p=2)", seed=1)
        assert service.jobs.wait(again.id).holds


def test_what_changes_is_written_in_the_new_version(workers, stored):
    upgraded(stored, workers)
    versions = {id: version for id, (version, _) in rows(stored, "datasets").items()}
    assert versions == {SALES: 1, PEOPLE: 1, SURVEY: 1, BROKEN: 1, PICKED: VERSION}
    again = Service(stored, workers)
    assert (again.unreadable, len(again.datasets.all())) == ([], 5)
    again.close()


@pytest.mark.parametrize(
    ("statement", "values", "reason"),
    [
        ("UPDATE datasets SET body = ? WHERE id = ?", ('{"dataset": ', SALES), "it is not JSON"),
        pytest.param(
            *("UPDATE datasets SET body = ? WHERE id = ?", ("[]", SALES), "it is not a JSON object"),
            marks=pytest.mark.slow,
        ),
        pytest.param(
            *("UPDATE datasets SET body = ? WHERE id = ?", ("{}", SALES), "dataset: Field required"),
            marks=pytest.mark.slow,
        ),
        (
            "UPDATE datasets SET body = json_set(body, '$.dataset.kind', 'clouds') WHERE id = ?",
            (SALES,),
            "no kind of data 'clouds'",
        ),
        pytest.param(
            "UPDATE datasets SET body = json_set(body, '$.dataset.state', 'odd') WHERE id = ?",
            (SALES,),
            "dataset.state",
            marks=pytest.mark.slow,
        ),
        ("UPDATE datasets SET version = ? WHERE id = ?", (VERSION + 1, SALES), f"of version {VERSION + 1}"),
        ("UPDATE jobs SET body = ? WHERE id = ?", ("{}", SALES_JOB), "job: Field required"),
    ],
)
def test_a_record_that_cannot_be_read_stops_nothing(workers, stored, caplog, statement, values, reason):
    upgraded(stored, workers)  # records have a version from here on
    change(stored, statement, *values)
    table, id = statement.split()[1], values[-1]
    before = rows(stored, table)[id]
    with serving(stored, workers) as (service, client):
        [unreadable] = service.unreadable
        assert (unreadable.table, unreadable.id) == (table, id)
        assert reason in unreadable.reason
        assert id in caplog.text
        assert len(service.datasets.all()) + len(service.jobs.all()) == 10
        page = client.get("/jobs").text
        assert "cannot be read by this version" in page
        assert id in page
        assert client.get("/").status_code == 200
        assert client.get("/api/v1/status").json()["unreadable"] == 1
    # It is as it was, for whoever can read it.
    assert rows(stored, table)[id] == before


def test_what_cannot_be_read_can_be_cleaned_up(workers, stored):
    upgraded(stored, workers)
    change(stored, "UPDATE jobs SET body = 'x' WHERE id = ?", SALES_JOB)
    with serving(stored, workers) as (service, client):
        assert f"A release that cannot be read ({SALES_JOB})" in client.get("/clean?days=0").text
        assert (stored.data / "jobs" / SALES_JOB).is_dir()
        cleaned = service.clean(0)
        assert (cleaned.jobs, cleaned.datasets, service.unreadable) == (6, 5, [])
        assert "cannot be read" not in client.get("/jobs").text
    assert rows(stored, "jobs") == rows(stored, "datasets") == {}
    assert list((stored.data / "jobs").iterdir()) == list((stored.data / "datasets").iterdir()) == []


def test_results_that_cannot_be_read_leave_the_release(workers, stored):
    upgraded(stored, workers)
    (stored.data / "jobs" / SALES_JOB / "results.json").write_text('{"version": 99}')
    with serving(stored, workers) as (_, client):
        page = client.get(f"/jobs/{SALES_JOB}").text
        assert "Not measured" in page
        assert "stored by another version" in page
        assert "Group 3" in page
        assert client.get(f"/api/v1/jobs/{SALES_JOB}/results").status_code == 409


@pytest.mark.parametrize("root", [None, "elsewhere"])
def test_a_file_below_a_root_that_is_no_longer_open_stops_nothing(workers, stored, root):
    if root is not None:
        (stored.data.parent / root).mkdir()
    settings = Settings(data=stored.data, root=None if root is None else stored.data.parent / root)
    service = Service(settings, workers)
    assert service.datasets.get(PICKED).state == "failed"
    assert "--root" in service.datasets.get(PICKED).problem
    service.close()
