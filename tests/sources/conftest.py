from __future__ import annotations

import pytest

from winnow.fetch.allow import NOTHING
from winnow.run.adapters import registry
from winnow.run.intake import Intake


@pytest.fixture
def intake() -> Intake:
    return Intake(NOTHING, registry)
