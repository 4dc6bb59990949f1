"""Files that do not belong to a release, or are not what they seem."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from forge.tools import KINDS, canonical, copied, refused, sha256


@pytest.mark.parametrize(
    "name",
    ["original.csv", "notes/ann.txt", "notes.txt", ".hidden", "README", "transactions.csv", "ann/part-00000.parquet",
     "recoding.csv", "ann.parquet", "manifest.json.bak", "deep/down/part-00000.parquet"],
)  # fmt: skip
def test_no_file_belongs_to_a_release_but_its_tables(forge, name):
    release = forge("grouped")
    path = release.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("group,items\nann smith,viagra\n")
    refused(release, "does not belong to the release")
    refused(release.seal())


@pytest.mark.parametrize(
    "name", ["../original.csv", "/etc/hostname", "sets.parquet/../x.csv", "a\nb.csv", "", ".", "ANN.csv"]
)
def test_the_manifest_lists_names_of_tables_only(forge, name):
    release = forge("suppressed")
    refused(release.seal(files={**release.manifest["files"], name: "0" * 64}), "which is not a file of a release")


def test_an_empty_folder_is_too_much(forge):
    release = forge("suppressed")
    (release.path / "ann smith").mkdir()
    refused(release, "ann smith does not belong")


def test_a_file_whose_name_is_no_text(forge, covey_cli):
    release = forge("suppressed")
    Path(os.fsdecode(bytes(release.path) + b"/\xff\x1b[31m.txt")).write_text("x")
    refused(release, "does not belong to the release")
    for options in ([], ["--json"]):
        code, out, err = covey_cli("verify", release.path, *options)
        assert code == 1
        assert "fault" not in out + err
        assert "\x1b[31m" not in out


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_is_there_once(forge, kind):
    for name in forge(kind).manifest["files"]:
        release = forge(kind)
        (release.path / name).unlink()
        refused(release, f"{name} is missing")
        refused(release.seal())
        release = forge(kind)
        path = release.path / name
        twin = path.with_suffix(".csv" if path.suffix == ".parquet" else ".parquet")
        twin.write_bytes(path.read_bytes())
        refused(release.seal())


def test_tables_are_all_csv_or_all_parquet(forge, honest):
    release = forge("private")
    (release.path / "private.parquet").unlink()
    (release.path / "private.csv").write_bytes((honest("private", True).path / "private.csv").read_bytes())
    refused(release.seal(), "partly CSV and partly Parquet")


@pytest.mark.parametrize("numbers", [[1], [0, 2], [0, 0.5], [0, 10**5]])
def test_parts_are_numbered(forge, numbers):
    release = forge("suppressed")
    data = release.file("sets").read_bytes()
    release.file("sets").unlink()
    (release.path / "sets").mkdir()
    for number in numbers:
        (release.path / "sets" / f"part-{str(number).zfill(5)}.parquet").write_bytes(data)
    refused(release.seal())


def test_files_are_no_links(forge, tmp_path):
    for name in [*forge("private").manifest["files"], "manifest.json"]:
        release = forge("private")
        elsewhere = tmp_path / f"elsewhere-{name}"
        (release.path / name).rename(elsewhere)
        (release.path / name).symlink_to(elsewhere)
        refused(release, "not a regular file")
        elsewhere.unlink()
        refused_or_no_release(release)


def refused_or_no_release(release):
    """A link that leads nowhere: there is no file at all."""
    from covey.errors import ReleaseError

    try:
        refused(release)
    except ReleaseError as error:
        assert error.exit_code in (1, 2)


def test_folders_of_parts_are_no_links(forge, tmp_path):
    release = forge("suppressed")
    folder = tmp_path / "parts"
    folder.mkdir()
    release.file("sets").rename(folder / "part-00000.parquet")
    (release.path / "sets").symlink_to(folder)
    listed = {"sets/part-00000.parquet": sha256((folder / "part-00000.parquet").read_bytes())}
    refused(release.seal(files=listed))
    refused(release.seal(files={"sets": "0" * 64}))


def test_parts_are_no_links(forge, tmp_path):
    release = forge("suppressed")
    release.file("sets").rename(tmp_path / "aside.parquet")
    (release.path / "sets").mkdir()
    (release.path / "sets" / "part-00000.parquet").symlink_to(tmp_path / "aside.parquet")
    refused(release.seal(), "not a regular file")


@pytest.mark.parametrize("name", ["sets.parquet", "manifest.json"])
def test_a_pipe_in_place_of_a_file(forge, name):
    release = forge("suppressed")
    (release.path / name).unlink()
    os.mkfifo(release.path / name)
    refused(release, "not a regular file")


@pytest.mark.parametrize("name", ["sets.parquet", "manifest.json"])
@pytest.mark.parametrize("filled", [False, True])
def test_a_folder_in_place_of_a_file(forge, name, filled):
    release = forge("suppressed")
    (release.path / name).unlink()
    (release.path / name).mkdir()
    if filled:
        (release.path / name / "ann.txt").write_text("x")
    refused(release)


@contextmanager
def nobody():
    """Without the rights of the superuser, who may read anything."""
    superuser = os.geteuid() == 0
    if superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if superuser:
            os.seteuid(0)


def test_a_table_that_cannot_be_read(honest):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        release = copied(honest("suppressed"), Path(folder) / "release")
        release.file("sets").chmod(0)
        with nobody():
            refused(release, "Permission denied")


def test_the_seal_of_this_workshop_is_covey_s_own(honest):
    text = (honest("grouped").path / "manifest.json").read_bytes()
    assert canonical(honest("grouped").manifest) == text
