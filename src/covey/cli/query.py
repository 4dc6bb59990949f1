"""`covey query`: ask a release."""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli.options import JSON, RELEASE, split_labels
from covey.cli.session import emit, out, run, use_json


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

    The answer comes from the release alone: an estimate, its standard error, and bounds that hold for certain.
    """
    use_json(as_json)
    from covey.release import read_release

    published = run(lambda: read_release(release))
    known = published.transactions.items
    with_items, without = split_labels(present, known), split_labels(absent, known)
    answer = published.estimate(sensitive, present=with_items, absent=without)
    if as_json:
        emit({"sensitive": sensitive, "present": with_items, "absent": without, **answer.to_dict()})
        return
    what = [sensitive, *with_items, *(f"not {item}" for item in without)]
    out.print(" and ".join(what), markup=False)
    out.print(f"  about [bold]{answer.estimate:,.1f}[/] of {published.transactions.n:,} transactions")
    out.print(
        f"  ± {answer.standard_error:,.1f} standard error; certainly {answer.lower:,} to {answer.upper:,}"
    )
    if with_items or without:
        out.print(f"  {answer.matching:,} transactions match the published items (exact)")
