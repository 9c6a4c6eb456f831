"""Who may do what, and who did what. Written by `observe/`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, ForeignKey, Index, LargeBinary, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from winnow.db.tables import Moment, Serial, Table


class AuditEntry(Table):
    """One change by a person or by the system itself; append-only, by trigger (baseline: audit_log_append_only.sql).

    Secrets are never in `before` or `after`: a changed credential is named, not shown (F-101).
    """

    __tablename__ = "audit_log"

    id: Mapped[Serial]
    at: Mapped[Moment]
    actor: Mapped[str]
    action: Mapped[str]
    object_type: Mapped[str]
    object_id: Mapped[str]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB)
    reason: Mapped[str | None]
    request_id: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("actor <> '' AND action <> '' AND object_type <> ''", name="named"),
        Index("idx_audit_log_at", "at"),
        Index("idx_audit_log_object", "object_type", "object_id", "at"),
    )


class ApiKey(Table):
    """A key is shown once and kept as its SHA-256; `prefix` lets people tell keys apart (R-25)."""

    __tablename__ = "api_keys"

    id: Mapped[Serial]
    name: Mapped[str]
    prefix: Mapped[str]
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    workspace_id: Mapped[str | None]
    created_at: Mapped[Moment]
    created_by: Mapped[str | None]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    revoked_by: Mapped[str | None]
    last_used_at: Mapped[datetime | None]

    __table_args__ = (
        CheckConstraint("octet_length(key_hash) = 32", name="key_hash"),
        CheckConstraint("scopes <@ ARRAY['admin','scrape','read'] AND cardinality(scopes) >= 1", name="scopes"),
        Index("api_keys_name_key", "name", unique=True, postgresql_where=text("revoked_at IS NULL")),
    )


class User(Table):
    """A person who may use the console. `session_epoch` rises when every session must end."""

    __tablename__ = "users"

    id: Mapped[Serial]
    username: Mapped[str]
    password_hash: Mapped[str]
    role: Mapped[str] = mapped_column(server_default="viewer")
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    failed_logins: Mapped[int] = mapped_column(server_default="0")
    last_failed_at: Mapped[datetime | None]
    locked_until: Mapped[datetime | None]
    last_login_at: Mapped[datetime | None]
    password_changed_at: Mapped[Moment]
    must_change_password: Mapped[bool] = mapped_column(server_default=text("false"))
    session_epoch: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[Moment]
    updated_at: Mapped[Moment]

    __table_args__ = (
        CheckConstraint("role IN ('admin','operator','viewer')", name="role"),
        CheckConstraint("password_hash LIKE '$argon2id$%'", name="password_hash"),
        CheckConstraint("failed_logins >= 0", name="failed_logins"),
        Index("users_username_key", text("lower(username)"), unique=True),
    )


class UserSession(Table):
    """One login. The browser holds the token, this its SHA-256; it is over when anything here says so."""

    __tablename__ = "user_sessions"

    id: Mapped[Serial]
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    epoch: Mapped[int]
    created_at: Mapped[Moment]
    last_seen_at: Mapped[Moment]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    address: Mapped[str | None]
    agent: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash"),
        Index("idx_user_sessions_user_id", "user_id"),
    )


class LoginAddress(Table):
    """How often logins from one address failed lately; an IPv6 network of 64 bits is one address."""

    __tablename__ = "login_addresses"

    address: Mapped[str] = mapped_column(primary_key=True)
    failures: Mapped[int] = mapped_column(server_default="1")
    since: Mapped[Moment]

    __table_args__ = (CheckConstraint("failures >= 0", name="failures"),)


class InvariantCheck(Table):
    """What the last check of an invariant found (C-070): how many rows break it, and some of them. `error`: it could
    not be checked."""

    __tablename__ = "invariant_checks"

    name: Mapped[str] = mapped_column(primary_key=True)
    checked_at: Mapped[Moment]
    violations: Mapped[int] = mapped_column(BigInteger)
    examples: Mapped[list[Any]] = mapped_column(JSONB, server_default=text("'[]'::jsonb"))
    error: Mapped[str | None]
    duration_ms: Mapped[int]

    __table_args__ = (CheckConstraint("violations >= 0", name="violations"),)
