"""CSV import: wrong rows are told with line and reason, the good ones go in (issue 2, item 6)."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.errors import InvalidInput
from winnow.sources.csv_import import CsvFile, ImportRow, Wrong

URL = "https://shop.example/p/1"


def read(data: bytes) -> list[ImportRow | Wrong]:
    return list(CsvFile(io.BytesIO(data)).rows())


def urls(data: bytes) -> list[str]:
    return [row.fields["url"] for row in read(data) if isinstance(row, ImportRow)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
def test_every_usual_encoding_is_recognised(encoding: str) -> None:
    text = f"url,notes\r\n{URL},Kaffee süß für 5\r\nhttps://shop.example/p/2,weiß\r\n"
    rows = read(text.encode(encoding))
    assert [r.fields["notes"] for r in rows if isinstance(r, ImportRow)] == ["Kaffee süß für 5", "weiß"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found_by_the_header(delimiter: str) -> None:
    data = f"priority{delimiter}url\n3{delimiter}{URL}?a=1,2;3\n".encode()
    if delimiter in ",;":
        data = f'priority{delimiter}url\n3{delimiter}"{URL}?a=1,2;3"\n'.encode()
    assert read(data) == [ImportRow(2, {"priority": "3", "url": f"{URL}?a=1,2;3"})]


def test_a_spreadsheets_sep_line_is_obeyed() -> None:
    assert read(f"sep=;\r\nLink;Prio\r\n{URL};7\r\n".encode()) == [ImportRow(3, {"url": URL, "priority": "7"})]


def test_header_names_have_aliases_and_unknown_columns_are_named() -> None:
    file = CsvFile(io.BytesIO(f"Product URL,Colour,Cron\n{URL},red,0 * * * *\n".encode()))
    assert file.layout.ignored == ("Colour",)
    assert list(file.rows()) == [ImportRow(2, {"url": URL, "schedule": "0 * * * *"})]


def test_one_column_keeps_commas_of_a_url() -> None:
    assert urls(f"url\n{URL}?ids=1,2,3\n".encode()) == [f"{URL}?ids=1,2,3"]


def test_without_a_header_it_is_a_list_of_urls() -> None:
    assert urls(f"\n{URL}\n\n{URL}?x=a;b,c\n".encode()) == [URL, f"{URL}?x=a;b,c"]


def test_line_numbers_count_lines_not_records() -> None:
    data = f'url,notes\n{URL}/1,"two\nlines"\n,no url\n{URL}/2,ok\n'.encode()
    rows = read(data)
    assert [r.line for r in rows] == [2, 4, 5]
    assert rows[0] == ImportRow(2, {"url": f"{URL}/1", "notes": "two\nlines"})
    assert rows[1] == Wrong(4, "it has no URL")


def test_a_quotation_mark_left_open_costs_one_row_only() -> None:
    data = f'url,notes\n{URL}/1,"never closed\n{URL}/2,fine\n{URL}/3,fine\n'.encode()
    rows = read(data)
    assert isinstance(rows[0], Wrong)
    assert rows[0].line == 2
    assert urls(data) == [f"{URL}/2", f"{URL}/3"]


def test_too_many_columns_is_wrong_and_empty_extra_ones_are_not() -> None:
    rows = read(f"url,notes\n{URL},a,b\n{URL},a,,,\n{URL}\n".encode())
    assert isinstance(rows[0], Wrong)
    assert "3 columns" in rows[0].reason
    assert [r.line for r in rows if isinstance(r, ImportRow)] == [3, 4]


def test_broken_encoding_costs_the_broken_rows_only() -> None:
    good = "".join(f"{URL}/{i},schön 日本語\n" for i in range(5)).encode()
    data = b"url,notes\n" + good + URL.encode() + b"/x,\xff\xfe\x81\n" + URL.encode() + b"/y,fine\n"
    rows = read(data)
    assert [r for r in rows if isinstance(r, Wrong)] == [Wrong(7, "it contains bytes that are not UTF-8")]
    assert len(urls(data)) == 6


def test_a_zero_character_costs_its_row_only() -> None:
    data = f"url,notes\n{URL}/1,fine\n{URL}/2,a\0b\n{URL}/3,fine\n".encode()
    assert read(data)[1] == Wrong(3, "it contains a zero character")
    assert urls(data) == [f"{URL}/1", f"{URL}/3"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "empty"),
        (b"\n \n\r\n", "empty"),
        (b"PK\x03\x04xlsx", "Excel"),
        (b"\x1f\x8b\x08\x00", "gzip"),
        (b"url\n" + bytes(range(8)) * 4 + b"binary", "not a text file"),
        (b"name,price\nHammer,3\n", "no column is named url"),
        ("url\nhttps://shop.example/\n".encode("utf-16") + b"\x00", "encoding"),
    ],
)
def test_a_file_that_cannot_be_a_list_of_targets_says_why(data: bytes, says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        read(data)


def test_an_endless_line_is_wrong_and_the_next_one_is_read() -> None:
    data = b"url\nhttps://shop.example/" + b"a" * 300_000 + b"\n" + URL.encode() + b"\n"
    rows = read(data)
    assert rows == [Wrong(2, "the line is too long"), ImportRow(3, {"url": URL})]


@given(st.binary(max_size=2_000))
def test_no_bytes_end_in_anything_but_rows_or_a_reason(data: bytes) -> None:
    try:
        rows = read(b"url,notes\n" + data)
    except InvalidInput:
        return
    assert all(r.line >= 2 for r in rows)


@given(
    st.lists(
        st.tuples(st.text("abc/?=&,;", max_size=20), st.text(st.characters(codec="utf-8"), max_size=30)), max_size=8
    ),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_what_a_csv_writer_wrote_is_read_back(cells: list[tuple[str, str]], delimiter: str) -> None:
    import csv

    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["url", "notes"])
    wanted = []
    for tail, note in cells:
        note = note.replace("\x00", "").replace("\r", "")
        writer.writerow([f"{URL}/{tail}", note])
        wanted.append((f"{URL}/{tail}", note.strip()))
    rows = read(out.getvalue().encode())
    assert [(r.fields["url"], r.fields.get("notes", "")) for r in rows if isinstance(r, ImportRow)] == wanted
