"""`winnow users …`: who may use the console."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from winnow.cli.session import AsJson, actor, assembled, run

if TYPE_CHECKING:
    from winnow.observe.users import Person, UserRole

app = typer.Typer(help="People who may use the console.", no_args_is_help=True)

COLUMNS = {
    "NAME": "username",
    "ROLE": "role",
    "ENABLED": "enabled",
    "LAST LOGIN (UTC)": "last_login_at",
    "LOCKED UNTIL": "locked_until",
    "CREATED (UTC)": "created_at",
}

Name = Annotated[str, typer.Argument(help="Login name.", show_default=False)]
RoleOption = Annotated[str, typer.Option("--role", help="viewer, operator or admin.")]
FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input instead of generating one.")
]


@app.command("add")
def add(name: Name, role: RoleOption = "viewer", password_stdin: FromStdin = False, as_json: AsJson = False) -> None:
    """Adds a person. Without --password-stdin a password is made, shown once, and to be changed at the first login."""
    password = _given() if password_stdin else None

    async def work() -> tuple[Person, str]:
        from winnow.observe import users

        chosen = password or users.generate_password()
        async with assembled() as parts, parts.database.connection() as conn:
            made = await users.add(conn, name, chosen, _role(role), actor(), must_change=password is None)
            return made, chosen

    made, chosen = run(work())
    _print_user(made, None if password else chosen, as_json)


@app.command("list")
def list_users(as_json: AsJson = False) -> None:
    """Lists users with role and last login."""
    from winnow.cli import show

    async def work() -> list[dict[str, object]]:
        import msgspec

        from winnow.observe import users

        async with assembled() as parts, parts.database.connection() as conn:
            return [msgspec.structs.asdict(person) for person in await users.listed(conn)]

    found = run(work())
    if as_json:
        show.as_json(found)
    else:
        show.table(COLUMNS, found, "no users yet: `winnow users add NAME --role admin`")


@app.command("role")
def role(
    name: Name,
    new_role: Annotated[str, typer.Argument(metavar="ROLE", help="viewer, operator or admin.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Changes the role of a user; it takes effect immediately."""

    async def work() -> Person:
        from winnow.observe import users

        async with assembled() as parts, parts.database.connection() as conn:
            return await users.set_role(conn, name, _role(new_role), actor())

    _print_user(run(work()), None, as_json)


@app.command("disable")
def disable(name: Name, as_json: AsJson = False) -> None:
    """Disables a user and ends their sessions. Their entries stay in the audit trail."""
    _print_user(run(_enabled(name, False)), None, as_json)


@app.command("enable")
def enable(name: Name, as_json: AsJson = False) -> None:
    """Enables a disabled user."""
    _print_user(run(_enabled(name, True)), None, as_json)


@app.command("password")
def password(name: Name, password_stdin: FromStdin = False, as_json: AsJson = False) -> None:
    """Sets a new password, ends the person's sessions and a lock after failed attempts."""
    given = _given() if password_stdin else None

    async def work() -> tuple[Person, str]:
        from winnow.observe import users

        chosen = given or users.generate_password()
        async with assembled() as parts, parts.database.connection() as conn:
            changed = await users.set_password(conn, name, chosen, actor(), must_change=given is None)
            return changed, chosen

    changed, chosen = run(work())
    _print_user(changed, None if given else chosen, as_json)


async def _enabled(name: str, enabled: bool) -> Person:
    from winnow.observe import users

    async with assembled() as parts, parts.database.connection() as conn:
        return await users.set_enabled(conn, name, enabled, actor())


def _role(name: str) -> UserRole:
    from winnow.errors import InvalidInput
    from winnow.observe.users import UserRole

    if name not in set(UserRole):
        raise InvalidInput(f"there is no role {name!r}: it is one of {', '.join(UserRole)}", field="role")
    return UserRole(name)


def _given() -> str:
    return sys.stdin.readline().rstrip("\r\n")


def _print_user(person: Person, password: str | None, as_json: bool) -> None:
    import msgspec

    from winnow.cli import show

    fields = msgspec.structs.asdict(person)
    if password is not None:
        fields["password"] = password
    if as_json:
        show.as_json(fields)
    else:
        show.fields(fields)
