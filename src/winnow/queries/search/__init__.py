"""Search of offers: one question (request.py), two places that answer it (postgres.py, server.py), and one page of
offers that are looked at again before anybody sees them (offers.py)."""
