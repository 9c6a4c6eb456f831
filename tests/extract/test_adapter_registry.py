"""Adapters are registered by hand and a conflict is loud (P-053 … P-055)."""

from __future__ import annotations

import pytest

from tests.kinds.reading import GENERIC
from tests.product_pages import context, ld, product
from winnow.errors import Conflict, InvalidInput
from winnow.extract.adapter import Registry
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.offer import OFFER


class ShopAdapter(GenericAdapter):
    shop, domain = "shop", "shop.example"

    def __init__(self) -> None:
        super().__init__(OFFER)
        self.id = self.shop


class OtherShopAdapter(ShopAdapter):
    shop = "other"


class Unversioned(ShopAdapter):
    def __init__(self) -> None:
        super().__init__()
        self.version = "1.0"


def test_p055_get_list_and_domain_lookup() -> None:
    registry = Registry()
    registry.register(GENERIC)
    registry.register(ShopAdapter())
    assert registry.list() == ["generic", "shop"]
    assert isinstance(registry.get("shop"), ShopAdapter)
    assert registry.get("unknown") is None
    assert registry.has_adapter_for_domain("SHOP.example")
    assert not registry.has_adapter_for_domain("other.example")


def test_p055_nothing_is_registered_by_itself() -> None:
    assert Registry().list() == []


def test_p055_a_second_adapter_with_the_same_id_is_refused() -> None:
    registry = Registry()
    registry.register(GENERIC)
    with pytest.raises(Conflict) as refused:
        registry.register(GENERIC)
    assert refused.value.existing == "generic"


def test_p055_a_second_adapter_for_the_same_domain_and_kind_is_refused() -> None:
    registry = Registry()
    registry.register(ShopAdapter())
    with pytest.raises(Conflict) as refused:
        registry.register(OtherShopAdapter())
    assert refused.value.existing == "shop"


def test_p053_a_version_must_be_semver() -> None:
    with pytest.raises(InvalidInput):
        Registry().register(Unversioned())


def test_p054_the_same_page_gives_the_same_result() -> None:
    adapter, page = GENERIC, ld(product())
    assert adapter.extract(page, context()) == adapter.extract(page, context())
    assert adapter.fast(page, context()) == adapter.extract(page, context())
