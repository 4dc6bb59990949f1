"""CSV that reads the same, or nearly, but is written in another way."""

import pytest

from forge.tools import KINDS, refused

CHANGES = {
    "BOM": lambda text: b"\xef\xbb\xbf" + text,
    "CRLF": lambda text: text.replace(b"\n", b"\r\n"),
    "CR": lambda text: text.replace(b"\n", b"\r"),
    "blank line": lambda text: text + b"\n",
    "blank line within": lambda text: text.replace(b"\n", b"\n\n", 1),
    "no end of line": lambda text: text.rstrip(b"\n"),
    "spaces": lambda text: text.replace(b",", b", ") if b"," in text else text.replace(b"\n", b" \n"),
    "comment": lambda text: b"# ann smith\n" + text,
    "comment behind": lambda text: text + b"# ann smith\n",
    "cut off": lambda text: text[: len(text) // 2],
    "zero": lambda text: text + b"\x00",
    "no text": lambda text: text.replace(b"\n", b"\xff\n", 2),
    "header twice": lambda text: text.split(b"\n")[0] + b"\n" + text,
    "no header": lambda text: text.split(b"\n", 1)[1],
    "empty": lambda text: b"",
    "quoted header": lambda text: (
        text.split(b"\n")[0].replace(b'"', b"") + b"\n" + text.split(b"\n", 1)[1]
        if b'"' in text.split(b"\n")[0]
        else b'"' + text.split(b"\n")[0].replace(b",", b'","') + b'"\n' + text.split(b"\n", 1)[1]
    ),
    "open quote": lambda text: text + b'"ann smith',
    "tabs": lambda text: text.replace(b",", b"\t") if b"," in text else text.replace(b"\n", b"\t\n"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("kind", KINDS)
def test_csv_is_written_in_one_way(forge, kind, change):
    release = forge(kind, csv=True)
    for name in release.manifest["files"]:
        path = release.path / name
        honest = path.read_bytes()
        assert change(honest) != honest
        refused(release.text(name, change))
        path.write_bytes(honest)


@pytest.mark.parametrize("number", [b"+3", b"03", b"3.0", b" 3", b"3 ", b'"3"', b"3e0", b"0x3", b"3,", b"1_0"])
@pytest.mark.parametrize(
    ("kind", "table"), [("grouped", "transactions"), ("grouped", "sensitive"), ("ratings", "ratings")]
)
def test_numbers_are_written_in_one_way(forge, kind, table, number):
    release = forge(kind, csv=True)
    refused(release.text(f"{table}.csv", lambda text: text.replace(b"\n3,", b"\n" + number + b",", 1)))


def test_a_missing_value_is_not_quoted(forge):
    release = forge("table", csv=True)
    assert b",,", (release.path / "table.csv").read_bytes()
    refused(release.text("table.csv", lambda text: text.replace(b",,", b',"",', 1)), "in the form in which covey")
