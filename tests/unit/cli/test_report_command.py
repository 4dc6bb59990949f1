import json

import pytest

import covey
from covey import io
from covey.synth import shop


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sales")
    made = shop(transactions=500, seed=1)
    io.write(made.baskets, folder / "sales.csv")
    (folder / "s.txt").write_text("\n".join(made.sensitive) + "\n")
    covey.publish(made.baskets, folder / "release", "degree(p=4)", seed=1)
    return folder


def test_report_writes_one_file(sales, tmp_path, covey_cli):
    target = tmp_path / "r.html"
    code, printed, _ = covey_cli("report", sales / "release", "-o", target, "--json")
    assert code == 0
    body = json.loads(printed)
    assert body["holds"]
    assert body["report"] == str(target)
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    code, printed, _ = covey_cli("report", sales / "release")
    assert code == 0
    assert (sales / "release.html").is_file()


def test_a_report_with_the_original_does_not_replace_the_one_to_share(sales, covey_cli):
    covey_cli("report", sales / "release")
    given = ("--original", sales / "sales.csv", "-s", sales / "s.txt")
    code, _, errors = covey_cli("report", sales / "release", *given)
    assert code == 0, errors
    internal = (sales / "release.internal.html").read_text(encoding="utf-8")
    assert "What an attacker achieves" in internal
    assert "internal use" in internal.lower()
    assert "internal use" not in (sales / "release.html").read_text(encoding="utf-8").lower()


def test_inspect_draws_and_writes_html(sales, tmp_path, covey_cli):
    plot, page = tmp_path / "risk.svg", tmp_path / "risk.html"
    code, printed, _ = covey_cli(
        "inspect", sales / "sales.csv", "--samples", 50, "--plot", plot, "--html", page, "--json"
    )
    assert code == 0
    assert json.loads(printed)["files"] == [str(plot), str(page)]
    assert b"<svg" in plot.read_bytes()
    assert "If it were published as it is" in page.read_text(encoding="utf-8")
    code, _, errors = covey_cli("inspect", sales / "sales.csv", "--plot", tmp_path / "risk.pdf")
    assert code == 2
    assert ".svg or .png" in errors
