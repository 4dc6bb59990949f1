"""What was measured of a release as parts with words, a chart and a table: for terminals, reports and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from covey.counting import counted, percent
from covey.guarantees.words import Promise
from covey.measure.attacks.result import LIMIT, TITLES, ratios_of, right_of, title_of
from covey.release.base import Words
from covey.report import charts
from covey.report.measures import SIZES, measure_rows
from covey.report.page import Part
from covey.report.uniqueness import single_shares, telling
from covey.tabular import Figures


def evaluation_parts(body: Figures) -> list[Part]:
    """Return what `covey evaluate` prints: the measures, and what is learned of someone."""
    size = f", {SIZES[body['kind']](body)}" if body["kind"] in SIZES else ""
    notes = []
    if "private_entries" in body:
        notes.append(f"Private entries published as they were: {body['private_entries']:,}.")
    if body["kind"] == "sets" and "ncp" not in body and body["recoded"] != "suppressed":
        notes.append("Give --taxonomy to measure the loss along it.")
    head = (f"{body['guarantee']} by {body['method']}{size}",)
    measured = Part(lines=head, heads=("", ""), rows=measure_rows(body), numbers=(1,), note=" ".join(notes))
    found = (_exposure(body), _guesses(body), _detail(body), exact_ratings(body.get("uniqueness", {})))
    return [measured, *(part for part in found if part is not None)]


def _exposure(body: Figures) -> Part | None:
    """Return what is learned of someone with a sensitive item."""
    seen = [row for row in body.get("exposure", ()) if row["samples"]]
    if not seen:
        return None
    whom, who = _whom(body)
    names = ("find_after", "link_before", "link_after", "worst_after")
    return Part(
        title=f"Someone who knows a few items of a {whom} with a sensitive item",
        heads=("known", f"finds the {whom}", "sure of the item before", "after", "at worst after"),
        rows=[(str(row["known"]), *(percent(row[name], fine=True) for name in names)) for row in seen],
        numbers=range(5),
        warnings=(body["approximate"],) if "approximate" in body else (),
        note=f"Ordinary items are published exactly, so {whom}s are found as before{who}; by lookup alone, nobody is "
        "more than 1/p sure of the item. For other attackers see `covey attack`.",
    )


def _whom(utility: Figures) -> tuple[str, str]:
    """Return who is found in a release of groups, and what finding persons takes."""
    if "persons" in utility:
        return "person", " by someone who can tell which baskets are theirs"
    return "basket", ""


def _guesses(utility: Figures) -> Part | None:
    """Return how well a row's sensitive values are guessed by someone who knows all quasi-identifiers."""
    certainty = utility.get("certainty", ())
    if not certainty:
        return None
    names = ("blind", "before", "after", "certain_before", "certain_after")
    heads = ("right without either", "right from the original", "right from this release")
    return Part(
        title="What is learned without finding the row",
        lines=(
            "Rows that look alike may also share sensitive values. Someone who knows all quasi-identifiers of a row "
            "guesses the value that most rows like it have. How often is that right, and how often do all of them have "
            "it, so that it is certain?",
        ),
        heads=("sensitive column", *heads, "certain from the original", "certain from this release"),
        rows=[(one["column"], *(percent(one[name]) for name in names)) for one in certainty],
        numbers=range(1, 6),
    )


def _detail(utility: Figures) -> Part | None:
    """Return how much detail each column lost."""
    lost = utility.get("ncp")
    if not isinstance(lost, Mapping) or not lost:
        return None
    return Part(
        title="Detail lost by column (NCP)",
        chart=partial(charts.shares, lost, x_label="detail lost (%)"),
        caption="The mean width of the published ranges, as a share of the whole column: 0 % is published exactly, "
        "100 % not at all.",
        heads=("column", "lost"),
        rows=[(name, percent(loss, fine=True)) for name, loss in lost.items()],
        numbers=(1,),
    )


