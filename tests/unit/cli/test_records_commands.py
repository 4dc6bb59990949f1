"""Records walk the whole path on the command line: two files in, one release out."""

import json

import numpy as np
import pytest

import covey


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    rng = np.random.default_rng(6)
    lines = ["customer,age,city"]
    bought = ["customer,product"]
    for i in range(80):
        lines.append(f"c{i},{rng.integers(20, 60)},{rng.choice(['Bonn', 'Ulm'])}")
        bought += [f"c{i},{x}" for x in rng.choice(["ale", "stout", "tea", "rum"], rng.integers(0, 3))]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    (folder / "bought.csv").write_text("\n".join(bought) + "\n")
    (folder / "tree.csv").write_text("child,parent\nale,beer\nstout,beer\nbeer,*\ntea,*\nrum,*\n")
    return folder


@pytest.mark.parametrize("csv", [[], ["--csv"]], ids=["parquet", "csv"])
def test_the_whole_path(files, tmp_path, covey_cli, csv):
    out = tmp_path / "out"
    data = [files / "people.csv", "--baskets", files / "bought.csv", "--person", "customer"]
    tree = ["--taxonomy", files / "tree.csv"]
    code, text, err = covey_cli("inspect", *data, *tree)
    assert code == 0, err
    assert "80 persons, 4 items" in text
    assert "values and items are known" in " ".join(text.split())
    promise = ["-g", "k-km-anonymity(k=3, m=2)"]
    code, text, _ = covey_cli("check", *data, *promise)
    assert code == 1
    code, text, err = covey_cli("anonymize", *data, *promise, *tree, "-o", out, *csv)
    assert code == 0, err
    assert "by rt-merge" in " ".join(text.split())
    code, text, err = covey_cli("verify", out)
    assert code == 0, err
    original = ["--original", *data, *tree]
    code, text, err = covey_cli("verify", out, *original)
    assert code == 0, err
    code, text, err = covey_cli("evaluate", out, *original, "--json")
    assert code == 0, err
    body = json.loads(text)
    assert 0 < body["gcp"] < 1
    assert 0 < body["items_ncp"] < 1
    code, text, err = covey_cli("evaluate", out, *original)
    assert "Meaning of the items that is lost" in text
    code, text, err = covey_cli("report", out, *original, "-o", tmp_path / "r.html")
    assert code == 0, err
    assert "classes of persons with the same attributes" in (tmp_path / "r.html").read_text()


@pytest.fixture
def patients(files, tmp_path):
    """The persons with an illness each, mostly none, and a note of their own."""
    header, *lines = (files / "people.csv").read_text().splitlines()
    ill = [["flu", "gout", "", "", "", ""][i % 6] for i in range(len(lines))]
    rows = [f"{line},{illness},n{i}" for i, (line, illness) in enumerate(zip(lines, ill, strict=True))]
    (tmp_path / "ill.csv").write_text("\n".join([f"{header},illness,note", *rows]) + "\n")
    return [tmp_path / "ill.csv", "--baskets", files / "bought.csv", "--person", "customer"]


def test_degree_walks_the_same_path(patients, tmp_path, covey_cli):
    out, named = tmp_path / "out", ["--identifier", "note"]
    secret = ["--sensitive", "illness,rum"]
    code, text, err = covey_cli("check", *patients, *named, *secret, "-g", "degree(p=3)")
    assert code == 1, err
    code, text, err = covey_cli("anonymize", *patients, *named, *secret, "-g", "degree(p=3)", "-o", out)
    assert code == 0, err
    assert "the columns are those of the original" in " ".join(text.split())
    original = ["--original", *patients]
    code, text, err = covey_cli("verify", out, *original)
    assert code == 0, err
    assert "as the release names them" in " ".join(text.split())
    code, text, err = covey_cli("verify", out, *original, *named, *secret)
    assert code == 0, err
    assert covey_cli("verify", out, *original, *named, "--sensitive", "rum")[0] == 1
    assert covey_cli("verify", out, "--sensitive", "illness,rum")[0] == 0
    assert covey_cli("verify", out, "--sensitive", "city")[0] == 1
    code, text, err = covey_cli("query", out, "--sensitive", "illness=flu", "--present", "city=Bonn", "--json")
    assert code == 0, err
    assert json.loads(text)["persons"] == 14
    code, text, err = covey_cli("report", out, *original, "-o", tmp_path / "r.html")
    assert code == 0, err
    report = (tmp_path / "r.html").read_text()
    assert "Ordinary values and items are exact" in report
    assert "counted in each group, without names" in report


