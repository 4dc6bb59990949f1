"""What was measured of a release and how it came out, in words: (measure, value), for terminals, reports and pages."""

from __future__ import annotations

from collections.abc import Callable

from covey.counting import counted, give_or_take, percent
from covey.tabular import Figures

Rows = list[tuple[str, str]]

WORKLOADS = {"uniform": "items drawn at random", "support": "items drawn by how frequent they are"}


def measure_rows(utility: Figures) -> Rows:
    """The figures of `covey.evaluate` in words.

    Examples
    --------
    >>> measure_rows({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25})
    [('Records that are published', '50.0 %'), ('Ratings that are published', '25.0 %')]
    """
    kind = utility.get("kind")
    return ROWS[kind](utility) if kind in ROWS else []


def of_grouped(utility: Figures) -> Rows:
    """Errors of estimates, and combinations whose counts are still right."""
    rows = [
        (
            f"Distortion of a sensitive item's distribution over {error['r']} {WORKLOADS.get(workload, workload)} "
            f"(KL divergence in nats; 0 is exact{_blind(error)})",
            give_or_take(error["mean"], error["standard_error"]) + _scale(error),
        )
        for workload, error in utility["kl"].items()
    ]
    kept = utility.get("patterns")  # not measured on Spark
    if kept and kept["patterns"]:
        # Published baskets are not linked, so combinations are counted in baskets, whatever the promise counts.
        several = utility.get("transactions", 0) > utility.get("persons", 0)
        what = f"Of the {counted(kept['patterns'], 'most frequent combination')} with a sensitive item"
        what += ", counted in baskets" if several else ""
        rows.append((f"{what}, those whose count is right within {percent(kept['tolerance'])}", f"{kept['kept']:,}"))
        if "admissible" in kept and kept["admissible"] < kept["patterns"]:
            # Without this nobody can tell the method's fault from the price of the promise.
            allows = "would allow if each basket belonged to a different person" if several else "allows"
            rows.append(
                (
                    f"Of these combinations, those that the promise {allows}; of which right",
                    f"{kept['admissible']:,}; {kept['admissible_kept']:,}",
                )
            )
    return rows  # fmt: skip


def _blind(error: Figures) -> str:
    """Return the other end of the scale of KL, where it was measured: on Spark it is not."""
    return f", {error['blind']:.3g} would be no information about sensitive items" if error.get("blind") else ""


def _scale(error: Figures) -> str:
    """Return where a release stands between no information about sensitive items and exact counts.

    Examples
    --------
    >>> _scale({"mean": 0.05, "blind": 0.2}), _scale({"mean": 0.05})
    (' (75 % of the way from no information to exact)', '')
    """
    if not error.get("blind"):
        return ""
    return f" ({percent(max(1 - error['mean'] / error['blind'], 0.0))} of the way from no information to exact)"


def of_model(utility: Figures) -> Rows:
    """Errors of estimates, and how often these are as close to the truth as they say."""
    told = [f"{percent(one['within'], fine=True)} of {one['questions']:,}" for one in utility["coverage"]]
    names = [f"Answers about {counted(one['items'], 'item')} within two standard errors" for one in utility["coverage"]]
    return [*of_grouped(utility), *zip(names, told, strict=True)]


def of_itemsets(found: Figures) -> Rows:
    """How well itemsets are kept, on the average of baskets drawn from the release."""
    return [
        (
            f"The {found['top']:,} most frequent combinations of up to three items: share that is no longer among them",
            percent(found["top_deviation"], fine=True),
        ),
        (
            "Error of counts of pairs of less frequent items (0 is none, 2 is the most)",
            f"{found['pair_error']:.2f}",
        ),
        ("Items frequent enough to be counted that are not counted", percent(found["lost_items"], fine=True)),
    ]


def of_chunks(utility: Figures) -> Rows:
    """What of the items is counted, and what is left of their combinations."""
    return [
        ("Occurrences of items that are counted", percent(utility["counted"], fine=True)),
        ("Counted occurrences that stay together with others of their basket", percent(utility["together"], fine=True)),
        *of_itemsets(utility["itemsets"]),
    ]


def of_sets(utility: Figures) -> Rows:
    """What is not published as it was, and what is lost along a taxonomy; private items do not count."""
    public = "public items" if "private_entries" in utility else "items"
    rows = []
    if "gcp" in utility:
        loss = utility["gcp"]
        what = f"Occurrences of {public} that are not published as they were (global certainty penalty)"
        rows += [
            (what, percent(loss["gcp"], fine=True)),
            (f"Different {public} that are not published at all", percent(loss["lost_items"], fine=True)),
        ]
    if "ncp" in utility:
        what = f"Meaning of {public} that is lost along the taxonomy (normalized certainty penalty)"
        kept = utility["frequent"]
        rows += [
            (what, percent(utility["ncp"], fine=True)),
            (
                # Before covey 0.2 it was always 1 %.
                f"Combinations of items and groups of items in at least {percent(kept.get('least', 0.01))} of all: "
                "those that still are",
                f"{kept['surviving']:,} of {kept['frequent']:,}",
            ),
        ]
    return rows + (of_itemsets(utility["itemsets"]) if "itemsets" in utility else [])


def of_table(utility: Figures) -> Rows:
    """Detail of quasi-identifiers that is lost, and the error of counts."""
    return [
        (
            "Detail of the quasi-identifiers that is lost (global certainty penalty)",
            percent(utility["gcp"], fine=True),
        ),
        (
            "Typical error of a count over one or two columns (median over random queries)",
            percent(utility["query_error"]["median"], fine=True),
        ),
    ]


def of_records(utility: Figures) -> Rows:
    """Detail of attributes and meaning of items that are lost."""
    return [
        (
            "Detail of the quasi-identifying attributes that is lost (global certainty penalty)",
            percent(utility["gcp"], fine=True),
        ),
        (
            "Meaning of the items that is lost (normalized certainty penalty)",
            percent(utility["items_ncp"], fine=True),
        ),
    ]


def of_ratings(utility: Figures) -> Rows:
    """Records and ratings that are published, and on which scale where that is a coarser one."""
    coarser = []
    if utility.get("rounded_from"):  # earlier results know of no rounding
        coarser = [(f"Ratings on {utility['rounded_from']} are rounded to the scale", str(utility["scale"]))]
    return [
        ("Records that are published", percent(utility["records_kept"], fine=True)),
        ("Ratings that are published", percent(utility["ratings_kept"], fine=True)),
        *coarser,
    ]


#: By kind of release.
ROWS: dict[str, Callable[[Figures], Rows]] = {
    "grouped": of_grouped,
    "chunks": of_chunks,
    "model": of_model,
    "sets": of_sets,
    "table": of_table,
    "records": of_records,
    "ratings": of_ratings,
}
