"""One service for all properties: a database, the API over ASGI, and a loop that goes on between the examples."""

from __future__ import annotations

from collections.abc import Iterator

import hypothesis
import pytest
from psycopg.conninfo import make_conninfo

from tests.conftest import made
from tests.service.world import World
from winnow.db.settings import DatabaseSettings

# The number every property is asked for (S-087); its examples share a database and a process.
hypothesis.settings.register_profile(
    "service", deadline=None, max_examples=100, suppress_health_check=list(hypothesis.HealthCheck)
)


@pytest.fixture(scope="session")
def _service(server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("service")
    with made(
        server_url, f"winnow_service_{folder.name}_{folder.parent.name}".replace("-", "_"), template_database
    ) as name:
        settings = DatabaseSettings(
            _env_file=None, database_url=make_conninfo(server_url, dbname=name), data_dir=folder
        )
        with World.opened(settings) as world:
            yield world


@pytest.fixture
def world(_service: World) -> World:
    _service.reset()
    return _service
