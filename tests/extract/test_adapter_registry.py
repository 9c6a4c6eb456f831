"""Adapters are registered by hand and a conflict is loud (P-053 … P-055)."""

from __future__ import annotations

import pytest

from tests.product_pages import context, ld, product
from winnow.errors import Conflict, InvalidInput
from winnow.extract.adapter import Registry
from winnow.judge.generic import GenericOffer


class ShopAdapter(GenericOffer):
    id = "shop"
    domain = "shop.example"


class OtherShopAdapter(ShopAdapter):
    id = "other"


class Unversioned(ShopAdapter):
    version = "1.0"


def test_p055_get_list_and_domain_lookup() -> None:
    registry = Registry()
    registry.register(GenericOffer())
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
    registry.register(GenericOffer())
    with pytest.raises(Conflict) as refused:
        registry.register(GenericOffer())
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
    adapter, page = GenericOffer(), ld(product())
    assert adapter.extract(page, context()) == adapter.extract(page, context())
    assert adapter.fast(page, context()) == adapter.extract(page, context())
