"""The process that owns the private PostgreSQL (DESIGN §11.19).

`embedded.py` starts it, detached. It makes the cluster, keeps the server running and stops it when no
client is left:

- a client holds a shared flock on `clients.lock`; when this process can take that lock exclusively,
  nobody is left (the kernel drops the locks of a killed client too);
- it holds `supervisor.lock` as long as it lives, so "is there a server?" is one question to the kernel;
- when the server dies it is started again; when this process dies, the kernel stops the server (Linux),
  and the next client starts both again.

It says `ready`, `busy` (another supervisor was faster) or one sentence of error on its standard output.
It imports the standard library only: it lives long and should stay small.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from winnow.db import cluster
from winnow.db.cluster import ServerPlan, StartFailed, explain, postmaster_file, serves
from winnow.db.kernel import adopt_orphans, children, ends_with_parent, free_port, private, try_lock

LOOK_SECONDS = 1.0  # how often it looks for clients; the last one out asks at once, so this is for killed ones
STOP_SECONDS = 60.0  # a fast shutdown writes a checkpoint, which takes a while on a slow disk
QUIT_SECONDS = 5.0
START_ATTEMPTS = 8  # with a pause doubling from RESTART_PAUSE: gives up after about 25 s of failures
RESTART_PAUSE = 0.1
# Somebody took the port in between; backends of a killed server are still busy dying.
PASSING = ("could not bind", "shared memory block", "could not create any TCP/IP sockets", "already exists")
LOG_BYTES = 5_000_000  # of each of three log files


class Supervisor:
    def __init__(self, plan: ServerPlan) -> None:
        self.plan = plan
        self.home = Path(plan.home)
        self.clients = private(self.home / "clients.lock", "a")
        self.log = private(self.home / "server.log", "ab")
        self.recent: deque[str] = deque(maxlen=50)
        self.server: subprocess.Popen[bytes] | None = None
        self.port = 0
        self.stop_asked = False
        self.waker = self._listen_to_signals()

    def _listen_to_signals(self) -> int:
        waker, wakes = os.pipe()
        os.set_blocking(wakes, False)
        signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
        signal.signal(signal.SIGUSR1, self._ask_to_stop)
        # A shutdown of the machine or container signals everyone at once; workers still need the
        # database to finish their step, so it goes when they have gone.
        for sign in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(sign, lambda *_: None)
        return waker

    def _ask_to_stop(self, *_: object) -> None:
        self.stop_asked = True

    def start(self) -> None:
        """Starts the server and waits until it takes connections, recovery after a crash included."""
        pause = RESTART_PAUSE
        for _ in range(START_ATTEMPTS):
            self._end_leftovers()
            self._launch()
            if self._came_up():
                return self._publish()
            if self._hopeless():
                break
            time.sleep(pause)
            pause *= 2
        raise StartFailed(explain("\n".join(self.recent), self.plan.home))

    def _hopeless(self) -> bool:
        """The server said why it cannot start, and it is nothing that passes."""
        said = "\n".join(self.recent)
        if "could not bind" in said:
            self.port = 0
        return "FATAL" in said and not any(word in said for word in PASSING)

    def _launch(self) -> None:
        self.port = free_port(self.port)
        if not self.port:
            raise StartFailed("no free port on 127.0.0.1: close some programs, or set WINNOW_DATABASE_URL")
        self.recent.clear()
        self.server = subprocess.Popen(
            cluster.server_command(self.plan, self.port),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=ends_with_parent(signal.SIGINT),
            **cluster.as_account(self.plan),
        )
        assert self.server.stderr is not None
        os.set_blocking(self.server.stderr.fileno(), False)

    def _came_up(self) -> bool:
        while self.server is not None:
            lines = postmaster_file(self.plan.data)
            if len(lines) > 7 and lines[0] == str(self.server.pid) and lines[7].strip() == "ready":
                return True
            self._wait(0.02)
        return False

    def _publish(self) -> None:
        assert self.server is not None
        fresh = self.home / "server.json.new"
        with private(fresh, "w") as file:
            json.dump({"port": self.port, "supervisor": os.getpid(), "postmaster": self.server.pid}, file)
        fresh.rename(self.home / "server.json")

    def _end_leftovers(self) -> None:
        """A server that outlived its supervisor, and backends that outlived their server."""
        data, lines = self.plan.data, postmaster_file(self.plan.data)
        pid = int(lines[0]) if lines and lines[0].strip().isdigit() else 0
        if pid > 1 and serves(pid, data):
            self._end(pid, lambda: not serves(pid, data))
        elif lines:
            # PostgreSQL would take any process of that number for its own. The key of its shared memory
            # still keeps two servers off one folder.
            (data / "postmaster.pid").unlink(missing_ok=True)
        for orphan in children():
            os.kill(orphan, signal.SIGKILL)

    def _end(self, pid: int, gone: Callable[[], bool]) -> None:
        steps = (
            (signal.SIGINT, STOP_SECONDS),
            (signal.SIGQUIT, QUIT_SECONDS),
            (signal.SIGKILL, QUIT_SECONDS),
        )
        for sign, seconds in steps:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, sign)
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                if gone():
                    return
                self._wait(0.02)

    def tend(self) -> None:
        while not (self.stop_asked or try_lock(self.clients, fcntl.LOCK_EX)):
            self._wait(LOOK_SECONDS)
            if self.server is None:
                time.sleep(RESTART_PAUSE)  # in case it dies again and again
                self.start()
        self.stop()

    def stop(self) -> None:
        (self.home / "server.json").unlink(missing_ok=True)
        if self.server is not None:
            self._end(self.server.pid, lambda: self.server is None)

    def _wait(self, seconds: float) -> None:
        """Sleeps until something happens; copies what the server says, buries who died."""
        said = self.server.stderr.fileno() if self.server and self.server.stderr else self.waker
        ready, _, _ = select.select([self.waker, said], [], [], seconds)
        if self.waker in ready:
            os.read(self.waker, 4096)
        elif said in ready:
            self._record(os.read(said, 65536))
        self._reap_children()

    def _reap_children(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while (dead := os.waitpid(-1, os.WNOHANG)[0]) != 0:
                if self.server is not None and dead == self.server.pid:
                    self._hear_out(self.server)

    def _hear_out(self, server: subprocess.Popen[bytes]) -> None:
        assert server.stderr is not None
        with contextlib.suppress(BlockingIOError):
            self._record(os.read(server.stderr.fileno(), 65536))
        server.stderr.close()
        server.returncode = 0  # it is reaped; Popen must not look for it
        self.server = None

    def _record(self, output: bytes) -> None:
        self.recent.extend(output.decode(errors="replace").splitlines())
        with contextlib.suppress(OSError):  # a full disk must not end the supervisor too
            self.log.write(output)
            self.log.flush()
            if self.log.tell() > LOG_BYTES:
                self._rotate()

    def _rotate(self) -> None:
        for old, new in (("server.log.1", "server.log.2"), ("server.log", "server.log.1")):
            with contextlib.suppress(FileNotFoundError):
                (self.home / old).rename(self.home / new)
        self.log.close()
        self.log = private(self.home / "server.log", "ab")


def report(line: str) -> None:
    """Once: whoever started us reads one line, and may be gone by now."""
    with contextlib.suppress(OSError):
        print(line, flush=True)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main() -> None:
    plan = ServerPlan(**json.loads(sys.argv[1]))
    alive = private(Path(plan.home) / "supervisor.lock", "a")
    if not try_lock(alive, fcntl.LOCK_EX):
        return report("busy")
    try:
        adopt_orphans()
        (Path(plan.home) / "server.json").unlink(missing_ok=True)  # of one that was killed
        supervisor = Supervisor(plan)
        if not plan.data.exists():
            cluster.make(plan)
        supervisor.start()
        report("ready")
        supervisor.tend()
    except StartFailed as failed:
        report(str(failed))
    except OSError as error:
        report(explain(str(error), plan.home))


if __name__ == "__main__":
    main()
