"""Releases of earlier formats are still read and verified.

Those in the folders format1 and format3 were written by the last version of covey with that format, from the data in
originals.py and test_persons.py.
"""

from pathlib import Path

import pytest

import covey
from covey.release.manifest import FORMAT, read_manifest
from covey.release.wording import EARLIER
from forge.test_persons import SECRETS, visits
from forge.tools import DOCUMENTS, KINDS, LATER, RECIPES, Forged, accepted, copied, refused, sha256

HERE = Path(__file__).parent
FOLDER = HERE / "format1"
WORDED = sorted((HERE / "format3").iterdir())


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
    refused(release.seal(format=f"covey-release/{FORMAT}", facts={}, notes=[], about={}))


def test_a_release_of_today_is_not_of_format_1(honest):
    for kind in KINDS:
        body = honest(kind).manifest
        assert body["format"] == f"covey-release/{FORMAT}"
        assert {"facts", "notes"} <= set(body)


def _of_format_3(folder):
    kind = folder.name.split("-")[0]
    if kind in ("persons", "person_sets"):
        rows, names = visits()
        return Forged(folder, covey.Baskets.of(rows, sensitive=SECRETS if kind == "persons" else [], persons=names))
    kind = "ratings" if kind == "close" else kind  # another promise of the same data
    recipe = {**RECIPES, **LATER}[kind]()
    return Forged(folder, recipe.data, recipe.taxonomy, kind)


@pytest.mark.parametrize("folder", WORDED, ids=lambda folder: folder.name)
def test_format_3_is_accepted_with_its_own_words_and_no_others(folder, tmp_path):
    release = _of_format_3(folder)
    accepted(release)
    assert release.manifest["format"] == "covey-release/3"
    renamed = copied(release, tmp_path / "renamed")
    later = {"leave_out": 0} if release.manifest["method"] == "suppress" else {}  # options that it has today
    options = {**release.manifest["options"], **later}
    renamed.seal(explain=False, format=f"covey-release/{FORMAT}", options=options)
    refused(renamed, "README.md does not say what follows")
    renamed.explain()
    accepted(renamed)


def test_every_phrase_of_format_3_is_needed():
    """None was forgotten when words changed once more: each stands in a release that was kept."""
    written = "".join((folder / name).read_text() for folder in WORDED for name in DOCUMENTS)
    for now, then in EARLIER[3].items():
        assert then in written, then
        assert now not in written, now
