"""`winnow users`: who may use the console."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from tests.cli.conftest import Winnow, fetch


def test_a_user_is_added_listed_changed_and_disabled(winnow: Winnow, database_url: str):
    made = winnow("users", "add", "anna", "--role", "admin", "--json").data
    assert made["role"] == "admin"
    assert made["must_change_password"] is True
    assert len(made["password"]) > 20
    winnow("users", "add", "ben", "--json")
    assert winnow("users", "role", "ben", "operator", "--json").data["role"] == "operator"
    assert winnow("users", "disable", "ben", "--json").data["enabled"] is False
    assert winnow("users", "enable", "ben", "--json").data["enabled"] is True
    assert [user["username"] for user in winnow("users", "list", "--json").data] == ["anna", "ben"]
    assert made["password"] not in winnow("users", "list").out
    audited = fetch(database_url, "SELECT action, object_id FROM audit_log WHERE object_type = 'user' ORDER BY id")
    assert audited == [
        ("user.created", "anna"), ("user.created", "ben"), ("user.role_changed", "ben"), ("user.disabled", "ben"),
        ("user.enabled", "ben"),
    ]  # fmt: skip


def test_a_password_may_be_given(winnow: Winnow, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("a-password-of-mine\n"))
    made = winnow("users", "add", "anna", "--password-stdin", "--json").data
    assert "password" not in made
    assert made["must_change_password"] is False
    assert len(winnow("users", "password", "anna", "--json").data["password"]) > 20


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("add", "anna", "--role", "king"), "there is no role 'king'"),
        (("add", "an na"), "a name has 1 to 64"),
        (("role", "nobody", "viewer"), "there is no user 'nobody'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(winnow: Winnow, arguments: tuple[str, ...], says: str):
    result = winnow("users", *arguments)
    assert result.code == 1
    assert says in result.err
    assert result.err.count("\n") == 1


def test_the_only_admin_stays(winnow: Winnow):
    winnow("users", "add", "anna", "--role", "admin")
    assert "the only admin" in winnow("users", "disable", "anna").err


def test_nothing_else_pays_for_the_console():
    """It takes a while to import: only the process that serves it does."""
    code = "import sys, winnow.cli, winnow.api.serve, winnow.console.front; sys.exit('nicegui' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
