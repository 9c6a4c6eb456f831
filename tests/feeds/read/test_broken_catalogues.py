"""Every bad row is reported with its number, nothing good is lost, whatever the file is written in."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile

import pytest

from tests.feeds.read.catalogues import HEADER, Broken, Product, broken, mixed, products, written
from tests.feeds.read.reading import assert_truth, fields, read
from winnow.feeds.failures import BadFile
from winnow.feeds.read.parse import ParseSettings, parse

ENCODINGS = ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]


# --- whole files in every dialect


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL], ids=["minimal", "all"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("delimiter", [",", "\t", "|", ";", "^", "~"], ids=repr)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_whole_file_is_read_whole_in_any_dialect(encoding: str, delimiter: str, end: str, quoting: int) -> None:
    rows = products(40, letters=" Größe é")
    rows = [p._replace(description=p.description.replace("\n", " ")) for p in rows] if end == "\r" else rows
    assert_truth(read(written(rows, delimiter, end, quoting).encode(encoding)), rows)


@pytest.mark.parametrize("sign", ["\v", "\f", "\x1c", "\x1e", "\x85", "\u2028", "\u2029"], ids=ascii)
def test_what_python_takes_for_the_end_of_a_line_ends_no_row(sign: str) -> None:
    rows = [p._replace(description=f"warm{sign}and dry") for p in products(3)]
    assert_truth(read(written(rows, ",", "\n", csv.QUOTE_MINIMAL).encode()), rows)


@pytest.mark.parametrize("pack", ["gzip", "gzip-members", "zip"])
def test_packed_files_are_unpacked(pack: str) -> None:
    rows = products(500)
    data = written(rows).encode()
    if pack == "zip":
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("catalog.csv", data)
            archive.writestr("__MACOSX/._catalog.csv", b"noise")
        data = out.getvalue()
    elif pack == "gzip-members":
        data = gzip.compress(data[:9_000]) + gzip.compress(data[9_000:]) + b"\x00" * 100
    else:
        data = gzip.compress(data)
    assert_truth(read(data), rows)


def test_a_file_of_many_blocks_keeps_every_row_and_number() -> None:
    rows = products(6_000)
    got = read(written(rows).encode(), batch_rows=1_000)
    assert_truth(got, rows)


def test_chunks_may_be_cut_anywhere() -> None:
    rows = products(50, letters=" é")
    data = written(rows).encode()
    for size in (1, 7, 4_097):
        chunks = iter([data[at : at + size] for at in range(0, len(data), size)])
        batches = list(parse(chunks, ParseSettings()))
        assert [fields(row) for batch in batches for row in batch.rows] == [p.expected() for p in rows]


# --- bad rows


@pytest.mark.parametrize("case", list(broken()), ids=lambda case: case.name)
def test_one_bad_row_is_reported_and_costs_no_other(case: Broken) -> None:
    got = read(case.data)
    assert_truth(got, case.good, case.bad)
    assert all(error.message and error.code for error in got.errors)


@pytest.mark.parametrize("seed", range(60))
def test_many_faults_in_one_file(seed: int) -> None:
    case = mixed(seed)
    assert_truth(read(case.data), case.good, case.bad)


def test_errors_carry_the_line_and_a_sample() -> None:
    rows = products(5)
    data = written(rows[:4]).encode() + b"SKU-9,short\r\n"
    error = read(data).errors[0]
    assert error.sample == {"SKU": "SKU-9", "Name": "short"}
    assert error.line == data.decode().count("\n")


# --- quotes


def lines_of(rows: list[Product]) -> list[str]:
    return [written([row], end="\n", header=None) for row in rows]


HEAD = ",".join(HEADER) + "\n"


@pytest.mark.parametrize("at", [1, 5, 10])
def test_a_quote_that_is_never_closed_swallows_no_row(at: int) -> None:
    rows = [p._replace(description="words") for p in products(10)]
    lines = lines_of(rows)
    lines[at - 1] = lines[at - 1].replace("Product", '"Product', 1)
    got = read((HEAD + "".join(lines)).encode())
    expected = [p._replace(name=f'"{p.name}') if p.sku == f"SKU-{at}" else p for p in rows]
    assert_truth(got, expected)
    assert [warning.row_number for warning in got.warnings] == [at]


def test_two_stray_quotes_do_not_glue_the_rows_between_them() -> None:
    rows = [p._replace(description="words") for p in products(10)]
    lines = lines_of(rows)
    lines[2] = lines[2].replace("Product 3", '"Product 3', 1)
    lines[5] = lines[5].replace("Product 6", 'Product 6"', 1)
    got = read((HEAD + "".join(lines)).encode())
    assert [row.sku for row in got.rows] == [p.sku for p in rows]


def test_quotes_inside_a_quoted_field_are_read_or_reported() -> None:
    head = "SKU,Name,Price,Url\n"
    body = '1,"5" pipe, steel",9.99,https://a.example/1\n2,Next,8.00,https://a.example/2\n'
    got = read((head + body).encode())
    assert [(row.sku, row.name, row.price) for row in got.rows] == [("1", '5" pipe, steel', 999), ("2", "Next", 800)]


def test_backslash_escapes_are_recognised() -> None:
    head = "SKU,Name,Price,Url\n"
    body = "".join(f'{n},"5\\" pipe, no {n}",9.99,https://a.example/{n}\n' for n in range(1, 20))
    got = read((head + body).encode())
    assert [row.name for row in got.rows] == [f'5" pipe, no {n}' for n in range(1, 20)]


def test_a_broken_quoted_field_over_lines_costs_its_own_row_only() -> None:
    rows = [p._replace(description="words") for p in products(6)]
    lines = lines_of(rows)
    lines.insert(3, 'SKU-X,"open "quote" here\nand no end\n')
    got = read((HEAD + "".join(lines)).encode())
    assert [row.sku for row in got.rows] == [p.sku for p in rows]
    assert [error.row_number for error in got.errors] == [4]


def test_a_multi_line_field_over_a_block_boundary_is_whole() -> None:
    rows = [p._replace(description="\n".join(["line of text, with comma"] * 40)) for p in products(600)]
    assert_truth(read(written(rows).encode()), rows)


def test_spaces_before_quotes() -> None:
    body = "".join(f'{n}, "Name, {n}", 9.99, "https://a.example/{n}"\n' for n in range(1, 5))
    got = read(("SKU, Name, Price, Url\n" + body).encode())
    assert [(row.name, row.price) for row in got.rows] == [(f"Name, {n}", 999) for n in range(1, 5)]


def test_single_quotes_around_every_field() -> None:
    body = "".join(f"'{n}','Name, {n}','9.99','https://a.example/{n}'\n" for n in range(1, 5))
    got = read(("'SKU','Name','Price','Url'\n" + body).encode())
    assert [row.name for row in got.rows] == [f"Name, {n}" for n in range(1, 5)]


# --- shape


def test_blank_lines_repeated_headers_and_a_preamble_are_no_rows() -> None:
    rows = [p._replace(description="words") for p in products(6)]
    lines = lines_of(rows)
    text = "Catalogue of Example\n\nmade,today\n" + HEAD + HEAD + lines[0] + "\n\n" + ",,,,,,,,\n" + "".join(lines[1:4])
    text += HEAD.upper() + "".join(lines[4:]) + "\n\n"
    assert_truth(read(text.encode()), rows)


def test_mixed_line_ends() -> None:
    rows = [p._replace(description="words") for p in products(30)]
    ends = ["\n", "\r\n", "\r"]
    text = HEAD + "".join(line.rstrip("\n") + ends[n % 3] for n, line in enumerate(lines_of(rows)))
    assert_truth(read(text.encode()), rows)


def test_no_line_end_at_the_end() -> None:
    rows = [p._replace(description="words") for p in products(3)]
    assert_truth(read((HEAD + "".join(lines_of(rows))).rstrip("\n").encode()), rows)


@pytest.mark.parametrize("where", ["rows", "header", "both"])
def test_trailing_delimiters(where: str) -> None:
    rows = [p._replace(description="words") for p in products(5)]
    head = HEAD.replace("\n", ",\n") if where != "rows" else HEAD
    lines = [line.replace("\n", ",\n") if where != "header" else line for line in lines_of(rows)]
    assert_truth(read((head + "".join(lines)).encode()), rows)


def test_header_only_is_an_empty_catalogue() -> None:
    got = read(HEAD.encode())
    assert (len(got.rows), got.errors, got.read) == (0, [], 0)


NO_CATALOGUES = [
    *(b"", b"\n\n\n", b"\xef\xbb\xbf", b"   ", b"1,2,3\n4,5,6\n", b"<html><body>Login</body></html>", b"%PDF-1.4 ..."),
    *(b"\x00" * 5_000, b"a,b,c\nhello,world,x\n", b"SKU,Name\n1,x\n", b"PK\x03\x04garbage", b"\x1f\x8bgarbage"),
    *(bytes(range(256)) * 40, b"Error: permission denied"),
]


@pytest.mark.parametrize(
    "data",
    NO_CATALOGUES,
    ids=lambda data: repr(data[:20]),
)
def test_f117_what_is_no_catalogue_is_refused_as_a_whole(data: bytes) -> None:
    with pytest.raises(BadFile):
        read(data)


def test_columns_in_any_order_and_case_with_duplicates() -> None:
    text = "URL,price,NAME,Price,sku\nhttps://a.example/1,9.99,One,9.99,1\nhttps://a.example/2,9.99,Two,8.88,2\n"
    text += "https://a.example/3,,Three,7.77,3\n"
    got = read(text.encode())
    assert [(row.sku, row.price) for row in got.rows] == [("1", 999), ("3", 777)]
    assert [(error.row_number, error.code) for error in got.errors] == [(2, "AMBIGUOUS_COLUMNS")]


def test_very_long_fields_are_kept() -> None:
    rows = [p._replace(description="x" * 900_000) for p in products(3)]
    assert_truth(read(written(rows).encode()), rows)


def test_two_encodings_in_one_file_are_both_read() -> None:
    rows = [p._replace(description="words", brand="Müller", name=f"{p.name} é") for p in products(20)]
    lines = lines_of(rows)
    data = HEAD.encode() + b"".join(line.encode("utf-8" if n < 4 else "cp1252") for n, line in enumerate(lines))
    assert_truth(read(data), rows)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [
        ("cp1251", "Чайник электрический"),
        ("koi8-r", "Чайник электрический"),
        ("cp1253", "Καφετιέρα μαύρη"),
        ("cp1250", "Žlutý kůň příšerně úpěl ďábelské ódy"),
        ("iso8859-2", "Żółta łódź gęślą"),
        ("cp1254", "Çaydanlık ışığı şık güzel"),
        ("shift_jis", "電気ケトルのセット"),
        ("euc_jp", "電気ケトルのセット"),
        ("euc_kr", "전기 주전자 세트"),
        ("gb18030", "电热水壶套装 黑色"),
        ("big5", "電熱水壺套裝 黑色"),
        ("cp1252", "Crème brûlée"),
    ],
)
def test_code_pages_are_told_from_their_letters(encoding: str, name: str) -> None:
    rows = [p._replace(description="words", name=f"{name} {n}", brand="Acme") for n, p in enumerate(products(20))]
    assert_truth(read((HEAD + "".join(lines_of(rows))).encode(encoding)), rows)


def test_one_accent_is_no_other_alphabet() -> None:
    rows = [p._replace(description="words") for p in products(20)]
    rows[7] = rows[7]._replace(name="Café Über Señor")
    assert_truth(read((HEAD + "".join(lines_of(rows))).encode("cp1252")), rows)


@pytest.mark.parametrize("again", ["", HEAD])
def test_a_byte_order_mark_in_the_middle_is_part_of_no_value(again: str) -> None:
    rows = [p._replace(description="words") for p in products(8)]
    lines = lines_of(rows)
    text = "\ufeff" + HEAD + "".join(lines[:4]) + "\ufeff" + again + "".join(lines[4:])
    assert_truth(read(text.encode()), rows)
    assert_truth(read(text.encode("utf-16-le")), rows)


@pytest.mark.parametrize("header_too", [True, False])
def test_lines_that_were_quoted_whole_are_rows_all_the_same(header_too: bool) -> None:
    rows = [p._replace(description="words, and words") for p in products(6)]
    wrapped = ['"' + line.rstrip("\r\n").replace('"', '""') + '"\n' for line in [HEAD, *lines_of(rows)]]
    got = read("".join(wrapped if header_too else [HEAD, *wrapped[1:]]).encode())
    assert_truth(got, rows)
    assert {warning.code for warning in got.warnings} == {"STRAY_QUOTE"}  # it is told


def test_a_server_s_warning_before_the_catalogue_is_no_row() -> None:
    rows = [p._replace(description="words") for p in products(6)]
    warning = "<br />\n<b>Warning</b>: something in <b>/export.php</b> on line <b>3</b><br />\n"
    assert_truth(read((warning + "sep=,\n" + HEAD + "".join(lines_of(rows))).encode()), rows)


def test_damaged_bytes_cost_a_row_only_where_it_matters() -> None:
    rows = [p._replace(description="wörter", name=f"{p.name} größe") for p in products(10)]
    lines = [line.encode() for line in lines_of(rows)]
    lines[3] = lines[3].replace("größe".encode(), b"gr\xff\xfee")
    lines[6] = lines[6].replace("wörter".encode(), b"w\xffrter")
    got = read(HEAD.encode() + b"".join(lines))
    assert [(error.row_number, error.code) for error in got.errors] == [(4, "ENCODING_ERROR")]
    assert got.rows[5].description == "w\ufffdrter"
    assert [(warning.row_number, warning.code) for warning in got.warnings] == [(7, "TEXT_DAMAGED")]


def test_nul_padding_is_nothing() -> None:
    rows = [p._replace(description="words") for p in products(5)]
    lines = lines_of(rows)
    lines[2] = lines[2].replace("Product 3", "Product 3\x00\x00\x00")
    assert_truth(read((HEAD + "".join(lines)).encode()), rows)


def test_f076_single_quotes_also_where_the_header_could_be_read_without() -> None:
    lines = ["SKU,Name,Price,Currency,Url", "1,O'Neill's tent,5.00,USD,https://s.example/1"]
    assert read("\n".join(lines).encode()).rows[0].name == "O'Neill's tent"
    quoted = "\n".join(",".join(f"'{cell}'" for cell in line.replace("'", "").split(",")) for line in lines)
    assert [(row.sku, row.name, row.currency) for row in read(quoted.encode()).rows] == [("1", "ONeills tent", "USD")]
