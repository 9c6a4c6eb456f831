"""What the console takes from somebody who has not logged in, counted while it arrives."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.console.conftest import PASSWORD
from tests.console.test_doors import client, enter
from winnow.console.gate import MAX_FORM

__all__ = ["client"]

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x")


@pytest.mark.parametrize("media", FORMS)
async def test_r22_a_login_without_a_stated_length_is_cut_off(client, media: str):
    async def endless() -> AsyncIterator[bytes]:
        yield (
            b'--x\r\nContent-Disposition: form-data; name="username"; filename="a"\r\n\r\n'
            if "multi" in media
            else b"username="
        )
        for _ in range(2_000):
            yield b"a" * 16_384

    headers = {"Content-Type": media, "Origin": str(client.base_url).rstrip("/")}
    answer = await client.post("/console/login", content=endless(), headers=headers)
    assert answer.status_code == 413
    assert (await enter(client, "viewer", PASSWORD)).status_code == 303


async def test_r22_a_login_that_states_too_great_a_length_is_refused(client):
    headers = {"Content-Type": FORMS[0], "Origin": str(client.base_url).rstrip("/")}
    body = b"username=" + b"a" * MAX_FORM
    assert (await client.post("/console/login", content=body, headers=headers)).status_code == 413
