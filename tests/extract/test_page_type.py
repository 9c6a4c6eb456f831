"""Only pages about one product give an offer: the page type is decided before a price is believed (DESIGN §11.29)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.product_pages import ld, page, product
from winnow.extract.draft import Extracted, Failure, Reason
from winnow.extract.page_type import may_be_other_type
from winnow.extract.waterfall import fast, waterfall

PRICE = '<p class="price">$19.99</p>'
BUTTON = '<button class="add-to-cart">Add to cart</button>'


def failure(html: Any) -> Failure:
    failed = waterfall(html, "offer")
    assert isinstance(failed, Failure)
    assert failed.reason is Reason.PRICE_NOT_FOUND
    return failed


@pytest.mark.parametrize(
    ("beside", "type_"),
    [
        ({"@type": "Recipe", "name": "Red Shoe"}, "article"),
        ({"@type": "NewsArticle", "headline": "Red Shoe"}, "article"),
        ({"@graph": [{"@type": "BlogPosting", "headline": "Red Shoe"}]}, "article"),
        ({"@type": "MusicEvent", "name": "Red Shoe"}, "other"),
        ({"@type": "JobPosting", "title": "Red Shoe"}, "other"),
    ],
)
def test_a_price_beside_another_subject_is_no_offer(beside: dict[str, Any], type_: str) -> None:
    failed = failure(ld(beside, body=f'<h1>Red Shoe</h1>{PRICE}<p class="stock">In stock</p>{BUTTON}'))
    assert failed.details.startswith(f"page type: {type_} (the data describe a ")


def test_an_article_about_a_product_that_cannot_be_bought_there_is_no_offer() -> None:
    about = {"@type": "Article", "headline": "Red Shoe"}
    assert "page type: article" in failure(ld(product(), about, body="<h1>Red Shoe</h1>")).details


def test_a_shop_that_marks_its_product_as_an_article_too_sells_it() -> None:
    marked = ld(product(), {"@type": "Article", "headline": "Red Shoe"}, body=f"<h1>Red Shoe</h1>{PRICE}{BUTTON}")
    assert isinstance(waterfall(marked, "offer"), Extracted)


def test_the_fast_path_leaves_every_other_type_to_the_dom() -> None:
    clean = ld(product(), body=f"<h1>Red Shoe</h1>{PRICE}{BUTTON}")
    assert fast(clean, "offer") is not None
    assert fast(ld(product(), {"@type": "Recipe"}, body=f"<h1>Red Shoe</h1>{PRICE}{BUTTON}"), "offer") is None
    assert may_be_other_type(frozenset(["collectionpage"]))
    assert not may_be_other_type(frozenset(["breadcrumblist", "organization", "webpage", "faqpage"]))


def test_a_collection_without_a_button_of_its_own_is_a_listing() -> None:
    listing = ld({"@type": "CollectionPage"}, body=f'<h1>Red Shoes</h1>{PRICE}<p class="stock">In stock</p>')
    assert "page type: listing" in failure(listing).details


def test_a_page_of_reviews_is_no_offer() -> None:
    body = f"<title>Customer reviews: Red Shoe</title><h1>Customer reviews: Red Shoe</h1>{PRICE}{BUTTON}"
    assert "reviews" in failure(page(body)).details
