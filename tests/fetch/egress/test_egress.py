"""R-10: resolve once, refuse if any record is forbidden, dial exactly those addresses; nothing else gets out."""

from __future__ import annotations

import asyncio
import csv
import errno
import socket
from collections.abc import Sequence
from pathlib import Path

import aiohttp
import pytest

from tests.fetch.fault_server import FaultServer
from tests.fetch.fetching import Canary, Open
from winnow.errors import HostUnresolved, UrlRefused
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import Admitted, Dial, EgressGuard
from winnow.fetch.outcome import FetchRequest, Outcome

PUBLIC = "93.184.216.34"


class NameServer:
    """Answers with the given records and counts how often it was asked."""

    def __init__(self, *answers: Sequence[str] | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        answer = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        await asyncio.sleep(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


async def test_all_public_records_are_admitted() -> None:
    guard = EgressGuard(resolve=NameServer([PUBLIC, "2606:2800:220:1::1", PUBLIC]))
    assert await guard.admit("http://example.com/x") == Admitted("example.com", 80, (PUBLIC, "2606:2800:220:1::1"))


@pytest.mark.parametrize(
    "records",
    [
        ["127.0.0.1"],
        [PUBLIC, "127.0.0.1"],
        [PUBLIC, "::1"],
        ["10.0.0.1", PUBLIC],
        [PUBLIC, "::ffff:10.0.0.1"],
        ["fe80::1%eth0"],
        [PUBLIC, "not an address"],
        [PUBLIC] * 40 + ["169.254.169.254"],
    ],
)
async def test_r10_one_forbidden_record_refuses_the_host(records: list[str]) -> None:
    with pytest.raises(UrlRefused) as refused:
        await EgressGuard(resolve=NameServer(records)).admit("http://example.com/")
    assert not any(record in str(refused.value) for record in records)


@pytest.mark.parametrize(
    "failure", [socket.gaierror(socket.EAI_NONAME, "x"), socket.gaierror(socket.EAI_AGAIN, "x"), TimeoutError(), []]
)
async def test_r10_a_name_without_an_answer_fails_closed(failure: Exception | list[str]) -> None:
    with pytest.raises(HostUnresolved) as unresolved:
        await EgressGuard(resolve=NameServer(failure)).admit("http://example.com/")
    assert unresolved.value.code == "dns"


async def test_r10_a_name_server_that_never_answers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def silence(host: str, port: int) -> list[str]:
        await asyncio.Event().wait()
        return []

    monkeypatch.setattr("winnow.fetch.egress.guard.RESOLVE_SECONDS", 0.05)
    with pytest.raises(HostUnresolved):
        await EgressGuard(resolve=silence).admit("http://example.com/")


async def test_r10_a_rebinding_name_is_dialled_where_it_was_first_seen(faults: FaultServer, open_fetcher: Open) -> None:
    """The first answer is the one that counts; the second would be the attack."""
    names = NameServer(["127.0.0.1"], ["127.0.0.2"])
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}", resolve=names)
    result = await fetcher.fetch(FetchRequest(url=faults.url("/ok", "shop.test")))
    assert (result.outcome, names.asked, faults.connections) == (Outcome.OK, 1, 1)


async def test_r10_a_pooled_connection_does_not_outlive_its_admission(
    faults: FaultServer, open_fetcher: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("winnow.fetch.egress.guard.ADMITTED_SECONDS", 0.0)
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}", resolve=NameServer(["127.0.0.1"], ["10.0.0.1"]))
    url = faults.url("/ok", "shop.test")
    assert (await fetcher.fetch(FetchRequest(url=url))).outcome is Outcome.OK
    assert (await fetcher.fetch(FetchRequest(url=url))).outcome is Outcome.REFUSED
    assert faults.paths() == ["/ok"]


async def test_many_who_ask_at_once_share_one_lookup() -> None:
    names = NameServer([PUBLIC])
    guard = EgressGuard(resolve=names)
    await asyncio.gather(*(guard.admit(f"http://example.com/{n}") for n in range(20)))
    assert names.asked == 1


async def test_a_caller_that_gives_up_does_not_end_the_lookup_of_others() -> None:
    answered = asyncio.Event()

    async def slow(host: str, port: int) -> list[str]:
        await answered.wait()
        return [PUBLIC]

    guard = EgressGuard(resolve=slow)
    impatient = asyncio.create_task(guard.admit("http://example.com/"))
    patient = asyncio.create_task(guard.admit("http://example.com/"))
    await asyncio.sleep(0)
    impatient.cancel()
    answered.set()
    assert (await patient).addresses == (PUBLIC,)


@pytest.mark.parametrize(
    ("host", "port"),
    [
        ("127.0.0.1", 22),
        ("localhost", 21),
        ("::1", 22),
        ("[::1]", 22),
        ("10.0.0.5", 21),
        ("0x7f.1", 21),
        ("a@b.com", 22),
        ("ftp.example.com\r\n", 21),
        ("a b.com", 22),
        ("", 22),
        ("intranet", 21),
        ("example.com", 0),
        ("example.com", 70000),
        ("example.com:21", 21),
        ("ftp://example.com", 21),
        ("169.254.169.254", 80),
    ],
)
async def test_r10_ftp_and_sftp_hosts_pass_the_same_guard(host: str, port: int) -> None:
    with pytest.raises(UrlRefused):
        await EgressGuard(resolve=NameServer([PUBLIC])).admit_host(host, port)


async def test_ftp_and_sftp_ports_are_their_own() -> None:
    guard = EgressGuard(resolve=NameServer([PUBLIC]))
    assert await guard.admit_host("ftp.Example.com", 21) == Admitted("ftp.example.com", 21, (PUBLIC,))
    assert await guard.admit_host("2606:4700:4700::1111", 22) == Admitted(
        "2606:4700:4700::1111", 22, ("2606:4700:4700::1111",)
    )


async def test_r10_an_internal_name_behind_ftp_is_refused() -> None:
    with pytest.raises(UrlRefused):
        await EgressGuard(resolve=NameServer(["10.1.2.3"])).admit_host("ftp.example.com", 21)


@pytest.mark.parametrize("entry", ["shop.test", "shop.test:8080", "127.0.0.1", "127.0.0.0/8:8080"])
async def test_allow_entries_open_loopback(entry: str) -> None:
    guard = EgressGuard(AllowList([entry]), NameServer(["127.0.0.1"]))
    assert (await guard.admit("http://shop.test:8080/")).addresses == ("127.0.0.1",)


@pytest.mark.parametrize("entry", ["other.test", "shop.test:8081", "127.0.0.2", "127.0.0.0/8:8081"])
async def test_allow_entries_open_nothing_else(entry: str) -> None:
    with pytest.raises(UrlRefused):
        await EgressGuard(AllowList([entry]), NameServer(["127.0.0.1"])).admit("http://shop.test:8080/")


async def _get(guard: EgressGuard, url: str, dial: Dial | None) -> None:
    async with aiohttp.ClientSession(connector=guard.connector()) as session:
        if dial is None:
            await session.get(url)
        else:
            with dial:
                await session.get(url)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "shop.test"])
