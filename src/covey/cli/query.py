"""`covey query`: ask a release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from covey.cli.command import command, new_app
from covey.cli.options import RELEASE, split_labels
from covey.cli.session import show, watched
from covey.counting import counted, give_or_take
from covey.errors import ParameterError
from covey.release import read_release
from covey.release.estimate import Estimate

app = new_app()
LIST = "a comma-separated list, may be repeated."


@command(app, "covey query release --sensitive 'pregnancy test' --present 'folic acid' --absent 'red wine'")
def query(
    release: RELEASE,
    sensitive: Annotated[
        str | None,
        typer.Option("--sensitive", "-s", metavar="ITEM", help="The sensitive item to count, for a release in groups."),
    ] = None,
    present: Annotated[
        list[str] | None, typer.Option(metavar="ITEMS", help=f"Items that must be present; {LIST}")
    ] = None,
    absent: Annotated[
        list[str] | None, typer.Option(metavar="ITEMS", help=f"Items that must be absent; {LIST}")
    ] = None,
) -> None:
    """Estimate how many transactions have some items and not others; in groups, together with a sensitive item.

    The answer comes from the release alone: bounds that always hold, and an estimate that treats every member of a
    group as equally likely to have the item.
    """
    published = watched(lambda _: read_release(release))
    if not published.supports_queries():
        published.estimate()  # which raises, and says why
    with_items, without = split_labels(present, published.items), split_labels(absent, published.items)
    if sensitive is None and not with_items and not without:
        raise ParameterError("Say what to count: --sensitive, --present or --absent.")
    answer = published.estimate(sensitive, present=with_items, absent=without)
    asked = {"sensitive": sensitive, "present": with_items, "absent": without}
    show({**asked, **answer.to_dict()}, _lines(published, answer, sensitive, with_items, without))


def _lines(
    published: Any, answer: Estimate, sensitive: str | None, present: list[str], absent: list[str]
) -> Iterator[RenderableType]:
    """Yield the estimate with what is certain of it, under which assumption it holds, and what is stated exactly."""
    what = " and ".join([*([] if sensitive is None else [sensitive]), *present, *(f"not {item}" for item in absent)])
    unit = published.unit
    one, of_all = unit[:-1], f"of {counted(published.n, unit[:-1])}"
    if published.kind == "model" and sensitive is not None:
        yield Text(f"{what}: about {give_or_take(answer.estimate, answer.standard_error)} {of_all}", "bold")
        yield (
            "  The standard error covers noise, chance, what the model's form gets wrong, and holders whom the noise "
            "may hide among the transactions asked for. Where it exceeds the estimate, the release tells little."
        )
    elif answer.lower == answer.upper:
        yield Text(f"{what}: exactly {answer.lower:,} {of_all}", "bold")
    else:
        bounds = f"certainly {answer.lower:,} to {answer.upper:,}"
        yield Text(f"{what}: about {answer.estimate:,.1f}, {bounds}, {of_all}", "bold")
        yield (
            f"  The estimate holds if within each {f'group every {one}' if sensitive else 'chunk every record'} is "
            f"equally likely to have it (chance alone would vary it by ± {answer.standard_error:,.1f}). If the items "
            "really go together, the true count is higher."
        )
    if sensitive is not None and answer.matching is not None and (present or absent):
        yield f"  {counted(answer.matching, one)} with the published items (exact)"
    if answer.persons is not None:
        somewhere = "" if unit == "persons" else " in some transaction"
        yield f"  {answer.persons:,} of {published.persons:,} persons have {sensitive}{somewhere} (exact)"
