"""A release as a ZIP file: verified like its directory, and everything that covey would not have packed refused."""

import bz2
import io
import os
import shutil
import stat
import struct
import subprocess
import sys
import time
import zipfile
import zlib

import numpy as np
import pytest

import covey
from covey.errors import ReleaseError, TamperedRelease
from covey.io.archive import opened, pack
from covey.kernels.shared.deflated import is_tight
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


def with_an_extra_field(packed):
    def told(one, content):
        one.extra = b"\xfe\xca\x08\x00Ann: flu"
        return content

    rewritten(packed, change=told)


def with_bytes_in_front(packed):
    packed.write_bytes(b"Ann: flu" + packed.read_bytes())


def with_bytes_between(packed):
    with zipfile.ZipFile(packed) as archive:
        start = archive.start_dir
    whole = bytearray(packed.read_bytes())
    at = whole.rindex(b"PK\x05\x06")
    whole[at + 16 : at + 20] = (start + 8).to_bytes(4, "little")
    packed.write_bytes(whole[:start] + b"Ann: flu" + whole[start:])


def with_bytes_behind_a_compressed_file(packed):
    secret = b"Ann: flu"
    with zipfile.ZipFile(packed) as archive:
        last = max(archive.infolist(), key=lambda one: one.header_offset)
        start, readme = archive.start_dir, archive.read("release/README.md")
    rewritten(packed, drop=[last.filename, "release/README.md"])
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    body = squeezer.compress(readme) + squeezer.flush() + secret
    with zipfile.ZipFile(packed, "a") as archive:
        one = zipfile.ZipInfo("release/README.md")
        archive.writestr(one, body)
    whole = bytearray(packed.read_bytes())
    with zipfile.ZipFile(packed) as archive:
        start, local = archive.start_dir, archive.getinfo("release/README.md").header_offset
    central = whole.rindex(b"PK\x01\x02")
    assert central >= start
    for at in (local + 8, central + 10):
        whole[at : at + 2] = zipfile.ZIP_DEFLATED.to_bytes(2, "little")
    for at in (local + 14, central + 16):
        whole[at : at + 4] = zlib.crc32(readme).to_bytes(4, "little")
    for at in (local + 22, central + 24):
        whole[at : at + 4] = len(readme).to_bytes(4, "little")
    packed.write_bytes(whole)
    with zipfile.ZipFile(packed) as archive:
        assert archive.read("release/README.md") == readme


def described():
    """A block that describes a Huffman code and has no content, with an empty block that is stored behind it."""
    given = [0, 0, 1, *[0] * 14, 1]  # lengths of the codes for: 138 zeros at most, and 1
    numbers = [(0, 1), (2, 2), (0, 5), (0, 5), (14, 4), *[(one, 3) for one in given]]
    numbers += [(0, 1), (1, 1), (127, 7), (1, 1), (106, 7), (0, 1), (0, 1), (1, 1), (0, 3)]
    bits = "".join(f"{number:0{width}b}"[::-1] for number, width in numbers)
    return int(bits[::-1], 2).to_bytes(-(-len(bits) // 8), "little") + b"\0\0\xff\xff"


def deflated(data, *settings):
    squeezer = zlib.compressobj(*settings or (9, zlib.DEFLATED, -15))
    return squeezer.compress(data) + squeezer.flush()


def with_stream(change):
    """Deflate the first member and change the stream, which still unpacks to the same."""

    def changed(members):
        stream = change(members[0][2])
        assert zlib.decompress(stream, -15) == members[0][2]
        members[0][1:3] = [zipfile.ZIP_DEFLATED, stream]

    return {"change": changed}


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\0\0\0\xff\xff" * 9 + deflated(data),
        lambda data: b"".join(bytes([letter << 3 & 255]) + b"\0\0\xff\xff" for letter in b"Ann") + deflated(data),
        lambda data: deflated(data)[:-1] + bytes([deflated(data)[-1] | 0x80]),
        lambda data: described() + deflated(data),
    ],
    ids=["empty", "filled up", "last bits", "described"],
)
def test_compressed_files_have_no_free_bits(made, tmp_path, change):
    folder = tmp_path / "release"
    shutil.copytree(made / "release", folder)
    with pytest.raises(TamperedRelease, match="could hide"):
        covey.verify(written(folder, tmp_path / "a.zip", **with_stream(change)))


@pytest.mark.parametrize("level", range(10))
@pytest.mark.parametrize("strategy", [zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE, zlib.Z_FIXED])
@pytest.mark.parametrize("data", [b"", b"a", b"ab" * 9, bytes(range(256)) * 300, b"beer,milk\n" * 9 + bytes(9)])
def test_streams_as_compressors_write_them(level, strategy, data):
    for memory in (1, 8):
        stream = deflated(data, level, zlib.DEFLATED, -15, memory, strategy)
        assert is_tight(np.frombuffer(stream, np.uint8))


