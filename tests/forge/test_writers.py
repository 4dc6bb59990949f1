"""Releases that state another writer, whose bytes cannot be compared."""

import pyarrow.parquet as pq
import pytest

import covey
from forge.tools import KINDS, accepted, refused, write_parquet

WRITERS = {
    "another version of pyarrow": {"pyarrow": "25.0.0"},
    "another build of this version": {"package_kind": "conda"},
    "another commit of this covey": {"templates": "0" * 64},
}


def by(release, writer):
    """Seal the release as one of another writer."""
    return release.seal(writer={**release.manifest["writer"], **writer})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_another_writer_is_told_in_the_first_line(forge, kind, writer):
    for csv in (False, True):
        release = by(forge(kind, csv), writer)
        accepted(release)
        verdict = covey.verify(release.path)
        assert str(verdict).splitlines()[0] == f"{verdict.guarantee} holds; bytes not compared"
        assert "states another writer: pyarrow" in verdict.figures["bytes_not_compared"]


def test_the_running_writer_is_compared(honest):
    verdict = covey.verify(honest("grouped").path)
    assert "bytes not compared" not in str(verdict)
    assert "byte for byte" in str(verdict)


def test_a_terminal_shows_it_first(forge, covey_cli):
    code, out, _ = covey_cli("verify", by(forge("grouped"), {"pyarrow": "25.0.0"}).path)
    assert (code, out.splitlines()[0][:18]) == (0, "Bytes not compared")


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_other_bytes_of_equal_tables_pass_for_another_writer_only(forge, writer):
    release = forge("suppressed")
    write_parquet(release.file("sets"), release.rows("sets"), compression_level=1, data_page_version="2.0")
    refused(release.seal(), "in the form in which covey writes it")
    accepted(by(release, writer))


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
@pytest.mark.parametrize("name", ["sets.parquet", "README.md", "datapackage.json"])
def test_no_file_is_much_larger_than_covey_writes_it(forge, writer, name):
    release = by(forge("suppressed"), writer)
    path = release.path / name
    honest = path.read_bytes()
    for hidden, allowed in ((4000, name != "sets.parquet"), (4096 + len(honest) // 100 + 9, False)):
        if name == "sets.parquet":  # before the footer, where readers do not look
            path.write_bytes(honest[:4] + bytes(hidden) + honest[4:])
        else:
            path.write_bytes(honest + b"x" * hidden)
        (accepted if allowed else refused)(release.seal(explain=False))


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_rows_and_metadata_are_checked_whoever_wrote(forge, writer):
    release = by(forge("grouped"), writer)
    rows = release.rows("transactions")
    refused(release.replace("transactions", rows, store_schema=True), "it carries metadata")
    table = release.rows("sensitive")
    write_parquet(release.file("sensitive"), table.take(list(range(len(table)))[::-1]))
    assert pq.read_metadata(release.file("sensitive")).num_rows == len(table)
    refused(release.seal())


@pytest.mark.parametrize(
    "writer",
    [{"pyarrow": "26"}, {"pyarrow": "ann"}, {"package_kind": "Ann Smith"}, {"templates": "0"}, {"templates": None},
     {"who": "ann"}],
)  # fmt: skip
def test_a_writer_is_stated_in_one_form(forge, writer):
    refused(by(forge("grouped"), writer), "does not state the writer")


@pytest.mark.parametrize("writer", [None, {}, [], "26.0.1"])
def test_a_writer_is_stated(forge, writer):
    refused(forge("grouped").seal(writer=writer))
