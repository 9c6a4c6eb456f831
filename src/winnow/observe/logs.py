"""Structured logs: one JSON object per line on stderr, or readable text for a terminal.

    with logs.context(run_id=7, task_id=str(task.id)):
        log.info("task_done", outcome="ok")

Every line has timestamp, level, event and request_id (S-130), and whatever was bound around it. Nothing
secret passes: masking is the last step before a line is written, so it also covers tracebacks and what
libraries log through the standard module (R-26).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from contextlib import AbstractContextManager
from typing import Any, TextIO

import orjson
import structlog
from structlog.types import EventDict, Processor

from winnow.observe import mask
from winnow.observe.log_files import LogFiles
from winnow.observe.settings import ObserveSettings

# Libraries that log each request or statement at INFO; their warnings are wanted, their chatter is not.
QUIET = (
    "uvicorn",
    "httpx",
    "asyncio",
    "aiohttp.access",
    "sqlalchemy.engine",
    "alembic",
    "psycopg.pool",
)


def configure(settings: ObserveSettings, stream: TextIO | None = None) -> None:
    """Call once at the start of a process, before the first line."""
    out = stream or sys.stderr
    level = logging.getLevelNamesMapping()[settings.log_level]
    render = _as_json if settings.log_format == "json" else _text_renderer(out)
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _with_request_id,
        structlog.processors.format_exc_info,
        masked,
    ]
    if settings.log_dir is not None:
        shared.append(_also_into(LogFiles(settings.log_dir, settings.kept())))
    structlog.configure(
        processors=[*shared, render],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(file=out),
        cache_logger_on_first_use=False,  # loggers made at import time follow a later configure
    )
    _configure_standard_logging(shared, render, out, level)


def context(**ids: Any) -> AbstractContextManager[None]:
    """Binds run_id, task_id, source_id, request_id … to every line written inside, also by other modules."""
    return structlog.contextvars.bound_contextvars(**ids)


def masked(_: Any, __: str, event: EventDict) -> EventDict:
    return {name: mask.value(given, name) for name, given in event.items()}


def _with_request_id(_: Any, __: str, event: EventDict) -> EventDict:
    event.setdefault("request_id", None)
    return event


def _also_into(files: LogFiles) -> Processor:
    def keep(logger: Any, method: str, event: EventDict) -> EventDict:
        written = {n: v for n, v in event.items() if not n.startswith("_")}  # internal
        files.write(str(event.get("level", "info")), _as_json(logger, method, written))
        return event

    return keep


def _as_json(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    return orjson.dumps(event, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _text_renderer(out: TextIO) -> Processor:
    plain = structlog.dev.ConsoleRenderer(colors=out.isatty(), pad_event_to=0)

    def render(logger: Any, method: str, event: EventDict) -> str:
        if event.get("request_id") is None:
            event.pop("request_id", None)
        return str(plain(logger, method, event))

    return render


def _configure_standard_logging(shared: list[Processor], render: Any, out: TextIO, level: int) -> None:
    written = logging.StreamHandler(out)
    written.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder()],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *shared, render],
        )
    )
    root = logging.getLogger()
    root.handlers = [written]
    root.setLevel(level)
    for name in QUIET:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
