"""What was measured of a release, in words: the same on the command line, in reports, notebooks and on the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covey.counting import counted, give_or_take, percent, sizes
from covey.measure.attacks.result import baseline_of, exceeds, guesses_of, ratios_of, title_of
from covey.report.page import Part
from covey.report.uniqueness import Telling, telling
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


def evaluation_parts(body: Figures) -> list[Part]:
    """Return what `covey evaluate` prints: the measures, and what is learned of someone."""
    size = f", {SIZES[body['kind']](body)}" if body["kind"] in SIZES else ""
    notes = (
        [f"Private entries published as they were: {body['private_entries']:,}."] if "private_entries" in body else []
    )
    if body["kind"] == "sets" and "ncp" not in body and body["recoded"] != "suppressed":
        notes.append("Give --taxonomy to measure the loss along it.")
    head = (f"{body['guarantee']} by {body['method']}{size}",)
    measured = Part(lines=head, heads=("", ""), rows=measure_rows(body), numbers=(1,), note=" ".join(notes))
    ncp = body.get("ncp")
    by_column = [(name, percent(loss, fine=True)) for name, loss in ncp.items()] if isinstance(ncp, Mapping) else []
    parts = [measured, *exposure_part(body), *guess_parts(body.get("certainty", ()))]
    if by_column:
        parts.append(Part(title="Detail lost by column (NCP)", heads=("column", "lost"), rows=by_column, numbers=(1,)))
    told = telling(body.get("uniqueness", {}))
    return parts if told is None else [*parts, telling_part(told)]


def exposure_part(body: Figures) -> list[Part]:
    """Return what is learned of someone with a sensitive item, if that was measured."""
    seen = [row for row in body.get("exposure", ()) if row["samples"]]
    if not seen:
        return []
    whom = "person" if "persons" in body else "basket"
    names = ("find_after", "link_before", "link_after", "worst_after")
    who = " by someone who can tell which baskets are theirs" if whom == "person" else ""
    note = (
        f"Ordinary items are published exactly, so {whom}s are found as before{who}; by lookup alone, nobody is more "
        "than 1/p sure of the item. For other attackers see `covey attack`."
    )
    return [
        Part(
            title=f"Someone who knows a few items of a {whom} with a sensitive item",
            heads=("known", f"finds the {whom}", "sure of the item before", "after", "at worst after"),
            rows=[(str(row["known"]), *(percent(row[name], fine=True) for name in names)) for row in seen],
            numbers=range(5),
            warnings=(body["approximate"],) if "approximate" in body else (),
            note=note,
        )
    ]


def guess_parts(certainty: Sequence[Figures]) -> list[Part]:
    """Return how well a row's sensitive values are guessed by someone who knows all quasi-identifiers."""
    if not certainty:
        return []
    names = ("blind", "before", "after", "certain_before", "certain_after")
    heads = ("right without either", "right from the original", "right from this release")
    return [
        Part(
            title="What is learned without finding the row",
            lines=(
                "Rows that look alike may also share sensitive values. Someone who knows all quasi-identifiers of a "
                "row guesses the value that most rows like it have. How often is that right, and how often do all of "
                "them have it, so that it is certain?",
            ),
            heads=("sensitive column", *heads, "certain from the original", "certain from this release"),
            rows=[(one["column"], *(percent(one[name]) for name in names)) for one in certainty],
            numbers=range(1, 6),
        )
    ]


