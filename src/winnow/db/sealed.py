"""Secrets at rest: AES-256-GCM, bound to the row they belong to (R-23, F-097 … F-099).

    blob = seal(ring, b"password", "proxy:7")       # the second text is not secret: it names the row
    seal_id = ring.current                          # kept beside the blob where the table has a column for it
    unseal(ring, blob, "proxy:7")                   # SealBroken when moved to another row, altered, or of a lost key

The layout is F-098's: version, nonce, tag, ciphertext. Turning to a new key: it becomes the current one, the old
one stays in the ring for reading until everything was sealed anew.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from winnow.errors import ConfigError, SealBroken

KEY_BYTES = 32  # AES-256
VERSION = 1
_NONCE, _TAG = 12, 16  # NIST SP 800-38D: 96-bit random nonce, full tag
_SHORTEST = 1 + _NONCE + _TAG


@dataclass(frozen=True, slots=True)
class KeyRing:
    """`current` is the id of the key that seals; the others only open."""

    current: str
    _keys: Mapping[str, AESGCM] = field(repr=False)

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._keys)

    def sealer(self) -> AESGCM:
        return self._keys[self.current]

    def openers(self, key_id: str | None) -> list[AESGCM]:
        """The named key; without a name every key, the current one first."""
        if key_id is not None:
            return [self._keys[key_id]] if key_id in self._keys else []
        return [self.sealer(), *(key for name, key in self._keys.items() if name != self.current)]


def ring_of(current: bytes, older: Sequence[bytes] = ()) -> KeyRing:
    keys = {key_id_of(key): AESGCM(key) for key in (current, *older)}
    return KeyRing(key_id_of(current), keys)


def key_id_of(key: bytes) -> str:
    """Tells keys apart and says nothing about them."""
    return hashlib.sha256(b"winnow key id\x00" + key).hexdigest()[:16]


def seal(ring: KeyRing, plaintext: bytes, aad: str) -> bytes:
    nonce = os.urandom(_NONCE)
    sealed = ring.sealer().encrypt(nonce, plaintext, aad.encode())
    return bytes([VERSION]) + nonce + sealed[-_TAG:] + sealed[:-_TAG]


def unseal(ring: KeyRing, blob: bytes, aad: str, key_id: str | None = None) -> bytes:
    if len(blob) < _SHORTEST or blob[0] != VERSION:
        raise SealBroken("a stored secret is damaged or of an unknown version")
    nonce, tag, ciphertext = blob[1 : 1 + _NONCE], blob[1 + _NONCE : _SHORTEST], blob[_SHORTEST:]
    for key in ring.openers(key_id):
        try:
            return key.decrypt(nonce, ciphertext + tag, aad.encode())
        except InvalidTag:
            continue
    raise SealBroken("a stored secret cannot be opened: it was altered or moved, or its key is not known here")


def parse_key(text: str, name: str) -> bytes:
    """A key as settings and files hold it. The value itself is never repeated in a message."""
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        raise ConfigError(f"{name} is not base64: make a key with `openssl rand -base64 32`") from None
    if len(key) != KEY_BYTES:
        raise ConfigError(f"{name} holds {len(key)} bytes, not {KEY_BYTES}: make a key with `openssl rand -base64 32`")
    if len(set(key)) == 1:  # a placeholder, not a key
        raise ConfigError(f"{name} is a placeholder: make a key with `openssl rand -base64 32`")
    return key
