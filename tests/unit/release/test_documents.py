"""A release explains itself: to people, to programs, and so well that they can compute with it."""

import re

import duckdb
import pytest
from frictionless import Package

import covey
from covey.errors import ParameterError
from covey.release.about import About
from covey.release.documents import code
from covey.release.kinds import RELEASE_KINDS
from forge.tools import KINDS, RECIPES, publish


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    forms = ((False, "parquet"), (True, "csv"))
    paths = {
        (kind, form): publish(kind, folder / f"{kind}-{form}", csv=csv).path for kind in KINDS for csv, form in forms
    }
    data, promise = RECIPES["grouped"]().data, "label-dp(epsilon=1)"  # takes no seed, so it is not among the recipes
    noisy = {("model", form): covey.publish(data, folder / f"model-{form}", promise, csv=csv) for csv, form in forms}
    return paths | {key: published.path for key, published in noisy.items()}


def test_data_packages_are_valid(made):
    for path in made.values():
        report = Package(path / "datapackage.json").validate()
        assert report.valid, (path.name, report.flatten(["type", "message"])[:3])


def test_every_kind_says_what_its_rows_columns_and_facts_are(made):
    assert {path.name for path in made.values()} == {f"{kind}-{form}" for kind, form in made}
    seen = set()
    for path in made.values():
        package = Package(path / "datapackage.json")
        seen.add(package.name.split("-")[1])
        for part in package.resources:
            assert part.description, (path.name, part.name)
            assert all(field.description for field in part.schema.fields), (path.name, part.name)
        kind = covey.read_release(path)
        assert set(covey.read_release(path).facts()) <= set(kind.words.facts)
        assert kind.words.use
    assert seen == set(RELEASE_KINDS)


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_the_readme_is_enough_to_estimate(made, form, monkeypatch):
    release = covey.read_release(made["grouped", form])
    text = (made["grouped", form] / "README.md").read_text()
    query = re.search("```sql\n(.*?)```", text, re.DOTALL)[1]
    sensitive, item = release.sensitive_items[0], release.transactions.items[1]
    monkeypatch.chdir(made["grouped", form])
    found = duckdb.sql(query.replace("A SENSITIVE ITEM", sensitive).replace("AN ORDINARY ITEM", item)).fetchall()
    expected = release.estimate(sensitive, present=[item])
    assert found == [(pytest.approx(expected.estimate, rel=1e-12), expected.lower, expected.upper)]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_the_queries_of_every_readme_run(made, form, monkeypatch):
    for (_, found), path in made.items():
        if found == form:
            monkeypatch.chdir(path)
            for query in re.findall("```sql\n(.*?)```", (path / "README.md").read_text(), re.DOTALL):
                assert duckdb.sql(query).fetchall()


def test_readmes_state_promise_limits_and_fingerprint(made):
    for path in made.values():
        text, fingerprint = (path / "README.md").read_text(), covey.verify(path).figures["fingerprint"]
        for heading in ("## Files", "## What is promised", "## What is not promised", "## How to compute with it"):
            assert heading in text
        assert text.startswith("# Data released under ")
        assert text.count(fingerprint[:16]) == 1  # the command must not repeat it: it would always hold
        assert "covey verify . --fingerprint FINGERPRINT-YOU-WERE-GIVEN\n" in text
        assert "$" not in text


def test_title_license_and_contact_are_said(tmp_path, covey_cli):
    (tmp_path / "sales.txt").write_text("a b\n" * 5)
    texts = ("title=Sales *2024*", "license=CC-BY-4.0", "contact=Data office <data@example.org>")
    said = [word for text in texts for word in ("--about", text)]
    code, _, _ = covey_cli("anonymize", tmp_path / "sales.txt", "-g", "k-anonymity(k=2)", "-o", tmp_path / "out", *said)
    assert code == 0
    assert covey.verify(tmp_path / "out").holds
    assert (tmp_path / "out" / "README.md").read_text().startswith("# Sales \\*2024\\*\n")
    package = Package(tmp_path / "out" / "datapackage.json")
    assert (package.title, package.licenses) == ("Sales *2024*", [{"name": "CC-BY-4.0"}])
    assert package.contributors == [{"title": "Data office", "email": "data@example.org", "roles": ["ContactPerson"]}]


@pytest.mark.parametrize("contact", ["ann", "a@b", "<a@b.org>", "Ann <a@b.org> x"])
def test_a_contact_is_an_address(contact):
    with pytest.raises(ParameterError, match="The contact must be an e-mail address"):
        About(contact=contact)


def test_a_web_address_will_do():
    about = About(contact="https://example.org/data", license="https://example.org/terms")
    assert about.contributors() == [{"path": "https://example.org/data", "roles": ["ContactPerson"]}]
    assert about.licenses() == [{"path": "https://example.org/terms"}]


@pytest.mark.parametrize("text", ["", " a", "``a`b", "x\u202ey", "<script>", "|"])
def test_names_from_the_data_stay_in_their_line_and_their_marks(text):
    shown = code(text)
    fence = re.match("`+", shown)[0]
    inside = shown[len(fence) : -len(fence)]
    assert shown.endswith(fence)
    assert fence not in re.findall("`+", inside)
    assert shown.isprintable()
