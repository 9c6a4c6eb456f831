"""Known shop systems: how to recognise each, and where it writes price and stock."""

from __future__ import annotations

import msgspec
from selectolax.lexbor import LexborHTMLParser


class Shop(msgspec.Struct, frozen=True):
    """`marks`: any of them says it is this system. `scopes`: where its selling price stands, the first that holds one.
    `stock`: elements whose text or class is the stock signal."""

    name: str
    marks: str
    scopes: tuple[str, ...]
    stock: str


SHOPS = (
    Shop(
        "woocommerce",
        "body.woocommerce, body.woocommerce-page, .woocommerce-Price-amount, form.variations_form",
        (".summary .woocommerce-variation-price .price", ".summary .price", ".product .price"),
        ".summary .stock, form.cart .stock, .product .stock",
    ),
    Shop(
        "shopify",
        'script[src*="cdn.shopify.com"], link[href*="cdn.shopify.com"], form[action*="/cart/add"], '
        '[id^="shopify-section"]',
        (
            '[id^="price-template"]', ".product__info-container .price", ".product-single__prices", ".product__price",
            ".product-single__price", "[data-product-price]", ".product-price", ".product-form .price",
        ),
        ".product-form__inventory, .product__inventory, [data-inventory], .product-availability",
    ),
    Shop(
        "magento",
        'script[type="text/x-magento-init"], .product-info-main, body.catalog-product-view',
        (".product-info-main .price-final_price", ".product-info-main .price-box", ".product-shop .price-box",
        ".product-essential .price-box"),
        ".product-info-main .stock, .product-shop .availability, .product-essential .availability",
    ),
    Shop(
        "bigcommerce",
        '.productView, script[src*="bigcommerce.com"], link[href*="bigcommerce.com"]',
        (".productView-price", ".productView-product .price-section", ".ProductPriceContainer"),
        ".productView-info .form-field--stock, .alertBox, [data-product-stock]",
    ),
    Shop(
        "prestashop",
        '#our_price_display, body#product .product-prices, meta[name="generator"][content*="PrestaShop"], '
        '.js-product-container',
        (".product-prices .current-price", "#our_price_display", ".product-prices", ".content_prices .price"),
        "#product-availability, #availability_value, .product-quantities",
    ),
    Shop(
        "drupal_commerce",
        '.commerce-product, .field--name-price, .field-commerce-price, '
        'form[class*="commerce-order-item-add-to-cart-form"]',
        (".product--variation-field--variation_price__1", ".field--name-price", ".field-commerce-price",
        ".product .price"),
        ".field--name-field-stock, .commerce-stock",
    ),
)  # fmt: skip


def recognise(tree: LexborHTMLParser) -> Shop | None:
    return next((shop for shop in SHOPS if tree.css_first(shop.marks) is not None), None)
