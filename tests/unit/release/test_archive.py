"""A release as a ZIP file: verified like its directory, and everything that covey would not have packed refused."""

import io
import shutil
import stat
import subprocess
import sys
import zipfile
from contextlib import suppress

import pytest

import covey
from covey.data.saved import save as save_data
from covey.errors import ReleaseError, TamperedRelease
from covey.release.archive import opened, pack
from covey.release.store import save

BASKETS = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b", 'ä, "c"']] * 3, sensitive=["s"])


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    here = tmp_path_factory.mktemp("made")
    release = covey.anonymize(BASKETS, "degree(p=3)", seed=1)
    for name, csv in (("release", False), ("release-csv", True)):
        (here / name).mkdir()
        save(release, here / name, csv=csv)
    other = covey.anonymize(BASKETS, "degree(p=3)", seed=9)
    (here / "other-csv").mkdir()
    save(other, here / "other-csv", csv=True)
    return here


@pytest.fixture
def packed(made, tmp_path):
    pack({"release": made / "release"}, tmp_path / "release.zip")
    return tmp_path / "release.zip"


def rewritten(path, *, drop=(), add=(), change=None):
    """The archive with members left out, added or changed."""
    with zipfile.ZipFile(path) as archive:
        members = [(one, archive.read(one)) for one in archive.infolist() if one.filename not in drop]
    with zipfile.ZipFile(path, "w") as archive:
        for one, content in [*members, *add]:
            archive.writestr(one, change(one, content) if change else content)
    return path


def test_a_packed_release_is_verified_as_its_directory_is(made, packed):
    verdict = covey.verify(packed, BASKETS)
    assert verdict.holds
    assert verdict == covey.verify(made / "release", BASKETS)
    fingerprint = verdict.figures["fingerprint"]
    assert covey.verify(packed, fingerprint=fingerprint).holds
    assert not covey.verify(packed, fingerprint="0" * 64).holds
    with zipfile.ZipFile(packed) as archive:
        assert "release/README.md" in archive.namelist()
        assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_the_copy_in_csv_must_hold_the_same(made, tmp_path):
    both = tmp_path / "both.zip"
    pack({"release": made / "release", "release-csv": made / "release-csv"}, both)
    verdict = covey.verify(both, BASKETS)
    assert verdict.holds
    assert verdict.checks[-1].name == "the copy in CSV has the same content"
    pack({"release": made / "release", "release-csv": made / "other-csv"}, both)
    failed = covey.verify(both).failures()
    assert [check.name for check in failed] == ["the copy in CSV has the same content"]
    pack({"release": made / "release", "release-csv": made / "release-csv"}, both)
    rewritten(both, change=lambda one, content: content + b"#" if one.filename.endswith("-csv/README.md") else content)
    assert "in the copy" in covey.verify(both).failures()[-1].detail


def test_archives_made_by_other_tools_are_read_too(made, packed):
    rewritten(packed, add=[(zipfile.ZipInfo("release/"), b"")])
    assert covey.verify(packed).holds
    with zipfile.ZipFile(packed, "w") as archive:
        for file in (made / "release").iterdir():
            archive.write(file, file.name)  # without a folder
    assert covey.verify(packed).holds


@pytest.mark.parametrize(
    "name",
    [
        "../evil",
        "/etc/evil",
        "release/../../evil",
        "release\\evil.csv",
        "C:\\evil",
        "release/.hidden",
        "evil.txt",
        "release/notes.md",
        "__MACOSX/release/manifest.json",
        "release/deep/part-00000.csv",
        "release/x/y/manifest.json",
    ],
)
def test_what_leads_elsewhere_or_does_not_belong_is_refused(packed, name):
    with pytest.raises(TamperedRelease), opened(rewritten(packed, add=[(zipfile.ZipInfo(name), b"x")])):
        pass


