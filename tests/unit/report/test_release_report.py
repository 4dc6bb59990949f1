import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

import covey
from covey.measure.study import Study
from covey.report.findings import ask, holder_shares, size_ranges
from covey.synth import shop

VOID = {"meta", "br", "img", "link", "hr"}


class Balance(HTMLParser):
    """Fails on an element that is not closed, and collects what the page would load."""

    def __init__(self):
        super().__init__()
        self.open, self.loads = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.loads += [value for name, value in attrs if name in ("src", "href")]

    def handle_startendtag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def parse(page):
    balance = Balance()
    balance.feed(page)
    assert not balance.open
    return balance


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    data = shop(transactions=600, seed=2).baskets
    covey.publish(data, folder / "release", "degree(p=4)", seed=1)
    return folder, data


@pytest.fixture(scope="module")
def full(made):
    folder, data = made
    verdict = covey.report(folder / "release", data, output=folder / "full.html", date="2020-01-02")
    assert verdict.holds
    return (folder / "full.html").read_text(encoding="utf-8")


def test_the_full_report_has_every_section_and_loads_nothing(full):
    for title in (
        "What is promised",
        "What is not promised",
        "What was checked",
        "How they are grouped",
        "Risk, before and after",
        "What it is still useful for",
        "What an attacker achieves",
        "How to ask it",
        "Details",
    ):
        assert f">{title}<" in full
    assert "Verified: degree(p=4) holds." in full
    assert "2020-01-02" in full
    assert "Internal use only" in full
    assert all(link.startswith("#") for link in parse(full).loads)
    assert not re.search(r"https?://|@import|url\((?!#)|<script|<link", full)


def test_without_the_original_nothing_of_it_is_told(made):
    folder, _ = made
    covey.report(folder / "release", output=folder / "short.html")
    page = (folder / "short.html").read_text(encoding="utf-8")
    parse(page)
    assert "Verified: degree(p=4) holds." in page
    for absent in ("Risk, before", "What it is still useful for", "What an attacker", "Internal use only"):
        assert absent not in page


def test_a_report_is_the_same_twice(made, full):
    folder, data = made
    covey.report(folder / "release", data, output=folder / "again.html", date="2020-01-02")
    assert (folder / "again.html").read_text(encoding="utf-8") == full


def test_an_original_without_marks_takes_those_of_the_release(made):
    folder, data = made
    plain = covey.Baskets(
        indptr=data.indptr,
        indices=data.indices,
        items=data.items,
        sensitive=np.zeros(data.d, np.bool_),
    )
    covey.report(folder / "release", plain, output=folder / "plain.html")
    assert "What an attacker achieves" in (folder / "plain.html").read_text(encoding="utf-8")


def test_a_tampered_release_gets_a_report_that_says_so(made, tmp_path):
    folder, data = made
    shutil.copytree(folder / "release", tmp_path / "bad")
    with (tmp_path / "bad" / "transactions.parquet").open("ab") as stream:
        stream.write(b"x")
    verdict = covey.report(tmp_path / "bad", data, output=tmp_path / "bad.html")
    page = (tmp_path / "bad.html").read_text(encoding="utf-8")
    assert not verdict.holds
    parse(page)
    assert "must not be trusted" in page
    assert "Verified" not in page
    assert "Approval" not in page


def test_labels_are_escaped(tmp_path):
    data = covey.Baskets.of(
        [["<b>x</b>", "it's", "<s>&"], ["<b>x</b>", "it's"], ["it's"], ["<b>x</b>"]], sensitive=["<s>&"]
    )
    covey.publish(data, tmp_path / "r", "degree(p=2)", seed=0)
    covey.report(tmp_path / "r", data, output=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    parse(page)
    assert "<b>x</b>" not in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "it&#x27;s" in page


def test_share_of_unique_baskets_and_sensitive_items_per_group(tmp_path):
    data = covey.Baskets.of([["a"], ["a"], ["b", "s"], ["a", "b"], ["a", "t"], ["a"]], sensitive=["s", "t"])
    covey.publish(data, tmp_path / "r", "degree(p=3)", seed=0)
    covey.report(tmp_path / "r", output=tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Of the published baskets 33 % are unique" in page
    groups = covey.read_release(tmp_path / "r").groups
    assert f"has {2 / groups:.1f} sensitive items on average" in page
    assert "at least one of several sensitive items is not bounded" in page


def test_size_ranges_cover_all_groups_and_are_few():
    rng = np.random.default_rng(0)
    for sizes in (
        np.array([4] * 10 + [5]),
        rng.integers(4, 5_000, 300),
        np.array([7]),
        np.array([], np.int64),
    ):
        ranges = size_ranges(sizes)
        assert sum(count for _, count in ranges) == len(sizes)
        assert len(ranges) <= 10


def test_questions_tell_the_truth(made):
    folder, data = made
    release = covey.read_release(folder / "release")
    rows = [set(data.basket(row)) for row in range(data.n)]
    questions = ask(release, Study(release, data))
    assert questions
    for question in questions:
        assert question["truth"] == sum({question["sensitive"], question["present"]} <= row for row in rows)


def test_holder_shares_are_those_of_the_groups(made):
    folder, _ = made
    release = covey.read_release(folder / "release")
    sizes = release.group_sizes()
    listed = [
        count / sizes[group]
        for group, count in zip(release.count_group, release.count, strict=True)
        for _ in range(count)
    ]
    mean, most = holder_shares(release)
    assert mean == pytest.approx(sum(listed) / len(listed))
    assert most == max(listed) <= 0.25
