"""extruct for what the page marks as events, and dateparser for the moments it gives.

extruct_agenda.py PAGES OUT PASSES
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import dateparser
import extruct

SYNTAXES = ["json-ld", "microdata"]


def visit(url: str, body: bytes) -> list[dict[str, str]]:
    data = extruct.extract(body, base_url=url, syntaxes=SYNTAXES, uniform=True)
    events = [node for node in data["json-ld"] + data["microdata"] if node.get("@type") == "Event"]
    return [
        {
            "title": event["name"],
            "start": dateparser.parse(event["startDate"], languages=["nl", "en"]).strftime("%Y-%m-%dT%H:%M"),
            "venue": event["location"]["name"],
        }
        for event in events
    ]


if __name__ == "__main__":
    pages = {url: html.encode() for url, html in json.loads(Path(sys.argv[1]).read_text()).items()}
    result: dict[str, Any] = {}
    visit(*next(iter(pages.items())))  # dateparser loads its languages when it is first asked
    begun = time.process_time()
    for _ in range(int(sys.argv[3])):
        result = {url: visit(url, body) for url, body in pages.items()}
    seconds = time.process_time() - begun
    Path(sys.argv[2]).write_text(json.dumps(result))
    print(json.dumps({"seconds": seconds, "pages": len(pages) * int(sys.argv[3])}))
