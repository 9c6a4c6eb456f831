"""Credentials go to the hosts listed for their provider, and nowhere else (DESIGN §11.35)."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from winnow.errors import CredentialNotAllowed
from winnow.fetch import credential_hosts
from winnow.fetch.settings import CredentialSettings

HOSTS = credential_hosts.parse(
    "portal=portal.example.com, *.portal.example.com; crm=crm.example.org:8443; here=127.0.0.1:8080, [::1]:8080"
)


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("portal", "https://portal.example.com/a"),
        ("portal", "https://PORTAL.example.com./a"),
        ("portal", "https://portal.example.com:443/a"),
        ("portal", "https://eu.portal.example.com/a?next=http://elsewhere.example/"),
        ("crm", "https://crm.example.org:8443/"),
        ("here", "http://127.0.0.1:8080/"),
        ("here", "http://[::1]:8080/"),
    ],
)
def test_a_listed_host_gets_the_credential(provider: str, url: str) -> None:
    credential_hosts.check(HOSTS, provider, url)


@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("portal", "http://portal.example.com/a"),  # in clear text
        ("portal", "https://evil.example/?portal.example.com"),
        ("portal", "https://portal.example.com.evil.example/"),
        ("portal", "https://evilportal.example.com/"),
        ("portal", "https://portal.example.com@evil.example/"),
        ("portal", "https://portal.example.com:8443/"),
        ("crm", "https://crm.example.org/"),
        ("crm", "https://eu.crm.example.org:8443/"),
        ("other", "https://portal.example.com/"),  # a provider without a list
        ("here", "http://127.0.0.1/"),
        ("here", "http://localhost:8080/"),
    ],
)
def test_any_other_host_gets_none(provider: str, url: str) -> None:
    with pytest.raises(CredentialNotAllowed):
        credential_hosts.check(HOSTS, provider, url)


@pytest.mark.parametrize("wrong", ["portal", "portal=", "=a.example", "portal=https://a.example", "P=a.example", "p=*"])
def test_a_wrong_list_is_refused_at_the_start(wrong: str) -> None:
    with pytest.raises(ValidationError, match="credential_hosts"):
        CredentialSettings(_env_file=None, credential_hosts=wrong)
