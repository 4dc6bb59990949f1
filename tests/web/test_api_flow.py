"""The whole job over the API, for baskets, ratings and a table, and what its answers are worth elsewhere."""

import io
import json
import shlex
import zipfile

import pytest

import covey
from covey.api.checking import verify
from covey.release.grouped import GROUPED
from covey.report.uniqueness import telling
from serving import Api, finished


@pytest.fixture(scope="module")
def api(served):
    return Api(served[1])


def unpacked(api, job, folder):
    raw = api("GET", f"/jobs/{job['id']}/release.zip").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "release"


@pytest.fixture(scope="module")
def shop_job(served, api):
    dataset = api("POST", "/datasets/demo", 201, json={})
    marked = served[0].datasets.wait(dataset["id"]).sensitive
    # Every sensitive item is attacked by itself; a few of them show as much.
    api("PUT", f"/datasets/{dataset['id']}/sensitive", json=[item for item in marked if "test" in item])
    served[0].exposure.wait(dataset["id"])
    return dataset["id"], finished(
        served, api, dataset["id"], "degree(p=10)", method="cahd", seed=3, options={"alpha": 4}
    )


def test_baskets_from_a_demo_to_a_release(served, api, shop_job, tmp_path):
    id, job = shop_job
    dataset = api("GET", f"/datasets/{id}")
    assert (dataset["kind"], dataset["state"]) == ("baskets", "ready")
    assert dataset["preview"]["columns"] == ["transaction", "item"]
    found = api("GET", f"/datasets/{id}/items", params={"search": "TEST", "limit": 2})
    assert found["total"] >= 2
    assert all(item["sensitive"] and item["support"] for item in found["items"])
    risk = api("GET", f"/datasets/{id}/risk")
    assert risk["state"] == "ready"
    assert [point["known"] for point in risk["points"]] == [1, 2, 3, 4]
    assert risk["points"][-1]["risk"] > risk["points"][0]["risk"]

    first, *others = api("GET", f"/datasets/{id}/guarantees")
    assert (first["name"], first["recommended"], first["blocked"]) == ("degree", True, None)
    [p] = first["fields"]
    assert {other["name"] for other in others} == {"k-anonymity", "km-anonymity", "coherence"}
    promise = api("GET", f"/datasets/{id}/promise", params={"guarantee": f"degree(p={p['feasible']:g})"})
    assert promise["problem"] is None
    promise = api("GET", f"/datasets/{id}/promise", params={"guarantee": f"degree(p={p['feasible'] + 1:g})"})
    assert promise["best"] == p["feasible"]
    refused = api("POST", "/jobs", 422, json={"dataset": id, "guarantee": f"degree(p={p['feasible'] + 1:g})"})
    assert (refused["title"], refused["best"]) == ("Infeasible", p["feasible"])
    methods = api("GET", f"/datasets/{id}/methods", params={"guarantee": "degree(p=10)"})
    assert [method["name"] for method in methods] == ["matched", "cahd", "perm-mondrian", "nearest", "anatomy"]

    results = api("GET", f"/jobs/{job['id']}/results")
    assert results["release"] == "grouped"
    assert {attack["attack"] for attack in results["attacks"]} == set(GROUPED.attacks)
    for number, _ in enumerate(results["pictures"]):
        picture = api("GET", f"/jobs/{job['id']}/pictures/{number}")
        assert picture.content.startswith(b"\x89PNG")
    page = api("GET", f"/jobs/{job['id']}/groups", params={"offset": 2, "limit": 3})
    assert [group["number"] for group in page["groups"]] == [2, 3, 4]
    release = covey.read_release(unpacked(api, job, tmp_path))
    assert page["total"] == release.groups
    assert [group["size"] for group in page["groups"]] == release.group_sizes()[2:5].tolist()
    asked = {"sensitive": "pregnancy test", "present": ["folic acid"], "absent": ["red wine"]}
    answer = api("GET", f"/jobs/{job['id']}/query", params=asked)
    expected = release.estimate("pregnancy test", present=["folic acid"], absent=["red wine"])
    assert answer["estimate"] == pytest.approx(expected.estimate)
    assert (answer["lower"], answer["upper"]) == (expected.lower, expected.upper)
    wrong = api("GET", f"/jobs/{job['id']}/query", 422, params={"sensitive": "pregnancy tset"})
    assert "pregnancy test" in wrong["detail"]
    report = api("GET", f"/jobs/{job['id']}/report.html")
    assert "attachment" in report.headers["content-disposition"]
    assert "degree(p=10)" in report.text


