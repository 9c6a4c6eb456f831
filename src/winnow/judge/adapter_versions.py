"""Every version of an adapter that ever ran, and which one is live (C-069).

Written when a process that reads pages starts, with what it registered. A record names its adapter and version; this
table says since when that version was the live one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection

from winnow.extract.adapter import Registry

LIVE, CANDIDATE = "live", "candidate"
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('winnow.adapter_versions'))"
_RETIRE = """
UPDATE adapter_versions AS v SET state = 'retired', retired_at = now()
FROM unnest(%(adapter_id)b::text[], %(version)b::text[], %(state)b::text[]) AS g (adapter_id, version, state)
WHERE g.state = 'live' AND v.adapter_id = g.adapter_id AND v.version <> g.version AND v.state = 'live'
"""
_KEEP = """
INSERT INTO adapter_versions AS v (adapter_id, version, state, domain, promoted_at, promoted_by)
SELECT g.adapter_id, g.version, g.state, g.domain, CASE g.state WHEN 'live' THEN now() END,
       CASE g.state WHEN 'live' THEN %(by)s END
FROM unnest(%(adapter_id)b::text[], %(version)b::text[], %(state)b::text[], %(domain)b::text[])
     AS g (adapter_id, version, state, domain)
ON CONFLICT (adapter_id, version) DO UPDATE
SET state = excluded.state, domain = excluded.domain, retired_at = NULL,
    promoted_at = CASE WHEN excluded.state = 'live' AND v.state <> 'live' THEN now() ELSE v.promoted_at END,
    promoted_by = CASE WHEN excluded.state = 'live' AND v.state <> 'live' THEN excluded.promoted_by
                       ELSE v.promoted_by END
WHERE (v.state, v.domain) IS DISTINCT FROM (excluded.state, excluded.domain)
"""


class Version(msgspec.Struct, frozen=True):
    adapter_id: str
    version: str
    state: str
    domain: str


async def register(conn: AsyncConnection[Any], versions: Sequence[Version], by: str) -> None:
    """What this process may run from now on. The version that was live before is retired, never forgotten."""
    columns = {name: [getattr(v, name) for v in versions] for name in Version.__struct_fields__}
    await conn.execute(_LOCK)
    await conn.execute(_RETIRE, columns)
    await conn.execute(_KEEP, {**columns, "by": by})


async def remember(conn: AsyncConnection[Any], adapters: Registry, by: str) -> None:
    """Writes every registered adapter down, so that a record's adapter and version can be looked up later (C-069)."""
    live = [a for name in adapters.list() if (a := adapters.get(name)) is not None]
    rows = [Version(a.id, a.version, LIVE, a.domain) for a in live]
    rows += [Version(a.id, v, CANDIDATE, a.domain) for a in live for v in adapters.candidates(a.id)]
    await register(conn, rows, by)
