"""The session: its own or the one that exists, clear words when something is missing, and covey in a zip."""

import os
import subprocess
import sys

import pytest

from covey.errors import MissingDependency, ParameterError
from covey.spark.session import find_java, pack, require_java, session


def test_the_active_session_is_used(spark):
    assert session() is spark
    assert session("local[2]") is spark


def test_another_master_is_refused_while_a_session_exists(spark):
    with pytest.raises(ParameterError, match=r"on local\[2\] exists already"):
        session("local[1]")


def test_a_missing_pyspark_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingDependency, match=r"pip install 'covey\[spark\]'"):
        session()


def test_a_missing_java_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert find_java() is None
    with pytest.raises(MissingDependency, match="version 17 or newer"):
        require_java()


def test_an_old_java_is_refused(monkeypatch):
    monkeypatch.setattr(sys.modules["covey.spark.session"], "find_java", lambda: ("/usr/bin/java", 11))
    with pytest.raises(MissingDependency, match="is version 11"):
        require_java()


def test_covey_runs_from_the_zip_that_is_shipped(tmp_path):
    archive = pack(tmp_path / "covey.zip")
    code = (
        "import covey, numpy as np; from covey.data.csr import count_items;"
        "print(covey.__file__, count_items(np.array([1, 1, 0], np.int32), 2).tolist())"
    )
    env = {**os.environ, "PYTHONPATH": str(archive), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=tmp_path)
    assert ran.stdout.split("zip")[-1].strip() == f"{os.sep}covey{os.sep}__init__.py [1, 2]", ran.stderr


def test_importing_the_package_loads_no_spark():
    code = "import sys, covey.spark; print('pyspark' in sys.modules)"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    ran = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["False"]
