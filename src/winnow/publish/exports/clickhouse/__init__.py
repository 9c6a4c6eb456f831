"""Prices, offers, products and events in ClickHouse, for analytics (C-074)."""
