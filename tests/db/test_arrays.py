"""Lists of one plain type go to the server as the arrays psycopg would send, or better typed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.types.json import Jsonb

from winnow.db import connect

assert connect  # registers our lists for every connection
ONE, TWO = UUID(int=1), UUID(int=2**127)


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (["a", 'b"{,}\\', None, "", "NULL", "žluť 売"], "text[]"),
        ([1, None, -(2**63), 2**63 - 1, 70_000], "bigint[]"),
        ([1.5, None, float("inf"), -0.0], "double precision[]"),
        ([True, None, False], "boolean[]"),
        ([ONE, None, TWO], "uuid[]"),
        ([[1, 2], [3, 4]], "integer[]"),
        ([Decimal("1.10"), None], "numeric[]"),
        ([datetime(2026, 1, 1, tzinfo=UTC), None], "timestamptz[]"),
        ([datetime(1969, 7, 20, 20, 17, 40, 999_999, tzinfo=timezone(timedelta(hours=-7))), None], "timestamptz[]"),
        ([datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)], "timestamptz[]"),
        ([datetime(2026, 1, 1, 12), None], "timestamp[]"),
        ([Colour.RED, "blue"], "text[]"),
        ([None, None], "text[]"),
        ([None, None, None], "uuid[]"),
        ([None], "timestamptz[]"),
        ([None], "jsonb[]"),
        ([], "text[]"),
    ],
)
def test_a_list_comes_back_as_it_went(conn: psycopg.Connection[Any], given: list[Any], kind: str) -> None:
    row = conn.execute(f"SELECT %s::{kind}, cardinality(%s::{kind})", (given, given)).fetchone()
    assert row is not None
    assert row[0] == given
    assert row[1] == sum(len(item) if isinstance(item, list) else 1 for item in given)


def test_json_and_whole_rows(conn: psycopg.Connection[Any]) -> None:
    found = conn.execute(
        "SELECT * FROM unnest(%s::jsonb[], %s::int[], %s::text[]) AS r(a, b, c)",
        ([Jsonb({"x": ["ä"]}), None], [1, 2], ["p", None]),
    ).fetchall()
    assert found == [({"x": ["ä"]}, 1, "p"), (None, 2, None)]
    small = conn.execute("SELECT pg_typeof(%s)::text, 5 = ANY(%s)", ([1, 2], [4, 5])).fetchone()
    assert small == ("bigint[]", True)


def test_what_no_server_could_keep_is_refused(conn: psycopg.Connection[Any]) -> None:
    with pytest.raises(psycopg.DataError):
        conn.execute("SELECT %s::bigint[]", ([2**63],))
    with pytest.raises(psycopg.DataError):
        conn.execute("SELECT %s", ([1, "a"],))
