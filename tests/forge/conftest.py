"""Honest releases, made once, and copies of them to tamper with."""

import pytest

from covey.release.manifest import FORMAT
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
    """``forge(kind, csv=False, format=FORMAT)``: a copy of an honest release, to tamper with."""
    count = iter(range(1000))

    def take(kind, csv=False, format=FORMAT):
        if format == 1 and kind in tools.LATER:
            pytest.skip("format 1 did not have it")
        release = tools.copied(honest(kind, csv), tmp_path / f"forged{next(count)}")
        return release if format == FORMAT else tools.downgrade(release, format)

    return take


@pytest.fixture(params=[FORMAT, pytest.param(1, marks=pytest.mark.slow)], ids=["today", "format1"])
def format(request):
    """Both versions of the format: what one refuses the other must refuse."""
    return request.param
