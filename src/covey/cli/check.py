"""`covey check`: does data that is not published yet already keep a guarantee?"""

from __future__ import annotations

from typing import Annotated

import typer

from covey.cli.options import (
    DATA,
    ENCODING,
    FORMAT,
    ITEM,
    JSON,
    SENSITIVE,
    SEPARATOR,
    TAXONOMY,
    TRANSACTION,
    Source,
)
from covey.cli.session import Stages, emit, out, run, use_json
from covey.cli.verify import show_checks
from covey.contracts import Verdict


def check(
    data: DATA,
    guarantee: Annotated[
        str, typer.Option("--guarantee", "-g", help="What to ask, such as 'km-anonymity(k=5, m=2)'.")
    ],
    sensitive: SENSITIVE = None,
    taxonomy: TAXONOMY = None,
    format: FORMAT = None,
    transaction: TRANSACTION = None,
    item: ITEM = None,
    separator: SEPARATOR = None,
    encoding: ENCODING = "utf-8",
    as_json: JSON = False,
) -> None:
    """Ask whether the data, as it stands, already keeps a guarantee, and who breaks it.

    Exit code 0 when it does, 1 when it does not.
    """
    use_json(as_json)
    stages = Stages()
    source = Source(
        data=data,
        sensitive=sensitive,
        format=format,
        transaction=transaction,
        item=item,
        separator=separator,
        encoding=encoding,
        progress=stages,
    )

    def work() -> Verdict:
        from covey.errors import ParameterError
        from covey.guarantees import guarantee as parse
        from covey.io import read_taxonomy

        promise = parse(guarantee)
        if not hasattr(promise, "check_data"):
            raise ParameterError(f"{promise.name} can only be asked of a release: use `covey verify`.")
        tree = {} if taxonomy is None else {"taxonomy": read_taxonomy(taxonomy)}
        baskets = source()
        stages("verifying", 0.0)
        verdict: Verdict = promise.check_data(baskets, **tree)
        return verdict

    with stages.shown():
        verdict = run(work)
    if as_json:
        emit({"data": data, **verdict.to_dict()})
    else:
        show_checks(verdict)
        holds = "[bold green]The data already keeps" if verdict.holds else "[bold red]The data does not keep"
        out.print(f"{holds} {verdict.guarantee}.[/]")
    raise typer.Exit(0 if verdict.holds else 1)
