"""What is said about a file on its page: what is sensitive, taxonomies, roles, ranges."""

import pytest

from holding import holding
from serving import finished, uploaded

SMALL = "order,item\n" + "".join(f"{i},{x}\n" for i in range(9) for x in ("beer", "wine", "milk", "# 1"))


def test_a_list_of_sensitive_items(served):
    service, client = served
    id = uploaded(served, "sales.csv", SMALL.encode())
    text = "\ufeff beer \r\n\r\n# a remark\n# 1\nbeer\nwnie\n"
    page = client.post(f"/data/{id}/sensitive/list", data={"list": text}).text
    assert "1 of 3 names are not in the data, so nothing was marked." in page
    assert "Did you mean &#39;wine&#39;?" in page
    assert service.datasets.get(id).sensitive == []
    page = client.post(f"/data/{id}/sensitive/list", data={"list": text, "skip": "1"}).text
    assert "2 of the list are marked as sensitive; 1 not in the data were skipped." in page
    client.post(f"/data/{id}/sensitive/file", files={"file": ("list.txt", b"wine\n")})
    assert sorted(service.datasets.get(id).sensitive) == ["# 1", "beer", "wine"]
    answer = client.post(f"/data/{id}/sensitive/file", files={"file": ("list.txt", b"\xff\xfe")})
    assert (answer.status_code, "UTF-8" in answer.text) == (422, True)
    assert list(service.settings.incoming.iterdir()) == []
    assert "names nothing" in client.post(f"/data/{id}/sensitive/list", data={"list": " "}).text


def test_codes_get_names_from_a_column(served):
    service, client = served
    rows = "".join(
        f"{i},{code},{name}\n" for i in range(9) for code, name in (("7", "Pale ale"), ("8", "wine"), ("9", ""))
    )
    id = uploaded(served, "sales.csv", f"order,item,label\n{rows}".encode())
    assert 'name="name"' in client.get(f"/data/{id}").text
    client.post(f"/data/{id}", data={"kind": "baskets", "name": "label"})
    assert service.datasets.wait(id).state == "ready"
    assert {one.item for one in service.sensitive.search(id).items} == {"Pale ale", "wine", "9"}
    assert "1 of 3 items has no name and keeps its code" in client.get(f"/data/{id}").text
    # By code as well as by name: searching, and lists.
    [found] = service.sensitive.search(id, "7").items
    assert (found.item, found.codes) == ("Pale ale", ["7"])
    assert '<span class="code">7</span>' in client.get(f"/data/{id}/items", params={"search": "pale"}).text
    listed = service.sensitive.mark_list(id, "7\nred wine\n8\n")
    assert (listed.known, [one.label for one in listed.unknown]) == (2, ["red wine"])
    assert service.sensitive.mark(id, ["7"]).sensitive == ["Pale ale"]
    assert service.sensitive.mark(id, []).sensitive == []
    assert service.sensitive.mark_fitting(id, "glob:[78]").sensitive == ["Pale ale", "wine"]


def test_a_taxonomy_that_does_not_fit_is_refused_and_a_partial_one_told(served):
    service, client = served
    id = uploaded(served, "sales.csv", SMALL.encode())

    def attached(content):
        return client.post(f"/data/{id}/taxonomy", files={"file": ("tree.csv", content)})

    for content, problem in (
        (b"child,parent\nlions,cats\ncats,all\n", "none of the items"),
        (b"child,parent\na,b\nb,a\n", "tree.csv"),
    ):
        refused = attached(content)
        assert (refused.status_code, problem in refused.text) == (422, True)
        assert service.datasets.get(id).taxonomy is None
    assert attached(b"child,parent\nbeer,drinks\nwine,drinks\n").status_code == 303
    assert service.datasets.get(id).taxonomy_lacks == 2
    assert "2 of 4 items of the data are not in it." in client.get(f"/data/{id}").text
    attached(b"child,parent\n" + b"".join(b"%s,drinks\n" % item for item in (b"beer", b"wine", b"milk", b"# 1")))
    assert service.datasets.get(id).taxonomy_lacks == 0


