"""Where a plan runs: in this process, or on Apache Spark."""

from __future__ import annotations

from typing import Any

from covey.engines.base import Engine
from covey.errors import ParameterError
from covey.lazy import Lazy, load
from covey.parameters import choice

__all__ = ["ENGINES", "Engine", "engine"]

#: One line per engine.
ENGINES: dict[str, Lazy] = {
    "local": "covey.engines.local:Local",
    "spark": "covey.engines.spark.engine:Spark",
}


def engine(name: Any = "local", *, master: str | None = None) -> Engine:
    """The engine of a name; `master` says where Spark runs.

    Examples
    --------
    >>> engine("local").name
    'local'
    """
    if isinstance(name, Engine):
        return name
    choice("covey", "engine", name, tuple(ENGINES))
    if master is None:
        made: Engine = load(ENGINES[name])()
        return made
    if name == "local":
        raise ParameterError("A master says where Spark runs; choose the engine spark with it.")
    made = load(ENGINES[name])(master=master)
    return made
