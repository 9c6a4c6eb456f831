"""Downloads pictures of offers through the queue (C-036): each is a task of its own, with a grant and the robots
answer like any page (DESIGN §11.12).

Fetched where the source says `images: true` in its scrape_config, or everywhere with WINNOW_DOWNLOAD_IMAGES.
"""

from __future__ import annotations

import structlog

from winnow.db.engine import Connection, Database
from winnow.errors import UrlRefused
from winnow.fetch.archive.folder import path_of
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult
from winnow.fetch.picture import read_picture
from winnow.fetch.url import parse_url
from winnow.run import endings
from winnow.run.commit.health import PICTURE
from winnow.run.visit import Ending, Visit
from winnow.schedule.queue import queue, rank
from winnow.schedule.queue.task import NewTask, Producer, Stage, Status, new_id
from winnow.sources.domain import domain_of, origin_of
from winnow.store import images

log = structlog.get_logger(__name__)

KIND = PICTURE
KEPT = "kept"
ACCEPT = {"Accept": "image/avif,image/webp,image/png,image/jpeg,image/*;q=0.8"}
RANK = rank.LOWEST  # after any page of the same domain
AT_ONCE, MOST_QUEUED = 500, 10_000

_QUEUED = "SELECT count(*) FROM tasks WHERE producer = 'catalogue' AND adapter_id = 'image' AND status = 'queued'"


def ending_of(visit: Visit, result: FetchResult) -> Ending:
    """End the task of a picture. A failure for good is stored with the picture, so it needs no dead letter."""
    ended = endings.of_fetch(visit.task, result)
    if ended is not None:
        return endings.without_letter(ended)
    if read_picture(result.body or b"") is None:
        return Ending(
            status=Status.FAILED, stage=Stage.EXTRACT, outcome=endings.EXTRACT_FAILED, reason=FailureCode.NOT_A_PICTURE,
            error=FailureCode.NOT_A_PICTURE.meaning.sentence,
        )  # fmt: skip
    return Ending(status=Status.DONE, stage=Stage.DONE, outcome=KEPT)


def fetched(visit: Visit) -> images.Fetched | None:
    """Return what a finished visit says about its picture."""
    end, result = visit.ending, visit.fetch
    if visit.task.kind != KIND or end is None or not end.final:
        return None
    if end.outcome != KEPT or result is None or result.body is None or result.content_hash is None:
        return images.Fetched(task_id=visit.task.id, error=end.error or end.reason or end.outcome)
    picture = read_picture(result.body)
    assert picture is not None
    return images.Fetched(
        task_id=visit.task.id,
        hash=result.content_hash,
        path=path_of(result.content_hash),
        type=picture.content_type,
        width=picture.width,
        height=picture.height,
        size=len(result.body),
    )


class PictureQueue:
    """A chore that makes tasks of pictures that wait."""

    def __init__(self, database: Database, allow: AllowList) -> None:
        self._database = database
        self._allow = allow

    async def queue_pictures(self) -> int:
        async with self._database.transaction() as conn:
            await images.release_gone(conn)
            row = await (await conn.execute(_QUEUED)).fetchone()
            room = MOST_QUEUED - (row[0] if row else 0)
            found = await images.waiting(conn, min(AT_ONCE, room)) if room > 0 else []
            tasks = [task for picture in found if (task := await self._task(conn, picture)) is not None]
            await queue.enqueue(conn, tasks)
            await images.assign(conn, [(task.url, task.id) for task in tasks])
        return len(tasks)

    async def _task(self, conn: Connection, picture: images.WaitingImage) -> NewTask | None:
        try:
            parse_url(picture.url, self._allow)
        except UrlRefused as refused:
            await images.refuse(conn, picture.url, str(refused))
            return None
        return NewTask(
            id=new_id(),
            producer=Producer.CATALOGUE,
            kind=KIND,
            lane=domain_of(picture.url),
            origin=origin_of(picture.url),
            url=picture.url,
            rank=RANK,
            source_id=picture.source_id,
            adapter_id=KIND,
        )
