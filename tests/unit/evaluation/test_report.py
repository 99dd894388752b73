import re
from html.parser import HTMLParser

import pytest

from ragqa.evaluation import measure, missed, parse_limits
from ragqa.evaluation.report import report_html
from tests.unit.evaluation.outcomes import UNANSWERABLE, citation, outcome, passage

HOSTILE = "</pre></details><script>alert(1)</script>\"'<img src=http://x.test/a>{x}%s&lt;\x00\ud800"
VOID = {"meta", "br", "img"}
FETCHING = {"src", "href", "srcset", "data", "action", "poster", "background", "xlink:href"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.open, self.attributes, self.text = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    return page


def report(outcomes, **more):
    return report_html(measure(outcomes), outcomes, chain="stuff", **more)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_nothing_of_documents_or_questions_is_markup(language):
    hostile = outcome(
        {"question": HOSTILE, "answers": [HOSTILE], "gold_doc": HOSTILE},
        text=HOSTILE.replace("\ud800", ""),
        citations=[citation(HOSTILE, quote=HOSTILE)],
        passages=[passage(HOSTILE, text=HOSTILE)],
        retrieved=[passage(HOSTILE, text=HOSTILE)],
    )
    html = report_html(measure([hostile]), [hostile], chain=HOSTILE, language=language)
    page = read(html)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert html.count("alert(1)") == "".join(page.text).count("alert(1)") > 3
    html.encode()


def test_it_needs_nothing_beside_itself():
    html = report([outcome(), outcome(UNANSWERABLE)])
    page = read(html)
    assert not FETCHING & {name for name, _ in page.attributes}
    assert not re.search(r"url\(|@import|https?://", html)
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes
    assert page.tags.count("svg") == 3


def test_the_worst_stand_first_with_passages_and_quotes():
    wrong = outcome(
        {"question": "Which is wrong?"}, text="14 days", confidence=0.9, number=2,
        citations=[citation("b", quote="quoted wrongly")], verbatim=[False],
        passages=[passage("b", text="a passage of b")],
    )  # fmt: skip
    html = report([outcome({"question": "Which is right?"}), wrong])
    assert html.index("Which is wrong?") < html.index("Which is right?")
    assert "quoted wrongly" in html
    assert "not verbatim" in html
    assert "a passage of b" in html
    assert "right place" in html


def test_what_missed_is_marked():
    outcomes = [outcome(text="no")]
    metrics = measure(outcomes)
    misses = missed(metrics, parse_limits("answer_holds_gold=0.9,mrr=0.1"))
    html = report_html(metrics, outcomes, chain="stuff", misses=misses)
    assert html.count("<tr class=missed>") == 1
    assert "missed: 0.9" in html


def test_chinese():
    html = report([outcome({"question": "多久？"}), outcome(status="abstained")], language="zh")
    assert 'lang="zh-CN"' in html
    assert "评测报告" in html
    assert "误拒" in html
    assert "Evaluation" not in html


def test_plots_of_nothing_say_so():
    html = report([outcome({"truth": "x [a.pdf#page=1]", "answers": None, "gold_doc": None})])
    read(html)
    assert "Needs answerable and unanswerable questions." in html
    assert "No answer with a known right one." in html


def test_points_lie_inside_the_plot():
    html = report([outcome(confidence=c) for c in (0.0, 0.5, 1.0)] + [outcome(UNANSWERABLE)])
    width, height = map(int, re.search(r'viewBox="0 0 (\d+) (\d+)"', html).groups())
    points = re.findall(r'c[xy]="([\d.-]+)"', html)
    assert points
    assert all(0 <= float(point) <= max(width, height) for point in points)
    for across, up in re.findall(
        r"(-?[\d.]+),(-?[\d.]+)", "".join(re.findall(r'points="[^"]+"', html))
    ):
        assert 0 <= float(across) <= width
        assert 0 <= float(up) <= height