def test_links_doubles_secrets_and_floods_are_refused(packed, monkeypatch, tmp_path):
    whole = packed.read_bytes()
    link = zipfile.ZipInfo("release/sensitive.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with pytest.raises(TamperedRelease, match="link"):
        covey.verify(rewritten(packed, add=[(link, b"/etc/passwd")]))
    packed.write_bytes(whole)
    with pytest.warns(UserWarning, match="Duplicate"):
        rewritten(packed, add=[("release/README.md", b"another")])
    with pytest.raises(TamperedRelease, match="twice"):
        covey.verify(packed)
    monkeypatch.setenv("COVEY_MAX_DECOMPRESSED", "1 MB")
    packed.write_bytes(whole)
    with zipfile.ZipFile(packed, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("release/transactions.csv", b"0" * 5_000_000)
    assert packed.stat().st_size < 100_000
    with pytest.raises(TamperedRelease, match="would unpack to"):
        covey.verify(packed)
    body = bytearray(whole)
    for at in (i for i in range(len(body) - 4) if body[i : i + 4] == b"PK\x01\x02"):
        body[at + 8] |= 1  # says that it is encrypted
    packed.write_bytes(body)
    with pytest.raises(TamperedRelease, match="encrypted"):
        covey.verify(packed)


def with_comment(packed):
    with zipfile.ZipFile(packed, "a") as archive:
        archive.comment = b"Ann: flu"


def with_a_comment_on_a_file(packed):
    def told(one, content):
        one.comment = b"Ann: flu"
        return content

    rewritten(packed, change=told)


@pytest.mark.parametrize("hide", [with_comment, with_a_comment_on_a_file])
def test_there_are_no_comments(packed, hide):
    hide(packed)
    with pytest.raises(TamperedRelease, match="comment"):
        covey.verify(packed)


def test_large_archives_have_fields_of_their_own(made, packed, monkeypatch):
    """What needs more than 32 bits stands in other places; here everything does."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (made / "release").iterdir():
            archive.write(file, f"release/{file.name}")
    assert covey.verify(packed).holds


def test_members_hold_what_they_state(packed):
    """A size or a checksum in the list that is not the member's."""
    whole = packed.read_bytes()
    at = whole.index(b"PK\x01\x02")
    for place in (16, 24):
        forged = bytearray(whole)
        forged[at + place] ^= 0x41
        packed.write_bytes(forged)
        with suppress(TamperedRelease, ReleaseError):
            assert not covey.verify(packed).holds


@pytest.mark.parametrize("options", [[], ["-0"], ["-9"], ["-fz"], ["-", "pipe"]], ids="".join)
@pytest.mark.skipif(not shutil.which("zip"), reason="needs Info-ZIP")
def test_archives_of_info_zip(made, tmp_path, options):
    shutil.copytree(made / "release", tmp_path / "release")
    piped = options[-1:] == ["pipe"]
    command = ["zip", "-qr", *(["-"] if piped else [*options, "a.zip"]), "release"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    if piped:
        (tmp_path / "a.zip").write_bytes(ran.stdout)
    assert covey.verify(tmp_path / "a.zip").holds


def test_archives_of_python(made, tmp_path):
    command = [sys.executable, "-m", "zipfile", "-c", str(tmp_path / "a.zip"), str(made / "release")]
    subprocess.run(command, check=True)
    assert covey.verify(tmp_path / "a.zip").holds
    shutil.make_archive(str(tmp_path / "b"), "zip", made, "release")
    assert covey.verify(tmp_path / "b.zip").holds


@pytest.mark.parametrize("large", [False, True])
def test_archives_that_were_streamed_are_read_too(made, packed, large):
    class Pipe(io.RawIOBase):
        """Takes bytes and cannot go back, so sizes are written behind the files."""

        def __init__(self):
            self.taken = bytearray()

        def writable(self):
            return True

        def write(self, more):
            self.taken += more
            return len(more)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (made / "release").iterdir():
            with archive.open(f"release/{file.name}", "w", force_zip64=large) as out:
                out.write(file.read_bytes())
    packed.write_bytes(pipe.taken)
    assert covey.verify(packed).holds


def test_damage_is_an_error_and_no_traceback(packed, tmp_path):
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReleaseError, match="not a release"):
        covey.verify(packed)
    (tmp_path / "plain.txt").write_text("no archive")
    with pytest.raises(ReleaseError, match="ZIP file"):
        covey.verify(tmp_path / "plain.txt")
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("release/README.md", "nothing else")
    with pytest.raises(ReleaseError, match=r"no manifest\.json in it"):
        covey.verify(packed)
    packed.write_bytes(whole)
    rewritten(packed, drop=["release/README.md"])
    verdict = covey.verify(packed)
    assert "README.md is missing" in verdict.failures()[0].detail
    rewritten(packed, change=lambda one, content: b"{}" if one.filename.endswith("manifest.json") else content)
    verdict = covey.verify(packed)
    assert str(packed) in verdict.failures()[0].detail


def test_a_report_is_made_of_a_packed_release(packed, tmp_path):
    assert covey.report(packed, output=tmp_path / "report.html").holds
    assert "<h2>Approval</h2>" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    "words",
    [["query", "--sensitive", "s"], ["sample", "-o", "draws"], ["attack", "--original", "data.covey"],
     ["evaluate", "--original", "data.covey", "-r", "1"], ["report", "-o", "report.html"]],
    ids=lambda words: words[0],
)  # fmt: skip
def test_commands_take_a_zip_file(packed, tmp_path, monkeypatch, covey_cli, words):
    monkeypatch.chdir(tmp_path)
    save_data(BASKETS, tmp_path / "data.covey")
    code, _, err = covey_cli(words[0], packed, *words[1:])
    assert code == 0, err


def test_a_release_in_a_zip_file_is_read(made, packed, tmp_path):
    with zipfile.ZipFile(packed) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    name = next(name for name in files if name.endswith("sensitive.parquet"))
    assert covey.read_release(packed).counts() == covey.read_release(made / "release").counts()
    with zipfile.ZipFile(packed, "w") as archive:
        for each, data in files.items():
            archive.writestr(each, data + b"x" * (each == name))
    with pytest.raises(TamperedRelease, match=r"sensitive\.parquet was changed after writing"):
        covey.read_release(packed)


def test_rewrite_gives_a_fresh_copy(made, packed, tmp_path, covey_cli):
    for number, source in enumerate((made / "release", packed)):
        code, out, _ = covey_cli("verify", source, "--rewrite", tmp_path / f"fresh{number}")
        assert (code, "A fresh copy is in" in out) == (0, True)
        for file in (made / "release").iterdir():
            assert (tmp_path / f"fresh{number}" / file.name).read_bytes() == file.read_bytes()
    code, _, err = covey_cli("verify", packed, "--rewrite", tmp_path / "fresh0")
    assert (code, "--force" in err) == (2, True)
    covey_cli("verify", packed, "--rewrite", tmp_path / "fresh0", "--force")
    assert covey.verify(tmp_path / "fresh0.1").holds


def test_a_release_that_does_not_hold_is_not_rewritten(made, tmp_path):
    shutil.copytree(made / "release", tmp_path / "forged")
    (tmp_path / "forged" / "README.md").write_text("x")
    assert not covey.verify(tmp_path / "forged", rewrite=tmp_path / "fresh").holds
    assert not (tmp_path / "fresh").exists()
