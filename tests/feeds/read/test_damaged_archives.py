"""Packed catalogues that are cut off, damaged, bombs, or hold more than one file; whatever happens, a file is read or refused."""

from __future__ import annotations

import gzip
import io
import zipfile
from random import Random

import pytest

from tests.feeds.read.catalogues import HEADER, products, written
from tests.feeds.read.google_feed import feed as xml_feed
from tests.feeds.read.google_feed import item as xml_item
from tests.feeds.read.reading import read
from winnow.feeds.failures import BadFile, FeedFailure, RowCountLimitExceeded
from winnow.feeds.read.parse import ParseSettings, parse
from winnow.feeds.read.row import Row

# --- limits


def test_f072_one_row_too_many_ends_it_after_the_rows_before() -> None:
    data = written(products(300)).encode()
    rows: list[Row] = []
    with pytest.raises(RowCountLimitExceeded) as caught:
        for batch in parse(io.BytesIO(data), ParseSettings(max_rows=200, batch_rows=64)):
            rows += batch.rows
    assert len(rows) == 200
    assert (caught.value.actual, caught.value.limit) == (201, 200)
    assert len(read(data, max_rows=300).rows) == 300


def test_truncated_gzip_gives_the_rows_before_and_then_says_so() -> None:
    data = gzip.compress(written(products(20_000)).encode())
    rows: list[Row] = []
    with pytest.raises(BadFile) as caught:
        for batch in parse(io.BytesIO(data[: len(data) * 2 // 3]), ParseSettings()):
            rows += batch.rows
    assert caught.value.code == "TRUNCATED"
    assert len(rows) > 1_000


@pytest.mark.parametrize("at", [30, 2_000, -6, -2])
def test_a_damaged_gzip_is_told(at: int) -> None:
    data = bytearray(gzip.compress(written(products(3_000)).encode()))
    data[at] ^= 0xFF
    with pytest.raises(BadFile):
        read(bytes(data))


PIECES = [
    b'"',
    b"'",
    b",",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"<",
    b">",
    b"&",
    b"</item>",
    b"<item>",
    b"<![CDATA[",
    b"=",
    b"\\",
]


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_to_a_file_it_is_read_or_refused(seed: int) -> None:
    """Never another exception, never a row twice or without a number, never a value the database cannot keep."""
    random = Random(seed)
    rows = products(8, letters=" é")
    files = [written(rows, d).encode(e) for d in ",\t|" for e in ("utf-8", "cp1252", "utf-16")]
    files += [xml_feed(*(xml_item(n) for n in range(1, 6))).encode(), gzip.compress(files[0])]
    for _ in range(40):
        data = bytearray(random.choice(files))
        for _ in range(random.randint(1, 6)):
            at = random.randrange(len(data))
            data[at : at + random.choice([0, 0, 1, 20])] = random.choice(PIECES)
        try:
            got = read(bytes(data), batch_rows=random.choice([2, 100]))
        except FeedFailure:
            continue
        numbers = [row.row_number for row in got.rows] + [error.row_number for error in got.errors]
        assert sorted(numbers) == list(range(1, got.read + 1))
        for row in got.rows:
            text = "".join(value for value in row if isinstance(value, str))
            assert "\x00" not in text
            assert text.encode()
            assert row.name
            assert row.price > 0


def test_a_gzip_bomb_is_refused_without_unpacking_it_all() -> None:
    bomb = gzip.compress(",".join(HEADER).encode() + b"\n" + b"\n" * 30_000_000, compresslevel=1)
    with pytest.raises(BadFile) as caught:
        read(bomb)
    assert caught.value.code == "TOO_LARGE_UNPACKED"
    with pytest.raises(BadFile):
        read(gzip.compress(written(products(2_000)).encode()), max_plain_bytes=50_000)


def test_a_zip_of_two_files_or_cut_off_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.csv", ",".join(HEADER))
        archive.writestr("b.csv", ",".join(HEADER))
    with pytest.raises(BadFile):
        read(out.getvalue())
    single = io.BytesIO()
    with zipfile.ZipFile(single, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", written(products(200)))
    with pytest.raises(BadFile):
        read(single.getvalue()[:-200])


def test_f070_a_zip_with_a_note_beside_the_catalogue_is_read_and_one_with_two_is_not() -> None:
    def packed(*names: str) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name in names:
                archive.writestr(name, written(products(3)) if name.endswith("csv") else "About this file")
        return made.getvalue()

    assert len(read(packed("README.txt", "catalogue.csv")).rows) == 3
    for names in (("a.csv", "b.csv"), ("a.txt", "b.txt"), ()):
        with pytest.raises(BadFile) as caught:
            read(packed(*names))
        assert caught.value.code == "NOT_ONE_FILE"
