"""Honest releases, made once, and copies of them to tamper with."""

import pytest

from forge import tools


@pytest.fixture(scope="session")
def honest(tmp_path_factory):
    """``honest(kind, csv=False)``: a release that nobody has touched."""
    made = {}

    def make(kind, csv=False):
        if (kind, csv) not in made:
            folder = tmp_path_factory.mktemp("honest") / "release"
            made[kind, csv] = tools.publish(kind, folder, csv=csv)
        return made[kind, csv]

    return make


@pytest.fixture
def forge(honest, tmp_path):
    """``forge(kind, csv=False)``: a copy of an honest release, to tamper with."""
    count = iter(range(1000))

    def take(kind, csv=False):
        return tools.copied(honest(kind, csv), tmp_path / f"forged{next(count)}")

    return take
