"""Risk and exposure on Spark are those the definitions give, and do not depend on how the data is split."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest

import covey
from covey.spark.measure.inspection import ration


@pytest.fixture(scope="module")
def baskets() -> covey.Baskets:
    rng = np.random.default_rng(8)
    rows = [
        [f"i{item:02d}" for item in rng.choice(14, rng.integers(0, 6), replace=False)] + ["s"] * (row % 8 == 0)
        for row in range(300)
    ]
    return covey.Baskets.of(rows, sensitive=["s"])


@pytest.fixture(scope="module")
def sets(baskets, spark):
    from covey.spark.reading import frame_of, read

    return read(frame_of(baskets, spark), sensitive=["s"]).persist()


@pytest.mark.slow
def test_the_cases_do_not_depend_on_the_partitions(baskets, sets, spark):
    from covey.spark.measure.inspection import risks
    from covey.spark.reading import frame_of, read

    split = read(frame_of(baskets, spark).repartition(5), sensitive=["s"])
    once, again = risks(sets, 3, samples=50, seed=1), risks(split, 3, samples=50, seed=1)
    assert [risk.samples for risk in once] == [0, 50, 50]
    for one, other in zip(once, again, strict=True):
        assert one.to_dict() == pytest.approx(other.to_dict())
    assert risks(sets, 3, samples=50, seed=2)[1] != once[1]


@pytest.mark.parametrize(("eligible", "samples"), [(1, 1000), (999, 1000), (10**9, 1000)])
def test_about_as_many_cases_are_taken_as_wanted(eligible, samples):
    copies, limit = ration(eligible, samples)
    expected = eligible * copies * int(limit) / 2**64
    assert samples <= expected + 1
    assert expected <= 2 * samples


@pytest.mark.slow
def test_exposure_is_what_all_cases_give(baskets, sets, tmp_path):
    from covey.spark.measure.exposure import exposures
    from covey.spark.measure.published import pair

    covey.publish(baskets, tmp_path / "release", "degree(p=4)", seed=1)
    release = covey.read_release(tmp_path / "release")
    members = [set(release.transactions.basket(row)) for row in range(baskets.n)]
    group = np.repeat(np.arange(release.groups), release.group_sizes())
    share = np.zeros(release.groups)
    share[release.count_group] = release.count / release.group_sizes()[release.count_group]
    rows = [set(baskets.basket(row)) for row in range(baskets.n)]
    for seen in exposures(pair(tmp_path / "release", sets), 3, samples=120):
        before, after = [], []
        for row in rows:
            public = sorted(row - {"s"})
            if "s" not in row or len(public) < seen.known:
                continue
            cases = [set(case) for case in combinations(public, seen.known)]
            same = [[other for other in rows if case <= other] for case in cases]
            before.append(np.mean([sum("s" in other for other in some) / len(some) for some in same]))
            after.append(
                np.mean(
                    [
                        np.mean([share[g] for g, own in zip(group, members, strict=True) if case <= own])
                        for case in cases
                    ]
                )
            )
        assert seen.samples == 120
        assert seen.link_before == pytest.approx(np.mean(before), abs=0.06)
        assert seen.link_after == pytest.approx(np.mean(after), abs=0.03)
        assert seen.worst_after <= 0.25
        assert seen.find_before == pytest.approx(seen.find_after, abs=0.05)


@pytest.mark.slow
def test_the_command_line_inspects_on_both_engines_alike(baskets, covey_cli, spark, tmp_path):
    file = tmp_path / "data.dat"
    file.write_text("".join(" ".join(baskets.basket(row)) + "\n" for row in range(100, 300)).lstrip("\n"))
    command = ("inspect", file, "--json", "--sensitive", "s", "--known", "6", "--samples", "2000")
    code, printed, said = covey_cli(*command, "--engine", "spark")
    assert code == 0, said
    ours, theirs = json.loads(printed), json.loads(covey_cli(*command)[1])
    for name in ("transactions", "items", "entries", "length", "support", "items_seen_once", "most_frequent"):
        assert ours[name] == theirs[name], name
    assert ours["sensitive"] == theirs["sensitive"]
    assert ours["risk"][0] == pytest.approx(theirs["risk"][0])
    for mine, local in zip(ours["risk"], theirs["risk"], strict=True):
        assert mine["eligible"] == local["eligible"]
        assert mine["risk"] == pytest.approx(local["risk"], abs=0.03)
        assert mine["low"] <= mine["risk"] <= mine["high"]
