"""Where it is not certain in which group someone is, everything that shows figures by person says so."""

import numpy as np
import pytest

import covey
from covey.errors import CoveyWarning, ParameterError
from covey.measure.attacks import run_attacks
from covey.measure.attacks.composition import compose
from covey.registry import method
from covey.release.base import Statement
from covey.release.grouping import grouped
from covey.release.store import save

SAYS = "Figures by person are approximate: 4 of 4 persons could be in several groups; each was put into one of them."
#: Both groups have a, b, c and d, one holder and two persons: nobody can tell which two.
ROWS = [("x", "a s"), ("x", "b"), ("y", "c"), ("y", "d"), ("z", "a s"), ("z", "d"), ("w", "b"), ("w", "c")]


@pytest.fixture
def shop(tmp_path):
    lines = [f"{i},{who},{item}" for i, (who, basket) in enumerate(ROWS) for item in basket.split()]
    (tmp_path / "visits.csv").write_text("\n".join(["visit,customer_id,item", *lines]) + "\n")
    data = covey.Baskets.of([b.split() for _, b in ROWS], sensitive=["s"], persons=[who for who, _ in ROWS])
    options = method("cahd", merge=False).options()
    made = Statement(guarantee="degree(p=2)", method="cahd", options=options)
    release = grouped(data, np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2, made=made, seed=1)
    (tmp_path / "out").mkdir()
    save(release, tmp_path / "out")
    return tmp_path, release, data


def test_results_say_it(shop):
    _, release, data = shop
    assert {result.approximate for result in run_attacks(release, data)} == {SAYS}
    assert {result.approximate for result in compose(release, data, release)} == {
        f"First release: {SAYS} Second release: {SAYS}"
    }
    for found in (covey.attack(release, data), covey.evaluate(release, data)):
        assert found["approximate"] == SAYS
        assert SAYS in repr(found)
        assert SAYS in found._repr_html_()
    assert covey.evaluate(release, data)["unsure_persons"] == 4


def test_nothing_is_said_where_all_is_certain(shop):
    data = covey.Baskets.of([["a", "s"], ["b"], ["c"]], sensitive=["s"], persons=["x", "y", "z"])
    release = covey.anonymize(data, "degree(p=2)", seed=0)
    assert "approximate" not in covey.attack(release, data)
    assert covey.evaluate(release, data)["unsure_persons"] == 0
    assert "approximate" not in covey.evaluate(release, data)


def test_whoever_may_lose_company_is_counted(shop):
    _, release, data = shop
    with pytest.warns(CoveyWarning, match="4 persons could be in several groups of the earlier release"):
        covey.anonymize(data, "degree(p=2)", "cahd", like=release, seed=1)


def test_nobody_is_warned_of_rows_where_persons_are_counted(shop, covey_cli):
    path, release, _ = shop
    code, _, errors = covey_cli("attack", path / "out", "--original", path / "visits.csv")
    assert code == 2
    assert "This release counts persons" in errors
    assert "--person 'customer_id'" in " ".join(errors.split())
    assert "Rows are counted" not in errors
    with pytest.raises(ParameterError, match="--person COLUMN"):
        covey.attack(release, path / "visits.csv", row_is_person=True)


@pytest.mark.parametrize("command", ["attack", "evaluate"])
def test_commands_say_it(shop, covey_cli, command):
    path = shop[0]
    given = [path / "out", "--original", path / "visits.csv", "--person", "customer_id"]
    assert SAYS in " ".join(covey_cli(command, *given)[1].split())
