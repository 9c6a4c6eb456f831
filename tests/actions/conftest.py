from __future__ import annotations

import pytest

from winnow.actions.intake import Intake
from winnow.fetch.egress.allow import NOTHING
from winnow.kinds.adapters import registry


@pytest.fixture
def intake() -> Intake:
    return Intake(NOTHING, registry)
