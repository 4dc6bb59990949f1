"""One Spark session for all tests here, and what happens where there is no Java to run it."""

import os
from pathlib import Path

import pytest


def pytest_itemcollected(item):
    """PySpark 4.0 leaves its sockets to the collector."""
    item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


@pytest.fixture(scope="session")
def java() -> str:
    """The Java program; without one the tests are skipped, or fail where CI is set."""
    from covey.spark.session import JAVA, find_java

    found = find_java()
    if found is not None and found[1] >= JAVA:
        return found[0]
    reason = f"needs Java {JAVA} or newer: install a runtime or set JAVA_HOME"
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def spark(java, tmp_path_factory):
    """A session on two cores with little memory, whose Java neither optimizes nor generates code in its short life."""
    from covey.spark.session import session

    scratch = tmp_path_factory.mktemp("spark")
    made = session(
        "local[2]",
        settings={
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "spark.driver.maxResultSize": "288k",
            "spark.sql.shuffle.partitions": "4",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.local.dir": str(scratch),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        },
    )
    yield made
    made.stop()


@pytest.fixture
def frame(spark):
    """Make a DataFrame with a column of lists from baskets: ``frame(baskets)``."""
    from covey.spark.reading import frame_of

    return lambda baskets: frame_of(baskets, spark)


@pytest.fixture
def worker_path() -> str:
    """What PYTHONPATH must be for a process to use the covey under test."""
    import covey

    return os.pathsep.join([str(Path(covey.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
