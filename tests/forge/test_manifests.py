"""Manifests that say more than they may, or are written in another way."""

import json

import pytest

import covey
from covey.errors import ReleaseError
from forge.tools import KINDS, canonical, refused

NAME = "ann smith"


@pytest.mark.parametrize("kind", KINDS)
def test_no_entry_holds_a_name(forge, kind):
    for entry in ("options", "counts", "facts", "about"):
        refused(forge(kind).state(entry, who=NAME))
        refused(forge(kind).state(entry, **{NAME: 3}))
        refused(forge(kind).state(entry, seed=3))
    refused(forge(kind).seal(notes=[NAME]))
    refused(forge(kind).seal(comment=NAME), "unknown entry 'comment'")
    refused(forge(kind).seal(**{NAME: ""}), "unknown entry")
    refused(forge(kind).seal(covey=f"0.1.0 {NAME}"), "version of covey")
    refused(forge(kind).seal(covey="0.1.٣"), "version of covey")


@pytest.mark.parametrize("note", ["order", "rounds", "work", "cut short for ann"])
def test_notes_are_limits_of_the_method(forge, note):
    refused(forge("grouped").seal(notes=[note]))
    refused(forge("private").seal(notes=["work", "work"]), "twice")


def test_no_option_is_a_text_written_as_a_number(forge):
    for value in (int.from_bytes(b"ann smith", "big"), 2**53):
        refused(forge("grouped").state("options", alpha=value), "at most 9007199254740991")
        refused(forge("global").seal(guarantee=f"km-anonymity(k=12, m={value})"), "at most 9007199254740991")


def test_options_are_all_stated_and_in_their_ranges(forge):
    refused(forge("grouped").state("options", alpha=None), "does not state the option 'alpha'")
    for value in (0, -3, 2.5, "3", [3], {"n": 3}, True, 1e300, NAME):
        refused(forge("grouped").state("options", alpha=value), "the option alpha")
    for value in ("RCM", 3, ["rcm"], NAME, None):
        refused(forge("grouped").state("options", order=value))


def test_an_option_that_came_later_is_not_asked_of_earlier_releases(forge):
    earlier = forge("grouped").seal(covey="0.1.9").state("options", alpha=None)
    assert covey.verify(earlier.path, earlier.original).holds
    refused(forge("grouped").seal(covey="0.1.9").state("options", later=3), "which cahd does not have")


def test_a_later_version_is_named_where_it_may_be_the_reason(forge):
    later = forge("grouped").seal(covey="999.0.0").state("options", later=3)
    refused(later, "made by covey 999.0.0, and this is")
    refused(forge("grouped").seal(covey="999.0.0").state("options", alpha=None), "does not state the option 'alpha'")


@pytest.mark.parametrize("kind", ["grouped", "global", "ratings"])
@pytest.mark.parametrize("value", [None, True, 3, -1, 2.5, "", NAME, [], [NAME], {}, {NAME: NAME}, [[[]]], {"a": {}}])
def test_every_entry_has_its_type(forge, kind, value):
    for entry, honest in forge(kind).manifest.items():
        if entry not in ("format", "digest") and value != honest:
            refused(forge(kind).seal(**{entry: value}))


@pytest.mark.parametrize(
    "value", [None, True, 3, 2.5, [], {}, "covey-release/6", "covey-release/", "1", ["covey-release/2"]]
)
def test_an_unknown_format_is_no_release(forge, value):
    release = forge("grouped").seal(format=value)
    for original in (None, release.original):
        try:
            assert not covey.verify(release.path, original).holds
        except ReleaseError as error:
            assert "this version of covey reads" in str(error)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_earlier_formats_are_refused_by_name(forge, number):
    release = forge("grouped").seal(format=f"covey-release/{number}")
    with pytest.raises(ReleaseError, match=f"Format {number} was never published; make the release again"):
        covey.verify(release.path)


