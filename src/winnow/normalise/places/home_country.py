"""Where a page is at home: the country its address names, else the one its language does."""

from __future__ import annotations

from urllib.parse import urlsplit

from phonenumbers import SUPPORTED_REGIONS

# Country endings that companies anywhere use for their sound or because they are short.
_ANYWHERE_TEXT = "co io ai me tv cc ws to gg fm so sh eu la vc gs ms nu st tk ml ga cf gq pw bz sc ag am im ly"
_ANYWHERE = frozenset(_ANYWHERE_TEXT.split())
_ENDINGS_TEXT = """
    uk=GB cat=ES berlin=DE hamburg=DE koeln=DE bayern=DE wien=AT tirol=AT swiss=CH paris=FR bzh=FR amsterdam=NL frl=NL
    vlaanderen=BE brussels=BE london=GB scot=GB wales=GB cymru=GB nyc=US gov=US edu=US mil=US
"""
_ALIASES = dict(pair.split("=") for pair in _ENDINGS_TEXT.split())


def country_of_host(address: str) -> str | None:
    """DE of https://acme.de and of info@acme.de; None of .com, .io and the like."""
    try:
        host = (urlsplit(address).hostname or "") if "//" in address else address.rpartition("@")[2]
    except ValueError:
        return None
    ending = host.lower().rpartition(".")[2]
    if ending in _ALIASES:
        return _ALIASES[ending]
    code = ending.upper()
    return code if len(code) == 2 and ending not in _ANYWHERE and code in SUPPORTED_REGIONS else None


def country_of_language(lang: str) -> str | None:
    """AT of de-AT. American English is what themes say when nobody changed it, and counts last."""
    region = lang.strip().replace("_", "-").partition("-")[2].rpartition("-")[2].upper()
    return region if len(region) == 2 and region in SUPPORTED_REGIONS else None


def home_country(lang: str, *addresses: str) -> str | None:
    named = [country_of_host(address) for address in addresses]
    return next((country for country in named if country), None) or country_of_language(lang)
