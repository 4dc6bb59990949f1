"""The workshop itself: what has not been tampered with is accepted."""

import pytest

from forge.tools import KINDS, accepted


@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_nobody_touched_is_accepted(forge, kind, csv):
    release = forge(kind, csv)
    accepted(release)
    accepted(release.seal())
