"""Accounts, API keys, audit trail, settings and diagnosis."""
