"""Links between files lead somewhere."""

import pytest

from tests.docs.markdown import READMES, ROOT, anchors, links

PAGES = sorted(ROOT.glob("*.md"))


def test_the_pages_are_there():
    named = {path.name for path in PAGES}
    assert {"ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md"} <= named
    assert {path.name for path in READMES} <= named


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in links(page):
        if target.startswith(("https://", "http://")):
            continue
        name, _, anchor = target.partition("#")
        linked = page.parent / name if name else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(linked), f"{page.name} links to {target}"


def test_the_readmes_link_to_each_other():
    english, chinese = READMES
    assert chinese.name in links(english)
    assert english.name in links(chinese)
