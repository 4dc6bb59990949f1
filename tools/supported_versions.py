"""Run the tests with the versions that pyproject.toml claims to support: `make test-versions`.

On every Python of the classifiers: with the lowest version of each dependency, which is what `>=` promises, and with
the newest. A Python that this machine lacks is skipped, with the reason; the newest versions on the Python of .venv are
left to `make test`. Environments and compiled kernels are kept in `.versions/`; an environment is made anew when
pyproject.toml changes.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
KEPT = ROOT / ".versions"
DECLARED = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PYTHON_CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+\.\d+)")
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[.*\])?(?P<bounds>[^;]*)")


def pythons(declared: str = DECLARED) -> list[str]:
    """The Pythons of the classifiers, oldest first."""
    classifiers = tomllib.loads(declared)["project"]["classifiers"]
    found = [match[1] for text in classifiers if (match := PYTHON_CLASSIFIER.fullmatch(text))]
    return sorted(found, key=lambda version: tuple(map(int, version.split("."))))


def lowest(declared: str = DECLARED) -> list[str]:
    """Every requirement, also of the extras and of the build, at its lower bound."""
    read = tomllib.loads(declared)
    project = read["project"]
    groups = [read["build-system"]["requires"], project.get("dependencies", [])]
    groups += project.get("optional-dependencies", {}).values()
    pinned = set()
    for requirement in (text for group in groups for text in group):
        parts = REQUIREMENT.match(requirement)
        if parts is None or parts["name"] == project["name"]:
            continue
        bound = re.search(r">=\s*([\w.]+)", parts["bounds"])
        if bound is None:
            sys.exit(f"{requirement} in pyproject.toml has no lower bound. Write {parts['name']}>=VERSION.")
        pinned.add(f"{parts['name']}=={bound[1]}")
    return sorted(pinned)


def interpreter(version: str) -> Path | str:
    """A Python of this version that can make environments, or why there is none."""
    home = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    candidates = [Path(folder) / f"python{version}" for folder in os.get_exec_path()]
    candidates += sorted(home.glob(f"versions/{version}.*/bin/python{version}"), reverse=True)
    if version == running():
        candidates.insert(0, Path(sys.executable))
    reason = f"there is no python{version} on the PATH or in {home}"
    for path in filter(Path.is_file, candidates):
        tried = subprocess.run([path, "-c", "import ensurepip, venv"], capture_output=True, text=True)
        if tried.returncode == 0:
            return path
        reason = f"{path} cannot make environments ({(tried.stderr.strip() or 'no reason given').splitlines()[-1]})"
    return reason


def running() -> str:
    """The version of this Python, as classifiers write it."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def environment(python: Path, name: str, pins: list[str]) -> Path:
    """An environment with covey, its dev extra and what is pinned, made now or found as pyproject.toml wants it."""
    folder = KEPT / name
    stamp = folder / "made-from"
    wanted = f"{python} {hashlib.sha256(DECLARED.encode()).hexdigest()}"
    if stamp.is_file() and stamp.read_text() == wanted:
        return folder
    subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{pin}\n" for pin in pins))
    # As variables: only so does pip heed them also where it builds covey.
    settings = os.environ | {"PIP_CONSTRAINT": str(constraints), "PIP_BUILD_CONSTRAINT": str(constraints)}
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--editable", f"{ROOT}[dev]"]
    subprocess.run(pip, env=settings, check=True)
    stamp.write_text(wanted)
    return folder


def passes(python: Path, name: str, pins: list[str], arguments: list[str]) -> bool:
    """Whether covey can be installed with these pins, its kernels compiled, and its tests pass."""
    print(f"Python {name.replace('-', ' with the ')} versions", flush=True)
    try:
        folder = environment(python, name, pins)
        settings = os.environ | {"NUMBA_CACHE_DIR": str(folder / "kernels")}
        # Once: processes of tests would each compile what all need.
        subprocess.run([folder / "bin" / "covey", "compile"], cwd=ROOT, env=settings, check=True)
    except subprocess.CalledProcessError:
        return False
    tests = [folder / "bin" / "python", "-m", "pytest", "-q", "-m", "not slow", *arguments]
    return subprocess.run(tests, cwd=ROOT, env=settings).returncode == 0


def main(arguments: list[str]) -> None:
    """Run the tests in every environment, with these arguments for pytest; exit 1 if any of them fails."""
    failed = []
    for version in pythons():
        python = interpreter(version)
        if isinstance(python, str):
            print(f"Python {version} is skipped: {python}.", flush=True)
            continue
        wanted = {f"{version}-lowest": lowest()}
        if version != running():
            wanted[f"{version}-newest"] = []
        failed += [name for name, pins in wanted.items() if not passes(python, name, pins, arguments)]
    if failed:
        sys.exit(f"Failed with: {', '.join(failed)}")


if __name__ == "__main__":
    main(sys.argv[1:])