def test_the_archive_holds_the_release_and_nothing_of_the_original(served, api, shop_job, tmp_path):
    id, job = shop_job
    directory = unpacked(api, job, tmp_path)
    manifest = json.loads((directory / "manifest.json").read_bytes())
    assert {path.name for path in directory.iterdir()} == {
        "manifest.json",
        "README.md",
        "datapackage.json",
        *manifest["files"],
    }
    assert {path.name for path in tmp_path.iterdir()} == {"release"}
    verdict = verify(directory, fingerprint=job["fingerprint"])
    assert verdict.holds
    service = served[0]
    original = (service.datasets.folder_of(id) / "original" / "shop.csv").read_bytes()
    for path in directory.iterdir():
        assert original[:200] not in path.read_bytes()
        assert str(service.settings.data).encode() not in path.read_bytes()
    secret = set(api("GET", f"/datasets/{id}")["sensitive"])
    assert not secret & set(covey.read_release(directory).transactions.items)


def test_the_commands_make_the_same_release(served, api, shop_job, tmp_path, monkeypatch, covey_cli):
    id, job = shop_job
    commands = api("GET", f"/jobs/{job['id']}/commands")
    original = served[0].datasets.folder_of(id) / "original"
    monkeypatch.chdir(tmp_path)
    for file in original.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    for name in commands["files"]:
        (tmp_path / name).write_text(api("GET", f"/jobs/{job['id']}/{name}").text)
    code, printed, errors = covey_cli(*shlex.split(commands["command"])[1:], "--json")
    assert code == 0, errors
    assert json.loads(printed)["fingerprint"] == job["fingerprint"]
    script = commands["python"].replace("'release'", "'again'")
    exec(compile(script, "commands", "exec"), {})
    assert verify("again", fingerprint=job["fingerprint"]).holds


def test_a_taxonomy_is_checked_and_replaced(served, api, shop_job):
    id = shop_job[0]
    octets = {"content-type": "application/octet-stream"}
    path = f"/datasets/{id}/taxonomy"
    cycle = api("PUT", path, 422, params={"name": "loop.csv"}, content=b"child,parent\na,b\nb,a\n", headers=octets)
    assert cycle["detail"].startswith("loop.csv")
    fit = api("PUT", path, content=b"child,parent\nred wine,drinks\ndrinks,all\n", headers=octets)["fit"]
    assert fit["missing_count"] > 200
    original = (served[0].datasets.folder_of(id) / "original" / "shop.taxonomy.csv").read_bytes()
    again = api("PUT", path, params={"name": "shop.taxonomy.csv"}, content=original, headers=octets)
    assert (again["dataset"]["taxonomy"], again["fit"]["missing_count"]) == ("shop.taxonomy.csv", 0)


@pytest.mark.slow  # a browser walks the same path
def test_two_methods_side_by_side(served, api, shop_job):
    id, job = shop_job
    other = finished(served, api, id, "degree(p=10)", method="anatomy")
    compared = api("GET", f"/jobs/{job['id']}/compare/{other['id']}")
    figures = {figure["key"]: figure for figure in compared["figures"]}
    assert (compared["first"]["method"], compared["second"]["method"]) == ("cahd", "anatomy")
    assert figures["kl"]["better"] == "first"
    assert figures["seconds"]["first"] > 0
    assert [listed["id"] for listed in api("GET", "/jobs")][:2] == [other["id"], job["id"]]


