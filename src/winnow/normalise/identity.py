"""Which offer of its source this is (P-023 … P-025): PID, else SKU, else the hash of the URL."""

from __future__ import annotations

from winnow.normalise.record import Identity
from winnow.normalise.urls import short_url_hash

TYPES = ("PID", "SKU", "URL")  # P-025
MAX_VALUE = 255  # P-025


def identify(product_id: str | None, sku: str | None, canonical_url: str) -> tuple[Identity, list[str]]:
    """The first usable identity, and a note for every value that had to be passed over (PN-11)."""
    notes: list[str] = []
    for kind, value in (("PID", product_id), ("SKU", sku)):
        if value is None:
            continue
        trouble = fault(kind, value)
        if trouble is None:
            return Identity(kind, value), notes
        notes.append(f"identity: {kind} passed over, {trouble}")
    return Identity("URL", short_url_hash(canonical_url)), notes


def fault(kind: str, value: str) -> str | None:
    """Why an identity may not be used, or None when it may."""
    if kind not in TYPES:
        return f"type {kind!r} is not one of {', '.join(TYPES)}"
    if not value.strip():
        return "value is empty"
    if len(value) > MAX_VALUE:
        return f"value is longer than {MAX_VALUE} characters"
    if ":" in value:
        return "value contains ':'"
    if not value.isprintable():
        return "value contains control characters"
    return None


def parse_identity_key(key: str) -> Identity | None:
    """`PID:123` read back; None when the key breaks a rule of P-025."""
    kind, separator, value = key.partition(":")
    return Identity(kind, value) if separator and fault(kind, value) is None else None
