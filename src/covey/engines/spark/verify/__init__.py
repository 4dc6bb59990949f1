"""Does a release keep its promise? Asked on Spark, by code that no method uses.

Files and manifest are examined as by the local verifier (`covey.verify.examine`, with `OnSpark` to read them); tables
are read by its strict reader, and counted where they are.
"""

from covey.engines.spark.verify.checkers import OnSpark, compare, require_able

__all__ = ["OnSpark", "compare", "require_able"]