@pytest.mark.parametrize(
    ("guarantee", "method"),
    [
        ("k-anonymity(k=5)", "pattern-ka"),
        pytest.param("km-anonymity(k=3, m=2)", "aa", marks=pytest.mark.slow),
        pytest.param("coherence(h=0.9, k=3, p=1)", "mm", marks=pytest.mark.slow),
    ],
)
def test_generalized_sets(served, api, shop_job, guarantee, method):
    service = served[0]
    id = shop_job[0]
    marked = api("GET", f"/datasets/{id}")["sensitive"]
    if not guarantee.startswith("coherence"):
        refused = api("POST", "/jobs", 422, json={"dataset": id, "guarantee": guarantee})
        assert "treats all items alike" in refused["detail"]
        api("PUT", f"/datasets/{id}/sensitive", json=[])
    job = finished(served, api, id, guarantee, method=method)
    api("PUT", f"/datasets/{id}/sensitive", json=marked)
    page = api("GET", f"/jobs/{job['id']}/groups")
    sizes = [group["size"] for group in page["groups"]]
    assert page["what"] == "classes"
    assert sizes == sorted(sizes, reverse=True)
    if guarantee.startswith("k-anonymity"):
        last = service.releases.groups(job["id"], offset=page["total"] - 1)
        assert last.groups[0].size >= 5
    assert api("GET", f"/jobs/{job['id']}/results")["risk_after"]
    assert "groups and chunks" in api("GET", f"/jobs/{job['id']}/query", 422, params={"sensitive": "x"})["detail"]


def test_chunks_are_looked_into_and_asked(served, api, shop_job):
    id = shop_job[0]
    marked = api("GET", f"/datasets/{id}")["sensitive"]
    api("PUT", f"/datasets/{id}/sensitive", json=[])
    job = finished(served, api, id, "km-anonymity(k=3, m=2)", method="disassociation")
    api("PUT", f"/datasets/{id}/sensitive", json=marked)
    shown = served[1].get(f"/jobs/{job['id']}").text
    assert "How many hold" in shown
    assert 'id="kept">Kept: ' in shown
    assert "items with counts, " in shown
    assert "of item occurrences are not counted" in shown
    assert "of the detail is lost" not in shown
    assert "every item of every basket as it was" not in shown
    assert "Each guesses whose pieces they are" in shown
    assert "Baskets were cut into pieces until this held" in shown
    assert "Clusters" in shown
    page = api("GET", f"/jobs/{job['id']}/groups")
    assert page["what"] == "clusters"
    assert page["groups"][0]["members"]
    asked = api("GET", f"/jobs/{job['id']}/questions")
    assert asked["sensitive"] == []
    answer = api("GET", f"/jobs/{job['id']}/query", params={"present": asked["items"][:2]})
    assert 0 <= answer["lower"] <= answer["estimate"] <= answer["upper"] <= answer["transactions"]
    [first] = api("GET", f"/jobs/{job['id']}/labels", params={"search": asked["items"][0], "limit": 1})["items"]
    assert first["support"] > 0
    keys = {figure["key"] for figure in api("GET", f"/jobs/{job['id']}/results")["figures"]}
    assert {"counted", "pair_error", "attack_whole"} <= keys