def telling_part(told: Telling) -> Part:
    """Return as a table how well exact ratings tell people apart."""
    columns = {"the original": told.before, "this release": told.after}
    shown = {name: values for name, values in columns.items() if values}
    rows = [(one, *map(percent, row)) for one, *row in zip(told.labels, *shown.values(), strict=True)]
    heads = ("known ratings", *shown)
    return Part(title="Who is found by exact ratings", lines=(told.text,), heads=heads, rows=rows, numbers=(1, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskChange:
    """A chance before and after: a chart, what is asked, and what follows for this release."""

    title: str
    axis: str
    caption: str
    labels: Sequence[str]
    before: Sequence[float]
    after: Sequence[float]
    question: str
    answer: str = ""


def risk_change(found: Figures) -> RiskChange | None:
    """Return what someone who knows a few things about a person concludes from the original, and from the release."""
    utility = found["utility"]
    linked = [seen for seen in utility.get("exposure", ()) if seen["samples"]]
    if linked:
        return _linked(linked, "person" if "persons" in utility else "basket")
    if found["found_before"] is not None and found["found_after"] is not None:
        row = "person" if utility.get("kind") == "records" else "row"  # of records each person has one
        return _rows_found(found["found_before"], found["found_after"], row)
    then = {risk["known"]: risk for risk in found["risk_after"]}
    seen = [risk for risk in found["risk_before"] if risk["eligible"] and risk["known"] in then]
    if not seen:
        return None
    return RiskChange(
        title="Chance of finding a row, before and after",
        axis="items that someone knows",
        caption="A row with at least this many items is drawn at random, then that many of its items; the bar is the "
        "mean of 1 / (rows that have them all).",
        labels=[str(one["known"]) for one in seen],
        before=[one["risk"] for one in seen],
        after=[then[one["known"]]["risk"] for one in seen],
        question="Someone knows a few items of a row, from a conversation or a receipt. How likely is that to lead "
        "to the row, and so to everything else in it?",
    )


def _linked(seen: Sequence[Figures], whom: str) -> RiskChange:
    """For releases in groups: how likely it looks that a holder, a `whom`, holds the item."""
    last = seen[-1]
    who = " by someone who can tell which baskets are theirs" if whom == "person" else ""
    return RiskChange(
        title="Chance of attaching a sensitive item to its holder, before and after",
        axis="ordinary items that someone knows",
        caption=f"Mean over {counted(last['samples'], 'draw')}: each is of one holder of a sensitive item, and of as "
        "many of their ordinary items as someone knows.",
        labels=[str(one["known"]) for one in seen],
        before=[one["link_before"] for one in seen],
        after=[one["link_after"] for one in seen],
        question=f"Someone knows a few ordinary items of a {whom}, from a conversation or a receipt, and looks up "
        f"every {whom} with these items. How likely does a sensitive item that is really there look?",
        answer=f"With {counted(last['known'], 'known item')} the original would leave the attacker certain in "
        f"{percent(last['certain_before'])} of the cases, this release in {percent(last['certain_after'])}. The {whom} "
        f"is still found as easily as before (with a chance of {percent(last['find_after'])} by so many items drawn at "
        f"random){who}, because ordinary items are published as they are; but no sensitive items come with them.",
    )


def _rows_found(before: Mapping[str, float], after: Mapping[str, float], row: str) -> RiskChange:
    """For tables: how likely a row, or where they are counted the person, is found by all its quasi-identifiers."""
    by_person = "persons" in before
    whom, alone = ("person", "are like those of no other person") if by_person else (row, "have no other like them")
    others = "those of n - 1 other persons leads to the right one" if by_person else "n - 1 others is found"
    return RiskChange(
        title=f"Chance of finding the right {whom}, before and after",
        axis="by all quasi-identifiers",
        caption=f"A {row} that looks like {others} with a chance of 1 in n.",
        labels=[f"mean over all {row}s", f"the {whom} easiest to find"],
        before=[before["mean"], before["worst"]],
        after=[after["mean"], after["worst"]],
        question=f"Someone knows all quasi-identifiers of a {row}, from a register or a profile. How likely is that to "
        f"lead to the {whom}, and so to what is sensitive {'about them' if whom == 'person' else 'in it'}?",
        answer=f"In the original {percent(before['unique'])} of the {row}s {alone}; in this release "
        f"{percent(after['unique'])}.",
    )


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
    told = [] if claim is None else [f"{claim:.1f} times the claim ({percent(attack['claim'])})"]
    if baseline is not None:
        known = baseline_of(attack["baseline"], attack.get("baseline_error"))
        told.append(f"{baseline:.1f} times the baseline without the release ({known})")
    return f", {' and '.join(told)}" if told else ""
