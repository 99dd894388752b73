from __future__ import annotations

import codecs

import pytest

from ragqa.errors import RetrievalError
from ragqa.ingest.decode import decode

CHINESE = [
    "本店商品支持七天内换货，运费由买家承担。",
    "保修一年",
    "台灯",
    "价格：59元",
    "水壶容量为1.5升。\r\n重量1.1公斤。",
    "型号,商品,价格（欧元）\nK9,电水壶,49.90",
    "Model X-20，额定功率：1500W",
    "① 打开包装 ② 检查配件",
    "榴莲",
    "Price 80 元/kg",
    "退貨政策：三十天內可退",
    "《用户手册》",
    "涂片上观察到",
]
TRADITIONAL = [
    "簽收後14天內可以退貨，請保留包裝。",
    "保固兩年",
    "客服電話：02-2345-6789",
    "產品規格",
]
JAPANESE = [
    "返品は14日以内に可能です。",
    "保証期間は一年です",
    "取扱説明書：電源を切ってください。",
]
KOREAN = ["반품은 14일 이내에 가능합니다.", "보증 기간은 1년입니다."]
WESTERN = [
    "Rückgabe innerhalb von 14 Tagen möglich.",
    "Größe: 5 m²",
    "naïve façade",
    "Café à la crème — 5 €",
    "It’s “ready” at 5 °C",
    "Señor, ¿cuánto cuesta?",
    "ÜBERGRÖSSE",
    "Déjà vu été créé",
    "smörgåsbord på svenska",
    "•\titem one\r\n•\titem two",
    "© 2025 Müller GmbH",
    "½ cup",
    "Rückgabe in 30 Tagen",
]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *(("gb18030", text) for text in CHINESE),
        *(("gbk", text) for text in CHINESE),
        *(("big5", text) for text in TRADITIONAL),
        *(("cp932", text) for text in JAPANESE),
        *(("cp949", text) for text in KOREAN),
        *(("cp1252", text) for text in WESTERN),
        ("latin-1", "Grüße aus Köln"),
        ("cp1251", "Гарантия один год на все товары."),
        ("koi8-r", "Гарантия один год на все товары магазина."),
        ("cp1250", "Zwrot w ciągu 14 dni, wysyłka trwa dwa dni."),
        ("cp1253", "Επιστροφές εντός 14 ημερών από την παράδοση"),
        *(("utf-8", text) for text in (*CHINESE, *JAPANESE, *KOREAN, *WESTERN, "Привет", "学校")),
        ("utf-8", "plain"),
        ("gb18030", "签收后可退货 😀 很好"),
    ],
)
def test_every_encoding_comes_out_right(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "text", ["Hello, world", "签收后14天内可退货。\n", "a,b\r\n1,2\r\n", "Größe 5\n"]
)
@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_encodings_without_a_mark(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "encoding",
    ["utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"],
)
@pytest.mark.parametrize("text", ["x", "签收后可退货\r\n第二行", ""])
def test_the_mark_goes_and_line_ends_stay(encoding: str, text: str) -> None:
    marks = {
        "utf-16-le": codecs.BOM_UTF16_LE,
        "utf-16-be": codecs.BOM_UTF16_BE,
        "utf-32-le": codecs.BOM_UTF32_LE,
        "utf-32-be": codecs.BOM_UTF32_BE,
    }
    assert decode(marks.get(encoding, b"") + text.encode(encoding)) == text


def test_gbk_that_is_valid_utf_8_by_chance() -> None:
    raw = "Price 80 元".encode("gbk")
    assert raw.decode("utf-8") != "Price 80 元"
    assert decode(raw) == "Price 80 元"


@pytest.mark.parametrize(
    "text", ["café", "Ünï", "Привет", "שלום", "مرحبا", "ελληνικά", "e\u0301te\u0301"]
)
def test_short_utf_8_is_not_taken_for_gbk(text: str) -> None:
    assert decode(text.encode()) == text


def test_what_a_page_declares_counts_where_utf_8_does_not_fit() -> None:
    raw = "龘龘".encode("gbk")
    assert decode(raw, declared="gb2312") == "龘龘"
    assert decode("é".encode("latin-1"), declared="iso-8859-1") == "é"
    assert decode("“é”".encode("cp1252"), declared="iso-8859-1") == "“é”"


def test_a_wrong_or_unknown_declaration_is_passed_over() -> None:
    assert decode("退货".encode(), declared="gb2312") == "退货"
    assert decode("支持七天内退货。".encode("gbk"), declared="no-such-thing") == "支持七天内退货。"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("本店商品支持七天内换货。".encode()[:-1], "damaged at byte"),
        ("本店商品".encode() + b"\xff" + "支持七天内换货。".encode(), "damaged at byte 12"),
        ("é è ü ö ß ".encode() + b"\xe9 x", "damaged at byte"),
        (codecs.BOM_UTF16_LE + b"a\0b", "damaged further down"),
        (codecs.BOM_UTF8 + b"\xff\xfe", "damaged further down"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "an image"),
        (b"%PDF-1.7\n", "a PDF"),
        (b"{\\rtf1\\ansi\\deff0 {\\fonttbl}Hello.}", "RTF"),
        (b"PK\x03\x04\x14\0", "zip"),
        (b"\x7fELF\x02\x01\x01", "a program"),
        (bytes(range(256)) * 40, "not text"),
        (b"\x00\x01\x02\x03\xff\xfe\xfd" * 30, "not text"),
        (codecs.BOM_UTF8 + b"\x01\x02\x03\x04\x05", "not text"),
    ],
)
def test_what_is_no_text_is_refused_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(RetrievalError, match=reason) as caught:
        decode(data)
    assert caught.value.hint


def test_a_stray_nul_in_a_text_is_kept() -> None:
    text = "A line of a log that was cut off\0 by a crash, and goes on."
    assert decode(text.encode()) == text


def test_no_text_ever_holds_replacement_characters_or_lost_bytes() -> None:
    for lead in range(0x80, 0x100):
        for trail in (0x20, 0x41, 0x80, 0xA1, 0xFE):
            raw = b"abc " + bytes([lead, trail]) + b" def"
            try:
                text = decode(raw)
            except RetrievalError:
                continue
            assert "\ufffd" not in text
            assert text.startswith("abc ")
            assert text.endswith(" def")


def test_large_input_is_read_in_linear_time() -> None:
    text = "本店商品支持七天内换货。" * 200_000
    assert decode(text.encode("gb18030")) == text


@pytest.mark.parametrize(
    ("label", "encoding", "text"),
    [
        ("x-euc-jp", "euc_jp", "保証期間は2年です。"),
        ("X-Mac-Cyrillic", "mac_cyrillic", "Срок гарантии 2 года"),
        ("ISO-8859-8-I", "iso8859_8", "אחריות לשנתיים"),
        ("windows-874", "cp874", "รับประกันสองปี"),
        ("iso-8859-9", "cp1254", "Garanti süresi “iki” yıldır"),
    ],
)
def test_labels_that_only_pages_use_are_known(label: str, encoding: str, text: str) -> None:
    assert decode(text.encode(encoding), declared=label) == text


@pytest.mark.parametrize("label", ["undefined", "idna", "hex", "rot13", "x-", "windows-", ""])
def test_a_label_of_no_text_encoding_is_passed_over(label: str) -> None:
    assert decode("Größe".encode("cp1252"), declared=label) == "Größe"


def test_japanese_in_seven_bits() -> None:
    text = "保証期間は2年です。"
    assert decode(text.encode("iso2022_jp")) == text
    colours = "\x1b[31mred\x1b[0m"
    assert decode(colours.encode()) == colours
