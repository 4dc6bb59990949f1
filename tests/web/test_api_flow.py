"""The whole job over the API, for baskets, ratings and a table, and what its answers are worth elsewhere."""

import io
import json
import shlex
import zipfile

import pytest

import covey
from covey.api import verify
from covey.web.server.settings import Settings
from covey.web.server.uploads import too_large
from holding import holding
from serving import serving


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with serving(Settings(data=tmp_path_factory.mktemp("served"))) as both:
        yield both


class Api:
    """Calls that must succeed."""

    def __init__(self, client):
        self.client = client

    def __call__(self, method, path, status=200, **more):
        answer = self.client.request(method, f"/api/v1{path}", **more)
        assert answer.status_code == status, answer.text
        assert answer.headers["cache-control"] == "no-store"
        return answer.json() if answer.headers["content-type"].endswith("json") else answer


@pytest.fixture(scope="module")
def api(served):
    return Api(served[1])


def finished(served, api, dataset, guarantee, **more):
    job = api("POST", "/jobs", 201, json={"dataset": dataset, "guarantee": guarantee, **more})
    served[0].jobs.wait(job["id"])
    job = api("GET", f"/jobs/{job['id']}")
    assert (job["state"], job["holds"], job["measured"], job["note"]) == ("done", True, True, None), job[
        "error"
    ]
    assert job["checks"]
    assert all(check["passed"] for check in job["checks"])
    return job


def unpacked(api, job, folder):
    raw = api("GET", f"/jobs/{job['id']}/release.zip").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder / "release"


@pytest.fixture(scope="module")
def shop_job(served, api):
    dataset = api("POST", "/datasets/demo", 201, json={})
    served[0].datasets.wait(dataset["id"])
    served[0].exposure.wait(dataset["id"])
    return dataset["id"], finished(served, api, dataset["id"], "degree(p=10)", seed=3, options={"alpha": 4})


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
    assert [point["known"] for point in risk["points"]] == [1, 2, 3, 4, 5, 6]
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
    assert [method["name"] for method in methods] == ["cahd", "perm-mondrian", "anatomy"]

    results = api("GET", f"/jobs/{job['id']}/results")
    assert results["release"] == "grouped"
    assert {attack["attack"] for attack in results["attacks"]} == {"linkage", "pivot", "learned"}
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
    assert {path.name for path in directory.iterdir()} == {"manifest.json", *manifest["files"]}
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
    cycle = api(
        "PUT", path, 422, params={"name": "loop.csv"}, content=b"child,parent\na,b\nb,a\n", headers=octets
    )
    assert cycle["detail"].startswith("loop.csv")
    fit = api("PUT", path, content=b"child,parent\nred wine,drinks\ndrinks,all\n", headers=octets)["fit"]
    assert fit["missing_count"] > 200
    original = (served[0].datasets.folder_of(id) / "original" / "shop.taxonomy.csv").read_bytes()
    again = api("PUT", path, params={"name": "shop.taxonomy.csv"}, content=original, headers=octets)
    assert (again["dataset"]["taxonomy"], again["fit"]["missing_count"]) == ("shop.taxonomy.csv", 0)


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
        ("km-anonymity(k=3, m=2)", "aa"),
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
    assert "per group" in api("GET", f"/jobs/{job['id']}/query", 422, params={"sensitive": "x"})["detail"]


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
    assert (
        list((service.datasets.folder_of(id) / "given").iterdir())
        == list(service.settings.incoming.iterdir())
        == []
    )
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


def uploaded(served, api, name, content):
    """The id of a file, once it was read."""
    octets = {"content-type": "application/octet-stream"}
    id = api("POST", "/datasets", 201, params={"name": name}, content=content, headers=octets)["id"]
    served[0].datasets.wait(id)
    return id


SMALL = "order,item\n" + "".join(f"{i},{x}\n" for i in range(9) for x in ("beer", "wine", "milk", "# 1"))


def test_a_list_of_sensitive_items(served, api):
    id = uploaded(served, api, "sales.csv", SMALL.encode())
    path = f"/datasets/{id}/sensitive/list"
    text = "\ufeff beer \r\n\r\n# a remark\n# 1\nbeer\nwnie\n"
    found = api("POST", path, json={"text": text})
    assert (found["known"], found["marked"], found["dataset"]["sensitive"]) == (2, False, [])
    assert found["unknown"] == [{"label": "wnie", "near": "Did you mean 'wine'?"}]
    found = api("POST", path, json={"text": text, "skip_unknown": True})
    assert (found["marked"], sorted(found["dataset"]["sensitive"])) == (True, ["# 1", "beer"])
    found = api("POST", path, json={"text": "wine"})
    assert sorted(found["dataset"]["sensitive"]) == ["# 1", "beer", "wine"]
    assert "names nothing" in api("POST", path, 422, json={"text": "\n# none\n"})["detail"]


def test_a_list_of_sensitive_items_on_the_page(served, api):
    client = served[1]
    id = uploaded(served, api, "sales.csv", SMALL.encode())
    page = client.post(f"/data/{id}/sensitive/list", data={"list": "beer\nwnie"}).text
    assert "1 of 2 names are not in the data, so nothing was marked." in page
    assert "Did you mean &#39;wine&#39;?" in page
    assert "Mark the 1 that is there" in page
    assert "Nothing is marked yet." in page
    page = client.post(f"/data/{id}/sensitive/list", data={"list": "beer\nwnie", "skip": "1"}).text
    assert "1 of the list is marked as sensitive; 1 not in the data was skipped." in page
    page = client.post(f"/data/{id}/sensitive/file", files={"file": ("list.txt", b"wine\n")}).text
    assert "1 of the list is marked" in page
    assert sorted(api("GET", f"/datasets/{id}")["sensitive"]) == ["beer", "wine"]
    answer = client.post(f"/data/{id}/sensitive/file", files={"file": ("list.txt", b"\xff\xfe")})
    assert (answer.status_code, "UTF-8" in answer.text) == (422, True)
    assert list(served[0].settings.incoming.iterdir()) == []
    assert "names nothing" in client.post(f"/data/{id}/sensitive/list", data={"list": " "}).text


