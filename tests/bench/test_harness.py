"""A benchmark that lies is worse than none: what the harness counts, refuses and prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import harness
from bench.harness import BenchFailed, Measure

ROOT = Path(harness.__file__).resolve().parents[1]


def script(folder: Path, text: str) -> Path:
    file = folder / "contender.py"
    file.write_text(text)
    return file


def test_every_round_begins_with_another_contender() -> None:
    names = ["a", "b", "c"]
    assert [harness.in_turn(names, number) for number in range(4)] == [
        ["a", "b", "c"],
        ["b", "c", "a"],
        ["c", "a", "b"],
        ["a", "b", "c"],
    ]


async def test_contenders_take_turns_within_each_round() -> None:
    order: list[str] = []

    def contender(name: str, seconds: float) -> harness.Turn:
        async def turn() -> Measure:
            order.append(name)
            return Measure(seconds, 100)

        return turn

    measured = await harness.interleave({"winnow": contender("winnow", 1), "peer": contender("peer", 4)}, 3)
    assert order == ["winnow", "peer", "peer", "winnow", "winnow", "peer"]
    assert harness.ratios_of(harness.median_rates(measured)) == {"vs_peer": 4.0}


def test_a_figure_is_the_median_over_the_rounds() -> None:
    measured = {"winnow": [Measure(1, 100, 3.0), Measure(2, 100, 1.0), Measure(100, 100, 2.0)]}
    assert harness.median_rates(measured) == {"winnow": 50.0}
    assert harness.median_cpu(measured) == {"winnow": 2.0}


def test_cores_are_counted_over_the_whole_life_of_the_process() -> None:
    assert Measure(seconds=1, work=1, cpu_seconds=3, wall_seconds=2).cores == 1.5


async def test_a_contender_is_measured_with_its_children(tmp_path: Path) -> None:
    burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
    parent = (
        "import json, subprocess, sys\n"
        f"subprocess.run([sys.executable, '-c', {burn!r}], check=True)\n"
        "print('noise')\nprint(json.dumps({'seconds': 0.5, 'jobs': 7}))\n"
    )
    run = await harness.run_script(sys.executable, script(tmp_path, parent))
    measure = run.measure("jobs")
    assert (measure.seconds, measure.work) == (0.5, 7)
    assert measure.cpu_seconds >= 0.3
    assert run.wall_seconds >= 0.3


async def test_a_contender_that_fails_fails_the_benchmark_and_says_why(tmp_path: Path) -> None:
    with pytest.raises(BenchFailed, match="the reason"):
        await harness.run_script(sys.executable, script(tmp_path, "raise SystemExit('the reason')"))


async def test_a_contender_that_prints_no_figures_fails_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(BenchFailed, match="no figures"):
        await harness.run_script(sys.executable, script(tmp_path, "print('done')"))


async def test_a_contender_that_hangs_is_ended(tmp_path: Path) -> None:
    sleeper = script(tmp_path, "import time; time.sleep(600)")
    with pytest.raises(BenchFailed):
        await harness.run_script(sys.executable, sleeper, limit_s=0.2)


def test_the_last_line_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    harness.conclude(
        "queue",
        ratios={"vs_peer": 5.31415, "claim_growth": 1.1},
        medians={"winnow": 12345.678},
        work={"jobs": 10},
        better={"claim_growth": "lower is better"},
    )
    lines = capsys.readouterr().out.splitlines()
    assert json.loads(lines[-1]) == {
        "bench": "queue",
        "ratios": {"vs_peer": 5.314, "claim_growth": 1.1},
        "medians": {"winnow": 12350.0},
        "work": {"jobs": 10},
    }
    assert any("claim_growth" in line and "lower is better" in line for line in lines)
    assert any("vs_peer" in line and "higher is better" in line for line in lines)


def test_a_failed_benchmark_ends_with_an_exit_code_and_no_figures(capsys: pytest.CaptureFixture[str]) -> None:
    async def bench() -> None:
        raise BenchFailed("a value is wrong")

    with pytest.raises(SystemExit) as ended:
        harness.run(bench())
    assert ended.value.code == 1
    said = capsys.readouterr()
    assert "a value is wrong" in said.err
    assert said.out == ""


@pytest.mark.parametrize("bench", ["queue", "crawl"])
@pytest.mark.parametrize("way", [["-m", "bench.{}"], ["bench/{}.py"]])
def test_a_benchmark_runs_as_a_file_and_as_a_module(bench: str, way: list[str]) -> None:
    """As a file its folder would come first on the path, and bench/queue.py before the stdlib's queue."""
    command = [sys.executable, *(part.format(bench) for part in way), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "--quick" in done.stdout
