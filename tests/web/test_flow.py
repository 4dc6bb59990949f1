"""The whole job on the page, for baskets, ratings and a table, and what its answers are worth elsewhere."""

import io
import json
import shlex
import zipfile

import pytest

import covey
from covey.api.checking import verify
from covey.measure.attacks import ATTACKS
from serving import demo_of, finished, uploaded


def unpacked(served, job, folder):
    raw = served[1].get(f"/jobs/{job.id}/release.zip").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "release"


@pytest.fixture(scope="module")
def shop_job(served):
    service = served[0]
    id = demo_of(served, "shop")
    # Every sensitive item is attacked by itself; a few of them show as much.
    service.sensitive.mark(id, [item for item in service.datasets.get(id).sensitive if "test" in item])
    service.exposure.wait(id)
    return id, finished(served, id, "degree(p=10)", method="cahd", seed=3, options={"alpha": 4})


def test_baskets_from_a_demo_to_a_release(served, shop_job, tmp_path):
    service, client = served
    id, job = shop_job
    dataset = service.datasets.get(id)
    assert (dataset.kind, dataset.state) == ("baskets", "ready")
    risk = service.exposure.risk(id)
    assert risk.state == "ready"
    assert [point.known for point in risk.points] == [1, 2, 3, 4]
    assert risk.points[-1].risk > risk.points[0].risk

    first, *others = service.choices.guarantees(id)
    assert (first.name, first.recommended, first.blocked) == ("degree", True, None)
    [p] = first.fields
    assert {other.name for other in others} == {"k-anonymity", "km-anonymity", "coherence"}
    assert service.choices.explain(id, f"degree(p={p.feasible:g})")["problem"] is None
    page = client.get(f"/data/{id}/promise?name=degree&p={p.feasible + 1:g}").text
    assert f"the largest feasible p is {p.feasible:g}." in page
    wanted = {"guarantee": f"degree(p={p.feasible + 1:g})"}
    refused = client.post(f"/data/{id}/start", data=wanted)
    assert (refused.status_code, "The release was not started." in refused.text) == (422, True)
    methods = service.choices.methods(id, "degree(p=10)")
    assert [method.name for method in methods] == ["matched", "cahd", "perm-mondrian", "nearest", "anatomy"]

    results = service.releases.results(job.id)
    assert results.release == "grouped"
    assert {attack["attack"] for attack in results.attacks} == set(ATTACKS["grouped"])
    page = service.releases.groups(job.id, offset=2, limit=3)
    assert [group.number for group in page.groups] == [2, 3, 4]
    release = covey.read_release(unpacked(served, job, tmp_path))
    assert page.total == release.groups
    assert [group.size for group in page.groups] == release.group_sizes()[2:5].tolist()
    asked = {"sensitive": "pregnancy test", "present": ["folic acid"], "absent": ["red wine"]}
    answer = service.releases.query(job.id, **asked)
    assert f"{answer.estimate:,.1f}" in client.get(f"/jobs/{job.id}/answer", params=asked).text
    report = client.get(f"/jobs/{job.id}/report.html?download=true")
    assert "attachment" in report.headers["content-disposition"]
    assert "degree(p=10)" in report.text


def test_the_archive_holds_the_release_and_nothing_of_the_original(served, shop_job, tmp_path):
    id, job = shop_job
    directory = unpacked(served, job, tmp_path)
    manifest = json.loads((directory / "manifest.json").read_bytes())
    assert {path.name for path in directory.iterdir()} == {
        "manifest.json",
        "README.md",
        "datapackage.json",
        *manifest["files"],
    }
    assert {path.name for path in tmp_path.iterdir()} == {"release"}
    verdict = verify(directory, fingerprint=job.fingerprint)
    assert verdict.holds
    service = served[0]
    original = (service.datasets.folder_of(id) / "original" / "shop.csv").read_bytes()
    for path in directory.iterdir():
        assert original[:200] not in path.read_bytes()
        assert str(service.settings.data).encode() not in path.read_bytes()
    secret = set(service.datasets.get(id).sensitive)
    assert not secret & set(covey.read_release(directory).transactions.items)


