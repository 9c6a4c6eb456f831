"""Audits of what is stored: monitors of each source's runs, and invariants of all data."""
