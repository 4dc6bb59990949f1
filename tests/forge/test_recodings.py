"""What `recoding.csv` may list."""

import pytest

import covey
from forge.tools import refused


def label(release):
    """A published label that items other than itself are recoded to, and one that nobody has."""
    rows = release.rows("recoding").to_pylist()
    return next(row["published"] for row in rows if row["published"] != row["item"])


def with_lines(release, *lines):
    """The recoding with more lines, in order and quoted."""
    quoted = [",".join(f'"{cell}"' for cell in line) for line in lines]

    def add(text):
        header, *old = text.decode().rstrip("\n").split("\n")
        return "\n".join([header, *sorted([*old, *quoted], key=lambda line: line.strip('"')), ""]).encode()

    return release.text("recoding.csv", add)


@pytest.mark.parametrize("line", ["ann smith", '"ann smith","beer","x"', '"ann', "ann smith,beer ,", '"a"b",beer'])
def test_lines_are_pairs(forge, line):
    release = forge("global")
    refused(release.text("recoding.csv", lambda text: text + line.encode() + b"\n"))


def test_an_item_stands_once(forge):
    release = forge("global")
    first = release.rows("recoding").to_pylist()[0]
    refused(with_lines(release, (first["item"], first["published"])), "twice")
    release = forge("global")
    refused(with_lines(release, (first["item"], label(release))))


def test_a_line_lacks_nothing(forge):
    refused(with_lines(forge("global"), ("ann smith", "")))
    refused(with_lines(forge("global"), ("", label(forge("global")))))


def test_lines_stand_in_label_order(forge):
    release = forge("global")
    refused(
        release.text(
            "recoding.csv",
            lambda text: b"\n".join([*text.split(b"\n")[:1], *text.split(b"\n")[-2:0:-1], b""]),
        )
    )


def test_a_label_is_not_recoded_to_another(forge):
    release = forge("global")
    refused(with_lines(release, (label(release), "ann smith")))


def test_labels_are_published(forge):
    refused(with_lines(forge("global"), ("ann smith", "bob jones")), "do not agree on the label 'bob jones'")
    refused(with_lines(forge("global"), ("ann smith", "ann smith")), "do not agree on the label 'ann smith'")


def test_published_labels_are_listed(forge):
    release = forge("global")
    last = release.rows("recoding").to_pylist()[-1]["published"].encode()

    def without(text):
        return b"".join(line for line in text.splitlines(keepends=True) if last not in line)

    refused(release.text("recoding.csv", without), "do not agree on the label")


@pytest.mark.parametrize("taxonomy", [False, True], ids=["no taxonomy", "taxonomy"])
def test_a_name_among_the_leaves_is_noticed_with_the_original(forge, taxonomy):
    release = forge("global")
    with_lines(release, ("ann smith", label(release)))
    tree = release.taxonomy if taxonomy else None
    verdict = covey.verify(release.path, release.original, taxonomy=tree)
    assert not verdict.holds
    assert "'ann smith' is not" in verdict.failures()[0].detail