@pytest.mark.slow  # a browser walks the same path
def test_ratings(served, api, tmp_path):
    dataset = api("POST", "/datasets/demo", 201, json={"name": "survey"})
    assert served[0].datasets.wait(dataset["id"]).kind == "ratings"
    risk = served[0].exposure.wait(dataset["id"])
    assert (risk.unit, risk.points[-1].unique > 0, risk.curve[0]["epsilon"]) == ("ratings", True, 0.0)
    [choice] = api("GET", f"/datasets/{dataset['id']}/guarantees")
    assert (choice["name"], choice["fields"][0]["feasible"]) == ("k-eps-l", 2000)
    job = finished(served, api, dataset["id"], "k-eps-l(k=5, epsilon=1, l=1)")
    release = unpacked(api, job, tmp_path)
    assert verify(release).holds
    page = api("GET", f"/jobs/{job['id']}/groups", params={"limit": 2})
    assert (page["what"], page["total"]) == ("records", job["counts"]["records"])
    assert "--kind ratings" in api("GET", f"/jobs/{job['id']}/commands")["command"]
    assert "Who is unique on a coarser scale" in served[1].get(f"/data/{dataset['id']}/risk/found").text
    told = telling(api("GET", f"/jobs/{job['id']}/results")["uniqueness"])
    page = served[1].get(f"/jobs/{job['id']}").text
    assert f'class="note {told.tone}" id="telling"' in page
    assert told.text in page


@pytest.mark.slow  # a browser walks the same path
def test_a_table_with_roles_and_a_hierarchy(served, api, tmp_path, monkeypatch, covey_cli):
    service = served[0]
    dataset = api("POST", "/datasets/demo", 201, json={"name": "people"})
    id = dataset["id"]
    assert service.datasets.wait(id).shape["rows"] == 2000
    risk = service.exposure.wait(id)
    assert risk.unit == "columns"
    assert risk.exposure["unique"] > 0.5
    columns = api("GET", f"/datasets/{id}/items")["items"]
    assert [(c["item"], c["sensitive"]) for c in columns][-1] == ("illness", True)
    codes = sorted({row[3] for row in dataset["preview"]["rows"]})
    assert codes[0].startswith("10")
    tree = "".join(f"{10_000 + 7 * i};{(10_000 + 7 * i) // 100}xx;*\n" for i in range(60))
    path = f"/datasets/{id}/hierarchies/postcode"
    octets = {"content-type": "application/octet-stream"}
    api("PUT", path, 422, content=b"", headers=octets)
    assert list((service.datasets.folder_of(id) / "given").iterdir()) == list(service.settings.incoming.iterdir()) == []
    configured = api("PUT", path, params={"name": "postcodes.csv"}, content=tree.encode(), headers=octets)
    assert configured["hierarchies"] == {"postcode": "postcodes.csv"}
    service.datasets.wait(id)
    options = {**configured["options"], "other": ["occupation"]}
    api("PUT", f"/datasets/{id}/reading", json={"options": options})
    assert service.datasets.wait(id).state == "ready"
    job = finished(served, api, id, "l-diversity(l=2, k=5)", method="mondrian", seed=1)
    release = unpacked(api, job, tmp_path)
    assert verify(release).holds
    page = api("GET", f"/jobs/{job['id']}/groups", params={"limit": 1})
    assert page["columns"] == ["age", "sex", "postcode", "occupation", "illness"]
    assert len(page["groups"][0]["sensitive"]) >= 2
    commands = api("GET", f"/jobs/{job['id']}/commands")
    monkeypatch.chdir(tmp_path)
    original = service.datasets.folder_of(id) / "original" / "people.csv"
    (tmp_path / "people.csv").write_bytes(original.read_bytes())
    (tmp_path / "postcodes.csv").write_text(tree)
    words = shlex.split(commands["command"].replace("-o release", "-o again"))
    code, printed, errors = covey_cli(*words[1:], "--json")
    assert code == 0, errors
    assert json.loads(printed)["fingerprint"] == job["fingerprint"]
    exec(compile(commands["python"].replace("'release'", "'third'"), "commands", "exec"), {})
    assert verify("third", fingerprint=job["fingerprint"]).holds


def test_status_and_cleaning(served, api):
    status = api("GET", "/status")
    assert status["covey"] == covey.__version__
    assert status["running"] == 0
    assert api("POST", "/clean", json={"older_than_days": 1})["jobs"] == 0
    api("POST", "/clean", 422, json={"older_than_days": -1})
