"""Figures of a release in words: the same on the command line, in reports, notebooks and on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from covey.counting import counted, give_or_take, percent, sizes
from covey.measure.attacks.result import baseline_of, exceeds, guesses_of, ratios_of, title_of
from covey.tabular import Figures

Rows = list[tuple[str, str]]

WORKLOADS = {"uniform": "items drawn at random", "support": "items drawn by how frequent they are"}

#: What shares of a release are called, by the way to them in its figures.
NAMES: dict[str, Mapping[str, str]] = {
    "chunks": {
        "counted": "Occurrences of items that are counted",
        "together": "Counted occurrences that stay together with others of their basket",
    },
    "table": {
        "gcp": "Detail of the quasi-identifiers that is lost (global certainty penalty)",
        "query_error median": "Typical error of a count over one or two columns (median over random queries)",
    },
    "records": {
        "gcp": "Detail of the quasi-identifying attributes that is lost (global certainty penalty)",
        "items_ncp": "Meaning of the items that is lost (normalized certainty penalty)",
    },
    "ratings": {"records_kept": "Records that are published{empty}", "ratings_kept": "Ratings that are published"},
    "sets": {
        "gcp gcp": "Occurrences of {items} that are not published as they were (global certainty penalty)",
        "gcp lost_items": "Different {items} that are not published at all",
        "ncp": "Meaning of {items} that is lost along the taxonomy (normalized certainty penalty)",
    },
}


def measure_rows(utility: Figures) -> Rows:
    """Return the figures of `covey.evaluate` as measures and their values.

    Examples
    --------
    >>> measure_rows({"kind": "ratings", "records_kept": 0.5, "ratings_kept": 0.25})
    [('Records that are published', '50.0 %'), ('Ratings that are published', '25.0 %')]
    """
    kind = utility.get("kind", "")
    rows = _grouped(utility) if kind in ("grouped", "model") else []
    for way, name in NAMES.get(kind, {}).items():
        value: Any = utility
        for key in way.split():
            value = value.get(key) if isinstance(value, Mapping) else None
        if value is not None:
            items = "public items" if "private_entries" in utility else "items"
            empty = f", {utility['empty']:,} of them without any rating" if utility.get("empty") else ""
            rows.append((name.format(items=items, empty=empty), percent(value, fine=True)))
    if "frequent" in utility:
        kept = utility["frequent"]
        what = f"Combinations of items and groups of items in at least {percent(kept['least'])} of all"
        rows.append((f"{what}: those that still are", f"{kept['surviving']:,} of {kept['frequent']:,}"))
    if "itemsets" in utility:
        rows += _itemsets(utility["itemsets"])
    if utility.get("rounded_from"):
        rows.append((f"Ratings on {utility['rounded_from']} are rounded to the scale", str(utility["scale"])))
    return rows


def _grouped(utility: Figures) -> Rows:
    """Return errors of estimates, combinations whose counts are still right, and how close answers are."""
    rows = []
    for workload, error in utility["kl"].items():
        # The other end of the scale is not measured on Spark.
        blind = f", {error['blind']:.3g} would be no information about sensitive items" if error.get("blind") else ""
        what = f"Distortion of a sensitive item's distribution over {error['r']} {WORKLOADS.get(workload, workload)}"
        value = give_or_take(error["mean"], error["standard_error"]) + _scale(error)
        rows.append((f"{what} (KL divergence in nats; 0 is exact{blind})", value))
    kept = utility.get("patterns")  # not measured on Spark
    if kept and kept["patterns"]:
        # Published baskets are not linked, so combinations are counted in baskets, whatever the promise counts.
        several = utility.get("transactions", 0) > utility.get("persons", 0)
        what = f"Of the {counted(kept['patterns'], 'most frequent combination')} with a sensitive item"
        what += ", counted in baskets" if several else ""
        rows.append((f"{what}, those whose count is right within {percent(kept['tolerance'])}", f"{kept['kept']:,}"))
        if kept.get("admissible", kept["patterns"]) < kept["patterns"]:
            # Without this nobody can tell the method's fault from the price of the promise.
            allows = "would allow if each basket belonged to a different person" if several else "allows"
            allowed = f"{kept['admissible']:,}; {kept['admissible_kept']:,}"
            rows.append((f"Of these combinations, those that the promise {allows}; of which right", allowed))
    for one in utility.get("coverage", ()):
        within = f"{percent(one['within'], fine=True)} of {one['questions']:,}"
        rows.append((f"Answers about {counted(one['items'], 'item')} within two standard errors", within))
    return rows


def _scale(error: Figures) -> str:
    """Return where a release stands between no information about sensitive items and exact counts.

    Examples
    --------
    >>> _scale({"mean": 0.05, "blind": 0.2}), _scale({"mean": 0.05})
    (' (75 % of the way from no information to exact)', '')
    """
    if not error.get("blind"):
        return ""
    if error["mean"] >= error["blind"]:
        return " (no better than no information: do not use these estimates)"
    return f" ({percent(max(1 - error['mean'] / error['blind'], 0.0))} of the way from no information to exact)"


def _itemsets(found: Figures) -> Rows:
    """Return how well itemsets are kept, on the average of baskets drawn from the release."""
    combinations = f"The {found['top']:,} most frequent combinations of up to three items"
    return [
        (f"{combinations}: share that is no longer among them", percent(found["top_deviation"], fine=True)),
        ("Error of counts of pairs of less frequent items (0 is none, 2 is the most)", f"{found['pair_error']:.2f}"),
        ("Items frequent enough to be counted that are not counted", percent(found["lost_items"], fine=True)),
    ]


#: What a release of each kind is counted in.
SIZES: dict[str, Callable[[Figures], str]] = {
    "grouped": lambda body: counted(body["groups"], "group"),
    "model": lambda body: sizes(transactions=body["transactions"], sensitive_items=body["sensitive_items"]),
    "sets": lambda body: sizes(sets=_rows(body), labels=body["items"]),
    "chunks": lambda body: (
        f"{counted(_rows(body), 'record')} in {sizes(clusters=body['clusters'], items=body['items'])}"
    ),
    "records": lambda body: (
        f"{counted(body['persons'], 'person')} in {sizes(classes=body['classes'], labels=body['items'])} of items"
    ),
    "table": lambda body: f"{counted(body['classes'], 'class')} of equal rows",
    "ratings": lambda body: sizes(records=body["records"], ratings=body["ratings"]),
}


def _rows(body: Figures) -> int:
    return int(body["persons"] if "persons" in body else body["transactions"])


def best_attack_text(attacks: Sequence[Figures]) -> str:
    """Return in one sentence what the attack that is right most often achieves, against the claim and the baseline."""
    tried = [attack for attack in attacks if attack["targets"]]
    if not tried:
        return "Attacks were not measured, because this report was made without the original."
    worst = max(tried, key=lambda attack: float(attack["success_rate"]))
    text = f"“{title_of(worst['attack'])}” is right in {guesses_of(worst)}{against(worst)}."
    gaining = max(tried, key=lambda attack: max((ratio or 0.0 for ratio in ratios_of(attack)), default=0.0))
    if gaining is not worst and exceeds(gaining):
        text += f" “{title_of(gaining['attack'])}” gains most: right in {guesses_of(gaining)}{against(gaining)}."
    return text


def against(attack: Figures, *, brief: bool = False) -> str:
    """Return how an attack compares with the claim and with the baseline, where there are any.

    Examples
    --------
    >>> against({"success_rate": 0.5, "claim": 0.1, "baseline": 0.4})
    ', 5.0 times the claim (10 %) and 1.2 times the baseline without the release (40.0 %)'
    """
    claim, baseline = ratios_of(attack)
    if brief:
        both = ((claim, "the claim"), (baseline, "the baseline"))
        return ", ".join(f"{ratio:.1f} times {words}" for ratio, words in both if ratio is not None)
    parts = [] if claim is None else [f"{claim:.1f} times the claim ({percent(attack['claim'])})"]
    if baseline is not None:
        known = baseline_of(attack["baseline"], attack.get("baseline_error"))
        parts.append(f"{baseline:.1f} times the baseline without the release ({known})")
    return f", {' and '.join(parts)}" if parts else ""
