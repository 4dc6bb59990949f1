"""Releases of sets that state another recoding than theirs, other labels, or what the user named as sensitive."""

import random
from dataclasses import replace

import pyarrow as pa
import pytest

import covey
from covey.verify import compare
from forge import originals
from forge.tools import Forged, column, refused, verdicts, write_parquet

pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.LittleKept")


def items(rows):
    return pa.table({"items": pa.array(rows, pa.list_(pa.string()))})


def unrecoded(release, recoding):
    """A coherence release that states another recoding, and so has no table of it."""
    (release.path / "recoding.csv").unlink()
    return release.seal(facts={"recoding": recoding, "rest": ""})


@pytest.mark.parametrize("recoding", ["suppressed", "local"])
@pytest.mark.parametrize("private", ["as they were", "shuffled", "invented", "lost"])
def test_private_items_stand_beside_a_global_recoding_only(forge, recoding, private):
    release = forge("private")
    rows = release.rows("private")["items"].to_pylist()
    if private == "shuffled":
        random.Random(1).shuffle(rows)
    elif private != "as they were":
        rows = [["ann smith has it"] if private == "invented" and i % 11 == 0 else [] for i in range(len(rows))]
    write_parquet(release.file("private"), items(rows))
    release.state("counts", private_entries=sum(map(len, rows)))
    refused(unrecoded(release, recoding), f"the recoding is '{recoding}', but mm makes it 'global'")
    method = {"suppressed": "pattern-ka", "local": "lg"}[recoding]
    refused(release.seal(method=method, options={}), f"covey's {method} cannot keep coherence")


@pytest.mark.parametrize("recoded", ["suppressed", "local"])
def test_private_items_are_never_left_uncompared(honest, recoded):
    """Nor by whoever compares a release in memory."""
    honest = honest("private")
    release = replace(covey.read_release(honest.path), recoded=recoded, recoding=None)
    failed = [check for check in compare(release, honest.original) if not check.passed]
    assert [check.name for check in failed] == ["the private items are the original's"]


def test_the_recoding_is_the_methods(forge, honest):
    lg, ka = honest("local").manifest["options"], honest("suppressed").manifest["options"]
    refused(forge("suppressed").seal(method="lg", options=lg), "but lg makes it 'local'")
    refused(forge("local").seal(method="pattern-ka", options=ka), "but pattern-ka makes it 'suppressed'")
    refused(forge("local").state("facts", recoding="suppressed"), "but lg makes it 'local'")


def test_the_method_keeps_such_a_promise(forge):
    refused(forge("suppressed").seal(guarantee="km-anonymity(k=3, m=2)"), "pattern-ka cannot keep km-anonymity")


SAID = "ann smith has hiv"
#: Rows with nothing rare in them, and two with something that is.
ROWS = [*[["beer", "tea"]] * 5, *[["beer"]] * 5, ["tea", "ale"], ["tea", "wine"]]


@pytest.fixture
def flat(tmp_path):
    """A global recoding without a taxonomy: what is rare is published as any item."""
    data = covey.Baskets.of(ROWS)
    covey.publish(data, tmp_path / "flat", "km-anonymity(k=2, m=2)", "aa", seed=1)
    release = Forged(tmp_path / "flat", data, None, "sets")
    assert release.manifest["facts"]["rest"] == "*"
    return release


def renamed(release, old, new):
    rows = release.rows("sets")
    named = [sorted(new if item == old else item for item in row) for row in rows["items"].to_pylist()]
    return release.replace("sets", column(rows, "items", pa.array(named, pa.list_(pa.string()))))


def test_the_rest_is_called_any(flat):
    renamed(flat, "*", SAID).state("facts", rest=SAID)
    refused(flat, f"calls the rest '{SAID}' instead of '*'")
    flat.taxonomy = covey.Taxonomy.from_paths(originals.taxonomy_paths())
    refused(flat, f"calls the rest '{SAID}'")


