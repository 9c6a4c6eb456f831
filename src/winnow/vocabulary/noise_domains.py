"""Sites that are never the agenda of a venue or a town: social networks, travel guides, ticket shops (E-016)."""

from __future__ import annotations

from functools import cache

from winnow.vocabulary.load import load


@cache
def noise_domains() -> frozenset[str]:
    return frozenset(domain for group in load("noise_domains", dict[str, list[str]]).values() for domain in group)
