"""A release as a ZIP file: verified like its directory, and everything that covey would not have packed refused."""

import stat
import zipfile

import pytest

import covey
from covey.errors import ReleaseError, TamperedRelease
from covey.io.archive import opened, pack
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
    assert verdict.checks[-1].name == "the copy in CSV holds the same"
    pack({"release": made / "release", "release-csv": made / "other-csv"}, both)
    failed = covey.verify(both).failures()
    assert [check.name for check in failed] == ["the copy in CSV holds the same"]
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


def test_damage_is_an_error_and_no_traceback(packed, tmp_path):
    whole = packed.read_bytes()
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ReleaseError, match="no release"):
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
    assert covey.report(packed, tmp_path / "report.html").holds
    assert "<h2>Approval</h2>" in (tmp_path / "report.html").read_text()
