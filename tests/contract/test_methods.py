"""What every method owes, over the whole registry: each with every guarantee it claims, on its kind of data."""

import dataclasses

import numpy as np
import pytest

import covey
from contract.originals import INSTANCES, ORIGINALS, original
from covey.data.kinds import DATA_KINDS
from covey.guarantees import GUARANTEES, guarantee_class
from covey.parameters import parameters_of
from covey.registry import METHODS
from covey.release.kinds import release_kind
from covey.verify.checkers import CHECKS, FIDELITY

#: Some of this data is so small that little can be kept of it.
pytestmark = pytest.mark.filterwarnings("ignore::covey.errors.LittleKept")

PAIRS = [(m, text) for m in METHODS for g in m.guarantees for text in INSTANCES[g]]


def label(pair):
    return f"{pair[0].name}-{pair[0].data}-{pair[1]}"


def arrays(value):
    """All arrays in a nest of dataclasses, in order."""
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, tuple | list):
        return [array for part in value for array in arrays(part)]
    if dataclasses.is_dataclass(value):
        return [array for field in dataclasses.fields(value) for array in arrays(getattr(value, field.name))]
    return []


def test_every_guarantee_and_kind_has_an_instance_here():
    assert set(INSTANCES) == set(GUARANTEES)
    assert set(ORIGINALS) == set(DATA_KINDS)


@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_every_registered_pair_can_be_checked(pair):
    entry, text = pair
    assert (covey.guarantee(text).name, entry.release) in CHECKS
    assert entry.release in FIDELITY
    assert entry.data in release_kind(entry.release).data_kinds


@pytest.mark.parametrize("entry", METHODS, ids=lambda m: f"{m.name}-{m.data}")
def test_a_method_is_a_frozen_keyword_only_dataclass(entry):
    cls = entry.load()
    assert cls.name == entry.name
    made = cls()
    assert dataclasses.is_dataclass(made)
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.seed = 1
    with pytest.raises(TypeError):
        cls(1)
    assert "seed" not in made.options()
    assert set(made.options()) <= {f.name for f in dataclasses.fields(made)}


@pytest.mark.parametrize(
    "cls", [*(m.load() for m in METHODS), *map(guarantee_class, GUARANTEES)], ids=lambda c: c.__name__
)
def test_parameters_are_declared_in_full(cls):
    for declared in parameters_of(cls):
        assert declared.says.endswith("."), declared.name
        assert declared.required or declared.accepts(declared.default), declared.name
        assert declared.type != "choice" or declared.one_of
        wrong = {"boolean": "no", "integer": "3", "number": "x", "choice": "no such", "taxonomy": "tree"}
        assert not declared.accepts(wrong[declared.type])


@pytest.mark.parametrize("pair", PAIRS, ids=label)
@pytest.mark.parametrize("csv", [False, True], ids=["parquet", "csv"])
def test_written_releases_verify_against_the_original(pair, csv, tmp_path):
    entry, text = pair
    data = original(entry, text)
    published = covey.publish(data, tmp_path / "out", text, entry.name, csv=csv)
    assert published.verdict.holds
    assert published.manifest.kind == entry.release
    assert set(published.manifest.counts) <= set(release_kind(entry.release).words.counts)
    verdict = covey.verify(tmp_path / "out", data)
    assert verdict.holds, verdict.failures()
    assert covey.guarantee(published.manifest.guarantee) == covey.guarantee(text)


@pytest.mark.parametrize("pair", PAIRS, ids=label)
def test_same_seed_same_release_and_input_untouched(pair):
    entry, text = pair
    data = original(entry, text)
    before = [array.copy() for array in arrays(data)]
    seeded = {"insecure_seed": 11} if entry.name == "noisy-model" else {"seed": 11}
    first = covey.anonymize(data, text, entry.name, **seeded)
    again = covey.anonymize(data, text, entry.name, **seeded)
    assert first.counts() == again.counts()
    for one, other in zip(arrays(first), arrays(again), strict=True):
        np.testing.assert_array_equal(one, other)
    for now, then in zip(arrays(data), before, strict=True):
        np.testing.assert_array_equal(now, then)


@pytest.mark.parametrize("entry", [m for m in METHODS if "degree" in m.guarantees], ids=lambda m: m.name)
def test_infeasible_degrees_are_refused(entry):
    data = original(entry, "degree(p=200)")
    with pytest.raises(covey.Infeasible) as caught:
        covey.anonymize(data, "degree(p=200)", entry.name)
    assert covey.anonymize(data, f"degree(p={caught.value.best})", entry.name).groups


@pytest.mark.parametrize("pair", [p for p in PAIRS if "k" in covey.guarantee(p[1]).values()], ids=label)
def test_more_company_than_there_are_people_is_refused_with_the_best_that_is_possible(pair):
    entry, text = pair
    promise = covey.guarantee(text)
    asked = dataclasses.replace(promise, k=10**6)
    with pytest.raises(covey.Infeasible) as caught:
        covey.anonymize(original(entry, text), asked, entry.name)
    assert 2 <= caught.value.best <= 300


@pytest.mark.parametrize("entry", [m for m in METHODS if m.data == "baskets"], ids=lambda m: m.name)
def test_what_is_marked_as_sensitive_is_never_published_like_anything_else(entry):
    for name in entry.guarantees:
        if not guarantee_class(name).protects_sensitive:
            with pytest.raises(covey.CoveyError, match="treats all items alike"):
                covey.anonymize(ORIGINALS["baskets"](True), INSTANCES[name][0], entry.name)


def test_a_method_that_does_not_keep_the_guarantee_is_refused():
    with pytest.raises(covey.CoveyError, match="Did you mean 'cahd'"):
        covey.anonymize([["a"]], "degree(p=2)", "cadh")
    with pytest.raises(covey.CoveyError, match="does not keep degree"):
        covey.anonymize([["a"]], "degree(p=2)", "mondrian")


def test_the_functions_of_covey_stay_functions():
    covey.anonymize([["a"], ["a"]], "k-anonymity(k=2)")
    assert covey.methods()[0].name == "matched"
    assert callable(covey.verify)
    assert callable(covey.report)
