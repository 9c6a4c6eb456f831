"""A real OpenSearch on loopback, with a small heap and no security, ended with the test session.

Its jars are fetched by `.ci/install-opensearch`.
"""

from __future__ import annotations

import os
import random
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from tests.missing import missing

VERSION = "2.19.1.0"
START_SECONDS = 120.0
CONFIG = """\
network.host: 127.0.0.1
transport.port: 0
discovery.type: single-node
action.auto_create_index: true
cluster.routing.allocation.disk.threshold_enabled: false
"""
# As little as it needs: the runner starts a node with them in seven seconds on two cores.
JAVA = ("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
PORTS = range(9_201, 9_299)  # the runner takes no others


class OpenSearch:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jars = _jars()
        self._process: subprocess.Popen[bytes] | None = None
        self._port = _free_port()
        self.url = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Also again after `stop`, with what it had; waits until it answers."""
        config = self._folder / "config"
        config.mkdir(parents=True, exist_ok=True)
        (config / "opensearch.yml").write_text(CONFIG)
        options = ("-basePath", self._folder / "base", "-confPath", config, "-numOfNode", "1",
                   "-baseHttpPort", self._port - 1, "-disableESLogger")  # fmt: skip
        main = "org.codelibs.opensearch.runner.OpenSearchRunner"
        command = ["java", *JAVA, "-cp", f"{self._jars}/*", main, *map(str, options)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._await()

    def _await(self) -> None:
        assert self._process is not None
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise RuntimeError(f"OpenSearch ended: {(self._folder / 'log').read_text()[-2_000:]}")
            try:
                with urllib.request.urlopen(f"{self.url}/_cluster/health?wait_for_status=yellow&timeout=1s", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"OpenSearch does not answer within {START_SECONDS:g} s")

    def stop(self) -> None:
        """At once, as a machine that is switched off."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _jars() -> Path:
    usual = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "winnow" / f"opensearch-{VERSION}"
    folder = Path(os.environ.get("WINNOW_TEST_OPENSEARCH") or usual)
    if not (folder / "complete").exists():
        missing("OpenSearch: run .ci/install-opensearch")
    if shutil.which("java") is None:
        missing("Java 11 or newer, for OpenSearch")
    return folder / "jars"


def _free_port() -> int:
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    missing("a free port between 9201 and 9299, for OpenSearch")
