"""One PostgreSQL data folder: how it is made, with which settings it runs, what its files say.

Standard library only: the supervisor imports this.
"""

from __future__ import annotations

import json
import locale
import os
import re
import shutil
import signal
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from winnow.db.kernel import LINUX, ends_with_parent, private, sync_folder

SUPERUSER = "winnow"
# For a small machine shared with crawlers and a browser. fsync and synchronous_commit keep their default: on.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket path holds 107 bytes; data folders may be longer
    "max_connections": "200",
    "shared_buffers": "192MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",  # SSD
    # The log is written out beside the load instead of by it: a first load of a catalogue takes a twentieth less.
    "wal_buffers": "32MB",
    "wal_writer_delay": "10ms",
    "jit": "off",  # compiling costs more than it saves on queries of milliseconds
    "wal_level": "minimal",  # no replicas: a COPY into a new table skips the log
    "max_wal_senders": "0",
    "max_wal_size": "2GB",
    "checkpoint_timeout": "10min",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
    # Errors go to the client that caused them; here they would repeat values from pages.
    "log_min_messages": "log",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}
# The server may run as another user, who could read the environment: secrets stay out of it.
LEAST_FREE = 16 << 20  # one segment of the write-ahead log
KEPT_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR")


class StartFailed(Exception):
    """One sentence for a person."""


@dataclass(frozen=True)
class ServerPlan:
    """What to run, where, and as whom (`uid` and `gid` None: as ourselves)."""

    home: str
    programs: str
    major: int
    uid: int | None = None
    gid: int | None = None

    @property
    def data(self) -> Path:
        return Path(self.home) / "data"

    def dumps(self) -> str:
        return json.dumps(asdict(self))


def explain(output: str, home: str) -> str:
    """The one sentence that says what to do, out of what PostgreSQL or the system said."""
    if "No space left on device" in output or "Disk quota exceeded" in output or _is_full(home):
        return f"no disk space left in {home}: free some, or set WINNOW_DATA_DIR to a folder on another disk"
    if "Read-only file system" in output or "Permission denied" in output:
        return f"cannot write to {home}: set WINNOW_DATA_DIR to a folder that can be written"
    if "Cannot allocate memory" in output or "could not create shared memory" in output:
        return "too little memory for the private database: free some, or set WINNOW_DATABASE_URL"
    if "Not a directory" in output or "No such file or directory: '/" in output or "Is a directory" in output:
        return f"{home} cannot be made or used as a folder: set WINNOW_DATA_DIR to one that can"
    told = [line for line in output.splitlines() if re.search(r"FATAL|PANIC|error:|ERROR", line)]
    last = (told or output.splitlines() or ["it said nothing"])[-1].strip()
    return f"the private database in {home} did not start: {last}"


def _is_full(home: str) -> bool:
    """Recovery without room says "checkpoint request failed" and no more."""
    try:
        return shutil.disk_usage(home).free < LEAST_FREE
    except OSError:
        return False


def as_account(plan: ServerPlan) -> dict[str, Any]:
    """Options for `subprocess` that run a program of the server as the server's user."""
    kept = {name: os.environ[name] for name in KEPT_ENVIRONMENT if name in os.environ}
    options: dict[str, Any] = {"env": {**kept, "LC_ALL": "C"}, "cwd": "/", "umask": 0o077}
    if plan.uid is not None:
        options |= {"user": plan.uid, "group": plan.gid, "extra_groups": []}
    return options


def make(plan: ServerPlan) -> None:
    """In a folder of its own, renamed when complete: a kill in between leaves nothing half-made."""
    for unfinished in Path(plan.home).glob("data.new.*"):
        shutil.rmtree(unfinished, ignore_errors=True)
    fresh = Path(plan.home) / f"data.new.{os.getpid()}"
    fresh.mkdir(mode=0o700)
    _give(fresh, plan)
    try:
        _initdb(plan, fresh)
        fresh.rename(plan.data)
        sync_folder(Path(plan.home))
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _initdb(plan: ServerPlan, fresh: Path) -> None:
    word = fresh.with_name("pwfile")
    with private(word, "w") as file:
        file.write((Path(plan.home) / "password").read_text())
    _give(word, plan)
    try:
        done = subprocess.run(
            [f"{plan.programs}/initdb", "-D", str(fresh), *_initdb_options(plan, word)],
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=ends_with_parent(signal.SIGKILL),
            **as_account(plan),
        )
    finally:
        word.unlink()
    if done.returncode:
        raise StartFailed(explain(done.stdout + done.stderr, plan.home))


def _initdb_options(plan: ServerPlan, word: Path) -> list[str]:
    auth = [f"--username={SUPERUSER}", "--auth=scram-sha-256", f"--pwfile={word}", "--encoding=UTF8"]
    if plan.major < 17:
        return [*auth, "--locale=C.UTF-8"]
    # Sorts and folds case the same on every machine, whatever locales are installed.
    builtin = ["--no-locale", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    return [*auth, *builtin, *(["--lc-ctype=C.UTF-8"] if _knows_unicode() else [])]


def _knows_unicode() -> bool:
    """The parser of text search asks the C library what a letter is; in plain C, “ and – are letters."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except locale.Error:
        return False
    locale.setlocale(locale.LC_CTYPE, before)
    return True


def _give(path: Path, plan: ServerPlan) -> None:
    if plan.uid is not None and plan.gid is not None:
        os.chown(path, plan.uid, plan.gid)


def server_command(plan: ServerPlan, port: int) -> list[str]:
    options = [f"--{name}={value}" for name, value in {**SETTINGS, "port": str(port)}.items()]
    return [f"{plan.programs}/postgres", "-D", str(plan.data), *options]


def postmaster_file(data: Path) -> list[str]:
    """Lines of `postmaster.pid`: 1 is the process, 8 its state (pidfile.h). Empty when there is none."""
    try:
        return (data / "postmaster.pid").read_text(errors="replace").splitlines()
    except OSError:
        return []


def serves(pid: int, data: Path) -> bool:
    """Whether this process is a server on this data folder, and not a stranger that got its number."""
    if LINUX:
        try:
            return os.fsencode(data) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            return False
    asked = subprocess.run(["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True)
    return str(data) in asked.stdout
