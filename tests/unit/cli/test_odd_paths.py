"""Names with odd characters work like any other; places that cannot be used are said so in one paragraph."""

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

import covey
from covey.checking import verify
from covey.errors import OutputError
from runs import DATA, RELEASE, left_in

NOT_UTF8 = os.fsdecode(b"not utf-8 \xff")

ODD = [
    "a[1]", "[/bold]", "[ab]*", "what?", "{a,b}", "my release", "50% off", "%s%d", ":warning:", "-dash", "a\nb", "é",
    "x" * 255, "é" * 127, "back\\slash", "'quoted\"", "~", ".hidden",
]  # fmt: skip


@pytest.fixture
def data(tmp_path):
    (tmp_path / "data.dat").write_text(DATA)
    return tmp_path / "data.dat"


@pytest.mark.parametrize("name", ODD)
def test_odd_names_of_releases(name, data, tmp_path, covey_cli):
    out = tmp_path / "here" / name
    code, _, errors = covey_cli("anonymize", data, "-o", out, *RELEASE)
    assert (code, errors) == (0, "")
    assert left_in(out.parent) == [out.name]
    assert verify(out, data, sensitive="s").holds


@pytest.mark.parametrize("name", [name for name in ODD if len(name) < 100])
def test_odd_names_of_releases_that_are_replaced(name, data, tmp_path, covey_cli):
    out = tmp_path / "here" / name
    for extra in ((), ("--force", "--json")):
        code, _, errors = covey_cli("anonymize", data, "-o", out, *RELEASE, *extra)
        assert code == 0
    assert f"{out.name}.1" in "".join(json.loads(line).get("warning", "") for line in errors.splitlines())
    assert left_in(out.parent) == sorted([out.name, f"{out.name}.1"])
    assert verify(out, data, sensitive="s").holds


@pytest.mark.parametrize("name", [name for name in ODD if len(name) < 100])
def test_odd_names_of_files(name, tmp_path, covey_cli):
    sales, page = tmp_path / "data" / f"{name}.csv", tmp_path / "here" / f"{name}.html"
    sales.parent.mkdir(parents=True)
    code, _, errors = covey_cli("generate", "shop", "-o", sales, "-n", 50, "--seed", 1)
    assert (code, errors) == (0, "")
    code, _, errors = covey_cli("inspect", sales, "--samples", 10, "--html", page)
    assert (code, errors) == (0, "")
    assert left_in(page.parent) == [page.name]


#: Seen from a folder that has a file, links to nowhere, to a directory and to itself.
PLACES = {
    "a name of 300 letters": "x" * 300,
    "a folder of 300 letters": f"{'x' * 300}/out",
    "a path of 5000 letters": "/".join(["x" * 200] * 25),
    "a folder made for a name of 300 letters": f"unused/{'x' * 300}",
    "below a file": "file/out",
    "at a file": "file",
    "at a link to nowhere": "nowhere",
    "at a link to a directory": "link",
    "below a circle of links": "circle/out",
    "here": ".",
    "above": "..",
    "at the root": "/",
    "where nobody may write": "/proc/1/out",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "folder"
    (folder / "there").mkdir(parents=True)
    (folder / "file").write_text("mine")
    (folder / "nowhere").symlink_to(folder / "none")
    (folder / "link").symlink_to(folder / "there")
    (folder / "circle").symlink_to(folder / "circle")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("place", PLACES)
def test_places_where_no_release_can_be(place, force, data, folder, covey_cli):
    before = left_in(folder)
    code, _, errors = covey_cli("anonymize", data, "-o", PLACES[place], *RELEASE, *(["--force"] if force else []))
    assert_clean(code, errors)
    assert left_in(folder) == before


@pytest.mark.parametrize("place", [place for place in PLACES if "at a" not in place])
def test_places_where_no_file_can_be(place, folder, covey_cli):
    before, out = left_in(folder), PLACES[place]
    named = out if Path(out).name in ("", "..") else f"{out}.csv"
    code, _, errors = covey_cli("generate", "shop", "-n", 20, "--force", "-o", named)
    assert_clean(code, errors)
    assert any(part in errors for part in ("cannot be written", "is a directory", "Cannot tell the format"))
    assert left_in(folder) == before


@pytest.mark.parametrize("place", ["a name of 300 letters", "below a file", "where nobody may write"])
def test_places_where_no_exploration_can_be(place, data, folder, covey_cli):
    before = left_in(folder)
    asked = ("explore", data, "-s", "s", "-g", "degree(p=2)", "-m", "cahd", "-j", 1, "-o", PLACES[place])
    code, _, errors = covey_cli(*asked)
    assert_clean(code, errors)
    assert "cannot be written" in errors
    assert left_in(folder) == before


@pytest.mark.parametrize("place", PLACES)
def test_places_where_no_release_can_be_read(place, folder, covey_cli):
    assert_clean(*covey_cli("verify", PLACES[place])[::2])


def assert_clean(code, errors):
    errors = " ".join(errors.split())
    assert code == 2, errors
    assert errors.startswith("covey: ")
    assert "inside covey" not in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize("name", ["a\0b", "\0", "\ud800", NOT_UTF8, f"{NOT_UTF8}/out"])
def test_names_that_are_none(name, fig1, tmp_path):
    with pytest.raises(OutputError, match="the name is not valid"):
        covey.publish(fig1, tmp_path / name, "degree(p=2)")
    with pytest.raises(OutputError, match="the name is not valid"):
        covey.io.write(fig1, tmp_path / name, format="csv-long")
    assert left_in(tmp_path) == []


def test_relative_targets(data, tmp_path, covey_cli, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    for out in ("out", "./b/out", "a/../c", "link/out", "link/../d"):
        code, _, errors = covey_cli("anonymize", data, "-o", out, *RELEASE)
        assert (code, errors) == (0, "")
        assert verify(out, data, sensitive="s").holds
    assert left_in(tmp_path) == ["a", "b", "c", "d", "data.dat", "link", "out"]
    assert left_in(tmp_path / "a") == ["out"]
    # The directory one is in can be replaced like any other.
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert covey_cli("anonymize", data, "-o", ".", *RELEASE, "--force")[0] == 0
    assert verify(tmp_path / "empty", data, sensitive="s").holds


@pytest.fixture
def nobody():
    """A folder of a user without privileges, whom the test acts for."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() != 0:
        yield folder
    else:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
        yield folder
        os.seteuid(0)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o500, 0o100])
def test_folders_that_may_not_be_read_or_written(nobody, mode, fig1):
    closed = nobody / "closed"
    closed.mkdir(mode=mode)
    with pytest.raises(OutputError, match="Choose a directory you may write to"):
        covey.publish(fig1, closed / "out", "degree(p=2)")
    with pytest.raises(OutputError, match="Choose a directory you may write to"):
        covey.io.write(fig1, closed / "out.csv")


def test_a_folder_that_may_be_written_but_not_read(nobody, fig1):
    (nobody / "letterbox").mkdir(mode=0o300)
    covey.publish(fig1, nobody / "letterbox" / "out", "degree(p=2)")
    (nobody / "letterbox").chmod(0o700)
    assert left_in(nobody / "letterbox") == ["out"]
