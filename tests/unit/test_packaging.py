"""What is published besides the code: wheel and sdist, the container's recipe, how to cite."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import covey

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_versions_agree():
    assert PROJECT["version"] == covey.__version__
    assert f"\nversion: {covey.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## {covey.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert ".".join(covey.__version__.split(".")[:2]) in (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_extras_that_are_named_exist():
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md", ROOT / "Dockerfile", *(ROOT / "src").rglob("*.py")]
    extras = set(PROJECT["optional-dependencies"])
    named = {
        extra.strip()
        for page in pages
        for found in re.findall(r"(?:covey|'\.|`\.)\[([a-z, ]+)\]", page.read_text(encoding="utf-8"))
        for extra in found.split(",")
    }
    assert {"web", "spark"} <= named <= extras


def instructions():
    """The lines of the Dockerfile, continued ones joined, by stage."""
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    starts = [i for i, line in enumerate(lines) if line.startswith("FROM ")]
    return [lines[i:j] for i, j in zip(starts, [*starts[1:], len(lines)], strict=True)]


def test_the_container_is_not_root_and_writes_to_its_volume_only():
    *_, last = instructions()
    known = ("FROM", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD", "COPY")
    for stage in instructions():
        assert re.fullmatch(r"FROM \S+:\d[\w.-]+( AS \w+)?", stage[0]), "a base image without a version"
        for line in stage:
            assert line.split()[0] in known, line
            if line.startswith("RUN") and "pip" in line:
                assert "--no-cache-dir" in line
    user = next(line.split()[1] for line in last if line.startswith("USER"))
    assert re.fullmatch(r"[1-9]\d+:[1-9]\d+", user)
    assert [line for line in last if line.startswith("VOLUME")] == ['VOLUME ["/data"]']
    assert next(i for i, line in enumerate(last) if line.startswith("USER")) > max(
        i for i, line in enumerate(last) if line.startswith("RUN")
    )
    command = next(line for line in last if line.startswith("CMD"))
    assert command.startswith('CMD ["covey", "serve"')
    environment = next(line for line in last if line.startswith("ENV"))
    assert all(value.startswith("/data") or value == "1" for value in re.findall(r"=(\S+)", environment))


def test_what_the_container_copies_is_not_ignored():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        word
        for stage in instructions()
        for line in stage
        if line.startswith("COPY") and "--from" not in line
        for word in line.split()[1:-1]
    }
    assert copied == allowed


@pytest.mark.slow
def test_the_wheel_works_where_it_is_installed(tmp_path):
    built = tmp_path / "built"
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", built, ROOT],
        env={**os.environ, "COVEY_COMPILE": "0"},
        check=True,
        capture_output=True,
    )
    [wheel], [_] = list(built.glob("*.whl")), list(built.glob("*.tar.gz"))
    names = zipfile.ZipFile(wheel).namelist()
    assert "covey/py.typed" in names
    assert any(name.endswith("templates/options.html") for name in names)
    assert not any(name.startswith("tests") or "__pycache__" in name for name in names)
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", site, wheel]
    subprocess.run(install, check=True, capture_output=True)
    environment = {**os.environ, "PYTHONPATH": str(site), "NUMBA_CACHE_DIR": str(tmp_path / "numba")}

    def run(*words):
        start = [sys.executable, "-c", "from covey.cli.entry import main; main()"]
        done = subprocess.run([*start, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert run("--version").strip() == f"covey {covey.__version__}"
    where = [sys.executable, "-c", "import covey; print(covey.__file__)"]
    found = subprocess.run(where, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(site))
    (tmp_path / "sales.txt").write_text("a b s\n" + "a b\n" * 5)
    run("anonymize", "sales.txt", "-s", "s", "-g", "degree(p=3)", "-o", "release")
    run("verify", "release", "--original", "sales.txt")
