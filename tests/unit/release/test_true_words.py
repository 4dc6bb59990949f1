"""What the README and the report of a release state is true of its files, and follows from nothing else."""

import pytest

import covey
from covey.errors import CleanedRows
from covey.release.store import manifest_of
from covey.synth import survey


def readme_of(path):
    return (path / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def dropped(tmp_path):
    """A release of baskets of which two lines had no item."""
    lines = ["transaction,item", *(f"{i},{item}" for i in range(40) for item in ("ale", "tea")), "40,", "41,"]
    (tmp_path / "sales.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = covey.Source.of(tmp_path / "sales.csv", missing="drop")
    with pytest.warns(CleanedRows):
        covey.publish(source, tmp_path / "out", "k-anonymity(k=2)", seed=0, title="May")
    return tmp_path / "out"


def test_readme_does_not_claim_that_all_rows_were_read(dropped):
    text = readme_of(dropped)
    assert "- transactions: 40\n" in text
    assert "all that were read" not in text


def test_title_heads_readme_and_report(dropped, tmp_path):
    assert readme_of(dropped).startswith("# May\n")
    covey.report(dropped, output=tmp_path / "report.html")
    assert "<h1>May</h1>" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_readme_of_ratings_counts_records_found_by_exact_ratings(tmp_path):
    data = covey.Ratings.of([[5, 1], [5, 1], [5, 2], [4, 2]], issues=["a", "b"], scale="1:5")
    covey.publish(data, tmp_path / "out", "k-eps-l(k=2, epsilon=1)", seed=0)
    text = readme_of(tmp_path / "out")
    assert "finds who knows all their ordinary ratings exactly: no other record has these: 2\n" in text
    assert "finds who knows one ordinary rating exactly: no other record has it: 1\n" in text


def test_counts_of_ratings_do_not_depend_on_sensitive_ratings():
    data = survey(respondents=60, seed=3)
    release = covey.anonymize(data, "k-eps-l(k=2, epsilon=2)", seed=0)
    marked = covey.anonymize(data.with_sensitive([data.issues[0]]), "k-eps-l(k=2, epsilon=2)", seed=0)
    assert manifest_of(marked).counts["unique"] <= manifest_of(release).counts["unique"]


def test_linkage_states_probability_and_successes_apart():
    baskets = covey.Baskets.of([["a", "s"], *[["a"], ["b"]] * 20], sensitive=["s"])
    result = covey.attack(covey.anonymize(baskets, "degree(p=4)", seed=1), baskets, seed=0).results[0]
    assert "with a probability of at most" in result.explanation
    assert f"the 95 % confidence interval is {100 * result.low:.1f}–{100 * result.high:.1f} %" in result.explanation