@pytest.mark.parametrize(
    "hide",
    [
        with_comment,
        with_a_comment_on_a_file,
        with_an_extra_field,
        with_bytes_in_front,
        with_bytes_between,
        with_bytes_behind_a_compressed_file,
    ],
)
def test_nothing_hides_beside_the_files(packed, hide):
    hide(packed)
    with pytest.raises(TamperedRelease, match="could hide"):
        covey.verify(packed)


def written(folder, path, *, local=None, central=None, last=None, change=None):
    """An archive made by hand: `local`, `central` and `last` change fields of its records before they are written.

    `change` gets the members as name, method, what is written of it, checksum, size, and extra fields twice.
    """
    members = []
    for file in sorted(folder.iterdir()):
        data = file.read_bytes()
        members.append([f"release/{file.name}", 0, data, zlib.crc32(data), len(data), b"", b""])
    if change:
        change(members)
    out, listed = b"", b""
    for number, (name, method, data, crc, size, here, there) in enumerate(members):
        mode = (0o40755 << 16 | 16) if name.endswith("/") else 0o100644 << 16
        says = {"needs": 20, "flags": 0, "method": method, "time": 0, "date": 33, "crc": crc, "packed": len(data)}
        says |= {"size": size, "name": len(name)}
        first = says | {"extra": len(here)} | (local or {} if number == 0 else {})
        again = {"made": 20} | says | {"extra": len(there), "comment": 0, "disk": 0, "text": 0, "mode": mode}
        again |= {"at": len(out)} | (central or {} if number == 0 else {})
        out += struct.pack("<4s5H3L2H", b"PK\3\4", *first.values()) + name.encode() + here + data
        listed += struct.pack("<4s6H3L5H2L", b"PK\1\2", *again.values()) + name.encode() + there
    end = {"disk": 0, "other": 0, "here": len(members), "count": len(members), "size": len(listed), "at": len(out)}
    end |= {"comment": 0} | (last or {})
    path.write_bytes(out + listed + struct.pack("<4s4H2LH", b"PK\5\6", *end.values()))
    return path


def extra(number, content):
    return struct.pack("<HH", number, len(content)) + content


def with_extras(here, there=b""):
    def change(members):
        members[0][5:] = [here, there]

    return {"change": change}


def with_member(*member):
    return {"change": lambda members: members.append([*member, b"", b""])}


def with_text_behind(members):
    members[0][2] += b"Ann: flu"


def with_another_method(members):
    members[0][1:3] = [zipfile.ZIP_BZIP2, bz2.compress(members[0][2]) + b"Ann: flu"]


def windows_times(*times, size=24):
    return extra(0x000A, struct.pack("<LHH3Q", 0, 1, size, *times))


NEW_YEAR = 315532800  # of 1980, as the archives made by hand say
OWNER = b"\1\4\xe8\3\0\0\4\xe8\3\0\0"
LONG_AGO = (NEW_YEAR + 11644473600) * 10**7


def ut(flags, *times):
    return extra(0x5455, struct.pack(f"<B{len(times)}i", flags, *times))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"local": {"needs": 10}, "central": {"needs": 10}},
        {"local": {"flags": 0x0800}, "central": {"flags": 0x0800, "made": 0x033F}},
        {"local": {"time": 0, "date": 0}, "central": {"time": 0, "date": 0}},
        with_extras(extra(0x7875, OWNER), extra(0x7875, OWNER)),
        with_extras(ut(3, NEW_YEAR - 20700, NEW_YEAR + 10**9), ut(3, NEW_YEAR - 20700)),
        with_extras(ut(1, 0), ut(1, 0)),
        with_extras(b"", windows_times(LONG_AGO, LONG_AGO + 10**16, LONG_AGO)),
        with_member("release/", 0, b"", 0, 0),
    ],
)
def test_archives_made_by_hand_as_tools_make_them(made, tmp_path, fields):
    assert covey.verify(written(made / "release", tmp_path / "a.zip", **fields)).holds


