"""A process that uses the private server: says where it is, and leaves when it is told to (end of input)."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from winnow.db.embedded import start_or_join


async def main(folder: Path) -> None:
    server = await start_or_join(folder)
    state = json.loads((server.home / "server.json").read_text())
    print(json.dumps({**state, "home": str(server.home), "url": server.url}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await server.release()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
