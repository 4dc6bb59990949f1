"""What someone who knows a few things about a person concludes from the original, and from a release of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from covey.counting import counted, percent
from covey.tabular import Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskChange:
    """A chance before and after, for reports and pages."""

    #: Of a chart.
    title: str
    axis: str
    caption: str
    #: Its bars.
    labels: Sequence[str]
    before: Sequence[float]
    after: Sequence[float]
    #: What is asked, and what follows for this release; "" where the chart says it.
    question: str
    answer: str = ""


def risk_change(found: Any) -> RiskChange | None:
    """The risk in `Findings`, or in a record with the same figures; None when none was measured."""
    linked = [seen for seen in found.utility.get("exposure", ()) if seen["samples"]]
    if linked:
        return _linked(linked, "person" if "persons" in found.utility else "basket")
    if found.found_before is not None and found.found_after is not None:
        row = "person" if found.utility.get("kind") == "records" else "row"  # of records each person has one
        return _rows_found(found.found_before, found.found_after, row)
    then = {risk["known"]: risk for risk in found.risk_after}
    seen = [risk for risk in found.risk_before if risk["eligible"] and risk["known"] in then]
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
    """For releases in groups: how likely it looks that a holder, of which `whom` is the word, holds the item."""
    last = seen[-1]
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
        f"is still found as easily as before (with a chance of {percent(last['find_after'])})"
        f"{' by someone who can tell which baskets are theirs' if whom == 'person' else ''}, because ordinary "
        "items are published as they are; but no sensitive items come with them.",
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
