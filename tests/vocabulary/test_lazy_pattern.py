"""Long patterns are compiled when they are first used, and all of them can be."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import winnow
from winnow.vocabulary import lazy_pattern as module
from winnow.vocabulary.lazy_pattern import lazy_pattern


def test_a_pattern_is_compiled_at_its_first_use(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    compile_now = re.compile
    monkeypatch.setattr(module.re, "compile", lambda *given: compiled.append(given) or compile_now(*given))
    pattern = lazy_pattern(r"(\d+) eur", re.IGNORECASE)
    assert pattern.pattern == r"(\d+) eur"
    assert compiled == []
    found = pattern.search("for 12 EUR")
    assert found is not None
    assert found[1] == "12"
    assert pattern.fullmatch("12 eur ") is None
    assert pattern.findall("1 eur, 2 Eur") == ["1", "2"]
    assert pattern.search("nothing") is None
    assert {given for given in compiled} == {(r"(\d+) eur", re.IGNORECASE)}


def test_every_lazy_pattern_of_the_package_can_be_compiled() -> None:
    found = [
        (name, value)
        for _, name, _ in pkgutil.walk_packages(winnow.__path__, "winnow.")
        if name.startswith(("winnow.normalise.", "winnow.extract.", "winnow.fetch.blocked.", "winnow.vocabulary."))
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, module._LazyPattern)
    ]
    assert len(found) > 20
    for name, pattern in found:
        assert re.compile(pattern.pattern, pattern._flags).groups >= 0, name
