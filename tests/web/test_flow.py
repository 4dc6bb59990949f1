"""The whole job on the page, for baskets, ratings and a table, and what its answers are worth elsewhere."""

import io
import json
import shlex
import zipfile

import pytest

import covey
from covey.api.checking import verify
from covey.release.grouped import GROUPED
from covey.report.uniqueness import telling
from serving import demo_of, finished


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
    assert dataset.preview.columns == ["transaction", "item"]
    found = service.sensitive.search(id, "TEST", limit=2)
    assert found.total >= 2
    assert all(item.sensitive and item.support for item in found.items)
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
    assert {attack["attack"] for attack in results.attacks} == set(GROUPED.attacks)
    page = service.releases.groups(job.id, offset=2, limit=3)
    assert [group.number for group in page.groups] == [2, 3, 4]
    release = covey.read_release(unpacked(served, job, tmp_path))
    assert page.total == release.groups
    assert [group.size for group in page.groups] == release.group_sizes()[2:5].tolist()
    asked = {"sensitive": "pregnancy test", "present": ["folic acid"], "absent": ["red wine"]}
    answer = service.releases.query(job.id, **asked)
    expected = release.estimate("pregnancy test", present=["folic acid"], absent=["red wine"])
    assert answer.estimate == pytest.approx(expected.estimate)
    assert (answer.lower, answer.upper) == (expected.lower, expected.upper)
    assert f"{expected.estimate:,.1f}" in client.get(f"/jobs/{job.id}/answer", params=asked).text
    wrong = client.get(f"/jobs/{job.id}/answer", params={"sensitive": "pregnancy tset"})
    assert "pregnancy test" in wrong.text
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


def test_the_commands_make_the_same_release(served, shop_job, tmp_path, monkeypatch, covey_cli):
    id, job = shop_job
    commands = served[0].releases.commands(job.id)
    original = served[0].datasets.folder_of(id) / "original"
    monkeypatch.chdir(tmp_path)
    for file in original.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name in commands.files:
        (tmp_path / name).write_text(served[1].get(f"/jobs/{job.id}/{name}").text)
    code, printed, errors = covey_cli(*shlex.split(commands.command)[1:], "--json")
    assert code == 0, errors
    assert json.loads(printed)["fingerprint"] == job.fingerprint
    script = commands.python.replace("'release'", "'again'")
    exec(compile(script, "commands", "exec"), {})
    assert verify("again", fingerprint=job.fingerprint).holds


def test_a_taxonomy_is_checked_and_replaced(served, shop_job):
    service, client = served
    id = shop_job[0]

    def attached(name, content):
        return client.post(f"/data/{id}/taxonomy", files={"file": (name, content)})

    cycle = attached("loop.csv", b"child,parent\na,b\nb,a\n")
    assert (cycle.status_code, "loop.csv" in cycle.text) == (422, True)
    assert attached("small.csv", b"child,parent\nred wine,drinks\ndrinks,all\n").status_code == 303
    assert service.datasets.get(id).taxonomy_lacks > 200
    attached("shop.taxonomy.csv", (service.datasets.folder_of(id) / "original" / "shop.taxonomy.csv").read_bytes())
    again = service.datasets.get(id)
    assert (again.taxonomy, again.taxonomy_lacks) == ("shop.taxonomy.csv", 0)


@pytest.mark.slow  # a browser walks the same path
def test_two_methods_side_by_side(served, shop_job):
    id, job = shop_job
    other = finished(served, id, "degree(p=10)", method="anatomy")
    compared = served[0].releases.compare(job.id, other.id)
    figures = {figure.key: figure for figure in compared.figures}
    assert (compared.first.method, compared.second.method) == ("cahd", "anatomy")
    assert figures["kl"].better == "first"
    assert figures["seconds"].first > 0
    assert [listed.id for listed in served[0].jobs.all()][:2] == [other.id, job.id]


@pytest.mark.parametrize(
    ("guarantee", "method"),
    [
        ("k-anonymity(k=5)", "pattern-ka"),
        pytest.param("km-anonymity(k=3, m=2)", "aa", marks=pytest.mark.slow),
        pytest.param("coherence(h=0.9, k=3, p=1)", "mm", marks=pytest.mark.slow),
    ],
)
def test_generalized_sets(served, shop_job, guarantee, method):
    service, client = served
    id = shop_job[0]
    marked = service.datasets.get(id).sensitive
    if not guarantee.startswith("coherence"):
        refused = client.post(f"/data/{id}/start", data={"guarantee": guarantee})
        assert (refused.status_code, "treats all items alike" in refused.text) == (422, True)
        service.sensitive.mark(id, [])
    job = finished(served, id, guarantee, method=method)
    service.sensitive.mark(id, marked)
    page = service.releases.groups(job.id)
    sizes = [group.size for group in page.groups]
    assert page.what == "classes"
    assert sizes == sorted(sizes, reverse=True)
    if guarantee.startswith("k-anonymity"):
        last = service.releases.groups(job.id, offset=page.total - 1)
        assert last.groups[0].size >= 5
    assert service.releases.results(job.id).risk_after
    assert "groups and chunks" in client.get(f"/jobs/{job.id}/answer", params={"sensitive": "x"}).text


