"""Releases that claim what they do not keep, or what nothing of their kind could."""

import pyarrow as pa
import pytest

from forge.tools import refused, write_parquet

HUGE = 2**62


@pytest.mark.parametrize("promise", ["k-anonymity(k=2)", "km-anonymity(k=2, m=1)", "coherence(h=1, k=2, p=1)"])
def test_groups_cannot_keep_promises_about_sets(forge, promise):
    refused(forge("grouped").seal(guarantee=promise), "cannot")


@pytest.mark.parametrize("kind", ["suppressed", "global", "local"])
def test_sets_cannot_keep_promises_about_groups(forge, kind):
    refused(forge(kind).seal(guarantee="degree(p=2)"), "cannot keep degree")


def test_private_items_may_not_stand_beside_another_promise(forge):
    refused(
        forge("private").seal(guarantee="km-anonymity(k=2, m=2)"),
        "private.parquet is not a file of this kind of release",
    )


@pytest.mark.parametrize("kind", ["suppressed", "global"])
def test_coherence_needs_the_private_items(forge, honest, kind):
    release = forge(kind).seal(guarantee="coherence(h=0.9, k=2, p=1)")
    refused(release, "cannot keep coherence")
    stated = {"facts": {"recoding": "global", "rest": ""}} if kind == "suppressed" else {}
    release.seal(method="mm", options=honest("private").manifest["options"], **stated)
    refused(release, "must hold the table")


@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
def test_the_original_may_not_travel_as_private_items(forge, csv):
    release = forge("suppressed", csv)
    rows = [release.original.basket(row) for row in range(release.original.n)]
    if csv:
        lines = ["|".join(row) for row in rows]
        (release.path / "private.csv").write_text('"items"\n' + "".join(f'"{line}"\n' for line in lines))
    else:
        write_parquet(release.path / "private.parquet", pa.table({"items": rows}))
    refused(release.seal(), "is not a file of this kind of release")
    entries = sum(map(len, rows))
    refused(release.state("counts", private_entries=entries), "is not a file of this kind of release")


@pytest.mark.parametrize(
    ("kind", "promise"),
    [
        ("grouped", f"degree(p={HUGE})"),
        ("grouped", f"degree(p={2**63})"),
        ("grouped", f"degree(p={2**64 + 4})"),
        ("grouped", f"degree(p={10**380})"),
        ("suppressed", f"k-anonymity(k={HUGE})"),
        ("suppressed", f"k-anonymity(k={10**380})"),
        ("global", f"km-anonymity(k={HUGE}, m=2)"),
        ("global", f"km-anonymity(k={2**64 + 4}, m=2)"),
        ("global", f"km-anonymity(k=5000, m={10**300})"),
        ("private", f"coherence(h=0.6, k={10**300}, p=2)"),
        ("private", f"coherence(h=1e-300, k=2, p={HUGE})"),
        ("table", f"l-diversity(l={HUGE}, k=3, kind=distinct)"),
        ("table", f"l-diversity(l={2**64 + 2}, k=3, kind=frequency)"),
        ("table", f"l-diversity(l=2, k={10**300}, kind=distinct)"),
        ("table", f"k-anonymity(k={10**300})"),
        ("ratings", f"k-eps-l(k={10**300}, epsilon=1, l=0.3)"),
        ("ratings", "k-eps-l(k=3, epsilon=0, l=1e+200)"),
        ("ratings", "k-eps-l(k=60, epsilon=1e+300, l=4)"),
    ],
)
def test_no_number_is_too_large_to_be_false(forge, kind, promise):
    refused(forge(kind).seal(guarantee=promise))


@pytest.mark.parametrize(
    "text",
    ["degree(4)", "degree(p=04)", "degree(p=4) ", "degree( p=4)", "degree(p=٤)", "degree(p=4, q=ann)", "ann",
     "degree(p=inf)", "degree(p=nan)", "degree(p=" + "9" * 4301 + ")", "degree(p=4)" * 90, ""],
)  # fmt: skip
def test_a_promise_is_written_in_one_way(forge, text):
    refused(forge("grouped").seal(guarantee=text))


@pytest.mark.parametrize(
    ("kind", "method"), [("grouped", "ann"), ("grouped", "mm"), ("ratings", "cahd"), ("table", "cahd")]
)
def test_the_method_is_one_of_covey_for_this_kind(forge, kind, method):
    refused(forge(kind).seal(method=method), "covey has no method")
