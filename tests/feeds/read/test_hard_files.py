"""Files that are odd as a whole: mixed encodings, lines that are no rows, two catalogues in one, archives in archives."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest

from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile

SHOP = "https://shop.example.com"
HEAD = "SKU,Name,Price,Url\n"


def line(n: int, name: str = "") -> str:
    return f"S{n},{name or f'Thing {n}'},10.00,{SHOP}/{n}\n"


ROWS = HEAD + line(1) + line(2)


def names(data: bytes | str, **settings: object) -> list[str]:
    """Of a file without anything to report."""
    batch = read(data if isinstance(data, bytes) else data.encode(), **settings)
    assert batch.errors == []
    return [row.name for row in batch.rows]


# --- bytes


@pytest.mark.parametrize(
    ("raw", "name"),
    [(b"Caf\xe9", "Café"), (b"It\x92s", "It’s"), (b"\x93Best\x94 mug", "“Best” mug"), (b"A\xf1o", "Año")]
    + [(b"Gr\xf6\xdfe", "Größe"), (b"Ch\xe2teau", "Château"), (b"20\xb0 tile", "20° tile"), (b"\xc4pfel", "Äpfel")],
)  # fmt: skip
def test_a_line_in_the_windows_page_inside_a_utf8_file_is_read(raw: bytes, name: str) -> None:
    data = (HEAD + line(1, "Größe é") + line(2, "Ünï ñ")).encode() + line(3, "@").encode().replace(b"@", raw)
    assert names(data + line(4, "naïve").encode()) == ["Größe é", "Ünï ñ", name, "naïve"]


@pytest.mark.parametrize(
    "raw",
    [b"Caf\xc3", b"Thing \xe2", b"Thing \xe2\x80", b"Gr\xff\xfee", b"Mug \xf0\x9f\x98", "é caf".encode() + b"\xe9"],
)
def test_a_cut_character_is_no_letter_of_that_page(raw: bytes) -> None:
    data = (HEAD + line(1, "Größe é") + line(2, "Ünï ñ")).encode() + line(3, "@").encode().replace(b"@", raw)
    batch = read(data + line(4).encode())
    assert [row.sku for row in batch.rows] == ["S1", "S2", "S4"]
    assert [(error.row_number, error.code) for error in batch.errors] == [(3, "ENCODING_ERROR")]


def test_a_mark_that_went_through_a_code_page_is_no_part_of_the_header() -> None:
    assert [row.sku for row in read(("ï»¿" + ROWS).encode()).rows] == ["S1", "S2"]


# --- lines


@pytest.mark.parametrize(
    "end", ["\x1a", "\x1a\n", "\x00" * 50, "\n\n", "\x0c\n", "# made on 2026-03-15, 2 rows\n", "#\n"]
)
def test_what_stands_below_the_rows_and_says_nothing_is_no_row(end: str) -> None:
    assert names(ROWS + end) == ["Thing 1", "Thing 2"]


def test_a_line_below_the_header_is_no_row() -> None:
    text = f"| SKU | Name | Price | Url |\n| --- | --- | --- | --- |\n| S1 | Thing 1 | 10.00 | {SHOP}/1 |\n"
    assert names(text) == ["Thing 1"]
    assert names(ROWS.replace("Url\n", "Url\n---,---,---,---\n")) == ["Thing 1", "Thing 2"]


def test_blank_lines_beside_a_broken_quote_are_no_rows() -> None:
    batch = read((HEAD + line(1) + "\n" + 'S9,"open\n' + "\n" + line(2)).encode())
    assert [row.sku for row in batch.rows] == ["S1", "S2"]
    assert [error.row_number for error in batch.errors] == [2]


def test_comments_are_no_rows_but_a_cut_row_is_reported_whatever_it_begins_with() -> None:
    batch = read((HEAD + line(1) + "# said, by the way\n" + line(2) + "#9,cut\n#8,Thing,10.00," + SHOP + "\n").encode())
    assert [row.sku for row in batch.rows] == ["S1", "S2", "#8"]
    assert [(error.row_number, error.code) for error in batch.errors] == [(3, "PARSE_ERROR")]


def test_delimiters_may_be_escaped_without_quotes() -> None:
    assert names(HEAD + line(1, "Thing\\, nice") + line(2)) == ["Thing, nice", "Thing 2"]


@pytest.mark.parametrize("second", ["Name,SKU,Price,Url\n", "SKU,Name,Price,Url,Currency\n"])
def test_f002_a_second_header_with_other_columns_fails_the_file(second: str) -> None:
    """Read on by the first one, names would be SKUs."""
    with pytest.raises(BadFile) as caught:
        read((ROWS + second + f"Thing 3,S3,10.00,{SHOP}/3\n").encode())
    assert caught.value.code == "TWO_HEADERS"


def test_rows_before_a_fuller_header_are_not_lost_without_a_word() -> None:
    with pytest.raises(BadFile):
        read((HEAD + line(1) + "SKU,Name,Price,Url,Currency,Brand\n" + line(2).replace("\n", ",EUR,Acme\n")).encode())


# --- archives


def packed(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(gzip.compress(ROWS.encode())),
        packed(("a.csv.gz", gzip.compress(ROWS.encode()))),
        packed(("LICENSE", b"x"), ("feed.txt", ROWS.encode())),
        packed(("._a.csv", b"\x00"), (".DS_Store", b"x"), ("Thumbs.db", b"x"), ("a.csv", ROWS.encode())),
        packed(("feeds/", b""), ("feeds/2026/a.csv", ROWS.encode())),
    ],
    ids=["gzip twice", "gzip in zip", "text and licence", "leftovers of file managers", "folders"],
)
def test_f070_the_one_catalogue_in_an_archive_is_found(data: bytes) -> None:
    assert names(data) == ["Thing 1", "Thing 2"]


def test_a_bomb_in_a_bomb_is_refused() -> None:
    inner = gzip.compress(HEAD.encode() + b"\n" * 30_000_000, compresslevel=9)
    with pytest.raises(BadFile) as caught:
        read(gzip.compress(inner))
    assert caught.value.code == "TOO_LARGE_UNPACKED"


# --- XML


def item(n: int, name: str = "", more: str = "") -> str:
    return f"<product><sku>S{n}</sku><name>{name or f'Thing {n}'}</name><price>10.00</price><url>{SHOP}/{n}</url>{more}</product>"


def document(*items: str, said: str = "UTF-8", before: str = "") -> str:
    return f'<?xml version="1.0" encoding="{said}"?>\n{before}<products>\n' + "\n".join(items) + "\n</products>\n"


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("ISO-8859-1", "utf-8"),
        ("UTF-16", "utf-8"),
        ("UTF-8", "utf-16"),
        ("UTF-8", "cp1252"),
        ("windows-1252", "cp1252"),
    ],
)
def test_an_encoding_that_is_declared_and_not_used_is_not_believed(said: str, written: str) -> None:
    assert names(document(item(1, "Größe é"), said=said).encode(written)) == ["Größe é"]


def test_one_item_in_another_page_is_read_and_a_damaged_one_reported() -> None:
    items = [item(1, "Größe é"), item(2, "@"), item(3, "ü%é"), item(4, more="<description>ü%</description>")]
    data = document(*items).encode().replace(b"@", b"Caf\xe9 \xfc").replace(b"%", b"\xff")
    batch = read(data)
    assert [row.name for row in batch.rows] == ["Größe é", "Café ü", "Thing 4"]
    assert batch.rows[2].description == "ü\ufffd"
    assert [(error.row_number, error.code) for error in batch.errors] == [(3, "ENCODING_ERROR")]
    assert [(warning.row_number, warning.code) for warning in batch.warnings] == [(4, "TEXT_DAMAGED")]


def test_names_of_elements_may_be_in_any_alphabet() -> None:
    text = f"<товар><Артикул>S1</Артикул><Название>Чайник</Название><Цена>5.00</Цена><Ссылка>{SHOP}/1</Ссылка></товар>"
    data = f'<?xml version="1.0" encoding="windows-1251"?><каталог>{text}{text}</каталог>'.encode("cp1251")
    assert names(data) == ["Чайник", "Чайник"]


def test_an_entity_of_a_dtd_elsewhere_is_not_left_out() -> None:
    text = document(item(1, "Caf&eacute;"), before='<!DOCTYPE products SYSTEM "products.dtd">')
    assert names(text) == ["Café"]


@pytest.mark.parametrize(
    ("written", "name"),
    [("A&#11;B&#0;", "AB"), ("Mug &#55357;&#56832;", "Mug 😀"), ("Mug &#xD83D;&#xDE00;", "Mug 😀"), ("A &foo; B", "A &foo; B")]
    + [("Nice <b>big</b> thing", "Nice big thing"), ("Tom &amp;amp; Jerry", "Tom & Jerry")],
)  # fmt: skip
def test_what_a_generator_did_not_write_as_xml_is_still_text(written: str, name: str) -> None:
    assert names(document(item(1, written), item(2))) == [name, "Thing 2"]


@pytest.mark.parametrize("name", ["Fine", "<![CDATA[Fine]]>"])
def test_a_section_that_is_never_closed_costs_its_item_alone(name: str) -> None:
    text = document(item(1), item(2, "<![CDATA[never closed"), item(3, name), item(4, name))
    batch = read(text.encode())
    assert [(row.sku, row.name) for row in batch.rows] == [("S1", "Thing 1"), ("S3", "Fine"), ("S4", "Fine")]
    assert [(error.row_number, error.code) for error in batch.errors] == [(2, "PARSE_ERROR")]


def test_a_section_that_ends_with_the_next_item_s_swallows_none() -> None:
    cut = item(2, more="<description><![CDATA[Words").replace("</product>", "")
    batch = read(document(item(1), cut, item(3, more="<description><![CDATA[More]]></description>"), item(4)).encode())
    assert [(row.sku, row.description) for row in batch.rows] == [("S1", None), ("S3", "More"), ("S4", None)]
    assert [error.row_number for error in batch.errors] == [2]


@pytest.mark.parametrize("broken", ["", "<product><name>x</product>"])
def test_f002_a_comment_that_hides_the_rest_fails_the_file(broken: str) -> None:
    with pytest.raises(BadFile) as caught:
        read(document(item(1), broken, item(2), "<!-- " + item(3), item(4)).encode())
    assert caught.value.code == "TRUNCATED"


def test_items_that_are_never_closed_are_reported_where_they_stand() -> None:
    items = [item(n).replace("</product>", "") if n % 2 else item(n) for n in range(1, 201)]
    batch = read(document(*items).encode())
    assert [row.sku for row in batch.rows] == [f"S{n}" for n in range(2, 201, 2)]
    assert [error.row_number for error in batch.errors] == list(range(1, 200, 2))


@pytest.mark.parametrize("end", ["</produc>", "<t>", "</product", "</pro]]>duct>", "", "<!-- </product>"])
def test_an_end_tag_that_is_broken_costs_its_item_alone(end: str) -> None:
    items = [item(n).replace("</product>", end) if n == 3 else item(n) for n in range(1, 7)]
    batch = read(document(*items).encode())
    assert [row.sku for row in batch.rows] == ["S1", "S2", "S4", "S5", "S6"]
    assert [(error.row_number, error.line) for error in batch.errors] == [(3, 5)]


@pytest.mark.parametrize("junk", ["Notice: something\n", "<br />\n<b>Warning</b>: x in <b>y.php</b><br />\n"])
def test_a_server_s_words_before_the_catalogue_are_skipped(junk: str) -> None:
    batch = read((junk + document(item(1), "<product><sku>S2</sku></product>")).encode())
    assert [row.sku for row in batch.rows] == ["S1"]
    assert [error.line for error in batch.errors] == [junk.count("\n") + 4]


def test_an_empty_item_that_had_to_be_mended_is_no_row() -> None:
    batch = read(document(item(1), "<product>&nbsp;</product>", item(2)).encode())
    assert [(row.row_number, row.sku) for row in batch.rows] == [(1, "S1"), (2, "S2")]
    assert (batch.errors, batch.warnings) == ([], [])


def test_a_cell_that_holds_xml_makes_no_xml_of_the_file() -> None:
    variants = '"<?xml version=""1.0""?><variants><variant><sku>V</sku></variant></variants>"'
    text = (
        HEAD.replace("\n", ",Variants XML\n") + line(1).replace("\n", f",{variants}\n") + line(2).replace("\n", ",\n")
    )
    assert names(text) == ["Thing 1", "Thing 2"]


def test_six_hundred_pictures_hide_no_price() -> None:
    pictures = "".join(f"<image>{SHOP}/{n}.jpg</image>" for n in range(600))
    text = document(f"<product><images>{pictures}</images>" + item(1)[len("<product>") :])
    assert read(text.encode()).rows[0].image_url == f"{SHOP}/0.jpg"
