"""The original beside the release: whoever has both sees which row became what; sorted, searched, leafed through."""

import csv
import re

import numpy as np
import pytest

import covey
from covey.io import write
from covey.synth import shop
from covey.web.work.beside import beside
from covey.web.work.browsing import MEMBERS, groups
from walking import barriers, expect, tab_to


def source_of(path, kind, sensitive=(), **options):
    return {"path": str(path), "name": path.name, "kind": kind, "options": options, "sensitive": list(sensitive)}


def all_of(task, *given, **asked):
    return task(*given, **{"offset": 0, "limit": 10_000, "order": "", "search": "", **asked})


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sales")
    made = shop(transactions=300, seed=1)
    write(made.baskets, folder / "sales.csv")
    return folder, made


def test_every_row_of_the_original_is_in_its_group(sales):
    folder, made = sales
    secret = [made.sensitive[0]]
    data = covey.read(folder / "sales.csv", sensitive=secret)
    covey.publish(data, folder / "degree", "degree(p=4)", "cahd", seed=1, merge=False)
    found = all_of(beside, str(folder / "degree"), source_of(folder / "sales.csv", "baskets", secret))
    assert (found["problem"], sum(group["rows"] for group in found["groups"])) == ("", 300)
    whole = [group for group in found["groups"] if group["rows"] <= MEMBERS]
    assert len(whole) > 1
    for group in whole:
        held = sum((secret[0], "counted") in pair["original"] for pair in group["pairs"])
        assert held == dict(group["sensitive"]).get(secret[0], 0)
        assert group["risk"] == held / group["rows"]
        published = sorted(sorted(text for text, _ in pair["published"]) for pair in group["pairs"])
        assert published == sorted(sorted(member) for member in group["members"])
    support = data.supports()[data.items.index(secret[0])]
    assert found["items"] == [{"item": secret[0], "before": support, "left": 0, "label": None}]


def test_what_was_left_out_of_sets_is_marked(sales):
    folder, _ = sales
    data = covey.read(folder / "sales.csv")
    covey.publish(data, folder / "ka", "k-anonymity(k=5)", "pattern-ka", seed=1)
    found = all_of(beside, str(folder / "ka"), source_of(folder / "sales.csv", "baskets"))
    assert sum(group["rows"] for group in found["groups"]) == 300
    released = covey.read_release(folder / "ka").transactions
    for group in found["groups"]:
        for pair in group["pairs"]:
            assert {text for text, what in pair["original"] if what == "same"} == set(group["shared"])
            assert [text for text, _ in pair["published"]] == sorted(group["shared"])
    left = {one["item"]: one["left"] for one in found["items"]}
    supports = dict(zip(released.items, released.supports().tolist(), strict=True))
    for item, lost in left.items():
        assert lost == data.supports()[data.items.index(item)] - supports.get(item, 0)

    # The smallest and the largest first; a search finds what the release or the original has.
    sizes = [group["size"] for group in all_of(groups, str(folder / "ka"), order="smallest")["groups"]]
    assert sizes == sorted(sizes)
    risks = [group["risk"] for group in all_of(groups, str(folder / "ka"), order="risk")["groups"]]
    assert risks == sorted(risks, reverse=True)
    gone = next(item for item in left if item not in supports)
    assert all_of(groups, str(folder / "ka"), search=gone.upper())["total"] == 0
    again = all_of(beside, str(folder / "ka"), source_of(folder / "sales.csv", "baskets"), search=gone)
    assert again["total"] > 0
    assert [one["item"] for one in again["items"] if one["item"] == gone] == [gone]
    kept = next(iter(supports))
    with_it = all_of(groups, str(folder / "ka"), search=kept)
    assert 0 < with_it["total"] < len(sizes)
    assert all(any(kept in label for label in group["shared"]) for group in with_it["groups"])


def test_values_of_a_table_stand_beside_what_they_became(tmp_path):
    draw = np.random.default_rng(1)
    rows = [("age", "sex", "illness")]
    rows += [(int(draw.integers(20, 60)), "fm"[draw.integers(2)], ("flu", "gout")[draw.integers(2)]) for _ in range(80)]
    with (tmp_path / "people.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    data = covey.read_table(tmp_path / "people.csv", sensitive="illness")
    covey.publish(data, tmp_path / "out", "k-anonymity(k=5)", "mondrian", seed=1)
    found = all_of(beside, str(tmp_path / "out"), source_of(tmp_path / "people.csv", "table", ["illness"]))
    assert sum(group["rows"] for group in found["groups"]) == 80
    for group in found["groups"]:
        for pair in group["pairs"]:
            (age, how), (_, _), (illness, as_it_was) = pair["original"]
            published = pair["published"][0][0].removeprefix("age ")
            low, high = map(int, (published.strip("[]").split("-") * 2)[:2])
            assert low <= int(age.removeprefix("age ")) <= high
            assert (how == "same") == (low == high)
            assert as_it_was == "same"
            assert illness in [text for text, _ in pair["published"]]


@pytest.mark.slow
def test_side_by_side_on_the_page(page, server, finished, axe):
    page.goto(finished["url"])
    page.get_by_role("link", name="Original and release side by side").click()
    page.wait_for_url("**/beside")
    expect(page.get_by_role("status").first).to_contain_text("Internal use only")
    first = page.locator(".together").first
    expect(first.get_by_role("columnheader")).to_have_text(["Original", "Published"])
    total = server.service.releases.groups(finished["id"]).total

    # Sorted by risk, and to a page by its number: by keyboard.
    page.get_by_label("Sorted by").focus()
    page.keyboard.type("risk")
    page.wait_for_url(re.compile("order=risk"))
    expect(first.locator(".bit.counted").first).to_be_visible()
    page.get_by_label("Page", exact=True).fill("3")
    page.keyboard.press("Enter")
    expect(page.locator(".pager [role=status]")).to_contain_text(f"9 to 12 of {total:,}, page 3")
    page.reload()
    expect(page.locator(".pager [role=status]")).to_contain_text(f"9 to 12 of {total:,}, page 3")
    tab_to(page, "Next")
    page.keyboard.press("Enter")
    expect(page.locator(".pager [role=status]")).to_contain_text("page 4")

    # Searched, on a phone; nothing to download.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_label("Find an item or value").fill("pregnancy")
    page.keyboard.press("Enter")
    expect(page.locator("#group-page table").last).to_contain_text("pregnancy test")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert barriers(page, axe) == []
    assert page.locator("a[download]").count() == 0
    answer = page.request.get(page.url)
    assert answer.headers["cache-control"] == "no-store"

    # The same sorting and finding where the release alone is leafed through.
    page.goto(f"{finished['url']}?search=pregnancy&order=risk#groups")
    expect(page.locator("#group-page summary").first).to_contain_text("pregnancy test")
    page.get_by_label("Find an item or value").fill("no such thing")
    page.keyboard.press("Enter")
    expect(page.locator("#group-page")).to_contain_text("Nothing that is published has this in it.")
