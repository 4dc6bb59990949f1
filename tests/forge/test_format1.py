"""Releases of format 1 are still read and verified.

Those in the folder format1 were written by the last version of covey with that format, from the data in originals.py.
"""

from pathlib import Path

import pytest

import covey
from covey.release.manifest import read_manifest
from forge.tools import KINDS, RECIPES, Forged, accepted, copied, refused, sha256

FOLDER = Path(__file__).parent / "format1"


@pytest.fixture(params=[f"{kind}-{form}" for kind in KINDS for form in ("parquet", "csv")])
def early(request):
    kind = request.param.split("-")[0]
    recipe = RECIPES[kind]()
    return Forged(FOLDER / request.param, recipe.data, recipe.taxonomy, kind)


def test_they_are_accepted(early):
    accepted(early)
    assert early.manifest["format"] == "covey-release/1"


def test_their_fingerprint_is_that_of_their_manifest(early):
    fingerprint = sha256((early.path / "manifest.json").read_bytes())
    assert read_manifest(early.path).fingerprint == fingerprint
    assert covey.verify(early.path, fingerprint=fingerprint[:12]).holds


def test_they_are_read_back_as_what_is_made_today(early):
    release = covey.read_release(early.path)
    recipe = RECIPES[early.kind]()
    assert release.guarantee == recipe.guarantee
    assert release.method == recipe.method.partition("(")[0]
    counted = early.manifest["counts"]
    assert release.counts() == counted


def test_they_are_not_those_of_today_under_another_name(early, tmp_path):
    """Later formats have other tables, facts and notes; renaming is not enough in either direction."""
    release = copied(early, tmp_path / "renamed")
    refused(release.seal(format="covey-release/2"))
    refused(release.seal(format="covey-release/2", facts={}, notes=[]))
    refused(release.seal(format="covey-release/3", facts={}, notes=[], about={}))


def test_a_release_of_today_is_not_of_format_1(honest):
    for kind in KINDS:
        body = honest(kind).manifest
        assert body["format"] == "covey-release/3"
        assert {"facts", "notes"} <= set(body)
