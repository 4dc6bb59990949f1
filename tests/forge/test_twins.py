"""Sensitive items that are published under a name which people take for another, or for the same."""

import pyarrow as pa
import pytest

from forge.tools import column, refused

TWINS = {
    "a blank behind": "viagra ",
    "capitals": "Viagra",
    "a hard blank": "viagra\u00a0",
    "full width": "ｖｉａｇｒａ",
    "a ligature": "viagra".replace("f", "ﬁ") + "\u2060",
    "zero width": "via\u200bgra",
    "soft hyphen": "via\u00adgra",
    "a mark of direction": "\u202eviagra",
    "byte order": "\ufeffviagra",
    "a variant": "viagra\ufe0f",
    "a filler": "viagra\u3164",
    "a control": "viagra\x00",
    "bold": "𝐯𝐢𝐚𝐠𝐫𝐚",
}


@pytest.mark.parametrize("twin", TWINS.values(), ids=TWINS)
@pytest.mark.parametrize(("kind", "table"), [("grouped", "transactions"), ("private", None)])
def test_no_twin_of_a_sensitive_item_is_published(forge, format, kind, table, twin):
    release = forge(kind, format=format)
    table = table or release.main
    rows = release.rows(table)
    named = [sorted(twin if item == "wine" else item for item in row) for row in rows["items"].to_pylist()]
    assert any(twin in row for row in named)
    release.replace(table, column(rows, "items", pa.array(named)))
    if kind == "private":
        release.text("recoding.csv", lambda text: recoded(text, twin))
    refused(release)


def recoded(text, twin):
    quote = '"' if b'"item"' in text else ""
    lines = text.decode().replace(f"{quote}wine{quote}", f"{quote}{twin}{quote}").rstrip("\n").split("\n")
    return "\n".join([lines[0], *sorted(lines[1:]), ""]).encode()


def test_a_sensitive_item_itself_is_not_published(forge, format):
    release = forge("grouped", format=format)
    rows = release.rows("transactions")
    named = [sorted("viagra" if item == "wine" else item for item in row) for row in rows["items"].to_pylist()]
    release.replace("transactions", column(rows, "items", pa.array(named)))
    refused(release, "'viagra' is published in single transactions")
