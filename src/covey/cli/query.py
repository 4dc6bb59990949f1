"""`covey query`: ask a release."""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli.options import JSON, RELEASE, split_labels
from covey.cli.session import emit, out, run, use_json
from covey.errors import ParameterError
from covey.release import read_release
from covey.release.grouped import Estimate
from covey.release.grouped.assisted import AssistedEstimate


def query(
    release: RELEASE,
    sensitive: Annotated[str, typer.Option("--sensitive", "-s", help="The sensitive item to count.")],
    present: Annotated[
        list[str] | None,
        typer.Option("--present", help="Items that must be there; comma list, may be repeated."),
    ] = None,
    absent: Annotated[
        list[str] | None,
        typer.Option("--absent", help="Items that must not be there; comma list, may be repeated."),
    ] = None,
    as_json: JSON = False,
) -> None:
    """Estimate how many transactions hold a sensitive item together with, or without, others.

    The answer comes from the release alone: bounds that hold for certain, an estimate that takes every member of a
    group as equally likely to hold the item, and a second one by a model where that helps.
    """
    use_json(as_json)
    published = run(lambda: read_release(release))
    if not hasattr(published, "estimate"):
        raise ParameterError(
            f"Estimates come from counts per group, and {release} is a {published.kind} release: read its tables "
            "as they are, with any tool or with covey.read_release."
        )
    known = published.transactions.items
    with_items, without = split_labels(present, known), split_labels(absent, known)
    answer = published.estimate(sensitive, present=with_items, absent=without)
    second = run(lambda: published.assisted(sensitive, present=with_items, absent=without))
    if as_json:
        body = {"sensitive": sensitive, "present": with_items, "absent": without, **answer.to_dict()}
        emit({**body, "assisted": second.to_dict()})
        return
    what = [sensitive, *with_items, *(f"not {item}" for item in without)]
    out.print(" and ".join(what), markup=False)
    show_answer(answer, published.transactions.n, second)
    if with_items or without:
        out.print(f"  {answer.matching:,} transactions match the published items (exact)")
    if answer.persons is not None:
        out.print(
            f"  {answer.persons:,} of {published.persons:,} persons have {sensitive} in some transaction (exact)",
            markup=False,
        )


def show_answer(answer: Estimate, transactions: int, second: AssistedEstimate | None = None) -> None:
    """Print what is certain first, then what is only likely, and under which assumption."""
    if answer.lower == answer.upper:
        out.print(f"  exactly [bold]{answer.lower:,}[/] of {transactions:,} transactions")
        return
    out.print(f"  certainly [bold]{answer.lower:,} to {answer.upper:,}[/] of {transactions:,} transactions")
    out.print(
        f"  about [bold]{answer.estimate:,.1f}[/], if within each group every member is equally likely to have it "
        f"(dealing it out at random spreads by ± {answer.standard_error:,.1f})",
        soft_wrap=True,
    )
    out.print("  Only the certain bounds cover the truth: items that really go together do so more often than chance.")
    if second is not None and second.weight > 0:
        out.print(
            f"  about [bold]{second.estimate:,.1f}[/] by a model of all groups together, which groups held out of its "
            f"fit confirm (weight {second.weight:.1f})",
            soft_wrap=True,
        )
    elif second is not None:
        out.print(f"  [dim]A model of all groups together does not help here: {second.reason}.[/]", soft_wrap=True)
