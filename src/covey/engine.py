"""Where a plan runs: in this process, or on Apache Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from covey.errors import ParameterError
from covey.lazy import Lazy, load
from covey.parameters import choice

if TYPE_CHECKING:
    from covey.local import Local
    from covey.spark.engine import Spark

ENGINES: dict[str, Lazy] = {
    "local": "covey.local:Local",
    "spark": "covey.spark.engine:Spark",
}


def engine(name: str = "local", *, master: str | None = None) -> Local | Spark:
    """Return the engine with a name; `master` says where Spark runs.

    Examples
    --------
    >>> engine("local").name
    'local'
    """
    choice("covey", "engine", name, tuple(ENGINES))
    if name == "local" and master is not None:
        raise ParameterError("A master says where Spark runs; choose the engine spark with it.")
    options: dict[str, Any] = {} if master is None else {"master": master}
    made: Local | Spark = load(ENGINES[name])(**options)
    return made
