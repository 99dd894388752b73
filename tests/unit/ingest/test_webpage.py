from __future__ import annotations

import contextlib
import time

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest.document import TextPage
from ragqa.ingest.parsers import webpage


def page(source: str | bytes) -> TextPage:
    data = source if isinstance(source, bytes) else source.encode()
    return webpage.parse(data).documents[0].pages[0]


def text(source: str | bytes) -> str:
    return page(source).text


def test_a_page_is_its_content_without_what_surrounds_it() -> None:
    source = """<!doctype html><html><head><title>Shipping</title><style>.a{margin:0}</style></head>
    <body><nav><a>Start</a><a>Basket</a></nav><main><h1>Shipping</h1>
    <p>A parcel takes <b>two</b> working days.</p>
    <table><tr><td>Courier</td><td>same day</td></tr></table></main>
    <script>let cost = {b: 2};</script><noscript>Switch on scripts</noscript>
    <template><p>draft</p></template><footer>Imprint</footer></body></html>"""
    assert text(source) == ("Shipping\n\nA parcel takes two working days.\n\nCourier: same day")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<a>Start</a><a>Basket</a>", "Start Basket"),
        ("<span>Courier</span><span>1 day</span>", "Courier 1 day"),
        ("<b>Courier</b><i>1 day</i>", "Courier 1 day"),
        ("<a><b>Start</b></a><a>Basket</a>", "Start Basket"),
        ("<label>Price</label>5 €", "Price 5 €"),
        ("<b>Weight</b>2 kg", "Weight 2 kg"),
        ("<b>W</b>ord", "Word"),
        ("W<b>or</b>d", "Word"),
        ("<p>kettle</p><p>lid</p>", "kettle\n\nlid"),
        ("kettle<br>lid", "kettle\nlid"),
        ("<div>kettle</div>lid", "kettle\n\nlid"),
        ("H<sub>2</sub>O and m<sup>2</sup>", "H2O and m2"),
        ("10<sup>2</sup> or 10<sup>-3</sup>, 5<sup>th</sup>", "10² or 10⁻³, 5th"),
        ('<p>within 30<sup><a href="#n">1</a></sup> days', "within 30¹ days"),
        ("<del>49</del> <ins>39</ins> <s>59</s> <strike>69</strike> euros", "39 euros"),
        ("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>", "漢字"),
        ("<math><mn>5</mn><annotation>5</annotation></math>", "5"),
        ("<p>a</p><noframes><p>Your browser shows no frames</p></noframes>", "a"),
        ("<span>签收</span><span>后</span>退货", "签收后退货"),
        ("<a>首页</a><a>商店</a>", "首页 商店"),
        ("  much \n\t blank&nbsp;space ", "much blank space"),
        ("soft&shy;hyphen zero&#8203;width", "softhyphen zerowidth"),
        ("a &lt;b&gt; {c} &amp; %s", "a <b> {c} & %s"),
        ("<pre>  a\n    b</pre>", "  a\n    b"),
        ("<ul><li>one</li><li><p>two</p></li><li></li></ul>", "- one\n- two"),
        ("<dl><dt>Weight<dd>2 kg<dt>Size:<dd>3 l</dl>", "Weight: 2 kg\n\nSize: 3 l"),
        ("<h2><button>How long?</button></h2>", "How long?"),
        ("<p hidden>no</p><p style='Display : none'>no</p><p aria-hidden=true>no</p>yes", "yes"),
        ("<div role=navigation>no</div><div role=contentinfo>no</div>yes", "yes"),
        ("<!-- no --><svg><text>no</text></svg><select><option>no</select>yes", "yes"),
        ("", ""),
        ("only text", "only text"),
    ],
)
def test_words_of_neighbours_stay_apart_and_words_stay_whole(source: str, expected: str) -> None:
    assert text(source) == expected


def test_headings_stand_where_they_say() -> None:
    parsed = page("<h1>Lamp <em>L9</em></h1><p>x</p><h3>Care</h3><p>y</p><h2> </h2>")
    assert [(h.level, h.title) for h in parsed.headings] == [(1, "Lamp L9"), (3, "Care")]
    assert all(parsed.text[h.start : h.end] == h.title for h in parsed.headings)