def exact_ratings(found: Figures) -> Part | None:
    """Return how well exact ratings tell people apart, from the figures of `covey.measure.uniqueness`."""
    unique = telling(found)
    if unique is None:
        return None
    after, before = single_shares(found["after"]), single_shares(found.get("before"))
    columns = {"the original": before, "this release": after}
    named = {name: shares for name, shares in columns.items() if shares}
    return Part(
        title="Who is found by exact ratings",
        lines=(
            "The promise covers someone who knows ratings roughly. Someone who knows some of them exactly, for example "
            "from another site, may find one record. A coarser scale (the option round) makes that less likely.",
            unique.text,
        ),
        chart=partial(
            charts.bars,
            list(after),
            {"singled out": list(after.values())},
            x_label="ordinary ratings that someone knows exactly",
            y_label="records singled out (%)",
            colours=(charts.WARN if unique.warns else charts.INK,),
        ),
        caption="How often this many ordinary ratings of a published record, drawn at random, fit one record only.",
        heads=("known ratings", *named),
        rows=[(known, *(percent(shares.get(known, 0.0)) for shares in named.values())) for known in after],
        numbers=range(1, len(named) + 1),
    )


def attack_part(attacks: Sequence[Figures], limit: float = LIMIT) -> Part:
    """Return how often attacks guess right, beside the claim and what is possible without the release."""
    rows = []
    for one in attacks:
        bars = ("—" if bar is None else percent(bar, fine=True) for bar in (one["claim"], one.get("baseline")))
        times = ("—" if ratio is None else f"{ratio:.2f}" for ratio in ratios_of(one))
        rows.append((title_of(one["attack"]), right_of(one), *bars, *times, f"{one['targets']:,}"))
    return Part(
        title="How often each attack guessed right",
        chart=partial(charts.attacks, attacks, TITLES, limit=limit),
        caption="How often a guess is right, with its 95 % interval, compared with what the guarantee claims and, if "
        "known, with what someone who knows the population achieves without the release (baseline). Attacks that are "
        f"right more than {limit:g} times as often as either are drawn in the colour of warnings; below the baseline, "
        "too: what the claim assumes does not hold against them, though as much can be guessed without the release.",
        heads=("attack", "right", "claimed", "baseline", "times the claim", "times the baseline", "guesses"),
        rows=rows,
        numbers=range(1, 7),
    )


def risk_parts(found: Figures, promise: Promise) -> list[Part]:
    """Return what someone who knows a few things about a person concludes from the original, and from the release."""
    utility = found["utility"]
    linked = [one for one in utility.get("exposure", ()) if one["samples"]]
    then = {one["known"]: one for one in found["risk_after"]}
    seen = [one for one in found["risk_before"] if one["eligible"] and one["known"] in then]
    part = None
    if linked:
        part = _linked(linked, promise, utility)
    elif found["found_before"] is not None and found["found_after"] is not None:
        part = _rows_found(found["found_before"], found["found_after"], promise, utility)
    elif seen:
        part = _changed(
            promise,
            "items that someone knows",
            [(str(one["known"]), one["risk"], then[one["known"]]["risk"]) for one in seen],
            "Someone knows a few items of a row, from a conversation or a receipt. How likely is that to lead to the "
            "row, and so to everything else in it?",
            caption="A row with at least this many items is drawn at random, then that many of its items; the bar is "
            "the mean of 1 / (rows that have them all).",
        )
    guesses = _guesses(utility)
    return [one for one in (part, guesses) if one is not None] if part is not None else []


def _changed(promise: Promise, axis: str, rows: Sequence[tuple[str, float, float]], *lines: str, caption: str) -> Part:
    """Return a chance before and after, with the line of what is promised."""
    names = ("the original, without names", "this release")
    labels, *chances = map(list, zip(*rows, strict=True))
    return Part(
        title="Risk, before and after",
        lines=tuple(filter(None, lines)),
        chart=partial(
            charts.bars,
            labels,
            dict(zip(names, chances, strict=True)),
            x_label=axis,
            y_label="chance (%)",
            line=promise.line(labels),
            colours=(charts.WARN, charts.INK),
        ),
        caption=caption,
        heads=(axis, *names),
        rows=[(label, *map(percent, both)) for label, *both in rows],
        numbers=(1, 2),
    )


