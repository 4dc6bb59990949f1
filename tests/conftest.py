"""Where real data lies, and Hypothesis settings that keep runs alike everywhere."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "covey", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60
)
settings.load_profile("covey")


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
