"""covey on Apache Spark: the same kernels, the same release format, the same checks, on more than one machine.

Needs the extra ``spark`` (PySpark 4) and a Java runtime of version 17 or newer. Nothing here is imported by
``import covey``; Spark itself is loaded when the first function is called.

Examples
--------
A Spark DataFrame with a column of lists, or with a row per transaction and item, becomes a release::

    import covey.spark

    covey.spark.anonymize(df, "k-anonymity(k=5)", out="release")
    covey.spark.verify("release").holds
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

_HOMES = {
    "Sets": "covey.spark.frames",
    "anonymize": "covey.spark.anonymize",
    "evaluate": "covey.spark.evaluation",
    "inspect": "covey.spark.inspection",
    "read": "covey.spark.frames",
    "session": "covey.spark.session",
    "verify": "covey.spark.verify",
}

if TYPE_CHECKING:
    from covey.spark.anonymize import anonymize
    from covey.spark.evaluation import evaluate
    from covey.spark.frames import Sets, read
    from covey.spark.inspection import inspect
    from covey.spark.session import session
    from covey.spark.verify import verify

__all__ = ["Sets", "anonymize", "evaluate", "inspect", "read", "session", "verify"]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'covey.spark' has no attribute {name!r}")
    # Importing the module `anonymize` would otherwise put it in the place of the function of that name.
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return list(__all__)
