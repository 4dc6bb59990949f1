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
    covey.publish(path, tmp_path / "out", "degree(p=4)", "cahd", sensitive=originals.SECRETS, seed=1)
    return Forged(tmp_path / "out", path, kind="grouped")


def a_column_more(release):
    rows = release.rows("transactions")
    release.replace("transactions", rows.append_column("who", pa.array(["ann"] * len(rows))))


def a_damaged_table(release):
    release.file("sensitive").write_bytes(b"PAR1ann smithPAR1")
    release.seal()


def a_manifest_of_another_shape(release):
    (release.path / "manifest.json").write_bytes(b"[" * 100_000)


def a_pipe(release):
    release.file("sensitive").unlink()
    os.mkfifo(release.path / "sensitive.parquet")


@pytest.mark.parametrize("change", [a_column_more, a_damaged_table, a_manifest_of_another_shape, a_pipe])
def test_a_forged_release_has_exit_code_1(grouped, covey_cli, change):
    change(grouped)
    for given in ([], ["--original", grouped.original]):
        for json in ([], ["--json"]):
            code, out, err = covey_cli("verify", grouped.path, *given, *json)
            assert code == 1, out + err
            assert "bug in covey" not in out + err
            assert "must not be trusted" in out or '"holds": false' in out, out


def test_a_column_that_the_original_does_not_have(tmp_path, covey_cli):
    path = tmp_path / "people.csv"
    people = originals.people()
    lines = [["" if cell is None else str(cell) for cell in row] for row in zip(*people.values(), strict=True)]
    path.write_text("\n".join(",".join(line) for line in [list(people), *lines]) + "\n")
    roles = {"sensitive": ["illness"], "other": ["visits"]}
    covey.publish(covey.Source.of(path, **roles), tmp_path / "out", "k-anonymity(k=3)", "mondrian", seed=1)
    table = Forged(tmp_path / "out", path, kind="table")
    rows = table.rows("table")
    table.replace("table", rows.append_column("who", pa.array(["ann"] * len(rows))))
    table.text("columns.csv", lambda text: text + b'"who","other","categorical"\n')
    table.state("counts", columns=len(rows.column_names) + 1)
    code, out, err = covey_cli("verify", table.path, "--original", table.original)
    assert code == 1, out + err
    assert "no column 'who'" in " ".join(out.split()), out


def test_all_items_sensitive(grouped, covey_cli):
    """Nothing in single rows and one holder of each item in a group of all: only the original tells."""
    n, items = len(grouped.rows("transactions")), sorted([*originals.ITEMS, *originals.SECRETS])
    write_parquet(grouped.file("groups"), pa.table({"group": [0], "transactions": [n]}))
    counts = pa.table({"group": [0] * len(items), "item": items, "count": [1] * len(items)})
    write_parquet(grouped.file("sensitive"), counts)
    empty = pa.table({"group": [0] * n, "items": pa.array([[]] * n, pa.list_(pa.string()))})
    grouped.replace("transactions", empty)
    grouped.state("counts", items=0, entries=0, groups=1, sensitive_items=len(items), sensitive_entries=len(items))
    code, out, err = covey_cli("verify", grouped.path, "--original", grouped.original)
    assert code == 1, out + err
    assert "no item of the original is left to publish" in " ".join(out.split()), out
