"""`covey query`: ask a release."""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli.options import JSON, RELEASE, split_labels
from covey.cli.session import emit, out, watched
from covey.counting import counted, give_or_take
from covey.errors import ParameterError
from covey.release import read_release
from covey.release.estimate import Estimate


def query(
    release: RELEASE,
    sensitive: Annotated[
        str | None, typer.Option("--sensitive", "-s", help="The sensitive item to count, for a release in groups.")
    ] = None,
    present: Annotated[
        list[str] | None,
        typer.Option("--present", help="Items that must be present; a comma-separated list, may be repeated."),
    ] = None,
    absent: Annotated[
        list[str] | None,
        typer.Option("--absent", help="Items that must be absent; a comma-separated list, may be repeated."),
    ] = None,
    as_json: JSON = False,
) -> None:
    """Estimate how many transactions have some items and not others; in groups, together with a sensitive item.

    The answer comes from the release alone: bounds that always hold, and an estimate that treats every member of a
    group as equally likely to have the item.
    """
    published = watched(lambda _: read_release(release))
    if not published.supports_queries():
        published.estimate()  # which says why
    known = published.items
    with_items, without = split_labels(present, known), split_labels(absent, known)
    if sensitive is None and not with_items and not without:
        raise ParameterError("Say what to count: --sensitive, --present or --absent.")
    answer = published.estimate(sensitive, present=with_items, absent=without)
    if as_json:
        emit({"sensitive": sensitive, "present": with_items, "absent": without, **answer.to_dict()})
        return
    what = [*([] if sensitive is None else [sensitive]), *with_items, *(f"not {item}" for item in without)]
    out.print(" and ".join(what), markup=False)
    unit = published.unit
    whoever = f"group every {unit[:-1]}" if sensitive else "chunk every record"
    if published.kind == "model" and sensitive is not None:
        show_noisy(answer, counted(published.n, unit[:-1]))
    else:
        show_answer(answer, counted(published.n, unit[:-1]), whoever)
    if sensitive is not None and answer.matching is not None and (with_items or without):
        fitting = f"{counted(answer.matching, unit[:-1])} with"
        out.print(f"  {fitting} the published items (exact)")
    if answer.persons is not None:
        somewhere = "" if unit == "persons" else " in some transaction"
        holders = f"{answer.persons:,} of {published.persons:,} persons have"
        out.print(f"  {holders} {sensitive}{somewhere} (exact)", markup=False)


def show_noisy(answer: Estimate, of_all: str) -> None:
    """Print an estimate with its standard error, from noisy sums."""
    out.print(f"  about [bold]{give_or_take(answer.estimate, answer.standard_error)}[/] of {of_all}", highlight=False)
    out.print(
        "  The standard error covers noise, chance and what the model's form gets wrong. It does not show where"
        " a single ordinary item goes with the sensitive one far more than others: then the truth may be much higher.",
        soft_wrap=True,
    )


def show_answer(answer: Estimate, of_all: str, whoever: str = "group every member") -> None:
    """Print what is certain first, then what is only likely, and under which assumption."""
    if answer.lower == answer.upper:
        out.print(f"  exactly [bold]{answer.lower:,}[/] of {of_all}")
        return
    out.print(f"  certainly [bold]{answer.lower:,} to {answer.upper:,}[/] of {of_all}")
    out.print(
        f"  about [bold]{answer.estimate:,.1f}[/], if within each {whoever} is equally likely to have it "
        f"(chance alone would vary it by ± {answer.standard_error:,.1f})",
        soft_wrap=True,
    )
    out.print(
        "  Only the bounds are certain. If the items really go together, the true count is higher than the estimate."
    )
