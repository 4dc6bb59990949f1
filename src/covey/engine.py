"""Where a plan runs: in this process, or on Apache Spark."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Literal, get_args

from covey.errors import ParameterError
from covey.local import Local
from covey.parameters import choice

if TYPE_CHECKING:
    from covey.spark.engine import Spark

EngineName = Literal["local", "spark"]


def engine(name: str = "local", *, master: str | None = None) -> Local | Spark:
    """Return the engine with a name; `master` says where Spark runs.

    Examples
    --------
    >>> engine("local").name
    'local'
    """
    choice("covey", "engine", name, get_args(EngineName))
    if name == "local":
        if master is not None:
            raise ParameterError("A master says where Spark runs; choose the engine spark with it.")
        return Local()
    spark: type[Spark] = import_module("covey.spark.engine").Spark  # which needs PySpark
    return spark(master)


def require_in_memory(name: str, what: str = "A release in memory is measured here") -> None:
    """Raise `ParameterError` for another engine than the local one."""
    if name != Local.name:
        raise ParameterError(f"{what}: it needs the engine local.")