def test_chunks_are_looked_into_and_asked(served, shop_job):
    service = served[0]
    id = shop_job[0]
    marked = service.datasets.get(id).sensitive
    service.sensitive.mark(id, [])
    job = finished(served, id, "km-anonymity(k=3, m=2)", method="disassociation")
    service.sensitive.mark(id, marked)
    shown = served[1].get(f"/jobs/{job.id}").text
    assert "How many hold" in shown
    assert 'id="kept">Kept: ' in shown
    assert "items with counts, " in shown
    assert "of item occurrences are not counted" in shown
    assert "of the detail is lost" not in shown
    assert "every item of every basket as it was" not in shown
    assert "Each guesses whose pieces they are" in shown
    assert "Baskets were cut into pieces until this held" in shown
    assert "Clusters" in shown
    page = service.releases.groups(job.id)
    assert page.what == "clusters"
    assert page.groups[0].members
    asked = service.releases.questions(job.id)
    assert asked.sensitive == []
    answer = service.releases.query(job.id, "", asked.items[:2])
    assert 0 <= answer.lower <= answer.estimate <= answer.upper <= answer.transactions
    keys = {figure.key for figure in service.releases.results(job.id).figures}
    assert {"counted", "pair_error", "attack_whole"} <= keys


@pytest.mark.slow  # a browser walks the same path
def test_ratings(served, tmp_path):
    service, client = served
    id = demo_of(served, "survey")
    assert service.datasets.get(id).kind == "ratings"
    risk = service.exposure.wait(id)
    assert (risk.unit, risk.points[-1].unique > 0, risk.curve[0]["epsilon"]) == ("ratings", True, 0.0)
    [choice] = service.choices.guarantees(id)
    assert (choice.name, choice.fields[0].feasible) == ("k-eps-l", 2000)
    job = finished(served, id, "k-eps-l(k=5, epsilon=1, l=1)")
    assert verify(unpacked(served, job, tmp_path)).holds
    page = service.releases.groups(job.id, limit=2)
    assert (page.what, page.total) == ("records", job.counts["records"])
    assert "--kind ratings" in service.releases.commands(job.id).command
    assert "Who is unique on a coarser scale" in client.get(f"/data/{id}/risk/found").text
    told = telling(service.releases.results(job.id).uniqueness)
    page = client.get(f"/jobs/{job.id}").text
    assert f'class="note {told.tone}" id="telling"' in page
    assert told.text in page


@pytest.mark.slow  # a browser walks the same path
def test_a_table_with_roles_and_a_hierarchy(served, tmp_path, monkeypatch, covey_cli):
    service, client = served
    id = demo_of(served, "people")
    assert service.datasets.get(id).shape["rows"] == 2000
    risk = service.exposure.wait(id)
    assert risk.unit == "columns"
    assert risk.exposure["unique"] > 0.5
    columns = service.sensitive.search(id).items
    assert [(c.item, c.sensitive) for c in columns][-1] == ("illness", True)
    codes = sorted({row[3] for row in service.datasets.get(id).preview.rows})
    assert codes[0].startswith("10")
    tree = "".join(f"{10_000 + 7 * i};{(10_000 + 7 * i) // 100}xx;*\n" for i in range(60))

    def attached(content):
        file = {"file": ("postcodes.csv", content)}
        return client.post(f"/data/{id}/hierarchies", data={"column": "postcode"}, files=file).status_code

    assert attached(b"") == 422
    assert list((service.datasets.folder_of(id) / "given").iterdir()) == list(service.settings.incoming.iterdir()) == []
    assert attached(tree.encode()) == 303
    configured = service.datasets.wait(id)
    assert configured.hierarchies == {"postcode": "postcodes.csv"}
    service.datasets.configure(id, options={**configured.options, "other": ["occupation"]})
    assert service.datasets.wait(id).state == "ready"
    job = finished(served, id, "l-diversity(l=2, k=5)", method="mondrian", seed=1)
    assert verify(unpacked(served, job, tmp_path)).holds
    page = service.releases.groups(job.id, limit=1)
    assert page.columns == ["age", "sex", "postcode", "occupation", "illness"]
    assert len(page.groups[0].sensitive) >= 2
    commands = service.releases.commands(job.id)
    monkeypatch.chdir(tmp_path)
    original = service.datasets.folder_of(id) / "original" / "people.csv"
    (tmp_path / "people.csv").write_bytes(original.read_bytes())
    (tmp_path / "postcodes.csv").write_text(tree)
    words = shlex.split(commands.command.replace("-o release", "-o again"))
    code, printed, errors = covey_cli(*words[1:], "--json")
    assert code == 0, errors
    assert json.loads(printed)["fingerprint"] == job.fingerprint
    exec(compile(commands.python.replace("'release'", "'third'"), "commands", "exec"), {})
    assert verify("third", fingerprint=job.fingerprint).holds
