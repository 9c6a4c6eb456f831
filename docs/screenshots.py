"""Makes the pictures of the console that the docs show, of a running demo:

    python -m docs.screenshots

Needs an installed Chromium. Takes about two minutes: the tour is played at the pace of a person.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from winnow.fetch.browser.chromium import find_chromium
from winnow.queries import demo_tour

IMAGES = Path(__file__).parent / "images"
SIZE = {"width": 1280, "height": 860}
# page of the console → file; the first one is the README's
PICTURES = {"/": "console.png"}
PAST_THE_TOUR = 616  # pixels: the overview of everyday is below it
LARGEST = 300_000  # bytes of one picture
PATIENCE = 300.0
ANNOUNCED = re.compile(r"Console · (http://\S+) · name (\S+), password (\S+)")


@dataclass(frozen=True)
class Demo:
    folder: Path
    console: str
    user: str
    password: str


@contextmanager
def demo() -> Iterator[Demo]:
    process = subprocess.Popen([sys.executable, "-m", "winnow", "demo"], stdout=subprocess.PIPE, text=True)
    try:
        yield _announced(process)
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


def _announced(process: subprocess.Popen[str]) -> Demo:
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += " " + line.strip()
        folder, console = re.search(r"(\S*winnow-demo-\w+)", said), ANNOUNCED.search(said)
        if folder and console:
            return Demo(Path(folder[1]), *console.groups())
    raise SystemExit(f"the demo did not start: {said}")


def until_seen(folder: Path, step: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        told = demo_tour.read(folder)
        if told and any(found.id == step and found.state is demo_tour.StepState.SEEN for found in told.steps):
            return
        time.sleep(1)
    raise SystemExit(f"the demo did not come to {step}")


def log_in(page: Page, at: Demo) -> None:
    page.goto(at.console)
    page.fill("input[name=username]", at.user)
    page.fill("input[name=password]", at.password)
    page.click("button[type=submit]")


def take(page: Page, at: Demo) -> None:
    for path, name in PICTURES.items():
        page.goto(at.console + path)
        page.wait_for_timeout(4_000)  # charts draw themselves
        page.mouse.wheel(0, PAST_THE_TOUR if path == "/" else 0)
        page.wait_for_timeout(500)
        page.screenshot(path=IMAGES / name)
        size = (IMAGES / name).stat().st_size
        assert size < LARGEST, f"{name} has {size} bytes"


def main() -> None:
    with demo() as running, sync_playwright() as playwright:
        until_seen(running.folder, "spike")
        browser = playwright.chromium.launch(executable_path=find_chromium())
        page = browser.new_page(viewport=SIZE, color_scheme="light")
        log_in(page, running)
        take(page, running)
        browser.close()


if __name__ == "__main__":
    main()
