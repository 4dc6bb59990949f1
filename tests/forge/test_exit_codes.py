"""Forged releases on the command line: exit code 1 and a reason, never a fault of covey."""

import os

import pyarrow as pa
import pytest

import covey
from forge import originals
from forge.tools import Forged, write_parquet


@pytest.fixture
def grouped(tmp_path):
    """A release of baskets in a file."""
    path = tmp_path / "baskets.csv"
    rows = enumerate(originals.transactions())
    path.write_text("transaction,item\n" + "".join(f"{i},{item}\n" for i, row in rows for item in row))
    secrets = tmp_path / "secrets.txt"
    secrets.write_text("".join(f"{name}\n" for name in originals.SECRETS))
    covey.publish(path, tmp_path / "out", "degree(p=4)", "cahd", sensitive=secrets, seed=1)
    return Forged(tmp_path / "out", path, kind="grouped")


@pytest.fixture
def table(tmp_path):
    """A release of a table in a file."""
    path = tmp_path / "people.csv"
    people = originals.people()
    lines = [["" if cell is None else str(cell) for cell in row] for row in zip(*people.values(), strict=True)]
    path.write_text("\n".join(",".join(line) for line in [list(people), *lines]) + "\n")
    covey.publish(
        path,
        tmp_path / "out",
        "k-anonymity(k=3)",
        "mondrian",
        sensitive=["illness"],
        other=["visits"],
        seed=1,
    )
    return Forged(tmp_path / "out", path, kind="table")


def rejected(covey_cli, release):
    for given in ([], ["--original", release.original]):
        for json in ([], ["--json"]):
            code, out, err = covey_cli("verify", release.path, *given, *json)
            assert code == 1, out + err
            assert "bug in covey" not in out + err
            assert "must not be trusted" in out or '"holds": false' in out, out


def test_honest_releases_have_exit_code_0(grouped, covey_cli):
    for given in ([], ["--original", grouped.original]):
        code, out, err = covey_cli("verify", grouped.path, *given)
        assert code == 0, out + err


def test_a_column_more(grouped, covey_cli):
    rows = grouped.rows("transactions")
    grouped.replace("transactions", rows.append_column("who", pa.array(["ann"] * len(rows))))
    rejected(covey_cli, grouped)


def test_a_column_more_that_the_original_does_not_have(table, covey_cli):
    rows = table.rows("table")
    table.replace("table", rows.append_column("who", pa.array(["ann"] * len(rows))))
    table.text("columns.csv", lambda text: text + b'"who","other","categorical"\n')
    table.state("counts", columns=len(rows.column_names) + 1)
    code, out, err = covey_cli("verify", table.path, "--original", table.original)
    assert code == 1, out + err
    assert "no column 'who'" in " ".join(out.split()), out


def test_a_claim_that_cannot_be_kept(grouped, covey_cli):
    rejected(covey_cli, grouped.seal(guarantee="k-anonymity(k=2)"))


def test_a_number_that_is_too_large(grouped, covey_cli):
    rejected(covey_cli, grouped.seal(guarantee=f"degree(p={2**62})"))


def test_a_damaged_table(grouped, covey_cli):
    grouped.file("sensitive").write_bytes(b"PAR1ann smithPAR1")
    rejected(covey_cli, grouped.seal())


def test_a_manifest_of_another_shape(grouped, covey_cli):
    (grouped.path / "manifest.json").write_bytes(b"[" * 100_000)
    rejected(covey_cli, grouped)


def test_a_pipe_does_not_make_it_wait(grouped, covey_cli):
    grouped.file("sensitive").unlink()
    os.mkfifo(grouped.path / "sensitive.parquet")
    rejected(covey_cli, grouped)


def test_all_items_sensitive(grouped, covey_cli):
    """Nothing in single rows and one holder of each item in a group of all: only the original tells."""
    rows = grouped.rows("transactions")
    n, items = len(rows), [*originals.ITEMS, *originals.SECRETS]
    groups = pa.table({"group": [0], "transactions": [n]})
    write_parquet(grouped.file("groups"), groups)
    counts = pa.table({"group": [0] * len(items), "item": sorted(items), "count": [1] * len(items)})
    write_parquet(grouped.file("sensitive"), counts)
    empty = pa.table({"group": [0] * n, "items": pa.array([[]] * n, pa.list_(pa.string()))})
    grouped.replace("transactions", empty)
    grouped.state("counts", items=0, entries=0, groups=1, sensitive_items=len(items), sensitive_entries=len(items))
    code, out, err = covey_cli("verify", grouped.path, "--original", grouped.original)
    assert code == 1, out + err
    assert "no item of the original is left to publish" in " ".join(out.split()), out