def _linked(seen: Sequence[Figures], promise: Promise, utility: Figures) -> Part:
    """For releases in groups: how likely it looks that a holder of a sensitive item holds it."""
    (whom, who), last = _whom(utility), seen[-1]
    return _changed(
        promise,
        "ordinary items that someone knows",
        [(str(one["known"]), one["link_before"], one["link_after"]) for one in seen],
        f"Someone knows a few ordinary items of a {whom}, from a conversation or a receipt, and looks up every {whom} "
        "with these items. How likely does a sensitive item that is really there look?",
        f"With {counted(last['known'], 'known item')} the original would leave the attacker certain in "
        f"{percent(last['certain_before'])} of the cases, this release in {percent(last['certain_after'])}. The {whom} "
        f"is still found as easily as before (with a chance of {percent(last['find_after'])} by so many items drawn at "
        f"random){who}, because ordinary items are published as they are; but no sensitive items come with them.",
        utility.get("approximate", ""),
        caption=f"Mean over {counted(last['samples'], 'draw')}: each is of one holder of a sensitive item, and of as "
        "many of their ordinary items as someone knows.",
    )


def _rows_found(before: Mapping[str, float], after: Mapping[str, float], promise: Promise, utility: Figures) -> Part:
    """For tables: how likely a row or, where they are counted, a person is found by all quasi-identifiers."""
    row = "person" if utility.get("kind") == "records" else "row"  # of records each person has one
    by_person = "persons" in before
    whom, alone = ("person", "are like those of no other person") if by_person else (row, "have no other like them")
    others = "those of n - 1 other persons leads to the right one" if by_person else "n - 1 others is found"
    return _changed(
        promise,
        "by all quasi-identifiers",
        [
            (f"mean over all {row}s", before["mean"], after["mean"]),
            (f"the {whom} easiest to find", before["worst"], after["worst"]),
        ],
        f"Someone knows all quasi-identifiers of a {row}, from a register or a profile. How likely is that to lead to "
        f"the {whom}, and so to what is sensitive {'about them' if whom == 'person' else 'in it'}?",
        f"In the original {percent(before['unique'])} of the {row}s {alone}; in this release "
        f"{percent(after['unique'])}.",
        caption=f"A {row} that looks like {others} with a chance of 1 in n.",
    )


def use_parts(found: Figures) -> list[Part]:
    """Return what questions a release still answers, and how well."""
    utility, parts = found["utility"], list[Part]()
    if found["questions"]:
        rows = [
            (
                f"{q['sensitive']} and {q['present']}",
                f"{q['estimate']:,.1f} ± {q['standard_error']:,.1f}",
                f"{q['truth']:,}",
            )
            for q in found["questions"]
        ]
        part = Part(
            title="Answers beside the truth",
            lines=(
                "Questions about ordinary items alone have exact answers. For those that involve a sensitive item the "
                "release gives an estimate. Some examples, each sensitive item with what it most often goes with:",
            ),
            heads=("how many have both", "from the release", "truth"),
            rows=rows,
            numbers=(1, 2),
            note="The ± is the spread if all members of a group are equally likely to have the item. It is not an "
            "error bar. Where two items really go together, estimates are lower than the truth, because the release "
            "cuts the link within a group. That is the price of the promise; it grows with its strength.",
        )
        parts.append(part)
    if (detail := _detail(utility)) is not None:
        parts.append(detail)
    if measures := measure_rows(utility):
        parts.append(Part(title="Measures", heads=("measure", "value"), rows=measures, numbers=(1,)))
    return parts


def sizes_part(sizes: Sequence[tuple[str, int]], words: Words | None) -> Part | None:
    """Return how many groups there are of which size."""
    if not sizes or words is None:
        return None
    labels, counts = (list(column) for column in zip(*sizes, strict=True))
    total, one, what = sum(counts), words.group, words.groups
    return Part(
        title="How they are grouped",
        chart=partial(charts.bars, labels, {what: counts}, share=False, x_label=f"members of a {one}", y_label=what),
        caption=f"{total:,} {one if total == 1 else what}, by the number of members.",
    )
