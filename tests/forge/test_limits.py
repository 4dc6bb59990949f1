"""What no verifier can see in the files alone, said in docs/release.md; most of it shows with the original.

Each of these is a release that covey might have written itself, of other data.
"""

import covey
from forge.test_recodings import label, with_lines
from forge.tools import accepted


def seen_with_the_original_only(release):
    assert covey.verify(release.path).holds
    assert not covey.verify(release.path, release.original, taxonomy=release.taxonomy).holds


def test_a_name_among_the_leaves_looks_like_one_more_leaf_of_the_taxonomy(forge):
    release = forge("global")
    seen_with_the_original_only(with_lines(release, ("ann smith", label(release))))


def test_counts_of_what_is_not_there_cannot_be_counted(forge):
    for name in ("suppressed_ratings", "suppressed_records"):
        seen_with_the_original_only(forge("ratings").state("counts", **{name: 49_761_234_567}))


def test_a_scale_may_go_beyond_the_ratings(forge):
    seen_with_the_original_only(forge("ratings").state("facts", scale="0:5"))


def test_items_may_have_any_names(forge):
    release = forge("suppressed")
    rows = release.rows(release.main)
    import pyarrow as pa

    named = [sorted("ann smith" if item == "ale" else item for item in row) for row in rows["items"].to_pylist()]
    seen_with_the_original_only(release.replace(release.main, pa.table({"items": named})))


def test_options_are_what_they_are_said_to_be(forge):
    accepted(forge("grouped").state("options", alpha=49_761_234_567))


def test_a_weaker_promise_is_also_kept(forge):
    accepted(forge("grouped").seal(guarantee="degree(p=2)"))
