"""What the tests of the scraping service scrape, and the key they present."""

from __future__ import annotations

KEY = "a-service-key-of-the-backend"


def company(name: str = "Northwind Traders", email: str = "hello@northwind-traders.com") -> str:
    return f"""<!doctype html><html><head><title>{name}</title>
    <script type="application/ld+json">{{"@context": "https://schema.org", "@type": "Organization", "name": "{name}",
    "email": "{email}", "telephone": "+31 20 794 1000", "url": "https://www.northwind-traders.com/"}}</script></head>
    <body><h1>{name}</h1><p>Wholesale of dairy and seafood since 1978, from Amsterdam.</p></body></html>"""
