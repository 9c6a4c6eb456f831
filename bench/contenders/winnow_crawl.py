"""Winnow: one worker process until the queue is empty. Where everything is comes from the environment.

    WINNOW_DATABASE_URL=… WINNOW_DATA_DIR=… WINNOW_EGRESS_ALLOW=… winnow_crawl.py

When it began and ended is in the database (bench/plan.py reads it): claimed at, settled at.
"""

from __future__ import annotations

import json
import logging

import structlog

from winnow import settings
from winnow.run import worker

if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    worker.main(settings.load(), until_empty=True)
    print(json.dumps({"drained": True}))
