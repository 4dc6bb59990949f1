"""Ways of going through the pages in a browser without being ahead of them."""

try:
    from playwright.sync_api import expect as expect
except ImportError:  # the fixture `browser` says what is missing
    expect = None

#: Milliseconds after which something that has to happen is taken not to; nobody waits that long for what does.
PATIENCE = 120_000


def profile(browser, url, **options):
    """A fresh profile of a browser, for the pages below an address."""
    context = browser.new_context(base_url=url, **options)
    context.set_default_timeout(PATIENCE)
    return context


def loaded(page, selector):
    """Wait for a part that only the next page has, and until the scripts have seen all of that page."""
    page.locator(selector).first.wait_for()
    page.wait_for_load_state()


def tab_to(page, name):
    """Press Tab until the thing with this name has the focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        text = page.evaluate("(document.activeElement.ariaLabel || document.activeElement.textContent).trim()")
        if text == name:
            return
    raise AssertionError(f"{name!r} is not reached by Tab")


def barriers(page, axe):
    """What axe finds on a page, as it is."""
    page.evaluate(axe)
    return page.evaluate("async () => (await axe.run()).violations.map(one => [one.id, one.nodes.map(n => n.html)])")