@pytest.mark.parametrize("command", [["inspect"], ["anonymize", "-g", "k-km-anonymity(k=3, m=1)"]], ids=lambda c: c[0])
def test_a_nearly_unique_attribute_is_warned_of(patients, tmp_path, covey_cli, command):
    asked = [*command, *([] if command == ["inspect"] else ["-o", tmp_path / "out"])]
    code, _, err = covey_cli(*asked, *patients)
    assert code == 0, err
    told = " ".join(err.split())
    assert "'note' is nearly unique: 80 of 80 persons" in told
    assert "--identifier 'note'" in told


def test_without_the_taxonomy_the_original_cannot_be_compared(files, tmp_path, covey_cli):
    data = [files / "people.csv", "--baskets", files / "bought.csv", "--person", "customer"]
    args = ["-g", "k-km-anonymity(k=9, m=2)", "--taxonomy", files / "tree.csv", "-o", tmp_path / "out"]
    assert covey_cli("anonymize", *data, *args)[0] == 0
    assert "beer" in covey.read_release(tmp_path / "out").baskets.items
    code, _, err = covey_cli("verify", tmp_path / "out", "--original", *data)
    assert code == 2
    assert "--taxonomy" in err


def test_files_that_do_not_join_exit_with_2_and_leave_nothing(files, tmp_path, covey_cli):
    data = [files / "people.csv", "--baskets", files / "tree.csv", "--person", "customer"]
    code, _, err = covey_cli("anonymize", *data, "-g", "k-km-anonymity(k=3, m=2)", "-o", tmp_path / "out")
    assert code == 2
    assert "there is no column 'customer'" in err
    assert not (tmp_path / "out").exists()


def test_groups_of_records_say_that_each_persons_items_are_one_set(files, tmp_path, covey_cli):
    out = tmp_path / "out"
    data = [files / "people.csv", "--baskets", files / "bought.csv", "--person", "customer"]
    code, text, err = covey_cli("anonymize", *data, "-s", "rum", "-g", "degree(p=2)", "-o", out)
    assert code == 0, err
    assert "80 persons" in text
    assert "80 transactions" not in text.partition("✓")[0]
    counts = covey.release.manifest.read_manifest(out).counts
    compared = next(line for line in " ".join(text.split()).split("✓") if "exactly as often" in line)
    assert f"80 baskets, {counts['entries']:,} entries, with their values" in compared
    readme = (out / "README.md").read_text()
    assert "sets of items, one for each person: all that the original has of them together: 80" in readme
    assert "transactions, all that were read" not in readme
    assert "all items of one person, without the sensitive ones. Row i belongs to row i of `table`" in readme
    code, text, err = covey_cli("query", out, "--sensitive", "rum", "--present", "ale")
    assert code == 0, err
    assert "of 80 persons" in text
    assert "transactions match" not in text
    assert "in some transaction" not in text
    code, text, err = covey_cli("report", out, "-o", tmp_path / "r.html")
    assert "sets of items, one for each person" in (tmp_path / "r.html").read_text()


def test_labels_are_not_said_to_be_of_a_taxonomy_that_nobody_gave(files, tmp_path, covey_cli):
    data = [files / "people.csv", "--baskets", files / "bought.csv", "--person", "customer"]
    for number, tree in enumerate(([], ["--taxonomy", files / "tree.csv"])):
        out = tmp_path / str(number)
        code, text, err = covey_cli("anonymize", *data, *tree, "-g", "k-km-anonymity(k=3, m=1)", "-o", out)
        assert code == 0, err
        told = " ".join(text.split())
        assert ("every label is a node of the taxonomy" in told) is bool(tree)
        assert ("every label is an item of the original" in told) is not bool(tree)
        assert "every set of at most 1 item that occurs" in told
