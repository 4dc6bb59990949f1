"""The database, the folders and the small parts of the server that need no worker."""

import threading

import pytest

from covey.errors import OutputError, ParameterError
from covey.web import choices, folders
from covey.web.problems import NotFound, Refused
from covey.web.settings import Settings
from covey.web.steward import Steward
from covey.web.store import Store


def test_records_outlive_the_connection(tmp_path):
    path = tmp_path / "covey.sqlite3"
    store = Store(path)
    store.put("jobs", "b", {"state": "queued"}, created=2.0)
    store.put("jobs", "a", {"state": "done"}, created=1.0)
    store.put("jobs", "b", {"state": "running"}, created=9.0)
    store.put("datasets", "a", {"name": "naïve 'quoted\".csv"}, created=1.0)
    store.close()
    again = Store(path)
    assert again.all("jobs") == [{"state": "done"}, {"state": "running"}]
    again.drop("jobs", "a")
    assert again.all("jobs") == [{"state": "running"}]
    assert again.all("datasets") == [{"name": "naïve 'quoted\".csv"}]
    again.close()


def test_many_threads_may_write(tmp_path):
    store = Store(tmp_path / "covey.sqlite3")
    threads = [
        threading.Thread(target=lambda n=n: [store.put("jobs", f"{n}-{i}", {}, created=n) for i in range(50)])
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.all("jobs")) == 400
    store.close()


def test_a_file_that_is_no_database_is_told(tmp_path):
    path = tmp_path / "covey.sqlite3"
    path.write_bytes(b"no database " * 100)
    with pytest.raises(OutputError, match="--data"):
        Store(path)


def test_a_data_folder_has_one_server(tmp_path):
    first = Steward(Settings(data=tmp_path))
    with pytest.raises(OutputError, match="Another"):
        Steward(Settings(data=tmp_path))
    first.close()
    Steward(Settings(data=tmp_path)).close()


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("sales.csv", "sales.csv"),
        ("../../etc/passwd", "passwd"),
        ("C:\\data\\sales.csv", "sales.csv"),
        ("..", "data"),
        (".hidden", "hidden"),
        ("", "data"),
        ("a\x00b\n<script>.csv", "ab<script>.csv"),
    ],
)
def test_names_of_files_lead_nowhere(given, kept):
    assert folders.safe_name(given) == kept


def test_long_names_keep_their_suffix():
    kept = folders.safe_name("ü" * 500 + ".csv.gz")
    assert kept.endswith(".csv.gz")
    assert len(kept.encode()) <= 120


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "sales.csv").write_text("a,b\n1,2\n")
    (root / ".hidden").write_text("x")
    outside = tmp_path / "secret.txt"
    outside.write_text("x")
    (root / "link.txt").symlink_to(outside)
    (root / "away").symlink_to(tmp_path)
    return root


@pytest.mark.parametrize(
    "path", ["../secret.txt", "link.txt", "away/secret.txt", "sub/../../secret.txt", "away"]
)
def test_nothing_outside_the_root_is_found(tree, path):
    with pytest.raises(Refused):
        folders.below(tree, path)


@pytest.mark.parametrize("path", ["nothing.csv", "/etc/passwd", "a\x00b"])
def test_what_is_not_there_is_not_found(tree, path):
    with pytest.raises(NotFound):
        folders.below(tree, path)


def test_a_listing_hides_what_is_hidden_and_what_leads_outside(tree):
    assert [(entry.name, entry.folder) for entry in folders.listing(tree, "")] == [("sub", True)]
    [entry] = folders.listing(tree, "sub")
    assert (entry.path, entry.size) == ("sub/sales.csv", 8)
    with pytest.raises(Refused, match="--root"):
        folders.listing(None, "")


def test_every_guarantee_of_the_registry_is_a_choice_with_fields():
    from covey.registry import METHODS

    offered = {
        (kind, choice.name)
        for kind in ("baskets", "ratings", "table")
        for choice in choices.guarantee_choices(kind, {}, sensitive=False, taxonomy=False)
    }
    assert offered == {(entry.data, name) for entry in METHODS for name in entry.guarantees}
    for kind, name in offered:
        found = choices.method_choices(kind, name, taxonomy=True)
        assert [method.recommended for method in found] == [True] + [False] * (len(found) - 1)
        # What is suggested is accepted, and every parameter has words.
        choices.make_guarantee(name, choices.suggested_values(name))
        fields = choices.fields_of(choices.guarantee_class(name))
        assert all(field.help and field.type for field in fields)


def test_fields_know_their_types_and_limits():
    by_name = {
        (choice.name, field.name): field
        for choice in choices.guarantee_choices("baskets", {}, sensitive=True, taxonomy=False)
        for field in choice.fields
    }
    assert (by_name["degree", "p"].type, by_name["degree", "p"].minimum) == ("integer", 2)
    assert by_name["km-anonymity", "m"].infinite
    assert (by_name["coherence", "h"].type, by_name["coherence", "h"].maximum) == ("number", 1)
    [cahd, *_] = choices.method_choices("baskets", "degree(p=3)", taxonomy=False)
    fields = {field.name: field for field in cahd.fields}
    assert fields["order"].choices == ["rcm", "none", "random"]
    assert "seed" not in fields


def test_reading_options_are_those_of_the_command_line():
    from covey.cli.reading import READING
    from covey.web.originals import reading_options

    for kind, names in READING.items():
        assert set(reading_options(kind)) == set(names) - {"hierarchy"}


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (("table", "degree(p=3)", None, {}), "No method keeps degree for table"),
        (("baskets", "degree(p=1)", None, {}), ">= 2"),
        (("baskets", "degree(p=3)", "cadh", {}), "Did you mean 'cahd'"),
        (("baskets", "degree(p=3)", "cahd", {"alpha": 0}), "'alpha'"),
        (("baskets", "degree(p=3)", "cahd", {"beta": 1}), "no parameter 'beta'"),
        (("baskets", "degree(p=3)", "cahd", {"seed": 1}), "seed"),
        (("baskets", "k-anonymity(k=3)", None, {}), "treats all items alike"),
        (("baskets", "nonsense", None, {}), "no guarantee"),
    ],
)
def test_a_wish_is_checked_before_anything_starts(wish, words):
    kind, guarantee, method, options = wish
    with pytest.raises(ParameterError, match=words):
        choices.settle(kind, guarantee, method, options, None, sensitive=True)


def test_texts_of_a_form_become_values():
    settled = choices.settle("baskets", "degree(10)", None, {"alpha": "5", "order": ""}, 7, sensitive=True)
    assert settled == ("degree(p=10)", "cahd", {"alpha": 5})


def test_a_missing_package_is_named_with_its_extra(monkeypatch):
    import importlib.util

    from covey.errors import MissingDependency
    from covey.web.app import require_web

    require_web()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'covey\[web\]'"):
        require_web()
