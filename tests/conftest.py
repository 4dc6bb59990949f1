"""Where real data lies, Hypothesis settings that keep runs alike everywhere, and which tests run in one process."""

import os
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

COMMON = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("covey", COMMON, max_examples=60, derandomize=True)
settings.register_profile("plain", COMMON, max_examples=10, derandomize=True)  # kernels as plain Python are slow
settings.register_profile("search", COMMON, max_examples=400)  # `make test-slow`: other examples every time
settings.load_profile("covey")


#: Tests that run in one process, for they share a Spark session, a browser or a server. They take longest and often
#: wait, so they begin; many small files come last, so that all processes end together.
TOGETHER = ("tests/web/test_browser", "tests/spark/", "tests/web/")


def pytest_configure(config):
    """Kernels wrap around where they hash; numpy warns of that where they are not compiled."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


def pytest_collection_modifyitems(items):
    """Those of `TOGETHER` come first, in that order."""

    def place(item):
        return next((at for at, start in enumerate(TOGETHER) if item.nodeid.startswith(start)), len(TOGETHER))

    items.sort(key=place)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Files of tests have no examples in docstrings; to look for some would import each of them twice."""
    return [found for found in (yield) if not isinstance(found, DoctestModule)]


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_make_scheduler(config, log):
    """Which tests run in one process: those of `TOGETHER`, and those of a file.

    (Marks of the kind `xdist_group` have no effect with pytest 9.2.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            path = nodeid.split("::", 1)[0]
            return next((start for start in TOGETHER if path.startswith(start)), path)

    return ByFile(config, log)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The directory with real data sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("COVEY_DATA") or Path(__file__).parents[2] / "shared" / "data")
    if not folder.is_dir():
        pytest.skip("needs the real data sets: set COVEY_DATA to their directory")
    return folder


@pytest.fixture
def fig1():
    """The five baskets of Fig. 1 of the CAHD paper."""
    from covey import Baskets

    return Baskets.of(
        [
            ["wine", "meat", "viagra"],
            ["wine", "meat"],
            ["strawberries", "cream", "pregnancy test"],
            ["strawberries", "meat"],
            ["wine", "meat", "cream"],
        ],
        sensitive=["viagra", "pregnancy test"],
    )


@pytest.fixture
def covey_cli(capsys, monkeypatch):
    """Run the command line in this process: ``covey_cli("verify", "out") -> (exit code, stdout, stderr)``."""
    import sys

    def run(*arguments: str) -> tuple[int, str, str]:
        from covey.cli.entry import main

        monkeypatch.setattr(sys, "argv", ["covey", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = capsys.readouterr()
        code = stopped.value.code
        return (code if isinstance(code, int) else int(code is not None)), printed.out, printed.err

    return run


@pytest.fixture
def prepared(covey_cli):
    """Prepare files: ``prepared("sales.csv", "--item", "sku", out="shop.covey") -> "shop.covey"``."""

    def make(*words, out):
        code, _, errors = covey_cli("prepare", *words, "--force", "-o", out)
        assert code == 0, errors
        return out

    return make
