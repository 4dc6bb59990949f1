"""Where a plan runs: in this process, or on Apache Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from covey.errors import ParameterError
from covey.parameters import choice

if TYPE_CHECKING:
    from covey.local import Local
    from covey.spark.engine import Spark

ENGINES = ("local", "spark")


def engine(name: str = "local", *, master: str | None = None) -> Local | Spark:
    """Return the engine with a name; `master` says where Spark runs.

    Examples
    --------
    >>> engine("local").name
    'local'
    """
    choice("covey", "engine", name, ENGINES)
    if name == "local" and master is not None:
        raise ParameterError("A master says where Spark runs; choose the engine spark with it.")
    if name == "local":
        from covey.local import Local

        return Local()
    from covey.spark.engine import Spark

    return Spark() if master is None else Spark(master=master)