def test_a_taxonomy_of_other_items_is_refused_and_a_partial_one_told(served, api):
    id = uploaded(served, api, "sales.csv", SMALL.encode())
    octets = {"content-type": "application/octet-stream"}
    path = f"/datasets/{id}/taxonomy"
    refused = api("PUT", path, 422, content=b"child,parent\nlions,cats\ncats,all\n", headers=octets)
    assert "none of the items" in refused["detail"]
    assert api("GET", f"/datasets/{id}")["taxonomy"] is None
    api("PUT", path, content=b"child,parent\nbeer,drinks\nwine,drinks\n", headers=octets)
    assert api("GET", f"/datasets/{id}")["taxonomy_lacks"] == 2
    assert "2 of 4 items of the data are not in it." in served[1].get(f"/data/{id}").text


def test_a_file_that_cannot_be_used_leads_nowhere(served, api):
    client = served[1]
    id = uploaded(served, api, "old.csv", "order,item\n1,Käse\n".encode("latin-1"))
    page = client.get(f"/data/{id}").text
    assert "latin-1 under “Encoding”" in page
    assert "--encoding" not in page
    assert f"/data/{id}/risk" not in page
    assert "disabled>See the risk today" in page
    assert "disabled>Choose what to promise" in client.get(f"/data/{id}/risk").text
    page = client.get(f"/data/{id}/promise").text
    assert "Nothing can be promised for this file yet" in page
    assert 'id="strength"' not in page
    assert client.get(f"/data/{id}/method?name=degree&p=2").headers["location"] == f"/data/{id}/promise"
    assert api("GET", f"/datasets/{id}/promise", params={"guarantee": "degree(p=2)"})["problem"]


def test_columns_that_name_people_are_proposed_to_be_left_out(served, api):
    client = served[1]
    rows = [f"P{i},{20 + i % 9},{'fm'[i % 2]},{('flu', 'gout')[i % 3 == 0]}" for i in range(40)]
    id = uploaded(served, api, "patients.csv", "\n".join(["name,age,sex,illness", *rows]).encode())
    page = client.get(f"/data/{id}").text
    assert "name: nearly every row has a value of its own." in page
    assert '<option value="identifier" selected>' in page
    assert '<span id="values-1">40</span>' in page
    served[0].exposure.wait(id)
    ask = {"guarantee": "k-anonymity(k=5)"}
    told = " ".join(api("GET", f"/datasets/{id}/promise", params=ask)["warnings"])
    assert "No column is marked as sensitive." in told
    assert "'name'" in told
    # Whoever keeps the name after all has chosen.
    roles = dict.fromkeys(("role:name", "role:age", "role:sex", "role:illness"), "quasi")
    client.post(f"/data/{id}/roles", data=roles)
    assert served[0].datasets.wait(id).options == {"quasi": ["name", "age", "sex", "illness"]}
    assert "nearly every row" not in client.get(f"/data/{id}").text
    client.post(f"/data/{id}/roles", data={**roles, "role:name": "identifier", "role:illness": "sensitive"})
    dataset = served[0].datasets.wait(id)
    assert dataset.shape["values"] == {"name": 40, "age": 9, "sex": 2, "illness": 2}
    served[0].exposure.wait(id)
    first, second = api("GET", f"/datasets/{id}/guarantees")
    assert (first["name"], first["recommended"], second["recommended"]) == ("l-diversity", True, False)
    assert api("GET", f"/datasets/{id}/promise", params=ask)["warnings"] == []


def test_the_range_of_l_and_of_similarity(served, api):
    text = "user,item,rating\n" + "".join(
        f"{u},{i},{1 + (u * i) % 6}\n" for u in range(30) for i in (1, 2, 5)
    )
    id = uploaded(served, api, "survey.csv", text.encode())
    api("PUT", f"/datasets/{id}/sensitive", json=["5"])
    with holding(served[0], reading=True):
        assert "Finding out what this data allows" in served[1].get(f"/data/{id}/promise").text
    served[0].exposure.wait(id)
    [choice] = api("GET", f"/datasets/{id}/guarantees")
    limits = {field["name"]: field["feasible"] for field in choice["fields"]}
    assert limits == {"k": 30, "epsilon": 5, "l": pytest.approx(1.70), "nulls": None}
    promise = api("GET", f"/datasets/{id}/promise", params={"guarantee": "k-eps-l(k=3, epsilon=1, l=9)"})
    assert "no choice of people has a larger l than 2.5" in promise["problem"]
    assert promise["best"] == limits["l"]
    promise = api("GET", f"/datasets/{id}/promise", params={"guarantee": "k-eps-l(k=3, epsilon=1, l=2)"})
    assert (promise["problem"], len(promise["warnings"])) == (None, 1)
    ranges = served[1].get(f"/data/{id}/promise/ranges", params={"k": 3, "epsilon": 1, "l": 9}).text
    assert "This data allows 0 to 1.7." in ranges
    assert "Use l = 1.7" in ranges
    finished(served, api, id, "k-eps-l(k=3, epsilon=5, l=1.7)")


def test_one_unit_of_size(served):
    assert "2.1 GB" in too_large(served[0].settings)
    assert "2.1\u00a0GB" in served[1].get("/").text