def test_the_rest_has_as_many_stars_as_it_needs(flat):
    renamed(flat, "*", "***").state("facts", rest="***")
    with pytest.raises(covey.InputError, match="generalized along a taxonomy"):
        covey.verify(flat.path, flat.original)
    tree = covey.Taxonomy.from_paths(originals.taxonomy_paths())
    verdict = covey.verify(flat.path, flat.original, taxonomy=tree)
    assert verdict.failures()[0].detail == "the rest is published as '***' instead of '*'"


def test_an_item_called_any_is_told_from_the_rest(tmp_path):
    rows = [["*" if item == "ale" else item for item in row] for row in ROWS]
    covey.publish(rows, tmp_path / "flat", "km-anonymity(k=2, m=2)", "aa", seed=1)
    release = Forged(tmp_path / "flat", covey.Baskets.of(rows), None, "sets")
    assert release.manifest["facts"]["rest"] == "**"
    assert all(verdict.holds for verdict in verdicts(release))


def test_labels_are_not_taken_for_granted(forge):
    """Without the taxonomy nobody knows whether a label stands for what it replaces."""
    release = forge("global")
    label = next(one for one in release.rows("recoding")["published"].to_pylist() if one not in originals.ITEMS)
    renamed(release, label, SAID)
    release.text("recoding.csv", lambda text: text.replace(f'"{label}"'.encode(), f'"{SAID}"'.encode()))
    with pytest.raises(covey.InputError, match="generalized along a taxonomy"):
        covey.verify(release.path, release.original)
    assert not covey.verify(release.path, release.original, taxonomy=release.taxonomy).holds


EXPOSED = "no sensitive item is published like any other"


@pytest.mark.parametrize("named", [False, True], ids=["marked", "named"])
@pytest.mark.parametrize("kind", ["suppressed", "local", "global", "chunks"])
def test_what_the_user_names_as_sensitive_is_not_published(honest, kind, named):
    release = honest(kind)
    original = release.original if named else release.original.with_sensitive(["tea"])
    given = {"sensitive": ["tea"]} if named else {}
    verdict = covey.verify(release.path, original, taxonomy=release.taxonomy, **given)
    assert [check.name for check in verdict.failures()] == [EXPOSED]
    assert verdict.failures()[0].detail.startswith("'tea' is, though")


def test_nor_are_items_of_records(honest):
    release = honest("records")
    marked = release.original.with_sensitive(["ale", "beer", "wine"])
    failed = covey.verify(release.path, marked, taxonomy=release.taxonomy).failures()
    assert [check.name for check in failed] == [EXPOSED]
    assert "'alcohol'" in failed[0].detail


def test_a_column_that_the_user_names_as_sensitive_is_not_published(honest):
    release = honest("records")
    verdict = covey.verify(release.path, release.original.with_sensitive(["city"]), taxonomy=release.taxonomy)
    assert EXPOSED in [check.name for check in verdict.failures()]


def test_what_is_left_out_may_be_sensitive(tmp_path):
    rows = [*originals.transactions(secrets=False), ["viagra"]]
    covey.publish(rows, tmp_path / "release", "k-anonymity(k=3)", "pattern-ka", seed=1)
    verdict = covey.verify(tmp_path / "release", rows, sensitive=["viagra"])
    assert verdict.holds
    assert EXPOSED in [check.name for check in verdict.checks]


def test_a_label_of_sensitive_items_alone_is_one(forge):
    """Who has alcohol has something sensitive if all alcohol is, but not if ale alone is."""
    release = forge("global")
    assert "alcohol" in covey.read_release(release.path).transactions.items
    for secrets, passed in ((["ale", "beer", "wine"], False), (["ale"], True)):
        verdict = covey.verify(release.path, release.original.with_sensitive(secrets), taxonomy=release.taxonomy)
        assert next(check for check in verdict.checks if check.name == EXPOSED).passed is passed
