"""The shop of bench/site.py with what a browser loads besides the page: styles, scripts, pictures, data.

    python -m bench.browser_site --pages 300

Nothing may be cached (`no-store`): a crawler rarely meets the same site's files twice in one browser, and a
loop that keeps its cache would be compared by that alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import struct
import sys
import zlib
from pathlib import Path

if not __package__:  # run as a file: the repository's root takes the place of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench import site

STYLES, SCRIPTS, PICTURES = 2, 4, 24  # a modest shop: the median page on the web makes 70 requests (HTTP Archive, 2024)
_SHOWN = (
    "<p id=delivery></p><script>fetch('/data/delivery').then(r=>r.json()).then(d=>delivery.textContent=d.text)</script>"
)


def picture(number: int, side: int = 120) -> bytes:
    """A PNG of noise, some 15 KB."""
    dice = random.Random(f"picture {number}")
    rows = b"".join(b"\0" + bytes(dice.randrange(0, 256, 32) for _ in range(side * 3)) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def script(number: int) -> bytes:
    """Some work of the kind shops do at the start: build a table, look things up, touch the page."""
    return (
        f"(function(){{var t={{}};for(var i=0;i<40000;i++)t['k'+(i*{number + 7}%9973)]=i;"
        f"document.documentElement.dataset.s{number}=Object.keys(t).length}})();" + "/* padding */" * 1_500
    ).encode()


def style(number: int) -> bytes:
    return "".join(f".c{number}-{n}>a:hover{{color:#{n:06x};margin:{n % 20}px}}\n" for n in range(1_200)).encode()


def dressed(page: bytes) -> bytes:
    head = "".join(f'<link rel=stylesheet href="/s/{n}.css">' for n in range(STYLES))
    head += "".join(f'<script defer src="/s/{n}.js"></script>' for n in range(SCRIPTS))
    foot = _SHOWN + "".join(f'<img src="/i/{n}.png" width=120 height=120 alt="">' for n in range(PICTURES))
    return page.replace(b"</head>", head.encode() + b"</head>", 1).replace(b"</body>", foot.encode() + b"</body>", 1)


def answers_of(count: int, url: str) -> dict[bytes, bytes]:
    answers = {
        site.product_at(number).path.encode(): _answer(b"text/html; charset=utf-8", dressed(site.render(number, url)))
        for number in range(count)
    }
    answers |= {f"/i/{n}.png".encode(): _answer(b"image/png", picture(n)) for n in range(PICTURES)}
    answers |= {f"/s/{n}.js".encode(): _answer(b"text/javascript", script(n)) for n in range(SCRIPTS)}
    answers |= {f"/s/{n}.css".encode(): _answer(b"text/css", style(n)) for n in range(STYLES)}
    answers[b"/data/delivery"] = _answer(b"application/json", b'{"text": "Delivered tomorrow"}')
    return answers


def _answer(kind: bytes, body: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nCache-Control: no-store\r\nContent-Length: %d\r\n\r\n"
    return head % (kind, len(body)) + body


async def serve(count: int) -> None:
    answers: dict[bytes, bytes] = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: site.Server(answers), "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    answers.update(answers_of(count, url))
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    print(url, flush=True)
    await stopped.wait()
    server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Product pages with everything a browser loads besides.")
    parser.add_argument("--pages", type=int, default=300)
    asyncio.run(serve(parser.parse_args().pages))
