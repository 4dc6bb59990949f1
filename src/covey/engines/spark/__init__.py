"""covey on Apache Spark: the same kernels, the same release format, the same checks, on more than one machine.

Needs the extra ``spark`` (PySpark 4) and a Java runtime of version 17 or newer. Nothing here is imported by
``import covey``; Spark itself is loaded when the first function is called.

Examples
--------
A Spark DataFrame with a column of lists, or with a row per transaction and item, becomes a release::

    import covey.engines.spark

    covey.engines.spark.anonymize(df, "k-anonymity(k=5)", out="release")
    covey.engines.spark.verify("release").holds
"""

from __future__ import annotations

# Functions are imported here and now: a module of the same name, imported later, would take their place.
from covey.engines.spark.anonymize import anonymize
from covey.engines.spark.evaluation import evaluate
from covey.engines.spark.frames import Sets, read
from covey.engines.spark.inspection import inspect
from covey.engines.spark.session import session
from covey.engines.spark.verify import verify

__all__ = ["Sets", "anonymize", "evaluate", "inspect", "read", "session", "verify"]