@pytest.mark.parametrize(
    "facts",
    [
        {"scale": "0:4:1"},
        {"scale": "1:4"},
        {"scale": "0:1e400"},
        {"scale": None},
        {"sensitive": "illness"},
        {"sensitive": ["illness", "illness"]},
        {"sensitive": ["illness", "films"]},
        {"sensitive": ["illness", 3]},
        {"sensitive": None},
        {"recoding": "global"},
    ],
)
def test_facts_of_ratings_are_those_of_the_table(forge, facts):
    release = forge("ratings")
    refused(release.state("facts", **facts))


@pytest.mark.parametrize(
    ("kind", "facts"),
    [
        ("suppressed", {"recoding": "global"}),
        ("suppressed", {"recoding": ["suppressed"]}),
        ("suppressed", {"rest": NAME}),
        ("suppressed", {"rest": None}),
        ("global", {"rest": NAME}),
        ("global", {"recoding": "suppressed"}),
        ("local", {"recoding": "global"}),
        ("grouped", {"recoding": "global"}),
        ("table", {"scale": "0:4"}),
    ],
)
def test_facts_of_sets_are_those_of_the_tables(forge, kind, facts):
    refused(forge(kind).state("facts", **facts))


@pytest.mark.parametrize("kind", KINDS)
def test_counts_are_those_of_the_tables(forge, kind):
    for name, count in forge(kind).manifest["counts"].items():
        if name.startswith("suppressed_"):  # nothing in the files bears these out; see test_limits
            continue
        for wrong in (count + 1, count + 2**64, 10**4000, float(count), str(count), -1, None):
            release = forge(kind)
            refused(release.seal(counts={**release.manifest["counts"], name: wrong}))


def raw(release, text):
    (release.path / "manifest.json").write_bytes(text)
    return release


DEEP = 100_000


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: b"ann", id="no JSON"),
        pytest.param(lambda text: text.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda text: text[:-2] + b',"kind":"grouped"}\n', id="key twice"),
        pytest.param(lambda text: b"[" * DEEP + text, id="deep lists"),
        pytest.param(lambda text: text[:-2] + b', "n": ' + b"[" * 50_000 + b"]" * 50_000 + b"}\n", id="deep value"),
        pytest.param(lambda text: text.replace(b'"alpha": 3', b'"alpha": ' + b"9" * 4301), id="4301 digits"),
        pytest.param(lambda text: text.replace(b'"alpha": 3', b'"alpha": NaN'), id="NaN"),
        pytest.param(lambda text: text.replace(b"rcm", b"\\ud800"), id="lone surrogate"),
        pytest.param(lambda text: text.replace(b"rcm", b"\\u0072cm"), id="escaped letter"),
        pytest.param(lambda text: text[: len(text) // 2], id="cut off"),
    ],
)  # fmt: skip
def test_a_manifest_is_written_in_one_way(forge, change):
    release = forge("grouped")
    text = (release.path / "manifest.json").read_bytes()
    assert change(text) != text
    refused(raw(release, change(text)))


@pytest.mark.parametrize(
    "seal",
    [
        lambda body: json.dumps(dict(reversed(body.items())), indent=2).encode() + b"\n",
        lambda body: canonical({**body, "digest": body["digest"].upper()}),
        lambda body: canonical({key: value for key, value in body.items() if key != "digest"}),
    ],
)
def test_a_seal_fits_the_text(forge, seal):
    release = forge("grouped")
    refused(raw(release, seal(release.manifest)))


def test_a_manifest_has_its_size(forge):
    release = forge("grouped")
    refused(raw(release, b" " * (1 << 25) + (release.path / "manifest.json").read_bytes()), "larger than any")


def test_digests_are_those_of_the_files(forge):
    for digest in ("0" * 64, "", "ann smith", None, 3, [], "A" * 64):
        release = forge("grouped")
        refused(release.seal(files={**release.manifest["files"], "sensitive.parquet": digest}))