@pytest.mark.parametrize(
    "fields",
    [
        with_extras(*[extra(0x000A, b"Ann Smith has the flu, Bonn.".ljust(32)) * 5] * 2),
        with_extras(*[extra(0x7875, OWNER) * 2] * 2),
        with_extras(*[extra(0x7875, b"Ann has flu")] * 2),
        with_extras(extra(0x7875, OWNER)),
        with_extras(extra(0x7875, OWNER), extra(0x7875, OWNER[:-1] + b"A")),
        with_extras(extra(0x0001, b"Ann: flu")),
        with_extras(extra(0x5455, b"\3Ann flu.")),
        with_extras(extra(0x5455, b"\x81Ann ")),
        with_extras(extra(0x5455, b"")),
        with_extras(ut(1, NEW_YEAR + 500)),
        with_extras(ut(1, NEW_YEAR + 9000 * 900)),
        with_extras(ut(3, NEW_YEAR, int(time.time()) + 10**7)),
        with_extras(ut(1, NEW_YEAR), ut(1, NEW_YEAR + 900)),
        with_extras(b"", windows_times(LONG_AGO + 500 * 10**7, LONG_AGO, LONG_AGO)),
        with_extras(b"", windows_times(LONG_AGO, 0x756C66203A6E6E41, LONG_AGO)),
        with_extras(b"", windows_times(LONG_AGO, LONG_AGO, LONG_AGO, size=25)),
        with_extras(b"Ann"),
        with_member("Ann_Smith_has_flu/", 0, b"", 0, 0),
        with_member("release/", 0, b"Ann: flu", 0, 0),
        with_member("release/", 0, b"", 0x756C6600, 0),
        with_member("release/", 8, b"\3\0", 0, 0),
        {"change": lambda members: members.extend([["release/", 0, b"", 0, 0, b"", b""]] * 2)},
        {"change": with_text_behind},
        {"change": with_another_method},
        {"local": {"needs": 0x6E41}},
        {"local": {"flags": 0x0802}},
        {"local": {"method": 8}},
        {"local": {"time": 0x6E41}},
        {"local": {"crc": 0x206E6E41}},
        {"local": {"packed": 0x206E6E41}},
        {"local": {"size": 0}},
        {"central": {"made": 0x6E41}},
        {"central": {"needs": 0x4114}, "local": {"needs": 0x4114}},
        {"central": {"flags": 0x4010}, "local": {"flags": 0x4010}},
        {"central": {"flags": 6}, "local": {"flags": 6}},
        {"central": {"time": 0xFFFF}, "local": {"time": 0xFFFF}},
        {"central": {"date": 0x6E41 & ~0x01E0}, "local": {"date": 0x6E41 & ~0x01E0}},
        {"central": {"disk": 0x6E41}},
        {"central": {"text": 0x6E41}},
        {"central": {"mode": 0o100644 << 16 | 0x6E41}},
        {"central": {"flags": 8}, "local": {"flags": 8}},
        {"last": {"disk": 0x6E41}},
        {"last": {"other": 0x6E41}},
        {"last": {"here": 0x6E41}},
        {"last": {"here": 0x6E41, "count": 0x6E41}},
    ],
)
def test_no_field_says_anything_of_its_own(made, tmp_path, fields):
    with pytest.raises(TamperedRelease):
        covey.verify(written(made / "release", tmp_path / "a.zip", **fields))


def test_large_archives_have_fields_of_their_own(made, packed, monkeypatch):
    """What needs more than 32 bits stands in other places; here everything does."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 100)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in (made / "release").iterdir():
            archive.write(file, f"release/{file.name}")
    whole = packed.read_bytes()
    end, place = whole.index(b"PK\6\6"), whole.index(b"PK\6\7")
    assert covey.verify(packed).holds
    for at in (end + 4, end + 12, end + 16, end + 20, end + 24, end + 32, place + 4, place + 16):
        forged = bytearray(whole)
        forged[at + 1] ^= 0x41
        packed.write_bytes(forged)
        with pytest.raises((TamperedRelease, ReleaseError)):
            covey.verify(packed)


@pytest.mark.parametrize("options", [[], ["-0"], ["-9"], ["-X"], ["-D"], ["-fz"], ["-", "pipe"]], ids="".join)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu", "America/St_Johns"])
@pytest.mark.skipif(not shutil.which("zip"), reason="needs Info-ZIP")
def test_archives_of_info_zip(made, tmp_path, options, zone):
    shutil.copytree(made / "release", tmp_path / "release")
    for number, file in enumerate(sorted((tmp_path / "release").iterdir())):
        os.utime(file, (1_700_000_000 + 7 * number, 1_600_000_001 + 1001 * number))
    piped = options[-1:] == ["pipe"]
    command = ["zip", "-qr", *(["-"] if piped else [*options, "a.zip"]), "release"]
    ran = subprocess.run(command, cwd=tmp_path, env=os.environ | {"TZ": zone}, capture_output=True, check=True)
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
    packed.write_bytes(pipe.taken.replace(b"PK\7\x08", b"Ann:", 1))
    with pytest.raises(TamperedRelease, match="could hide"):
        covey.verify(packed)


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
    assert covey.report(packed, tmp_path / "report.html").holds
    assert "<h2>Approval</h2>" in (tmp_path / "report.html").read_text()
