"""Traces: kept with a dataset, readable by its owner alone, never in or beside a release."""

import pickle

import pytest

import covey
from covey.release.trace import digest_of, place_of, trace_of

UNCHECKED = "not checked without the trace"


@pytest.fixture
def dataset(tmp_path):
    rows = [[f"i{n % 7}", f"j{n % 5}", *(["s"] if n % 9 == 0 else [])] for n in range(60)]
    data = covey.Baskets.of(rows, sensitive=["s"], persons=[f"p{n // 2}" for n in range(60)])
    return data.save(tmp_path / "shop.covey")


def notes(verdict):
    return [check.name for check in verdict.checks if check.name.startswith(UNCHECKED)]


def test_a_dataset_keeps_the_trace_for_its_owner_alone(dataset, tmp_path):
    covey.publish(dataset, tmp_path / "out", "degree(p=2)", seed=1)
    (kept,) = (dataset / "traces").iterdir()
    assert kept == place_of(dataset, covey.read_release(tmp_path / "out"))
    assert kept.stat().st_mode & 0o777 == 0o600
    assert {file.name for file in (tmp_path / "out").iterdir()}.isdisjoint({kept.name})
    verdict = covey.verify(tmp_path / "out", dataset)
    assert verdict.holds
    assert not notes(verdict)
    assert covey.attack(tmp_path / "out", dataset).results


def test_no_trace_is_kept_where_none_is_wanted(dataset, tmp_path):
    covey.publish(dataset, tmp_path / "out", "degree(p=2)", seed=1, trace=False)
    assert not list((dataset / "traces").iterdir())
    assert notes(covey.verify(tmp_path / "out", dataset))
    with pytest.raises(covey.CoveyError, match="--trace FILE"):
        covey.attack(tmp_path / "out", dataset)


def test_a_file_with_the_trace_serves_as_well(dataset, tmp_path):
    covey.publish(dataset, tmp_path / "out", "degree(p=2)", seed=1, trace=tmp_path / "trace")
    assert not notes(covey.verify(tmp_path / "out", dataset, trace=tmp_path / "trace"))
    covey.publish(dataset, tmp_path / "other", "degree(p=2)", seed=2, trace=False)
    with pytest.raises(covey.InputError, match="trace of another release"):
        covey.verify(tmp_path / "other", dataset, trace=tmp_path / "trace")


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"rows"])
def test_rejects_a_file_that_is_no_trace(dataset, tmp_path, content):
    covey.publish(dataset, tmp_path / "out", "degree(p=2)", seed=1, trace=False)
    (tmp_path / "trace").write_bytes(content)
    with pytest.raises(covey.InputError, match="is not a trace"):
        covey.verify(tmp_path / "out", dataset, trace=tmp_path / "trace")


def test_a_copy_of_a_release_carries_no_trace(dataset):
    release = covey.anonymize(dataset, "degree(p=2)", seed=1)
    assert trace_of(release) is not None
    assert trace_of(pickle.loads(pickle.dumps(release))) is None


def test_the_digest_is_of_the_tables_whatever_the_format(dataset, tmp_path):
    covey.publish(dataset, tmp_path / "parquet", "degree(p=2)", seed=1)
    covey.publish(dataset, tmp_path / "csv", "degree(p=2)", seed=1, csv=True, title="The same")
    first, second = (covey.read_release(tmp_path / name) for name in ("parquet", "csv"))
    assert digest_of(first) == digest_of(second)
    assert len(list((dataset / "traces").iterdir())) == 1


def test_people_stay_together_by_the_trace_of_the_earlier_release(tmp_path):
    def visits(names):
        rows = [[f"i{n % 7}", *(["s"] if n % 20 == 0 else [])] for n in names]
        return covey.Baskets.of(rows, sensitive=["s"], persons=[f"p{n}" for n in names])

    covey.publish(visits(range(200)), tmp_path / "june", "degree(p=4)", seed=1, trace=tmp_path / "june.npz")
    given = {"like": tmp_path / "june", "like_trace": tmp_path / "june.npz"}
    assert covey.anonymize(visits(range(50, 250)), "degree(p=4)", seed=2, **given).groups > 1
    with pytest.raises(covey.CoveyError, match="--trace FILE"):
        covey.anonymize(visits(range(50, 250)), "degree(p=4)", seed=2, like=tmp_path / "june")
    with pytest.raises(covey.InputError, match="nobody is in both"):
        covey.anonymize(visits(range(300, 400)), "degree(p=4)", seed=2, **given)
