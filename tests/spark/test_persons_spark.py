"""Persons on Spark: groups are made of them for degree, both engines verify it, and figures are those of persons."""

from dataclasses import replace

import pytest

import covey
from covey.errors import Infeasible, InputError, NamelessRows, ParameterError, UnnamedPersons
from covey.io import write
from covey.release.store import save
from covey.spark import read
from covey.synth import shop


def frame_of(spark, last="C4"):
    rows = [(i, f"P{(3 * i + j) % 7}", last if i == 29 else f"C{i % 5}") for i in range(30) for j in range(2)]
    return spark.createDataFrame(rows, "order long, item string, customer_id string")


@pytest.fixture(scope="module")
def customers():
    return shop(transactions=1_500, customers=250, seed=3).baskets


@pytest.fixture(scope="module")
def made(spark, customers, tmp_path_factory):
    """A file of transactions with persons, and the release that Spark makes of it."""
    folder = tmp_path_factory.mktemp("persons")
    write(customers, folder / "visits.parquet")
    out = folder / "release"
    secret = customers.sensitive_items()
    given = {"sensitive": secret, "person": "person"}
    published = covey.publish(folder / "visits.parquet", out, "degree(p=4)", "cahd", engine="spark", seed=1, **given)
    return folder / "visits.parquet", out, published, given


def test_groups_are_made_of_persons(made, customers):
    _, out, published, _ = made
    assert published.manifest.facts == {"unit": "person"}
    assert published.manifest.counts["persons"] == customers.persons
    release = covey.read_release(out)
    assert release.persons == customers.persons
    assert (release.count * 4 <= release.group_persons[release.count_group]).all()


@pytest.mark.slow
def test_both_engines_verify_it(made):
    path, out, published, given = made
    local = covey.verify(out, path, **given)
    assert local.holds, local.failures()
    again = covey.verify(out, path, engine="spark", **given)
    assert again.holds, again.failures()
    names = {check.name for check in again.checks}
    shared = {"the numbers of persons are possible", "the totals of persons agree"}
    assert names == {check.name for check in published.verdict.checks}
    assert {"the release counts persons", *shared} <= {check.name for check in local.checks}


@pytest.mark.slow
def test_a_local_release_with_false_numbers_of_persons_is_refused(spark, customers, tmp_path):
    out = tmp_path / "out"
    covey.publish(customers, out, "degree(p=4)", "cahd(merge=false)", seed=1)
    assert covey.verify(out, engine="spark").holds
    release = covey.read_release(out)
    persons = release.group_persons.copy()
    persons[0] = release.group_sizes()[0] + 1
    (tmp_path / "forged").mkdir()
    save(replace(release, group_persons=persons), tmp_path / "forged")
    verdict = covey.verify(tmp_path / "forged", engine="spark")
    assert not verdict.holds
    assert verdict.failures()[0].name == "the numbers of persons are possible"


@pytest.mark.slow
def test_rows_do_not_pass_for_persons(spark, customers, tmp_path):
    write(customers, tmp_path / "v.parquet")
    given = {"sensitive": customers.sensitive_items(), "person": "person"}
    covey.publish(replace(customers, person=None), tmp_path / "rows", "degree(p=4)", seed=1)
    verdict = covey.verify(tmp_path / "rows", tmp_path / "v.parquet", engine="spark", **given)
    assert [check.name for check in verdict.failures()] == ["the release counts persons"]


@pytest.mark.slow
def test_bad_persons_are_told(spark):
    frame = frame_of(spark)
    torn = frame.selectExpr("order", "item", "CASE WHEN item = 'P0' THEN 'X' ELSE customer_id END AS who")
    with pytest.raises(InputError, match="name two persons"):
        read(torn, person="who")
    absent = frame.selectExpr("order", "item", "CASE WHEN order < 3 THEN NULL ELSE customer_id END AS who")
    with pytest.raises(InputError, match=r"3 of 30 transactions name no person.*--missing drop"):
        read(absent, person="who")
    with pytest.warns(NamelessRows, match="3 of 30 transactions were left out"):
        assert read(absent, person="who", missing="drop").n == 27
    assert read(frame, person="customer_id").persons == 5
    with pytest.raises(ParameterError, match="--engine local"):
        read(absent, person="who", missing="keep")
    with pytest.raises(InputError, match="the same person"):
        read(frame.selectExpr("order", "item", "'x' AS who"), person="who")


@pytest.mark.slow
def test_sets_are_published_one_per_person(spark, customers, tmp_path):
    plain, path, out = customers.with_sensitive([]), tmp_path / "v.parquet", tmp_path / "out"
    write(plain, path)
    given = {"person": "person"}
    published = covey.publish(path, out, "k-anonymity(k=20)", engine="spark", seed=1, **given)
    assert published.manifest.facts["unit"] == "person"
    assert published.manifest.counts["persons"] == customers.persons
    for engine in ("local", "spark"):
        verdict = covey.verify(out, path, engine=engine, **given)
        assert verdict.holds, verdict.failures()
    covey.publish(replace(plain, person=None), tmp_path / "rows", "k-anonymity(k=20)", seed=1)
    refused = covey.verify(tmp_path / "rows", path, engine="spark", **given)
    assert [check.name for check in refused.failures()] == ["the release counts persons"]


def test_a_column_that_looks_like_persons_is_told(spark):
    with pytest.warns(UnnamedPersons) as told:
        read(frame_of(spark))
    [warning] = [one.message for one in told if isinstance(one.message, UnnamedPersons)]
    assert (warning.column, warning.persons, warning.rows, warning.most) == ("customer_id", 5, 30, 6)


@pytest.mark.parametrize("said", [{"row_is_person": True}, {"unit": "row"}, {"person": "customer_id", "unit": "row"}])
def test_nothing_is_said_to_who_has_said_it(spark, said):
    assert read(frame_of(spark), **said).n == 30


@pytest.mark.slow
def test_it_is_infeasible_by_persons(spark, tmp_path):
    rows = [(i, item, f"C{i % 4}") for i in range(40) for item in ("a", *(["s"] if i in (0, 1) else []))]
    frame = spark.createDataFrame(rows, "order long, item string, who string")
    with pytest.raises(Infeasible, match="persons"):
        covey.publish(frame, tmp_path / "out", "degree(p=4)", engine="spark", sensitive="s", person="who")
    assert not (tmp_path / "out").exists()
