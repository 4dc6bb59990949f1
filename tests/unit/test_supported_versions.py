"""What pyproject.toml says about versions is complete, and `make test-versions` can read it."""

import runpy
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOL = runpy.run_path(str(ROOT / "tools" / "supported_versions.py"))


def test_every_requirement_has_a_lower_bound():
    pins = dict(pin.split("==") for pin in TOOL["lowest"]())
    assert {"hatchling", "numpy", "pyspark", "pytest"} <= pins.keys()
    assert "covey" not in pins


def test_a_requirement_without_a_lower_bound_is_refused():
    text = """
        build-system.requires = ["hatchling>=1.27"]
        project.name = "toy"
        project.dependencies = ["numpy<3"]
    """
    with pytest.raises(SystemExit, match=r"numpy<3 in pyproject\.toml has no lower bound"):
        TOOL["lowest"](text)


def test_the_oldest_python_is_the_one_required():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">={TOOL['pythons']()[0]}"


def test_a_python_that_is_not_here_is_skipped_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert TOOL["interpreter"]("3.99") == f"there is no python3.99 on the PATH or in {tmp_path}"
