"""Records on the command line: two files in, one release out."""

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


@pytest.fixture
def patients(files, tmp_path):
    """The persons with an illness each, mostly none, and a note of their own."""
    header, *lines = (files / "people.csv").read_text().splitlines()
    ill = [["flu", "gout", "", "", "", ""][i % 6] for i in range(len(lines))]
    rows = [f"{line},{illness},n{i}" for i, (line, illness) in enumerate(zip(lines, ill, strict=True))]
    (tmp_path / "ill.csv").write_text("\n".join([f"{header},illness,note", *rows]) + "\n")
    return [tmp_path / "ill.csv", "--baskets", files / "bought.csv", "--person", "customer"]


def test_verify_compares_columns_and_items_that_are_named_as_sensitive(patients, tmp_path, covey_cli, prepared):
    out, named = tmp_path / "out", [*patients, "--identifier", "note"]
    data = prepared(*named, "--sensitive", "illness,rum", out=tmp_path / "ill.covey")
    code, text, err = covey_cli("anonymize", data, "-g", "degree(p=3)", "-o", out)
    assert code == 0, err
    code, text, err = covey_cli("verify", out, "--original", data)
    assert code == 0, err
    other = prepared(*named, "--sensitive", "rum", out=tmp_path / "rum.covey")
    assert covey_cli("verify", out, "--original", other, "--sensitive", "rum")[0] == 1
    assert covey_cli("verify", out, "--sensitive", "illness,rum")[0] == 0
    assert covey_cli("verify", out, "--sensitive", "city")[0] == 1
    code, text, err = covey_cli("query", out, "--sensitive", "illness=flu", "--present", "city=Bonn", "--json")
    assert code == 0, err
    assert json.loads(text)["persons"] == 14


def test_a_nearly_unique_attribute_is_warned_of(patients, tmp_path, covey_cli):
    code, _, err = covey_cli("prepare", *patients, "-o", tmp_path / "out.covey")
    assert code == 0, err
    told = " ".join(err.split())
    assert "'note' is nearly unique: 80 of 80 persons" in told
    assert "--identifier 'note'" in told


def test_without_the_taxonomy_the_original_cannot_be_compared(files, tmp_path, covey_cli, prepared):
    words = [files / "people.csv", "--baskets", files / "bought.csv", "--person", "customer"]
    data = prepared(*words, out=tmp_path / "people.covey")
    args = ["-g", "k-km-anonymity(k=9, m=2)", "--taxonomy", files / "tree.csv", "-o", tmp_path / "out"]
    assert covey_cli("anonymize", data, *args)[0] == 0
    assert "beer" in covey.read_release(tmp_path / "out").baskets.items
    code, _, err = covey_cli("verify", tmp_path / "out", "--original", data)
    assert code == 2
    assert "--taxonomy" in err
