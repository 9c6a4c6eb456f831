"""Names and numbers that are kept free for examples: `acme.example` (RFC 2606), 555-01xx (the numbering plans).

On the public web they are what a template was shipped with, and nobody's. On a site that has no public name or address
itself (a demo, a test, a page on your own machine) they are what its people are called.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

_TOP = re.compile(r"(?:^|\.)(?:example|test|invalid|localhost)$", re.IGNORECASE)  # RFC 6761 §6
_SECOND = re.compile(r"(?:^|\.)example\.(?:com|net|org)$", re.IGNORECASE)  # RFC 2606 §3


def is_made_up(url: str) -> bool:
    """Whether the host of this address is reserved and cannot exist on the public web."""
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return bool(_TOP.search(host) or _SECOND.search(host))


def is_name_there(domain: str, url: str) -> bool:
    """Whether a reserved domain counts as real on the site at `url`: any below `.example`, or the site's own."""
    host = (urlsplit(url).hostname or "").lower()
    own = host == domain or host.endswith("." + domain)
    return is_made_up(url) and (own or ("." in domain and _TOP.search(domain) is not None))
