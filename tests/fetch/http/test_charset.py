"""Characters: BOM, header, what the page says, then the bytes; the bytes can contradict a declaration."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.fetch.http.headers import content_type_of, is_text
from winnow.vocabulary.encodings.labels import codec_of
from winnow.vocabulary.encodings.web_page import charset_of

WESTERN = "Caf\u00e9 \u20ac 12,50 \u2013 \u201cd\u00e9j\u00e0 vu\u201d"


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("utf-8", "utf-8"),
        ("UTF8", "utf-8"),
        ("latin1", "cp1252"),
        ("ISO-8859-1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("windows-1252", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("iso-8859-15", "iso8859-15"),
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("big5", "big5hkscs"),
        ("shift_jis", "cp932"),
        ("x-sjis", "cp932"),
        ("Shift-JIS", "cp932"),
        ("euc-kr", "cp949"),
        ("ks_c_5601-1987", "cp949"),
        ("euc-jp", "euc_jp"),
        ("iso-2022-jp", "iso2022_jp"),
        ("koi8-r", "koi8-r"),
        ("windows-1251", "cp1251"),
        ("cp1251", "cp1251"),
        ("tis-620", "cp874"),
        (" 'utf-8' ", "utf-8"),
        ("unicode-1-1-utf-8", "utf-8"),
        ("macintosh", "mac-roman"),
        ("windows-874", "cp874"),
        ("utf-16", "utf-16-le"),
        ("iso88592", "iso8859-2"),
        ("x-cp1255", "cp1255"),
        ("logical", "iso8859-8"),
        ("csgb2312", "gb18030"),
        ("utf-7", None),
        ("hex", None),
        ("rot13", None),
        ("zlib", None),
        ("idna", None),
        ("punycode", None),
        ("none", None),
        ("cp037", None),
        ("unicode_escape", None),
        ("", None),
        ("a\0b", None),
        ("x" * 5000, None),
    ],
)
def test_labels_mean_what_the_web_means_by_them(label: str, codec: str | None) -> None:
    assert codec_of(label) == codec
    if codec:
        codecs.lookup(codec)


@pytest.mark.parametrize(
    ("body", "declared", "text"),
    [
        (WESTERN.encode(), "utf-8", WESTERN),
        (WESTERN.encode(), None, WESTERN),
        (WESTERN.encode("cp1252"), "iso-8859-1", WESTERN),
        (WESTERN.encode("cp1252"), None, WESTERN),
        (WESTERN.encode("cp1252"), "utf-8", WESTERN),  # the header is wrong
        (WESTERN.encode(), "iso-8859-1", WESTERN),  # and so is this one
        (WESTERN.encode(), "nonsense", WESTERN),
        (codecs.BOM_UTF8 + WESTERN.encode(), "iso-8859-1", WESTERN),
        (WESTERN.encode("utf-16"), None, WESTERN),
        (codecs.BOM_UTF16_BE + WESTERN.encode("utf-16-be"), "utf-8", WESTERN),
        (WESTERN.encode("utf-16-be"), "utf-16be", WESTERN),
        ("価格は1,299円です".encode("cp932"), "shift_jis", "価格は1,299円です"),
        ("価格は1,299円です".encode("iso2022_jp"), "iso-2022-jp", "価格は1,299円です"),
        ("联通".encode("gbk"), "gb2312", "联通"),  # these bytes look like UTF-8
        (
            "全场包邮，满一百减二十，欢迎选购".encode(),
            "gbk",
            "全场包邮，满一百减二十，欢迎选购",
        ),  # a whole page does not
        (b"<!-- \xe2\x80\x93 -->" + b"x" * 3_000 + "été à prix réduit".encode("cp1252"), "latin1", None),
        (b"<meta charset=euc-jp>" + "送料無料でお届けします".encode("cp932"), None, None),  # nor is this EUC-JP
    ],
)
def test_bom_header_and_bytes(body: bytes, declared: str | None, text: str | None) -> None:
    read = body.decode(charset_of(body, declared))
    assert read == text if text else read.endswith(("été à prix réduit", "送料無料でお届けします"))


@pytest.mark.parametrize(
    "declaration",
    [
        '<meta charset="windows-1251">',
        "<META CHARSET=cp1251>",
        "<meta http-equiv='Content-Type' content='text/html; charset=windows-1251'>",
        '<meta name="a"><meta data-x charset = "windows-1251" />',
        '<!-- <meta charset="utf-8"> --><meta charset="windows-1251">',
        "<?xml version='1.0' encoding='windows-1251'?>",
        " " * 9000 + '<meta charset="windows-1251">',
    ],
)
def test_what_the_page_says(declaration: str) -> None:
    body = (declaration + "<p>Цена: 1 299 рублей</p>").encode("cp1251")
    assert charset_of(body, None) == "cp1251"


def test_the_header_wins_over_the_page() -> None:
    body = "<meta charset=windows-1252>Цена".encode("cp1251")
    assert charset_of(body, "windows-1251") == "cp1251"


def test_a_page_with_one_damaged_character_stays_utf_8() -> None:
    body = ("é" * 50).encode() + b"\xe9" + "à".encode() * 50
    assert charset_of(body, "utf-8") == "utf-8"
    assert charset_of(body, None) == "utf-8"


UNDECLARED = {
    "cp1252": "Le prix a été réduit à 15 €, livraison gratuite dès 30 € d’achat",
    "cp1250": "Příliš žluťoučký kůň úpěl ďábelské ódy. Cena: 1 299 Kč",
    "cp1251": "Купить кроссовки в Москве недорого",
    "cp1253": "Τιμή: 49,90 ευρώ, δωρεάν αποστολή σε όλη την Ελλάδα",
    "cp874": "ราคา 1,299 บาท จัดส่งฟรีทั่วประเทศ สั่งซื้อวันนี้",
    "koi8-r": "Цена: 1 299 рублей, доставка бесплатно по всей стране",
    "cp932": "商品の詳細はこちらをご覧ください",
    "euc_jp": "価格は1,299円です。送料無料でお届けします。",
    "gb18030": "北京市朝阳区的活动，价格优惠",
    "big5hkscs": "價格：199元，全台免運費，立即購買享優惠",
    "cp949": "가격은 19,900원이며 전국 무료 배송입니다",
}


def test_little_text_between_much_markup_is_enough() -> None:
    body = (b"<p>" + "Московские новости".encode("cp1251") + b"</p>" + b"<div class=a>\n</div>" * 400) * 3
    assert charset_of(body, None) == "cp1251"


def test_western_letters_are_not_taken_for_central_european_ones() -> None:
    body = "<p>Città, però, perché, più, è, là, più tardi, età, virtù, così</p>".encode("cp1252")
    assert body.decode(charset_of(body, None)) == body.decode("cp1252")


@pytest.mark.parametrize(("codec", "text"), UNDECLARED.items())
def test_undeclared_text_is_recognised(codec: str, text: str) -> None:
    body = f"<html><body><h1>Shop</h1><p>{text}</p></body></html>".encode(codec)
    assert body.decode(charset_of(body, None)) == body.decode(codec)


@pytest.mark.parametrize(
    ("lang", "codec", "text"),
    [
        ("hu", "cp1250", "Árvíztűrő"),
        ("tr", "cp1254", "Şimdi satın alın"),
        ("he", "cp1255", "מחיר"),
        ("lt-LT", "cp1257", "čia žalią"),
        ("ja", "euc_jp", "価格です"),
        ("zh-TW", "big5hkscs", "價格"),
        ("zh-CN", "gb18030", "价格"),
        ("pl", "cp1250", "zł"),
    ],
)
def test_the_language_of_the_page_is_a_witness(lang: str, codec: str, text: str) -> None:
    body = f'<!doctype html><html class="x" lang="{lang}"><p>{text}</p>'.encode(codec)
    assert body.decode(charset_of(body, None)) == body.decode(codec)


@given(st.binary(max_size=400), st.sampled_from([None, "utf-8", "latin1", "gbk", "utf-16", "x"]))
def test_any_bytes_get_a_codec_that_can_read_them(body: bytes, declared: str | None) -> None:
    assert isinstance(body.decode(charset_of(body, declared), "replace"), str)


@pytest.mark.parametrize(
    ("header", "media", "charset"),
    [
        ("text/html; charset=UTF-8", "text/html", "UTF-8"),
        ("Text/HTML;charset='latin1'", "text/html", "latin1"),
        ("", "", None),
        ('text/html; boundary=x; Charset = "utf-8"', "text/html", "utf-8"),
        ("text/html; charset=", "text/html", None),
    ],
)
def test_content_type(header: str, media: str, charset: str | None) -> None:
    assert content_type_of(header) == (media, charset)


def test_only_text_has_a_charset() -> None:
    assert all(map(is_text, ["", "text/html", "application/xhtml+xml", "application/json", "application/ld+json"]))
    assert not any(map(is_text, ["image/png", "application/pdf", "application/octet-stream"]))