def test_a_file_that_cannot_be_used_leads_nowhere(served):
    client = served[1]
    id = uploaded(served, "old.csv", "order,item\n1,Käse\n".encode("latin-1"))
    page = client.get(f"/data/{id}").text
    assert "cp1252 under “Encoding”" in page
    assert "--encoding" not in page
    assert f"/data/{id}/risk" not in page
    assert "disabled>See the risk today" in page
    assert "disabled>Choose what to promise" in client.get(f"/data/{id}/risk").text
    page = client.get(f"/data/{id}/promise").text
    assert "Nothing can be promised for this file yet" in page
    assert 'id="strength"' not in page
    assert client.get(f"/data/{id}/method?name=degree&p=2").headers["location"] == f"/data/{id}/promise"
    assert served[0].choices.explain(id, "degree(p=2)")["problem"]


def test_columns_that_name_people_are_proposed_to_be_left_out(served):
    client = served[1]
    rows = [f"P{i},{20 + i % 9},{'fm'[i % 2]},{('flu', 'gout')[i % 3 == 0]}" for i in range(40)]
    id = uploaded(served, "patients.csv", "\n".join(["name,age,sex,illness", *rows]).encode())
    page = client.get(f"/data/{id}").text
    assert '<option value="identifier" selected>' in page
    assert "40 values: P0, P1, P10 …" in page
    served[0].exposure.wait(id)
    told = " ".join(served[0].choices.explain(id, "k-anonymity(k=5)")["warnings"])
    assert "No column is marked as sensitive." in told
    assert "'name'" in told
    # Whoever keeps the name after all has chosen.
    roles = dict.fromkeys(("role:name", "role:age", "role:sex", "role:illness"), "quasi")
    client.post(f"/data/{id}/roles", data=roles)
    assert served[0].datasets.wait(id).options == {"quasi": ["name", "age", "sex", "illness"]}
    assert "may name people" not in client.get(f"/data/{id}").text
    client.post(f"/data/{id}/roles", data={**roles, "role:name": "identifier", "role:illness": "sensitive"})
    dataset = served[0].datasets.wait(id)
    guessed = {one["column"]: (one["role"], one["values"]) for one in dataset.shape["guesses"]}
    assert guessed == {
        "name": ("identifier", 40),
        "age": ("quasi", 9),
        "sex": ("quasi", 2),
        "illness": ("sensitive", 2),
    }
    served[0].exposure.wait(id)
    first, second = served[0].choices.guarantees(id)
    assert (first.name, first.recommended, second.recommended) == ("l-diversity", True, False)
    assert served[0].choices.explain(id, "k-anonymity(k=5)")["warnings"] == []


def test_the_range_of_l_and_of_similarity(served):
    text = "user,item,rating\n" + "".join(f"{u},{i},{1 + (u * i) % 6}\n" for u in range(30) for i in (1, 2, 5))
    id = uploaded(served, "survey.csv", text.encode())
    served[0].sensitive.mark(id, ["5"])
    with holding(served[0], reading=True):
        assert "Finding out what this data allows" in served[1].get(f"/data/{id}/promise").text
    served[0].exposure.wait(id)
    [choice] = served[0].choices.guarantees(id)
    limits = {field.name: field.feasible for field in choice.fields}
    assert limits == {"k": 30, "epsilon": 5, "l": pytest.approx(1.70), "nulls": None}
    promise = served[0].choices.explain(id, "k-eps-l(k=3, epsilon=1, l=9)")
    assert "no choice of people has a larger l than 2.5" in promise["problem"]
    promise = served[0].choices.explain(id, "k-eps-l(k=3, epsilon=1, l=2)")
    assert (promise["problem"], len(promise["warnings"])) == (None, 1)
    ranges = served[1].get(f"/data/{id}/promise/ranges", params={"k": 3, "epsilon": 1, "l": 9}).text
    assert "This data allows 0 to 1.7." in ranges
    assert "Use l = 1.7" in ranges
    finished(served, id, "k-eps-l(k=3, epsilon=5, l=1.7)")
