"""Headline figures of a release, and two releases side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from covey.counting import counted
from covey.measure.attacks.result import title_of
from covey.web.records.jobs import Job
from covey.web.records.results import ComparedFigure, Figure, Results

#: The highest share of holders among those who could be meant; attackers who know more than that do better.
EQUALLY_LIKELY = "highest chance of a sensitive item, for someone who considers all members of a group equally likely"


#: Key, label, value, unit, and whether lower or higher is better.
Row = tuple[str, str, Any, str, str | None]


def headline(results: Results, verdict: Mapping[str, Any]) -> list[Figure]:
    """The figures that tell most about a release, by its kind; `verdict` are the figures of its verdict."""
    rows = HEADLINES.get(results.release)
    return [
        Figure(key=key, label=label, value=value, unit=unit, better=better)
        for key, label, value, unit, better in ([] if rows is None else rows(results, verdict))
        if value is not None
    ]


def of_grouped(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about a grouped release."""
    utility = results.utility
    seen = [row for row in utility["exposure"] if row["samples"]]
    last = seen[-1] if seen else None
    known = f"who knows {counted(last['known'], 'item')}" if last else ""
    rows: list[Row] = [
        ("groups", "groups", utility["groups"], "count", None),
        ("kl", "error of estimated distributions (KL)", utility["kl"]["support"]["mean"], "number", "lower"),
        ("kl_uniform", "the same for rare items", utility["kl"]["uniform"]["mean"], "number", "lower"),
    ]
    if utility["patterns"]["patterns"]:
        share = utility["patterns"]["share"]
        rows.append(("patterns", "frequent patterns with a sensitive item kept", share, "share", "higher"))
    if last is not None:
        rows += [
            ("link_before", f"sure of a sensitive item, {known}: before", last["link_before"], "share", None),
            ("link_after", f"sure of a sensitive item, {known}: after", last["link_after"], "share", "lower"),
            ("worst_after", EQUALLY_LIKELY, last["worst_after"], "share", "lower"),
        ]
    return rows + attack_rows(results)


