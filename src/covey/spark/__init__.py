"""covey on Apache Spark: the same kernels, the same release format, the same checks, on more than one machine.

Needs the extra ``spark`` (PySpark 4) and a Java runtime of version 17 or newer. The verbs are those of covey, with the
engine named; nothing here is imported by ``import covey``, and Spark itself is loaded when it is first needed.

Examples
--------
A Spark DataFrame with a column of lists, or with a row per transaction and item, becomes a release::

    covey.publish(df, "release", "k-anonymity(k=5)", engine="spark")
    covey.verify("release", df, engine="spark").holds

What is read once and used several times is read into `Sets`::

    clicks = covey.spark.read("clicks.parquet").persist()
"""

from __future__ import annotations

from covey.spark.engine import Spark
from covey.spark.reading import read
from covey.spark.session import session
from covey.spark.sets import Sets

__all__ = ["Sets", "Spark", "read", "session"]