async def test_r10_the_connector_dials_nothing_that_was_not_admitted(canary: Canary, host: str) -> None:
    """Even when a caller forgets the guard, or was admitted for somewhere else: literals as well as names."""
    elsewhere = Dial(Admitted("example.com", canary.port, (PUBLIC,)))
    for dial in (None, elsewhere):
        with pytest.raises(aiohttp.ClientConnectorError) as refused:
            await _get(EgressGuard(), f"http://{host}:{canary.port}/", dial)
        assert refused.value.os_error.errno == errno.EACCES
    assert canary.connections == 0


async def test_the_proxy_of_the_environment_is_not_used(
    faults: FaultServer, canary: Canary, open_fetcher: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{canary.port}")
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{canary.port}")
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    assert (await fetcher.fetch(FetchRequest(url=faults.url("/ok")))).outcome is Outcome.OK
    assert canary.connections == 0


VECTORS = list(csv.DictReader((Path(__file__).parents[1] / "ssrf_vectors.tsv").open(encoding="utf-8"), delimiter="\t"))
DIALLED = {"v4-special", "v6-special", "v4-encoding", "hostname", "url-parser", "scheme"}


async def test_r10_no_vector_reaches_anything(open_fetcher: Open) -> None:
    """Through the whole fetcher, with a name server that says every name is public: refused before it is asked."""
    names = NameServer([PUBLIC])
    fetcher = await open_fetcher(resolve=names)
    for vector in (v["vector"] for v in VECTORS if v["category"] in DIALLED):
        result = await fetcher.fetch(FetchRequest(url=vector))
        assert (result.outcome, result.body) == (Outcome.REFUSED, None), vector
    assert names.asked == 0
