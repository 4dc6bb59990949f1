"""The audit finds planted leaks, lets honest releases pass, and stops a release before it is in place."""

import json

import numpy as np
import pytest

import covey
import covey.io
from covey.data import Records
from covey.errors import AuditFailed, ParameterError
from covey.measure.attacks import run_attacks
from covey.measure.attacks.audit import audit, remedies
from covey.release.base import Statement
from covey.release.grouping import grouped

P = 10
MADE = Statement(guarantee=f"degree(p={P})", method="cahd")


def shoppers(n=1500, items=300, every=15, seed=0):
    """Distinct random baskets; who holds the sensitive item is drawn apart, so nothing goes with it."""
    rng = np.random.default_rng(seed)
    rows = [{f"own{i:04}"} | {f"i{j:03}" for j in rng.integers(0, items, rng.integers(3, 9))} for i in range(n)]
    return rows, sorted(rng.choice(n, n // every, replace=False).tolist())


def marked(rows, holders):
    held = set(holders)
    return covey.Baskets.of([row | {"s"} if i in held else row for i, row in enumerate(rows)], sensitive=["s"])


def rest_of(group, number):
    """The rows without a group, as one more."""
    group[group < 0] = number
    return group, number + 1


def around(holders, n, pick):
    """Groups of a holder and the P - 1 free rows that `pick` likes best."""
    group, free = np.full(n, -1), set(range(n)) - set(holders)
    for number, t in enumerate(holders):
        chosen = sorted(free, key=lambda v: (-pick(t, v), v))[: P - 1]
        free -= set(chosen)
        group[[t, *chosen]] = number
    return rest_of(group, len(holders))


def leaks_to(release, data, attacks):
    with pytest.raises(AuditFailed, match="What may help: the method matched, or to leave") as refused:
        audit(release, data, 1.3, recommended="matched")
    assert "With a larger p attackers are right less often, but the lift may rise" in str(refused.value)
    found = {result.attack: result for result in refused.value.results}
    assert all(found[name].low > 1.3 * max(found[name].claim, found[name].baseline) for name in attacks)


def test_nearest_neighbours_around_holders_are_found():
    rows, holders = shoppers()
    data = marked(rows, holders)
    group, number = around(holders, len(rows), lambda t, v: len(rows[t] & rows[v]))
    leaks_to(grouped(data, group, number, made=MADE, seed=0), data, ["pivot", "hub"])


def test_holders_who_are_the_longest_are_found():
    rows, holders = shoppers()
    data = marked(rows, holders)
    shorter = {t: [v for v in range(len(rows)) if len(rows[v]) < len(rows[t])] for t in holders}
    group, number = around(holders, len(rows), lambda t, v: v in set(shorter[t]) if shorter[t] else 0)
    leaks_to(grouped(data, group, number, made=MADE, seed=0), data, ["longest"])


def test_random_groups_of_unrelated_holders_pass():
    data = marked(*shoppers())
    found = audit(covey.anonymize(data, f"degree(p={P})", "anatomy", seed=0), data, 1.3)
    assert {"linkage", "strong", "grey"} <= {result.attack for result in found}
    assert not any("people" in result.explanation or "person" in result.explanation for result in found)  # baskets


def clumsy():
    """Each holder has a core of items, and nine others have parts of it: CAHD builds its groups of just these."""
    rng = np.random.default_rng(1)
    rows = []
    for i in range(60):
        core = {f"c{i}-{j}" for j in range(6)}
        rows.append(core | {"s"} if i % 2 else core)
        rows += [set(rng.choice(sorted(core), 2, replace=False)) for _ in range(9)]
    return covey.Baskets.of(rows, sensitive=["s"])


def test_a_refused_release_is_not_written(tmp_path, covey_cli):
    covey.io.write(clumsy(), tmp_path / "sales.csv")
    arguments = ("anonymize", tmp_path / "sales.csv", "-s", "s", "-g", "degree(p=10)", "-o", tmp_path / "out")
    code, text, errors = covey_cli(*arguments, "--set", "merge=false", "--audit", "1.3")
    assert (code, text) == (1, "")
    assert "The audit refused the release" in errors
    assert [path.name for path in tmp_path.iterdir()] == ["sales.csv"]


def test_what_was_allowed_is_told_to_the_publisher_alone(tmp_path, covey_cli):
    data = marked(*shoppers(n=400))
    covey.io.write(data, tmp_path / "sales.csv")
    asked = ["-s", "s", "-g", "degree(p=10)", "-m", "anatomy", "--seed", "0"]
    arguments = ("anonymize", tmp_path / "sales.csv", *asked)
    code, text, errors = covey_cli(*arguments, "-o", tmp_path / "out", "--audit", "2")
    assert (code, errors) == (0, "")
    assert "Audit: the highest lift is" in text
    code, text, _ = covey_cli(*arguments, "-o", tmp_path / "out", "--force", "--audit", "2", "--json")
    assert {result["attack"] for result in json.loads(text)["audit"]} >= {"strong", "grey"}
    assert all(b"lift" not in path.read_bytes() for path in (tmp_path / "out").iterdir())


def test_a_lift_below_one_is_refused():
    with pytest.raises(ParameterError, match="lift"):
        covey.anonymize(clumsy(), "degree(p=5)", audit=0.5)


@pytest.mark.parametrize(("p", "larger"), [(3, True), (4, False)])
def test_a_larger_p_is_advised_for_records_if_there_is_one(p, larger):
    ill = ["flu" if i % 4 == 0 else None for i in range(24)]
    records = Records.of({"age": [20 + i % 3 for i in range(24)], "ill": ill}, [["tea"]] * 24, sensitive=["ill"])
    release = covey.anonymize(records, f"degree(p={p})", "anatomy", seed=0)
    worst = max(run_attacks(release, records), key=lambda result: result.lift)
    assert ("a larger p" in remedies(release, records, worst)) == larger


def test_rounding_is_advised_for_ratings_and_helps():
    data = covey.synth.survey(respondents=1000, issues=8, seed=1)
    promise = "k-eps-l(k=10, epsilon=1)"
    with pytest.raises(AuditFailed, match=r"a coarser scale \(--set round=2\)") as refused:
        covey.anonymize(data, promise, seed=1, audit=1.5)
    said = str(refused.value)
    assert "inference has a lift" in said
    assert "nothing is claimed of this" in said
    claims = [run_attacks(covey.anonymize(data, promise, seed=1, **how), data)[0].claim for how in ({}, {"round": 2})]
    assert claims == [None, 0.1]  # of exact ratings something is promised only where ratings within epsilon are equal
    covey.anonymize(data, promise, seed=1, audit=1.5, round=2)
    coarse = covey.anonymize(data, promise, seed=1, round=2)
    assert "No coarser scale is left" in remedies(coarse, data, run_attacks(coarse, data)[0])