def of_sets(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about released sets."""
    utility = results.utility
    rows: list[Row] = [("labels", "different labels published", utility["items"], "count", "higher")]
    if lost := utility.get("gcp"):
        rows += [
            ("gcp", "item occurrences not published as they were", lost["gcp"], "share", "lower"),
            ("lost_items", "different items not published at all", lost["lost_items"], "share", "lower"),
        ]
    if "ncp" in utility:
        rows.append(("ncp", "information lost along the taxonomy (NCP)", utility["ncp"], "share", "lower"))
    if "frequent" in utility:
        share = utility["frequent"]["share"]
        rows.append(("frequent", "frequent itemsets that survive", share, "share", "higher"))
    if "itemsets" in utility:
        rows += itemset_rows(utility["itemsets"])
    rows.append(("empty", "sets published empty", utility.get("empty"), "count", "lower"))
    for when, risks in (("before", results.risk_before), ("after", results.risk_after)):
        points = [point for point in risks if point["eligible"]]
        if points:
            better = "lower" if when == "after" else None
            label = f"found by someone who knows {counted(points[-1]['known'], 'item')}: {when}"
            rows.append((f"risk_{when}", label, points[-1]["risk"], "share", better))
    return rows


def of_chunks(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about a release in chunks."""
    utility = results.utility
    return [
        ("labels", "different labels published", utility["items"], "count", "higher"),
        ("counted", "item occurrences that are counted", utility["counted"], "share", "higher"),
        (
            "together",
            "of these, those still together with others of their basket",
            utility["together"],
            "share",
            "higher",
        ),
        *itemset_rows(utility["itemsets"]),
        ("smallest", "records of the smallest cluster", verdict.get("smallest_cluster"), "count", None),
        *attack_rows(results),
    ]


def attack_rows(results: Results) -> list[Row]:
    """How often each attack is right."""
    guesses = [(f"{title_of(one['attack'])}: right guesses", one) for one in results.attacks]
    return [(f"attack_{one['attack']}", label, one["success_rate"], "share", "lower") for label, one in guesses]


def itemset_rows(kept: Mapping[str, Any]) -> list[Row]:
    """How well itemsets are kept."""
    return [
        (
            "top_deviation",
            "most frequent combinations that are not found as such",
            kept["top_deviation"],
            "share",
            "lower",
        ),
        ("pair_error", "error of counts of pairs of items (0 to 2)", kept["pair_error"], "number", "lower"),
        ("uncounted", "frequent items that are not counted", kept["lost_items"], "share", "lower"),
    ]


def of_ratings(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about released ratings."""
    utility = results.utility
    unique = results.uniqueness.get("after", {}).get("unique")
    return [
        ("records_kept", "records published", utility["records_kept"], "share", "higher"),
        ("ratings_kept", "ratings published", utility["ratings_kept"], "share", "higher"),
        ("suppressed_records", "records left out", utility["suppressed_records"], "count", "lower"),
        ("unique", "published records that are unique by exact ratings", unique, "share", "lower"),
        ("smallest", "people who rated alike, at least", verdict.get("largest_k"), "count", "higher"),
    ]


def of_table(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about a released table."""
    utility, before, after = results.utility, results.found_before, results.found_after
    by_person = before is not None and "persons" in before
    row, alone = ("person", "rows like those of no other person") if by_person else ("row", "rows that are unique")
    error = utility["query_error"]["median"]
    rows: list[Row] = [
        ("classes", "classes of rows that look alike", utility["classes"], "count", "higher"),
        ("gcp", "information lost (GCP)", utility["gcp"], "share", "lower"),
        ("query_error", "typical error of counts over two columns", error, "share", "lower"),
        ("smallest", f"{row}s of the smallest class", verdict.get("k"), "count", None),
    ]
    if before and after:
        rows += [
            ("unique_before", f"{alone}: before", before["unique"], "share", None),
            ("worst_after", f"highest chance to find a {row}: after", after["worst"], "share", "lower"),
        ]
    return rows


def of_records(results: Results, verdict: Mapping[str, Any]) -> list[Row]:
    """The figures that tell most about released records."""
    utility, before, after = results.utility, results.found_before, results.found_after
    rows: list[Row] = [
        ("classes", "classes of persons with the same attributes", utility["classes"], "count", "higher"),
        ("gcp", "detail of the attributes lost (GCP)", utility["gcp"], "share", "lower"),
        ("items_ncp", "meaning of the items lost (NCP)", utility["items_ncp"], "share", "lower"),
        ("smallest", "persons of the smallest class", verdict.get("k"), "count", None),
    ]
    if before and after:
        rows += [
            ("unique_before", "persons unique by their attributes: before", before["unique"], "share", None),
            (
                "worst_after",
                "highest chance to find a person by all attributes: after",
                after["worst"],
                "share",
                "lower",
            ),
        ]
    return rows


def compare_figures(first: tuple[Job, Sequence[Figure]], second: tuple[Job, Sequence[Figure]]) -> list[ComparedFigure]:
    """The figures of two jobs beside each other: those both have, then those that one has; time last."""
    here = {figure.key: figure for figure in (*first[1], _spent(first[0]))}
    there = {figure.key: figure for figure in (*second[1], _spent(second[0]))}
    keys = [key for key in here if key in there and key != "seconds"]
    keys += [key for key in (*here, *there) if (key in here) != (key in there)]
    rows = []
    for key in [*dict.fromkeys(keys), "seconds"]:
        shown = here.get(key) or there[key]
        a = here[key].value if key in here else None
        b = there[key].value if key in there else None
        rows.append(
            ComparedFigure(
                key=key,
                label=shown.label,
                unit=shown.unit,
                first=a,
                second=b,
                better=_better(shown.better, a, b),
            )
        )
    return rows


def _spent(job: Job) -> Figure:
    spent = job.finished - job.started if job.finished and job.started else None
    return Figure(key="seconds", label="time to make and measure it", value=spent, unit="seconds", better="lower")


def _better(which: str | None, first: float | None, second: float | None) -> str | None:
    if which is None or first is None or second is None or first == second:
        return None
    return "first" if (first < second) == (which == "lower") else "second"


#: By kind of release.
HEADLINES: dict[str, Callable[[Results, Mapping[str, Any]], list[Row]]] = {
    "grouped": of_grouped,
    "sets": of_sets,
    "chunks": of_chunks,
    "ratings": of_ratings,
    "table": of_table,
    "records": of_records,
}
