"""How every benchmark is run and told.

Contenders take turns within each round, and every round starts with another one, so that a noisy
neighbour or a warming machine hits all of them alike. A figure is the median over the rounds, a
ratio the quotient of two medians. The last line printed is one JSON object; everything before it is
for people.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CONTENDERS = ROOT / "bench" / "contenders"


class BenchFailed(Exception):
    """The figures would mean nothing. One sentence for a person."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One contender's turn: `work` done in `seconds`. The process as a whole, starting and stopping included,
    took `wall_seconds` and, with all its children, `cpu_seconds`."""

    seconds: float
    work: int
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0

    @property
    def rate(self) -> float:
        return self.work / self.seconds

    @property
    def cores(self) -> float:
        return self.cpu_seconds / (self.wall_seconds or self.seconds)


Turn = Callable[[], Awaitable[Measure]]


async def interleave(contenders: Mapping[str, Turn], rounds: int) -> dict[str, list[Measure]]:
    measured: dict[str, list[Measure]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name in in_turn(list(contenders), number):
            measured[name].append(await contenders[name]())
            say(f"  round {number + 1} {name:<14}{measured[name][-1].rate:>12,.0f} /s")
    return measured


def in_turn(names: Sequence[str], number: int) -> list[str]:
    """Round 0 begins with the first, round 1 with the second, and so on."""
    first = number % len(names)
    return [*names[first:], *names[:first]]


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def median_rates(measured: Mapping[str, Sequence[Measure]]) -> dict[str, float]:
    return {name: median(m.rate for m in turns) for name, turns in measured.items()}


def median_cpu(measured: Mapping[str, Sequence[Measure]]) -> dict[str, float]:
    return {name: median(m.cpu_seconds for m in turns) for name, turns in measured.items()}


def ratios_of(rates: Mapping[str, float], hero: str = "winnow") -> dict[str, float]:
    """`vs_<other>`: how many times the other's rate ours is. Higher is better."""
    return {f"vs_{name}": rates[hero] / rate for name, rate in rates.items() if name != hero}


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What a contender's process printed last, and what the kernel says it used (children included)."""

    result: dict[str, Any]
    wall_seconds: float
    cpu_seconds: float

    def measure(self, work: str) -> Measure:
        return Measure(float(self.result["seconds"]), int(self.result[work]), self.cpu_seconds, self.wall_seconds)


async def run_script(
    python: str | Path,
    script: Path,
    *arguments: object,
    env: Mapping[str, str] | None = None,
    limit_s: float = 600,
) -> ScriptRun:
    command = [str(python), str(script), *map(str, arguments)]
    return await asyncio.to_thread(_run, command, {**os.environ, **(env or {})}, limit_s)


def _run(command: list[str], env: Mapping[str, str], limit_s: float) -> ScriptRun:
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=complained, env=env)
        status, usage = _wait(process.pid, begun + limit_s)
        process.returncode = os.waitstatus_to_exitcode(status)  # reaped here, so Popen must not wait again
        wall = time.perf_counter() - begun
        said.seek(0), complained.seek(0)
        if process.returncode:
            raise BenchFailed(f"{Path(command[1]).name} failed:\n{complained.read().decode()[-4000:]}")
        result = _figures(said.read().decode(), Path(command[1]).name)
    return ScriptRun(result, wall, usage.ru_utime + usage.ru_stime)


def _figures(said: str, name: str) -> dict[str, Any]:
    try:
        return dict(json.loads(said.strip().splitlines()[-1]))
    except (IndexError, ValueError, TypeError):
        raise BenchFailed(f"{name} printed no figures: {said[-500:]!r}") from None


def _wait(pid: int, until: float) -> tuple[int, Any]:
    """wait4 is the only call that tells what this one child and its children used."""
    while True:
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            return status, usage
        if time.perf_counter() > until:
            os.kill(pid, 9)
        time.sleep(0.02)


def say_cpu(measured: Mapping[str, Sequence[Measure]], beside: Mapping[str, Sequence[float]]) -> None:
    """CPU seconds with children, and how many cores that kept busy; `beside` are other processes' seconds."""
    for name, turns in measured.items():
        busy = median(turn.cores for turn in turns)
        say(f"  cpu {name:<18}{median(turn.cpu_seconds for turn in turns):>8.2f} s = {busy:.2f} cores")
    for name, seconds in beside.items():
        say(f"  cpu {name:<18}{median(seconds):>8.2f} s")


def rounded(values: Mapping[str, float]) -> dict[str, float]:
    """Four significant digits: more would pretend to a precision no benchmark has."""
    return {name: float(f"{value:.4g}") for name, value in values.items()}


def say(line: str) -> None:
    print(line, flush=True)


def run(bench: Coroutine[Any, Any, None]) -> None:
    """The way every benchmark starts: a failure is one clear message and an exit code, not a figure."""
    try:
        asyncio.run(bench)
    except BenchFailed as failure:
        print(f"bench failed: {failure}", file=sys.stderr)
        sys.exit(1)


def announce(bench: str, work: Mapping[str, object], server: Mapping[str, str] | None = None) -> None:
    say(f"bench {bench}: " + ", ".join(f"{name} {value}" for name, value in work.items()))
    say(f"machine: {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    if server:
        say("server: " + ", ".join(f"{name} {value}" for name, value in server.items()))


def conclude(
    bench: str,
    ratios: Mapping[str, float],
    medians: Mapping[str, float],
    work: Mapping[str, object],
    better: Mapping[str, str],
    **more: object,
) -> None:
    """The figures for people, then the one line for machines."""
    for name, value in medians.items():
        say(f"  median {name:<26}{value:>14,.2f}")
    for name, value in ratios.items():
        say(f"  ratio  {name:<26}{value:>14,.2f}   {better.get(name, 'higher is better')}")
    line = {
        "bench": bench,
        "ratios": rounded(ratios),
        "medians": rounded(medians),
        "work": dict(work),
        **more,
    }
    say(json.dumps(line))
