"""Monitors over the API."""

from __future__ import annotations

import httpx
from fastapi import FastAPI

from tests.api.conftest import Checked, MakeKey
from tests.cli.test_audit_commands import READING
from tests.store.offer_rows import source
from winnow.db.engine import Database
from winnow.observe.keys import Scope


async def test_monitors_are_listed_changed_and_accepted(api: FastAPI, make_key: MakeKey, database: Database) -> None:
    source_id = await source(database)
    async with database.connection() as conn:
        await conn.execute(READING)
    headers = {"X-Service-Key": await make_key(Scope.ADMIN)}
    path = "/api/v1/monitors"
    async with httpx.AsyncClient(transport=Checked(api), base_url="http://winnow.test", headers=headers) as caller:
        (found,) = (await caller.get(path, params={"broken": True})).json()["data"]
        assert (found["source_id"], found["results"][0]["state"]) == (source_id, "broken")
        changed = await caller.patch(f"{path}/{source_id}", json={"items_share": 0.1})
        assert changed.json()["data"] == {"items_share": 0.1}
        for wrong in ({}, {"items_share": 2}, {"price_factor": 0.5}, {"unknown": 1}, {"enabled": None}):
            assert (await caller.patch(f"{path}/{source_id}", json=wrong)).status_code == 422
        assert (await caller.patch(f"{path}/77", json={"enabled": False})).status_code == 404
        assert (await caller.post(f"{path}/77/accept")).status_code == 404
        assert (await caller.post(f"{path}/{source_id}/accept")).status_code == 200
        assert (await caller.get(path, params={"broken": True})).json()["data"] == []
