"""One encoding reader: labels, what the first bytes settle, and a whole file at once."""

from __future__ import annotations

import codecs
import io

import pytest

from winnow.errors import InvalidInput
from winnow.feeds.read.xml.text import xml_encoding
from winnow.sources.csv_import import CsvFile
from winnow.vocabulary.encodings.evidence import NotText, encoding_of, utf8_balance
from winnow.vocabulary.encodings.labels import codec_of
from winnow.vocabulary.encodings.languages import languages
from winnow.vocabulary.encodings.text_file import Encoding, detect

LIST = "url\nhttps://shop.example/größe\n"


@pytest.mark.parametrize(
    ("label", "codec"),
    [
        ("iso8859_1", "cp1252"),
        ("ISO8859_16", "iso8859-16"),
        ("MS949", "cp949"),
        ("utf_8", "utf-8"),
        ("cp936", "gb18030"),
    ],
)
def test_other_spellings_of_web_encodings_are_labels(label: str, codec: str) -> None:
    assert codec_of(label) == codec


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "replacement", "größe"])
def test_what_the_standard_refuses_is_no_label(label: str) -> None:
    assert codec_of(label) is None


@pytest.mark.parametrize(
    ("head", "format"),
    [
        (b"PK\x03\x04rest", "zip"),
        (b"Rar!\x1a\x07", "rar"),
        (b"name" + b"\x00" * 253 + b"ustar", "tar"),
        (bytes(range(1, 5)) + b"\x00" * 396 + b"x", "binary"),
    ],
)
def test_files_that_are_no_text_are_named(head: bytes, format: str) -> None:
    with pytest.raises(NotText) as refused:
        encoding_of(head)
    assert refused.value.format == format


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16"),
        (codecs.BOM_UTF32_BE, "utf-32-be", "utf-32"),
        (b"", "utf-16-be", "utf-16-be"),
        (b"", "utf-32-le", "utf-32-le"),
        (b"", "utf-8", "utf-8"),
        (b"", "cp1252", "cp1252"),
    ],
)
def test_a_file_is_read_by_what_was_detected(mark: bytes, codec: str, name: str) -> None:
    body = mark + LIST.encode(codec)
    found = detect(io.BytesIO(body))
    assert found == Encoding(name)
    assert body.decode(found.name) == LIST


def test_one_damaged_line_in_utf_8_leaves_the_others() -> None:
    body = ("url\n" + "https://shop.example/größe\n" * 5).encode() + b"https://shop.example/caf\xe9\n"
    assert detect(io.BytesIO(body)) == Encoding("utf-8", broken=True)
    assert utf8_balance(body) == (10, 1)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [(b"Rar!\x1a\x07", "this is a RAR file: unpack it first"), (b"a\x00b\x00\x01" * 40, "this is not a text file")],
)
def test_a_csv_import_says_what_was_given_instead(body: bytes, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        CsvFile(io.BytesIO(body))


def test_a_catalogue_may_declare_a_label_only_the_web_knows() -> None:
    assert xml_encoding(b'<?xml version="1.0" encoding="x-sjis"?><a/>', None) == "cp932"


def test_code_pages_of_languages_have_their_letters() -> None:
    for language, written in languages().items():
        assert bool(written.letters) == bool(written.pages), language
        for page in written.pages:
            assert written.letters.encode(page).decode(page) == written.letters, (language, page)
