"""The Python names: options, objects and text, and what is exported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import covey

BASKETS = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
TYPED = """
import covey

data = covey.Baskets.of([["a", "s"], ["a"]], sensitive=["s"])
groups: int = covey.anonymize(data, covey.Degree(p=2), covey.CAHD(alpha=5)).groups
table: covey.TableRelease = covey.anonymize(covey.Table.of({"age": [1, 1]}), covey.KAnonymity(k=2))
release: covey.Release = covey.anonymize("sales.csv", "degree(p=2)", seed=1)
published: covey.Published = covey.publish(data, "release", "degree(p=2)", alpha=5)
measured: covey.Evaluation = covey.evaluate(release, data)
attacked: covey.Attacks = covey.attack(release, data, with_="other")
covey.verify("release", orignal=data)  # error
covey.anonymize(5, "degree(p=2)")  # error
covey.read("sales.csv").supports()
"""


def test_objects_and_text_make_the_same_release():
    of_text = covey.anonymize(BASKETS, "degree(p=2)", "cahd(alpha=5)", seed=1)
    of_objects = covey.anonymize(BASKETS, covey.Degree(p=2), covey.CAHD(alpha=5, seed=1))
    assert of_text.to_frame().equals(of_objects.to_frame())
    assert (of_text.guarantee, of_text.options) == (of_objects.guarantee, of_objects.options)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (lambda: covey.verify("release", orignal=BASKETS), "covey.verify has no option 'orignal'. Did you mean 'orig"),
        (lambda: covey.anonymize(BASKETS, "degree(p=2)", sensitve="s"), "no option 'sensitve'. Did you mean 'sensitiv"),
        (
            lambda: covey.anonymize(BASKETS, "degree(p=2)", "cahd", alhpa=5),
            "no parameter 'alhpa'. Did you mean 'alp",
        ),
        (lambda: covey.inspect("sales.csv", item="Product"), r"'item' says how to read a file: give covey.Source.of"),
        (lambda: covey.anonymize(BASKETS, covey.Degree(p=2), covey.CAHD(), alpha=5), "when you create the method"),
        (lambda: covey.attack("release"), "the data that the release was made from"),
        (lambda: covey.evaluate("release"), "the data that the release was made from"),
    ],
)
def test_answers_a_wrong_option_with_the_right_one(act, words):
    with pytest.raises(covey.ParameterError, match=words):
        act()


def test_verifies_a_release_in_memory(tmp_path):
    release = covey.anonymize(BASKETS, "degree(p=2)", seed=1)
    assert covey.verify(release).holds
    assert covey.verify(release, BASKETS).holds
    other = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["c"]], sensitive=["s"])
    assert not covey.verify(release, other).holds
    assert not covey.verify(release, sensitive="a").holds
    with pytest.raises(covey.ParameterError, match="needs the engine local"):
        covey.verify(release, engine="spark")


def test_keeps_no_trace_where_none_is_wanted(tmp_path):
    data = covey.load(BASKETS.save(tmp_path / "shop.covey"))
    covey.publish(data, tmp_path / "kept", "degree(p=2)")
    assert len(list((tmp_path / "shop.covey" / "traces").glob("*.npz"))) == 1
    covey.publish(data, tmp_path / "none", "degree(p=2)", trace=False)
    assert len(list((tmp_path / "shop.covey" / "traces").glob("*.npz"))) == 1


def test_every_guarantee_method_and_release_is_exported():
    from covey.guarantees import GUARANTEES
    from covey.registry import METHODS
    from covey.release.kinds import RELEASE_KINDS

    wanted = {*GUARANTEES.values(), *(entry.load() for entry in METHODS), *RELEASE_KINDS.values()}
    assert {one.__name__ for one in wanted if one.__module__.startswith("covey")} <= set(covey.__all__)


@pytest.mark.slow
def test_types_are_those_of_the_stub(tmp_path):
    (tmp_path / "used.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "used.py"]
    env = {**os.environ, "MYPYPATH": str(Path(covey.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=env)
    wrong = [
        line.split(":")[1] for line in done.stdout.splitlines() if line.startswith("used.py:") and ": error:" in line
    ]
    assert wrong == [str(at) for at, line in enumerate(TYPED.splitlines(), 1) if "# error" in line], done.stdout