def test_the_title_heads_a_page_without_headings() -> None:
    assert [h.title for h in page("<title>Lamp\n L9</title><p>x").above] == ["Lamp L9"]
    assert page("<title>Lamp</title><h1>Lamp L9</h1>").above == ()


def test_table_rows_name_their_columns() -> None:
    source = (
        "<table><caption>Prices</caption><thead><tr><th>Model<th>Price</tr></thead>"
        "<tr><td>L8<td>29</tr><tr><td>L9<td>39</tr></table>"
    )
    assert text(source) == "Prices\n\nModel: L8; Price: 29\n\nModel: L9; Price: 39"


def test_spanning_cells_fill_what_they_span() -> None:
    source = (
        "<table><tr><th rowspan=2>Model<th colspan=2>Price</tr><tr><th>EU<th>US</tr>"
        "<tr><td rowspan=3>L9<td>39<td>45</tr><tr><td>40<td>46</tr>"
        "<tr><td colspan=2>50</tr></table>"
    )
    assert text(source).split("\n\n") == [
        "Model: L9; Price EU: 39; Price US: 45",
        "Model: L9; Price EU: 40; Price US: 46",
        "Model: L9; Price EU: 50; Price US: 50",
    ]


@pytest.mark.parametrize("span", ["-1", "0", "x", "", "99999999999"])
def test_a_senseless_span_does_no_harm(span: str) -> None:
    assert "L9" in text(f"<table><tr><td colspan={span}>L9<td>39</tr></table>")


def test_layout_tables_are_no_data() -> None:
    source = "<table><tr><td><h2>Care</h2><p>Wipe it.</p></td><td>aside</td></tr></table>"
    parsed = page(source)
    assert parsed.text == "Care\n\nWipe it.\n\naside"
    assert [h.title for h in parsed.headings] == ["Care"]
    nested = "<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>"
    assert text(nested).split() == ["a", "b:", "c", "d"]


def test_the_declared_encoding_is_used() -> None:
    source = '<meta charset="gb2312"><p>龘</p>'
    assert text(source.encode("gbk")) == "龘"
    assert text("<p>本店商品支持七天内换货。</p>".encode("gbk")) == "本店商品支持七天内换货。"


@pytest.mark.parametrize("tag", ["div", "span", "b", "ul><li", "table><tr><td", "blockquote"])
def test_deep_pages_end_no_recursion(tag: str) -> None:
    assert text(f"<{tag}>" * 9000 + "deep").strip("- ") == "deep"


def test_senselessly_deep_pages_are_refused_at_once() -> None:
    with pytest.raises(RetrievalError, match="deep"):
        page("<div>" * 200_000)


def test_many_elements_that_close_by_themselves_are_not_deep() -> None:
    assert text("<ul>" + "<li>x" * 30_000).count("x") == 30_000


def test_elements_that_xml_closes_at_once_hide_nothing() -> None:
    source = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>'
        '<script src="a.js"/><style /></head><body><a id="x"/><p>Cost: <br/>'
        "<![CDATA[5 < 6]]> euros.</p><textarea/><p>More.</p></body></html>"
    )
    assert text(source) == "Cost:\n5 < 6 euros.\n\nMore."


@pytest.mark.parametrize("piece", ["<a ", "<![CDATA[", "<a", "]]>", "<a/>"])
def test_broken_xml_is_read_in_linear_time(piece: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(RetrievalError):  # nested too deep
        text("<?xml?><p>x</p>" + piece * (200_000 // len(piece)))
    assert time.process_time() - begun < 5


def test_lists_with_an_order_keep_their_numbers() -> None:
    assert text("<ol><li>one<li>two<ul><li>in</ul><li>three</ol><ul><li>loose</ul>") == (
        "1. one\n2. two\n- in\n3. three\n- loose"
    )
    assert text("<ul><li>a<ol start=3><li>x<li><p>y</ol><li>b</ul>") == "- a\n3. x\n4. y\n- b"
    assert text("<ol start=99999><li>a</ol><ol start=x><li>b</ol>") == "1. a\n1. b"


def test_a_question_stands_above_its_definition() -> None:
    page = "<dl><dt>Is there parking?<dd>Behind the store.<dt>Weight<dd>2 kg</dl>"
    assert text(page) == "Is there parking?\n\nBehind the store.\n\nWeight: 2 kg"
