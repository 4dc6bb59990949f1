"""The Spark session that covey works in: the one that exists, or a quiet one of its own.

covey ships itself to the executors of a cluster as a zip of its own sources; the packages it needs (numpy, numba,
scipy, pyarrow) must be there already, as docs/spark.md explains.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import covey
from covey import errors
from covey.errors import CoveyError, MissingDependency, ParameterError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The oldest Java that Spark 4 runs on.
JAVA = 17
#: Rows of one Arrow batch between Spark and Python; long transactions make a batch large.
BATCH = 50_000

JAVA_OPTIONS = "spark.driver.extraJavaOptions"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
    # A local master has few cores; 200 tasks for every shuffle would be nothing but overhead.
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.adaptive.enabled": "true",
}

# What Spark calls an error is often a lost worker, after which it tries again; what it cannot mend reaches Python as
# an exception.
_QUIET = """\
rootLogger.level = off
rootLogger.appenderRef.stderr.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
logger.gateway.name = org.apache.spark.api.python
logger.gateway.level = off
"""


def session(master: str | None = None, *, settings: Mapping[str, str] | None = None) -> SparkSession:
    """Return the active Spark session, or start one with these settings.

    Without a `master`, such as ``local[2]`` or ``spark://host:7077``, it is the one that exists, or what
    ``spark-submit`` states, or on all cores of this machine. One with another master is an error.
    """
    spark_sql = require_spark()
    from pyspark.errors import PySparkRuntimeError

    # covey hands Spark Arrow batches and never a frame of pandas, whatever version of it there is.
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    try:  # the session of this thread or, where another thread made it, of this process
        active: SparkSession | None = spark_sql.SparkSession.active()
    except PySparkRuntimeError:
        active = None
    if active is not None:
        runs_on = active.conf.get("spark.master", None)
        if master is not None and runs_on != master:
            raise ParameterError(
                f"A Spark session on {runs_on} exists already, so covey cannot start one on {master}. "
                "Stop it first, or leave the master out to use it."
            )
        ship(active)
        return active
    given = dict(settings or {})
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # not submitted
        require_java()
        logging = _scratch("covey-log-") / "log4j2.properties"
        logging.write_text(_QUIET)
        quiet = f"-Dlog4j2.configurationFile={logging.as_uri()}"
        given = {**SETTINGS, **given, JAVA_OPTIONS: f"{quiet} {given.get(JAVA_OPTIONS, '')}".strip()}
        master = master or "local[*]"
        if master.startswith("local"):
            # The workers are processes of this machine and must be the same Python with the same packages.
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            given |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if master is not None:
        given["spark.master"] = master
    made: SparkSession = spark_sql.SparkSession.builder.appName("covey").config(map=given).getOrCreate()
    ship(made)
    return made


def require_spark() -> Any:
    """The module `pyspark.sql`, or an error with the remedy."""
    try:
        import pyspark.sql
    except ImportError:
        raise MissingDependency(
            "The engine spark needs PySpark, which is not installed: pip install 'covey[spark]'."
        ) from None
    return pyspark.sql


def find_java() -> tuple[str, int] | None:
    """The Java program that Spark would start and its version; None when there is none."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if program is None:
        return None
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, check=True).stderr
    except (OSError, subprocess.CalledProcessError):
        return None
    match = re.search(r'version "(\d+)', printed)
    return (program, int(match.group(1))) if match else None


def require_java() -> None:
    """Raise when Java is missing or too old for Spark 4."""
    found = find_java()
    problem = "and there is none" if found is None else f"{found[0]} is version {found[1]}"
    if found is None or found[1] < JAVA:
        remedy = f"Install a Java runtime of version {JAVA} or newer, or let JAVA_HOME point to one."
        raise MissingDependency(f"The engine spark needs Java {JAVA}, {problem}. {remedy}")


def ship(active: SparkSession) -> None:
    """Give the executors of a cluster covey's sources; those of a local master read them where they are.

    Set ``spark.covey.ship`` to ``false`` where covey is installed on the executors anyway.
    """
    runs_on = str(active.conf.get("spark.master", "local"))
    if runs_on.startswith("local") or active.conf.get("spark.covey.ship", "true") == "false":
        return
    context = active.sparkContext
    if any(Path(str(name)).name == "covey.zip" for name in context.listFiles):
        return
    context.addPyFile(str(pack(_scratch("covey-ship-") / "covey.zip")))


def pack(path: Path) -> Path:
    """Write covey's own sources to a zip from which Python can import them; returns `path`."""
    root = Path(covey.__file__).parent
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for source in sorted(path for kind in ("py", "pyi", "md") for path in root.rglob(f"*.{kind}")):
            archive.write(source, Path("covey") / source.relative_to(root))
    return path


def on_worker(work: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a function for Spark's Python workers, which may not write beside covey's sources.

    Kernels are compiled once and then read from a cache; where the sources lie in an archive or in a directory of
    someone else, the cache goes to the temporary directory of the machine.
    """

    def prepared(given: Any) -> Any:
        folder = Path(__file__).parent
        if "NUMBA_CACHE_DIR" not in os.environ and not os.access(folder, os.W_OK):
            os.environ["NUMBA_CACHE_DIR"] = str(Path(tempfile.gettempdir()) / f"covey-numba-{os.getuid()}")
        return work(given)

    return prepared


def _scratch(prefix: str) -> Path:
    """A folder that is there as long as this process."""
    folder = tempfile.mkdtemp(prefix=prefix)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


#: How a Python worker's traceback ends when one of covey's own errors was raised in it.
_OWN = re.compile(r"^covey\.errors\.(\w+): (.+)$", re.MULTILINE)


@contextmanager
def spark_errors(make: Callable[[str], CoveyError]) -> Iterator[None]:
    """Turn exceptions of Spark into what `make` makes of the reason; covey's own from a worker are raised here."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        text = str(error)
        own = _OWN.search(text)
        if own is not None:
            raise getattr(errors, own.group(1))(own.group(2)) from None
        raise make(reason_of(text)) from error


def reason_of(text: str) -> str:
    """The line of an exception's text that explains most: the last of a worker's traceback, or else the first.

    Examples
    --------
    >>> reason_of("Aborted.\\nTraceback (most recent call last):\\n  File ...\\nValueError: no such thing\\n\\tat org")
    'ValueError: no such thing'
    """
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    after = next((place for place, line in enumerate(lines) if line.lstrip().startswith("Traceback")), -1)
    traceback = [line for line in lines[after + 1 :] if after >= 0 and not line[0].isspace()]
    return (traceback or lines or ["no reason given"])[0][:300].rstrip(".")
