"""Files of a release: both formats read back alike, and no changed byte goes unnoticed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import ReleaseError, TamperedRelease
from strategies import examples

LABELS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=6)


@pytest.fixture(params=["parquet", "csv"])
def published(request, tmp_path, fig1):
    covey.publish(fig1, tmp_path / "out", "degree(p=2)", csv=request.param == "csv", seed=1)
    return tmp_path / "out"


def same(a, b):
    return (
        a.transactions == b.transactions
        and a.group_ptr.tolist() == b.group_ptr.tolist()
        and a.sensitive_items == b.sensitive_items
        and a.count_group.tolist() == b.count_group.tolist()
        and a.count_item.tolist() == b.count_item.tolist()
        and a.count.tolist() == b.count.tolist()
        and (a.guarantee, a.method, dict(a.options)) == (b.guarantee, b.method, dict(b.options))
    )


def test_reads_back_what_was_written(published, fig1):
    assert same(covey.read_release(published), covey.anonymize(fig1, "degree(p=2)", seed=1))


@examples(40)
@given(st.lists(st.lists(LABELS, max_size=4), min_size=2, max_size=8), st.booleans())
def test_any_label_survives_both_formats(tmp_path_factory, rows, csv):
    rows[0] = [*rows[0], "secret"]
    rows[1] = [*rows[1], "public"]
    rows = [[x for x in row if x != "secret"] if i else row for i, row in enumerate(rows)]
    folder = tmp_path_factory.mktemp("release")
    data = covey.Baskets.of(rows, sensitive=["secret"])
    covey.publish(data, folder / "out", "degree(p=2)", csv=csv, seed=3)
    assert same(covey.read_release(folder / "out"), covey.anonymize(data, "degree(p=2)", seed=3))


def test_every_changed_byte_is_reported(published, fig1):
    for path in sorted(published.iterdir()):
        original = path.read_bytes()
        step = max(1, len(original) // 25)
        for at in [*range(0, len(original), step), len(original) - 1]:
            changed = bytearray(original)
            changed[at] ^= 0x01
            path.write_bytes(changed)
            try:
                holds = covey.verify(published).holds
            except ReleaseError:
                holds = False  # the format line itself was hit, so it is no release any more
            assert not holds, f"{path.name} byte {at}"
        path.write_bytes(original + b"\n")
        assert not covey.verify(published).holds
        path.write_bytes(original)
    assert covey.verify(published, fig1).holds


def test_a_missing_file_is_named(published):
    for name in json.loads((published / "manifest.json").read_text())["files"]:
        kept = (published / name).read_bytes()
        (published / name).unlink()
        with pytest.raises(TamperedRelease, match=f"{name} is missing"):
            covey.read_release(published)
        (published / name).write_bytes(kept)


def test_what_is_not_a_release(tmp_path):
    with pytest.raises(ReleaseError, match="no such directory"):
        covey.verify(tmp_path / "nowhere")
    with pytest.raises(ReleaseError, match=r"no manifest\.json"):
        covey.verify(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ReleaseError, match="is not a release"):
        covey.read_release(tmp_path / "file")


def test_fingerprint(published):
    fingerprint = covey.verify(published).figures["fingerprint"]
    assert covey.verify(published, fingerprint=fingerprint).holds
    assert covey.verify(published, fingerprint=fingerprint[:12].upper()).holds
    assert not covey.verify(published, fingerprint=fingerprint[:4]).holds
    assert not covey.verify(published, fingerprint="0" * 64).holds


def test_a_list_of_sensitive_items_is_compared_without_the_original(published):
    assert covey.verify(published, sensitive=["viagra"]).holds
    verdict = covey.verify(published, sensitive=["viagra", "wine"])
    assert [check.detail for check in verdict.failures()] == ["'wine' is published in single transactions"]
