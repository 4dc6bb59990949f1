"""What somebody signs: the release and its fingerprint, the promise, what is sensitive, and lines to sign on."""

import covey


def test_the_report_is_fit_to_sign(tmp_path):
    data = tmp_path / "sales.csv"
    data.write_text("transaction,item\n" + "".join(f"{n},{'ab'[n % 2]}\n{n},c\n" for n in range(12)) + "3,<s>\n9,<s>\n")
    covey.publish(data, tmp_path / "out", "degree(p=4)", sensitive="<s>", seed=1)
    covey.report(tmp_path / "out", tmp_path / "inside.html", data, date="2026-11-17")
    covey.report(tmp_path / "out", tmp_path / "alone.html", date="2026-11-17")
    fingerprint = covey.verify(tmp_path / "out").figures["fingerprint"]
    for name in ("inside.html", "alone.html"):
        signed = (tmp_path / name).read_text().partition("<h2>Approval</h2>")[2]
        for text in (fingerprint, "degree(p=4)", "<td>&lt;s&gt;</td>", "all passed 2026-11-17"):
            assert text in signed
        for line in ("Name", "Role", "Place and date", "Signature"):
            assert f"<span>{line}</span>" in signed


def test_what_does_not_hold_cannot_be_signed(tmp_path):
    baskets = covey.Baskets.of([["a", "s"], ["a"], ["b"], ["b"]], sensitive=["s"])
    covey.publish(baskets, tmp_path / "out", "degree(p=2)")
    (tmp_path / "out" / "README.md").write_text("changed")
    assert not covey.report(tmp_path / "out", tmp_path / "report.html").holds
    assert "Approval" not in (tmp_path / "report.html").read_text()


def test_columns_and_issues_are_named_as_sensitive(tmp_path):
    columns = {"age": [30, 31, 50, 51], "city": ["a", "a", "b", "b"], "ill": list("xyxy")}
    table = covey.Table.of(columns, sensitive=["ill"])
    covey.publish(table, tmp_path / "table", "l-diversity(l=2, k=2)")
    ratings = covey.Ratings.of([{"tax": 3, "war": 1}, {"tax": 3, "war": 2}], scale="1:6", sensitive=["war"])
    covey.publish(ratings, tmp_path / "ratings", "k-eps-l(k=2, epsilon=1)")
    for name, marked in (("table", "ill"), ("ratings", "war")):
        covey.report(tmp_path / name, tmp_path / f"{name}.html")
        assert f"<th>Sensitive</th><td>{marked}</td>" in (tmp_path / f"{name}.html").read_text()
