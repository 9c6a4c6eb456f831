"""A backend: submits the jobs of a plan to the scraping service, verifies every callback, writes down what it heard.

    python -m tests.chaos.backend PORT KEY SECRET FOLDER

It knows nothing of the service but its address: a submit that fails is sent again with the same Idempotency-Key.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from aiohttp import web

from winnow import webhooks
from winnow.client import AsyncClient, Target

SECONDS = 500.0
LINGER = 5.0  # seconds in which a second callback would still be heard


class Heard:
    def __init__(self, secret: str) -> None:
        self._secret = secret
        self.of: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.forged = 0

    async def hook(self, request: web.Request) -> web.Response:
        body = await request.read()
        try:
            message = webhooks.verify(self._secret, dict(request.headers), body)
        except webhooks.NotGenuine:
            self.forged += 1
            return web.Response(status=400)
        said = json.loads(body)
        self.of.setdefault(said["job_id"], []).append((message.id, said))
        return web.Response()


async def run(port: int, key: str, secret: str, folder: Path) -> None:
    planned = json.loads((folder / "plan.json").read_text())
    heard = Heard(secret)
    app = web.Application(client_max_size=64 << 20)
    app.router.add_post("/told", heard.hook)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}/told"
    async with AsyncClient(f"http://127.0.0.1:{port}", key, attempts=200) as winnow:
        jobs = await asyncio.gather(*(_submit(winnow, number, job, address) for number, job in enumerate(planned)))
    async with asyncio.timeout(SECONDS):
        while not all(job in heard.of for job in jobs):
            await asyncio.sleep(0.2)
    await asyncio.sleep(LINGER)
    assert heard.forged == 0, f"{heard.forged} callbacks did not verify"
    told = [
        {
            "job_id": job,
            "deliveries": [message for message, _ in heard.of[job]],
            "statuses": [said["status"] for _, said in heard.of[job]],
            "results": [len(said["results"]) for _, said in heard.of[job]],
        }
        for job in jobs
    ]
    (folder / "told.json").write_text(json.dumps(told))
    await runner.cleanup()


async def _submit(winnow: AsyncClient, number: int, job: dict[str, Any], address: str) -> str:
    targets = [Target("company_website", url, "ws_1") for url in job["urls"]]
    return (await winnow.submit_batch(targets, callback_url=address, key=f"job-{number}")).id


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])))