def assert_commands_make_the_same_release(served, job, folder, covey_cli):
    """Run the page's command, and its script, where the original lies."""
    service, client = served
    commands = service.releases.commands(job.id)
    for file in (service.datasets.folder_of(job.dataset) / "original").iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    for name in commands.files:
        (folder / name).write_text(client.get(f"/jobs/{job.id}/{name}").text)
    for line in commands.command.split(" && "):
        code, printed, errors = covey_cli(*shlex.split(line)[1:], "--json")
        assert code == 0, errors
    assert json.loads(printed)["fingerprint"] == job.fingerprint
    script = commands.python.replace("'release'", "'again'")
    exec(compile(script, "commands", "exec"), {})
    assert verify("again", fingerprint=job.fingerprint).holds


def test_the_commands_make_the_same_release(served, shop_job, tmp_path, monkeypatch, covey_cli):
    monkeypatch.chdir(tmp_path)
    assert_commands_make_the_same_release(served, shop_job[1], tmp_path, covey_cli)


def test_the_commands_make_the_same_release_of_a_table(served, root, tmp_path, monkeypatch, covey_cli):
    monkeypatch.chdir(tmp_path)
    service, client = served
    patients = uploaded(served, "patients.csv", (root / "patients.csv").read_bytes())
    form = {"data": {"column": "sex"}, "files": {"file": ("sex.csv", b"f,*\nm,*\n")}}
    assert client.post(f"/data/{patients}/hierarchies", **form).status_code == 303
    assert service.datasets.wait(patients).hierarchies == {"sex": "sex.csv"}
    roles = {"quasi": ["age", "sex"], "other": ["postcode"], "identifier": ["name"]}
    service.datasets.configure(patients, options=roles)
    service.sensitive.mark(patients, ["illness"])
    assert service.datasets.wait(patients).state == "ready"
    job = finished(served, patients, "l-diversity(l=2, k=5)", method="mondrian", seed=1)
    page = service.releases.groups(job.id, limit=1)
    assert page.columns == ["age", "postcode", "sex", "illness"]
    assert len(page.groups[0].sensitive) >= 2
    (tmp_path / "sex.csv").write_bytes(b"f,*\nm,*\n")
    assert_commands_make_the_same_release(served, job, tmp_path, covey_cli)


def test_generalized_sets(served, shop_job):
    service, client = served
    id = shop_job[0]
    refused = client.post(f"/data/{id}/start", data={"guarantee": "k-anonymity(k=5)"})
    assert (refused.status_code, "treats all items alike" in refused.text) == (422, True)
    job = made_without_marks(served, id, "k-anonymity(k=5)", "pattern-ka")
    page = service.releases.groups(job.id)
    sizes = [group.size for group in page.groups]
    assert page.what == "classes"
    assert sizes == sorted(sizes, reverse=True)
    assert service.releases.groups(job.id, offset=page.total - 1).groups[0].size >= 5
    assert service.releases.results(job.id).risk_after
    assert "groups and chunks" in client.get(f"/jobs/{job.id}/answer", params={"sensitive": "x"}).text


def made_without_marks(served, id, guarantee, method):
    """A job on the data while none of its items is marked as sensitive."""
    sensitive = served[0].sensitive
    marked = served[0].datasets.get(id).sensitive
    sensitive.mark(id, [])
    job = finished(served, id, guarantee, method=method)
    sensitive.mark(id, marked)
    return job


def test_chunks_are_looked_into_and_asked(served, shop_job):
    service = served[0]
    job = made_without_marks(served, shop_job[0], "km-anonymity(k=3, m=2)", "disassociation")
    shown = served[1].get(f"/jobs/{job.id}").text
    assert "of item occurrences are not counted" in shown
    assert "every item of every basket as it was" not in shown
    page = service.releases.groups(job.id)
    assert page.what == "clusters"
    assert page.groups[0].members
    asked = service.releases.questions(job.id)
    assert asked.sensitive == []
    answer = service.releases.query(job.id, "", asked.items[:2])
    assert 0 <= answer.lower <= answer.estimate <= answer.upper <= answer.transactions
    keys = {figure.key for figure in service.releases.results(job.id).figures}
    assert {"counted", "pair_error", "attack_whole"} <= keys
