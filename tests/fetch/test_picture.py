"""What a picture is, by its bytes alone (C-036)."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.fetch.picture import Picture, read_picture


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def jpeg(width: int, height: int, before: bytes = b"") -> bytes:
    app0 = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\x00" + bytes(9)
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + app0 + before + b"\xff\xff" + frame + b"\xff\xda" + bytes(10) + b"\xff\xd9"


def webp(chunk: bytes, data: bytes) -> bytes:
    return b"RIFF" + struct.pack("<I", len(data) + 12) + b"WEBP" + chunk + struct.pack("<I", len(data)) + data


def box(name: bytes, *parts: bytes) -> bytes:
    data = b"".join(parts)
    return struct.pack(">I", len(data) + 8) + name + data


def avif(*sizes: tuple[int, int], shown: int = 1) -> bytes:
    """ISO 14496-12: a size (ispe) for each item, and which item is the picture (pitm); the others are thumbnails."""
    zero = bytes(4)  # version and flags
    properties = box(b"ipco", *(box(b"ispe", zero, struct.pack(">II", *size)) for size in sizes))
    owned = b"".join(struct.pack(">HBB", item, 1, item) for item in range(1, len(sizes) + 1))
    owners = box(b"ipma", zero, struct.pack(">I", len(sizes)), owned)
    meta = box(b"meta", zero, box(b"pitm", zero, struct.pack(">H", shown)), box(b"iprp", properties, owners))
    return box(b"ftyp", b"avif", zero, b"mif1avif") + meta + box(b"mdat", bytes(50))


def turned(orientation: int) -> bytes:
    """The EXIF segment of a camera held sideways."""
    tiff = b"MM\x00*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    return b"\xff\xe1" + struct.pack(">H", len(tiff) + 8) + b"Exif\x00\x00" + tiff


EXIF = b"\xff\xe1" + struct.pack(">H", 60_002) + bytes(60_000)
READ = {
    "png": (png(640, 480), Picture("image/png", 640, 480)),
    "jpeg": (jpeg(1200, 800), Picture("image/jpeg", 1200, 800)),
    "jpeg after 60 KB of EXIF": (jpeg(31, 41, EXIF), Picture("image/jpeg", 31, 41)),
    "jpeg held sideways": (jpeg(1200, 800, turned(6)), Picture("image/jpeg", 800, 1200)),
    "gif": (b"GIF89a" + struct.pack("<HH", 3, 5) + bytes(10), Picture("image/gif", 3, 5)),
    "bmp from the top": (b"BM" + bytes(12) + struct.pack("<Iii", 40, 7, -9) + bytes(30), Picture("image/bmp", 7, 9)),
    "webp lossy": (webp(b"VP8 ", b"\x00\x00\x00\x9d\x01\x2a@\x01\xf0\x00"), Picture("image/webp", 320, 240)),
    "webp lossless": (webp(b"VP8L", b"\x2f" + struct.pack("<I", 99 | 199 << 14)), Picture("image/webp", 100, 200)),
    "webp extended": (webp(b"VP8X", bytes(4) + b"\xff\x03\x00" + b"\xff\x02\x00"), Picture("image/webp", 1024, 768)),
    "avif with a thumbnail": (avif((160, 90), (1600, 900), shown=2), Picture("image/avif", 1600, 900)),
    "svg": (b'<?xml version="1.0"?>\n<svg width="24px" height="12" xmlns="x">', Picture("image/svg+xml", 24, 12)),
    "svg by its box": (b'<svg viewBox="0 0 300 150.4"></svg>', Picture("image/svg+xml", 300, 150)),
    "svg of no size": (b"<!-- logo --><svg width='100%'></svg>", Picture("image/svg+xml", None, None)),
}  # fmt: skip
NOT = {
    "nothing": b"",
    "a page": b"<!doctype html><html><body><svg></svg></body></html>",
    "a page that names itself picture": b"<html><img src=x></html>",
    "json": b'{"error": "not found"}',
    "a pdf": b"%PDF-1.7\n",
    "a program": b"\x7fELF\x02\x01\x01",
    "png of no width": png(0, 10),
    "png of absurd width": png(2**31, 10),
    "png that ends early": png(5, 5)[:20],
    "jpeg without a frame": b"\xff\xd8\xff\xda" + bytes(100),
    "jpeg cut in its header": jpeg(1, 1)[:20],
    "webp of another kind": webp(b"XXXX", bytes(20)),
    "avif without a size": avif(),
    "a video": b"\x00\x00\x00\x18ftypmp42" + bytes(20),
}


@pytest.mark.parametrize(("body", "picture"), READ.values(), ids=READ)
def test_c036_type_and_size_come_from_the_content(body: bytes, picture: Picture) -> None:
    assert read_picture(body) == picture


@pytest.mark.parametrize("body", NOT.values(), ids=NOT)
def test_what_is_no_picture(body: bytes) -> None:
    assert read_picture(body) is None


STARTS = [body[:n] for body, _ in READ.values() for n in (4, 12, 16, 24)]


@given(st.sampled_from(STARTS), st.binary(max_size=400))
def test_any_bytes_are_a_picture_of_some_size_or_none(start: bytes, rest: bytes) -> None:
    found = read_picture(start + rest)
    assert found is None or found.width is None or (0 < found.width <= 65_535 and 0 < (found.height or 0) <= 65_535)
