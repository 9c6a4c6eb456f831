"""One line that says where an event takes place -> the name of the place and its address."""

from __future__ import annotations

import re

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy

MAX_NAME = 120
_URL = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_MEETING_URL = re.compile(
    r"zoom\.us|teams\.(?:microsoft|live)\.com|meet\.google\.com|webex\.com|gotomeeting\.com|youtube\.com|youtu\.be|jit\.si|whereby\.com",
    re.IGNORECASE,
)
_ONLINE = re.compile(
    r"(?:online|virtual|webinar|zoom|livestream|live stream|microsoft teams|google meet)\W*", re.IGNORECASE
)
_NUMBERED = re.compile(r"\d")


def add_place(into: Collected, text: str, strategy: Strategy, path: str) -> None:
    """The first part is a name when it has no number and more follows, or when nothing else is said."""
    for url in _URL.findall(text):
        if _MEETING_URL.search(url):
            into.add("attendance", "OnlineEventAttendanceMode", strategy, path)
    plain = " ".join(_URL.sub(" ", text.replace("\n", ", ")).split()).strip(" ,;|–-")
    if not plain:
        return
    if _ONLINE.fullmatch(plain):
        into.add("attendance", "OnlineEventAttendanceMode", strategy, path)
        return
    name, rest = _split(plain)
    into.add("venue_name", name[:MAX_NAME], strategy, path)
    into.add("location", rest, strategy, path)


def _split(plain: str) -> tuple[str, str]:
    parts = [part for part in re.split(r"\s*(?:,|;|\||\s[-–@]\s)\s*", plain) if part]
    if len(parts) == 1:
        return ("", plain) if _NUMBERED.search(plain) else (plain, "")
    if _NUMBERED.search(parts[0]):
        return "", plain
    return parts[0], ", ".join(dict.fromkeys(parts[1:]))
