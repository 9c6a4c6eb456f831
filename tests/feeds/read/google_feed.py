"""A Google Merchant feed in RSS, item by item."""

from __future__ import annotations

RSS = (
    '<?xml version="1.0" encoding="{encoding}"?>\n<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>'
    "<title>Shop</title><link>https://s.example</link><description>All</description>\n"
)
END = "</channel></rss>\n"


def item(n: int, title: str = "Thing é", price: str = "19.99 USD", link: str = "") -> str:
    link = link or f"https://s.example/{n}?a=1&amp;b=2"
    return (
        f"<item><g:id>{n}</g:id><g:title>{title}</g:title><g:link>{link}</g:link><g:price>{price}</g:price>"
        f"<g:shipping><g:country>US</g:country><g:price>4.99 USD</g:price></g:shipping>"
        f"<g:availability>in stock</g:availability><g:gtin>020892215513</g:gtin></item>\n"
    )


def feed(*items: str, encoding: str = "UTF-8") -> str:
    return RSS.format(encoding=encoding) + "".join(items) + END
